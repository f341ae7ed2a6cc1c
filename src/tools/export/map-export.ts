/** Prints maps: images of maps become a sheet with title, scale bar, north arrow, coordinates and legend. */

import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { fieldText } from '../../field-texts/field-text.ts'
import { stemOf } from '../../lib/file-name.ts'
import { decoding, type OpenImage } from '../../lib/image/image.ts'
import { InputError } from '../../lib/input-error.ts'
import type { Block } from '../../lib/print/map-block.ts'
import { type Extent, frameOf } from '../../lib/print/map-frame.ts'
import { writeMapSheet } from '../../lib/print/map-sheet.ts'
import { MAX_BLOCKS } from '../../lib/print/map-spec.ts'
import { checkText } from '../../lib/text/fonts.ts'
import { append } from '../../lists.ts'
import { type Warning, warning } from '../../warnings/warning.ts'
import { damageWarnings, FIRST_FRAME, openImageFile } from '../images.ts'
import { ofField, ofSetting } from '../layers.ts'
import { blockDefaults, sheetSpec, withDefaults } from '../map-sheets.ts'
import { described, file, files, integerResult, jsonText } from '../params.ts'
import { defineTool, type InputFile, type RunContext } from '../tool.ts'

const SHEET_EXAMPLE = {
  page: 'a4',
  orientation: 'landscape',
  title: 'Stations',
  legend: [{ label: 'Station', kind: 'point', color: '#cc0000' }],
  maps: [{ extent: [1_488_000, 6_890_000, 1_500_000, 6_898_000], crs: 'EPSG:3857' }],
}

export default defineTool({
  id: 'export.map-export',
  route: '/map-export',
  version: '1.2.0',
  title: { en: 'Print a map', ar: 'طباعة خريطة' },
  description: {
    en: 'Makes a PDF sheet from images of maps, with title, frame with coordinates, true ground scale, arrow to true north, legend, attribution and logo. Text can be selected, and geospatial PDF readers know where each map is.',
    ar: 'ينشئ ورقة PDF من صور الخرائط مع عنوان وإطار بالإحداثيات ومقياس رسم صحيح على الأرض وسهم نحو الشمال الحقيقي ومفتاح ومصادر وشعار. يمكن تحديد النص، وتعرف برامج PDF الجغرافية موقع كل خريطة.',
  },
  keywords: ['map', 'print', 'pdf', 'layout', 'legend', 'scale bar'],
  credits: 2,
  lane: 'node',
  async: true,
  inputKind: 'image',
  outputKind: 'document',
  input: Type.Object({
    image: files(
      'image',
      1,
      MAX_BLOCKS,
      {
        title: { en: 'Map images', ar: 'صور الخرائط' },
        en: 'Images of the maps: one PNG for each map',
        ar: 'صور الخرائط: ملف PNG لكل خريطة',
      },
      { mediaType: 'image/png' },
    ),
    logo: Type.Optional(
      file('image', {
        title: { en: 'Logo', ar: 'الشعار' },
        en: 'The logo: PNG, JPEG, WebP, BMP, TIFF or GIF',
        ar: 'الشعار: PNG أو JPEG أو WebP أو BMP أو TIFF أو GIF',
      }),
    ),
    spec: jsonText(
      sheetSpec,
      {
        title: { en: 'Sheet', ar: 'الورقة' },
        en: 'The sheet: its size, its texts, its legend, and what each map shows',
        ar: 'الورقة: حجمها ونصوصها ومفتاح رموزها وما تعرضه كل خريطة',
      },
      SHEET_EXAMPLE,
    ),
  }),
  output: Type.Object({
    pageCount: integerResult('Pages; a long legend continues on further pages', 'عدد الصفحات'),
    mapCount: integerResult('Maps on the sheet', 'عدد الخرائط'),
    scales: described(Type.Array(Type.Union([Type.Number(), Type.Null()])), {
      en: 'Scale denominator of each map, such as 25000 for 1:25000; null without an extent',
      ar: 'مقام مقياس كل خريطة، مثل 25000 لمقياس 1:25000؛ null إن لم يُحدد الامتداد',
    }),
  }),
  examples: [
    {
      name: 'one map',
      input: {
        image: ['logo.png'],
        spec: {
          page: 'a4',
          orientation: 'landscape',
          title: 'Stations',
          attribution: 'Survey of 2026',
          crsLabel: 'EPSG:3857',
          legend: [{ label: 'Station', kind: 'point', color: '#cc0000' }],
          maps: [{ extent: [1_488_000, 6_890_000, 1_500_000, 6_898_000], crs: 'EPSG:3857' }],
        },
      },
    },
  ],
  async run({ image, logo, spec }, context) {
    const filled = withDefaults(spec)
    await checkWords(filled)
    const { maps } = filled
    if (maps.length !== image.length && maps.length > 0)
      await ofSetting('spec.maps', () => {
        throw new InputError('length', fieldText('entryForEachImage', { count: maps.length, images: image.length }))
      })
    const blocks: Block[] = []
    const warnings: Warning[] = []
    for (const [i, one] of image.entries()) {
      const picture = await whole(one, `image.${i}`, context, ['png'])
      const block = maps[i] ?? blockDefaults({ northArrow: false })
      const { extent, crs, bearing } = block
      const frame =
        extent === undefined
          ? undefined
          : await ofSetting(`spec.maps.${i}`, () => frameOf(extent as unknown as Extent, crs, bearing))
      if (frame !== undefined && !isShapedAs(picture, frame.extent)) warnings.push(warning('aspectRatioDiffers', { i }))
      if (frame !== undefined && !frame.hasOneScale) warnings.push(warning('scaleVaries', { i }))
      if (frame !== undefined && !frame.isLocated) warnings.push(warning('mapNotLocated', { i }))
      const isUpright = bearing % 360 === 0
      const shown = { ...block, grid: block.grid && isUpright, graticule: block.graticule && isUpright }
      blocks.push({ image: picture, spec: shown, frame })
    }
    const mark = logo && (await whole(logo, 'logo', context))
    if (mark) append(warnings, await damageWarnings([mark], () => 'logo'))
    const path = join(context.scratch, 'map.pdf')
    const { pageCount, scales } = await writeMapSheet(filled, blocks, mark, path, context.progress)
    const filename = `${stemOf(`${filled.title ?? 'map'}.x`, 'map')}.pdf`
    return {
      data: { pageCount, mapCount: blocks.length, scales },
      files: [{ role: 'output', path, filename, mediaType: 'application/pdf' }],
      warnings,
    }
  },
})

/** @throws AppError VALIDATION_FAILED naming a text that the fonts cannot display */
async function checkWords({
  title,
  subtitle,
  legendTitle,
  attribution,
  crsLabel,
  date,
  legend,
  maps,
}: ReturnType<typeof withDefaults>): Promise<void> {
  const texts: [string, string | undefined][] = [
    ...Object.entries({ title, subtitle, legendTitle, attribution, crsLabel, date }),
    ...legend.map(({ label }, i): [string, string] => [`legend.${i}.label`, label]),
    ...maps.map(({ title }, i): [string, string | undefined] => [`maps.${i}.title`, title]),
  ]
  for (const [name, value] of texts) if (value !== undefined) await ofSetting(`spec.${name}`, () => checkText(value))
}

/** Tolerance of the aspect ratio: screenshots have whole pixels, so it differs slightly from the extent's. */
const SHAPE_TOLERANCE = 0.02

const isShapedAs = ({ width, height }: OpenImage, [west, south, east, north]: Extent): boolean =>
  Math.abs(((east - west) / (north - south)) * (height / width) - 1) < SHAPE_TOLERANCE

/** Opens an image and checks that it is complete. */
async function whole(input: InputFile, field: string, context: RunContext, formats?: ['png']): Promise<OpenImage> {
  const image = await openImageFile(input, field, context, { ...FIRST_FRAME, ...(formats && { formats }) })
  await ofField(field, () => decoding([image], () => image.pipeline().stats()))
  return image
}
