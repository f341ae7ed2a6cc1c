/** Recognises the text of images and scanned pages. */
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { stemOf } from '../../lib/file-name.ts'
import { decoding, openImage, partsOf, withProfileApplied } from '../../lib/image/image.ts'
import { greyPage } from '../../lib/ocr/page-image.ts'
import { closeDocument, drawGreyPage } from '../../lib/ocr/pdf-page.ts'
import { type BandReader, confidenceOf, DOUBTFUL, readBands, readPage, textOf } from '../../lib/ocr/read-page.ts'
import { LANGUAGES, type Language, type Line, recognise } from '../../lib/ocr/recognise.ts'
import { addTextLayers, type TextLayer } from '../../lib/pdf/drawing/text-layer.ts'
import { writeImagePages } from '../../lib/pdf/images/image-pages.ts'
import { type OpenPdf, openPdf } from '../../lib/pdf/structure/open-pdf.ts'
import { append } from '../../lists.ts'
import { distinctWarnings, firstOf, type Warning, type WarningValue, warning } from '../../warnings/warning.ts'
import { DOCUMENT_TOOL, damagedImageWarnings, openDocument } from '../documents.ts'
import { damageWarnings, openImageFile } from '../images.ts'
import { ofField } from '../layers.ts'
import { choice, described, file, integerResult, numberResult, textResult } from '../params.ts'
import { defineTool, type InputFile, type OutputFile, type RunContext } from '../tool.ts'

const HEAD_BYTES = 1024
const PAGE_END = '\n\f\n'
const RESULTS = ['text', 'pdf'] as const

/** A page of a PDF or an image, rendered and recognised by the same process. */
type Page = { path: string; kind: 'pdf' | 'picture'; page: number; lang: Language; withLayer: boolean }
/** A band of lines of a single-page document, already rendered and turned upright: its samples, in a file. */
type PageBand = { kind: 'band'; path: string; offset: number; width: number; height: number; lang: Language }

type PageFacts = {
  confidence: number
  lineCount: number
  doubtfulLineCount: number
  leftOutCount: number
  turn: number
}
/** `layer` only if the result needs it: it is larger than the text. */
type PageText = { text: string; facts: PageFacts; hasText: boolean; layer?: TextLayer | undefined }

export default defineTool({
  id: 'document.ocr',
  route: '/ocr',
  version: '1.4.0',
  title: { en: 'Read text (OCR)', ar: 'قراءة النص (OCR)' },
  description: {
    en: 'Recognises the text of an image or of every page of a PDF, in English, Arabic or both, in reading order. Pages that are rotated or skewed are turned upright first. The text is in the response and in a file, or in a PDF whose pages can be searched. Each page ends with a form feed.',
    ar: 'يقرأ نص صورة أو كل صفحات PDF بالإنجليزية أو العربية أو كلتيهما بترتيب القراءة، ويعدّل الصفحات المقلوبة أو المائلة أولًا. يُعاد النص في الاستجابة ويُحفظ في ملف نصي أو في PDF قابل للبحث، وتنتهي كل صفحة بمحرف فصل الصفحات.',
  },
  keywords: ['ocr', 'text', 'scan', 'recognition', 'arabic', 'searchable'],
  credits: 3,
  ...DOCUMENT_TOOL,
  input: Type.Object({
    file: file(
      'pdf',
      {
        title: { en: 'File', ar: 'الملف' },
        en: 'An image (PNG, JPEG, WebP, BMP, TIFF or GIF) or a PDF without a password',
        ar: 'صورة (PNG أو JPEG أو WebP أو BMP أو TIFF أو GIF) أو PDF بلا كلمة مرور',
      },
      { mediaType: 'application/octet-stream' },
    ),
    lang: choice(
      LANGUAGES,
      { title: { en: 'Languages', ar: 'اللغات' }, en: 'Languages of the text', ar: 'لغات النص' },
      {
        default: 'eng',
        titles: {
          eng: { en: 'English', ar: 'الإنجليزية' },
          ara: { en: 'Arabic', ar: 'العربية' },
          'eng+ara': { en: 'English and Arabic', ar: 'الإنجليزية والعربية' },
        },
      },
    ),
    result: choice(
      RESULTS,
      {
        title: { en: 'Result file', ar: 'ملف النتيجة' },
        en: 'A text file, or a PDF that looks like the original and contains the text invisibly behind its words, for search and copying. Pages that already contain text stay unchanged',
        ar: 'ملف نصي، أو PDF مطابق للأصل في مظهره يحوي النص خفيًا خلف كلماته للبحث والنسخ. تبقى الصفحات التي تحوي نصًا كما هي',
      },
      {
        default: 'text',
        titles: { text: { en: 'Text file', ar: 'ملف نصي' }, pdf: { en: 'Searchable PDF', ar: 'ملف PDF قابل للبحث' } },
      },
    ),
  }),
  output: Type.Object({
    text: textResult('The text', 'النص المقروء'),
    lang: textResult('Languages of the recognition', 'لغات القراءة'),
    charCount: integerResult('Characters of the text', 'عدد أحرف النص'),
    pageCount: integerResult('Pages that were read, including pages of a TIFF', 'عدد الصفحات المقروءة'),
    confidence: numberResult(
      'How sure the recognition is, 0 to 100: the mean over all characters; 0 without text',
      'درجة الثقة في القراءة من 0 إلى 100: متوسط كل الأحرف، و0 إن لم يوجد نص',
    ),
    pages: described(
      Type.Array(
        Type.Object({
          confidence: numberResult('Mean of the page, 0 to 100', 'متوسط الصفحة من 0 إلى 100'),
          lineCount: integerResult('Lines of text', 'عدد الأسطر'),
          doubtfulLineCount: integerResult(
            'Lines with a confidence below 60',
            'عدد الأسطر التي تقل درجة الثقة فيها عن 60',
          ),
          leftOutCount: integerResult(
            'Regions that look like text and could not be read',
            'عدد المناطق التي تشبه النص وتعذّرت قراءتها',
          ),
          turn: numberResult(
            'Clockwise turn that made the page upright, in degrees',
            'زاوية تعديل الصفحة باتجاه عقارب الساعة بالدرجات',
          ),
        }),
      ),
      { en: 'One entry for each page', ar: 'مدخل لكل صفحة' },
    ),
  }),
  examples: [{ name: 'a scanned page', input: { file: 'page.png', lang: 'eng+ara' } }],
  async run({ file, lang, result }, context) {
    const withLayer = result === 'pdf'
    const { pages, warnings, pdf } = (await isPdf(file))
      ? await readDocument(file, lang, withLayer, context)
      : await readImage(file, lang, withLayer, context)
    const text = pages.map((page) => page.text).join(PAGE_END)
    const confidence = mean(pages)
    return {
      data: {
        text,
        lang,
        charCount: [...text].length,
        pageCount: pages.length,
        confidence,
        pages: pages.map(({ facts }) => facts),
      },
      files: [pdf === undefined ? await textFile(file, text, context) : await searchable(pdf, pages, file, context)],
      // writing the result may have added warnings, such as about removed content
      warnings: distinctWarnings([...warnings, ...(pdf?.warnings ?? []), ...warningsOf(pages, withLayer)]),
    }
  },
  part: (part: Page | PageBand, { limits }) =>
    ofField<PageText | Line[]>('file', () => (part.kind === 'band' ? readBand(part) : readOne(part, limits))),
})

/** @param read for the bands of the page */
async function readOne(
  { path, kind, page, lang, withLayer }: Page,
  limits: RunContext['limits'],
  read?: BandReader,
): Promise<PageText> {
  const drawn =
    kind === 'pdf' ? await drawGreyPage(path, page) : { ...(await drawPicture(path, page, limits)), hasText: false }
  const { lines, confidence, turn, upright, leftOut } = await readPage(drawn, lang, read)
  const { width, height, hasText } = drawn
  return {
    text: textOf(lines),
    facts: {
      confidence,
      lineCount: lines.length,
      doubtfulLineCount: lines.filter((line) => confidenceOf([line]) < DOUBTFUL).length,
      leftOutCount: leftOut.length,
      turn: Math.round(turn * 100) / 100,
    },
    hasText,
    layer: withLayer && !hasText ? { lines, drawn: { width, height }, turn, upright } : undefined,
  }
}

async function readBand({ path, offset, width, height, lang }: PageBand): Promise<Line[]> {
  const data = new Uint8Array(width * height)
  const handle = await open(path)
  try {
    await handle.read(data, 0, data.length, offset)
  } finally {
    await handle.close()
  }
  return recognise({ data, width, height }, lang)
}

/** Idle processes read bands of the page. */
const bandsShared =
  ({ scratch, share }: RunContext): BandReader =>
  async (image, bands, lang) => {
    if (bands.length === 1) return readBands(image, bands, lang)
    const { data, width } = image
    const path = join(scratch, 'page.grey')
    await writeFile(path, data)
    return share<PageBand, Line[]>(
      bands.map(({ top, bottom }) => {
        return { kind: 'band', path, offset: top * width, width, height: bottom - top, lang }
      }),
    )
  }

/** @property pdf to add the text to, if the result is a PDF */
type Read = { pages: PageText[]; warnings: Warning[]; pdf?: OpenPdf | undefined }

async function isPdf({ path }: InputFile): Promise<boolean> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.toString('latin1', 0, bytesRead).includes('%PDF-')
  } finally {
    await handle.close()
  }
}

async function readDocument(file: InputFile, lang: Language, withLayer: boolean, context: RunContext): Promise<Read> {
  const document = await openDocument(file, 'file', context, withLayer ? 'decode' : 'read')
  const { path, pageCount, warnings } = document
  try {
    const pages = await readAll({ path, kind: 'pdf', lang, withLayer }, pageCount, context)
    const all = [...warnings, ...(await damagedImageWarnings(document, context))]
    return { pages, warnings: all, pdf: withLayer ? document : undefined }
  } finally {
    closeDocument()
  }
}

async function readImage(file: InputFile, lang: Language, withLayer: boolean, context: RunContext): Promise<Read> {
  const image = await openImageFile(file, 'file', context, { frames: 'own', samples: 'own' })
  const { format, pages: frames } = image
  const isPaged = format === 'tiff'
  const pages = await readAll({ path: file.path, kind: 'picture', lang, withLayer }, isPaged ? frames : 1, context)
  const warnings = frames > 1 && !isPaged ? [warning('onlyFirstPartRead', { n: frames, parts: partsOf(format) })] : []
  append(warnings, await damageWarnings([image], () => 'file'))
  if (!withLayer) return { pages, warnings }
  const path = join(context.scratch, 'pictures.pdf')
  await ofField('file', async () => {
    const images = await Promise.all(
      pages.map(async (_, page) => {
        const image = await openImage(file.path, { maxPixels: context.limits.maxPixels, page })
        return withProfileApplied(image)
      }),
    )
    await decoding(images, () => writeImagePages(images, 'scan', path, () => undefined))
  })
  return { pages, warnings, pdf: await openPdf(path, context.limits.maxPages, 'change') }
}

const drawPicture = async (path: string, page: number, { maxPixels }: RunContext['limits']) => {
  const image = await openImage(path, { maxPixels, page })
  return decoding([image], () => greyPage(image))
}

/** Idle processes read other pages, or the bands of the only one. */
async function readAll(shared: Omit<Page, 'page'>, count: number, context: RunContext): Promise<PageText[]> {
  if (count === 1)
    return [await ofField('file', () => readOne({ ...shared, page: 0 }, context.limits, bandsShared(context)))]
  return context.share<Page, PageText>(Array.from({ length: count }, (_, page) => ({ ...shared, page })))
}

async function textFile(source: InputFile, text: string, { scratch }: RunContext): Promise<OutputFile> {
  const path = join(scratch, 'text.txt')
  await writeFile(path, text)
  const filename = `${stemOf(source.filename, 'document')}.txt`
  return { role: 'output', path, filename, mediaType: 'text/plain; charset=utf-8' }
}

async function searchable(
  pdf: OpenPdf,
  pages: readonly PageText[],
  source: InputFile,
  { scratch, progress }: RunContext,
): Promise<OutputFile> {
  const path = join(scratch, 'searchable.pdf')
  const layers = pages.map(({ layer }) => layer)
  await ofField('file', () => pdf.edit((document) => addTextLayers(document, layers, progress), path))
  const filename = `${stemOf(source.filename, 'document')}_searchable.pdf`
  return { role: 'output', path, filename, mediaType: 'application/pdf' }
}

/** Mean over the characters of all pages. */
function mean(pages: readonly PageText[]): number {
  const characters = pages.reduce((sum, { text }) => sum + text.length, 0)
  const sum = pages.reduce((total, { text, facts }) => total + facts.confidence * text.length, 0)
  return characters === 0 ? 0 : Math.round((10 * sum) / characters) / 10
}

/** Maximum pages listed in a warning. */
const NAMED_PAGES = 10

function warningsOf(pages: readonly PageText[], withLayer: boolean): Warning[] {
  const named = (applies: (page: PageText) => boolean): WarningValue =>
    firstOf(
      pages.flatMap((page, i) => (applies(page) ? [i + 1] : [])),
      NAMED_PAGES,
    )
  const leftOut = pages.reduce((sum, { facts }) => sum + facts.leftOutCount, 0)
  const warnings: Warning[] = []
  if (leftOut > 0)
    warnings.push(warning('regionsNotRead', { n: leftOut, pages: named(({ facts }) => facts.leftOutCount > 0) }))
  const isUncertain = ({ text, facts }: PageText): boolean => text !== '' && facts.confidence < DOUBTFUL
  if (pages.some(isUncertain)) warnings.push(warning('textUncertain', { pages: named(isUncertain) }))
  if (withLayer && pages.some(({ hasText }) => hasText))
    warnings.push(warning('pagesWithText', { pages: named(({ hasText }) => hasText) }))
  return warnings
}
