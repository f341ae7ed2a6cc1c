/** The call field that describes a printed map sheet. */
import { type Static, Type } from '@sinclair/typebox'
import { MAX_BLOCKS, MAX_LEGEND_ITEMS } from '../lib/print/map-spec.ts'
import { choice, flag, named, number, text } from './params.ts'

const colour = (description: { en: string; ar: string }, fallback?: string) =>
  text(description, { maxLength: 7, pattern: '^#[0-9A-Fa-f]{6}$', ...(fallback && { default: fallback }) })
const words = (en: string, ar: string, maxLength: number) => Type.Optional(text({ en, ar }, { maxLength }))
const closed = { additionalProperties: false }

const legendItem = Type.Object(
  {
    label: text({ en: 'What it stands for', ar: 'ما يدل عليه' }, { maxLength: 200 }),
    kind: Type.Optional(
      choice(
        ['fill', 'line', 'point', 'heading'],
        { en: 'How it is drawn; a heading has no symbol', ar: 'كيفية رسمه؛ العنوان بلا رمز' },
        {
          default: 'fill',
          titles: {
            fill: { en: 'Area', ar: 'مساحة' },
            line: { en: 'Line', ar: 'خط' },
            point: { en: 'Point', ar: 'نقطة' },
            heading: { en: 'Heading', ar: 'عنوان' },
          },
        },
      ),
    ),
    color: Type.Optional(colour({ en: 'Colour, as #rrggbb', ar: 'اللون بصيغة ‎#rrggbb' }, '#888888')),
    outline: Type.Optional(colour({ en: 'Colour of its edge', ar: 'لون الحافة' })),
    width: Type.Optional(
      number(
        { en: 'Width of a line or edge, in points', ar: 'عرض الخط أو الحافة بالنقاط' },
        { minimum: 0.1, maximum: 12, default: 1.2 },
      ),
    ),
    dashed: Type.Optional(flag({ en: 'Whether a line is dashed', ar: 'هل الخط متقطع' }, false)),
  },
  closed,
)
const mapBlock = Type.Object(
  {
    title: words('Its caption', 'عنوان اللوحة', 120),
    extent: Type.Optional(
      Type.Array(Type.Number(), {
        minItems: 4,
        maxItems: 4,
        description: '[west, south, east, north] of the image, in units of crs; without it there is no scale',
        'x-ar': '[غرب، جنوب، شرق، شمال] الصورة بوحدات crs؛ بدونه لا مقياس رسم',
      }),
    ),
    crs: Type.Optional(
      text(
        { en: 'CRS of the extent and of the image', ar: 'نظام إحداثيات الامتداد والصورة' },
        { maxLength: 60, default: 'EPSG:3857' },
      ),
    ),
    bearing: Type.Optional(
      number(
        {
          en: 'Compass direction at the top, in degrees; coordinates are drawn only at 0',
          ar: 'الاتجاه الذي في الأعلى بالدرجات؛ لا تُرسم الإحداثيات إلا عند 0',
        },
        { minimum: -360, maximum: 360, default: 0 },
      ),
    ),
    scaleBar: Type.Optional(flag({ en: 'Whether it has a scale bar', ar: 'هل لها مقياس رسم' }, true)),
    northArrow: Type.Optional(
      flag({ en: 'Whether it has an arrow pointing to true north', ar: 'هل لها سهم شمال' }, true),
    ),
    grid: Type.Optional(
      flag({ en: 'Whether coordinates are marked along its frame', ar: 'هل تُعلَّم الإحداثيات على إطارها' }, true),
    ),
    graticule: Type.Optional(
      flag(
        {
          en: 'Whether lines of longitude and latitude are drawn over it, with degrees along its frame instead of the coordinates of its CRS; only at bearing 0',
          ar: 'هل تُرسم فوقها خطوط الطول والعرض، وتُكتب الدرجات على إطارها بدل إحداثيات نظامها؛ عند bearing 0 فقط',
        },
        false,
      ),
    ),
  },
  closed,
)
export const sheetSpec = Type.Object(
  {
    page: Type.Optional(
      choice(
        ['a4', 'a3', 'letter'],
        { en: 'Size of the sheet', ar: 'حجم الورقة' },
        { default: 'a4', titles: { a4: named('A4'), a3: named('A3'), letter: named('Letter') } },
      ),
    ),
    orientation: Type.Optional(
      choice(
        ['portrait', 'landscape'],
        { en: 'Orientation of the sheet', ar: 'اتجاه الورقة' },
        {
          default: 'landscape',
          titles: { portrait: { en: 'Portrait', ar: 'طولي' }, landscape: { en: 'Landscape', ar: 'عرضي' } },
        },
      ),
    ),
    lang: Type.Optional(
      choice(
        ['en', 'ar'],
        {
          en: 'Language and writing direction of the labels that the sheet adds',
          ar: 'لغة النصوص التي تضيفها الورقة واتجاه كتابتها',
        },
        { default: 'en', titles: { en: { en: 'English', ar: 'الإنجليزية' }, ar: { en: 'Arabic', ar: 'العربية' } } },
      ),
    ),
    digits: Type.Optional(
      choice(
        ['latin', 'arabic'],
        {
          en: 'Digits of scales and coordinates: 0123 or ٠١٢٣. Texts of the call stay as they are',
          ar: 'أرقام المقاييس والإحداثيات: 0123 أو ٠١٢٣. وتبقى نصوص الطلب كما هي',
        },
        { default: 'latin', titles: { latin: named('0123'), arabic: named('٠١٢٣') } },
      ),
    ),
    title: words('Title', 'العنوان', 200),
    subtitle: words('What stands below the title', 'العنوان الفرعي', 300),
    legendTitle: words('What the legend is called', 'عنوان المفتاح', 100),
    legend: Type.Optional(
      Type.Array(legendItem, {
        maxItems: MAX_LEGEND_ITEMS,
        description: 'What signs stand for, from the top',
        'x-ar': 'عناصر المفتاح من الأعلى',
      }),
    ),
    attribution: words('Where the data come from', 'مصادر البيانات', 500),
    crsLabel: words('What the CRS is called', 'اسم نظام الإحداثيات', 120),
    date: words('Date of the sheet, as it is written', 'تاريخ الورقة كما يُكتب', 60),
    maps: Type.Optional(
      Type.Array(mapBlock, {
        maxItems: MAX_BLOCKS,
        description: 'One for each picture, in their order',
        'x-ar': 'عنصر لكل صورة بترتيبها',
      }),
    ),
  },
  closed,
)

type Spec = Static<typeof sheetSpec>

export const blockDefaults = (block: Static<typeof mapBlock>) => ({
  crs: 'EPSG:3857',
  bearing: 0,
  scaleBar: true,
  northArrow: true,
  grid: true,
  graticule: false,
  ...block,
})

export const withDefaults = (given: Spec) => ({
  page: 'a4' as const,
  orientation: 'landscape' as const,
  lang: 'en' as const,
  digits: 'latin' as const,
  ...given,
  legend: (given.legend ?? []).map((item) => ({
    kind: 'fill' as const,
    color: '#888888',
    width: 1.2,
    dashed: false,
    ...item,
  })),
  maps: (given.maps ?? []).map(blockDefaults),
})
