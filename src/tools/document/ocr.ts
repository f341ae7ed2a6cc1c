/** Recognises the text of images and scanned pages. */
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { stemOf } from '../../lib/file-name.ts'
import { decoding, openImage } from '../../lib/image/image.ts'
import { greyPage } from '../../lib/ocr/page-image.ts'
import { closeDocument, drawGreyPage } from '../../lib/ocr/pdf-page.ts'
import { LANGUAGES, type Language, recognise } from '../../lib/ocr/recognise.ts'
import { openDocument } from '../documents.ts'
import { openImageFile } from '../images.ts'
import { ofField } from '../layers.ts'
import { choice, described, file } from '../params.ts'
import { defineTool, type InputFile, type RunContext } from '../tool.ts'

const HEAD_BYTES = 1024
const PAGE_END = '\n\f\n'

/** A page of a PDF or an image. The process that recognises its text also renders it. */
type Page = { path: string; kind: 'pdf' | 'picture'; page: number; lang: Language }

export default defineTool({
  id: 'document.ocr',
  route: '/ocr',
  version: '1.0.0',
  title: { en: 'Read text (OCR)', ar: 'قراءة النص (OCR)' },
  description: {
    en: 'Recognises the text of an image or of every page of a PDF, in English, Arabic or both, in reading order. The text is in the response and in a file. Each page ends with a form feed.',
    ar: 'يقرأ نص صورة أو كل صفحات PDF بالإنجليزية أو العربية أو كلتيهما بترتيب القراءة. يُعاد النص في الاستجابة ويُحفظ في ملف، وتنتهي كل صفحة بمحرف فصل الصفحات.',
  },
  keywords: ['ocr', 'text', 'scan', 'recognition', 'arabic'],
  credits: 3,
  lane: 'bun',
  async: true,
  inputKind: 'document',
  outputKind: 'document',
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
      { default: 'eng' },
    ),
  }),
  output: Type.Object({
    text: described(Type.String(), { en: 'The text', ar: 'النص المقروء' }),
    lang: described(Type.String(), { en: 'Languages of the recognition', ar: 'لغات القراءة' }),
    charCount: described(Type.Integer(), { en: 'Characters of the text', ar: 'عدد أحرف النص' }),
    pageCount: described(Type.Integer(), {
      en: 'Pages that were read, including pages of a TIFF',
      ar: 'عدد الصفحات المقروءة',
    }),
  }),
  examples: [{ name: 'a scanned page', input: { file: 'page.png', lang: 'eng+ara' } }],
  async run({ file, lang }, context) {
    const { texts, warnings } = (await isPdf(file))
      ? await readPages(file, lang, context)
      : await readImage(file, lang, context)
    const text = texts.join(PAGE_END)
    const path = join(context.scratch, 'text.txt')
    await writeFile(path, text)
    const filename = `${stemOf(file.filename, 'document')}.txt`
    return {
      data: { text, lang, charCount: [...text].length, pageCount: texts.length },
      files: [{ role: 'output', path, filename, mediaType: 'text/plain; charset=utf-8' }],
      warnings,
    }
  },
  part: ({ path, kind, page, lang }: Page, { limits }) =>
    ofField('file', async () => {
      if (kind === 'pdf') return recognise(await drawGreyPage(path, page), lang)
      const image = await openImage(path, { maxPixels: limits.maxPixels, page })
      return recognise(await decoding([image], () => greyPage(image)), lang)
    }),
})

type Read = { texts: string[]; warnings: string[] }

async function isPdf({ path }: InputFile): Promise<boolean> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.toString('latin1', 0, bytesRead).includes('%PDF-')
  } finally {
    await handle.close()
  }
}

async function readPages(file: InputFile, lang: Language, context: RunContext): Promise<Read> {
  const { path, pageCount, warnings } = await openDocument(file, 'file', context, 'read')
  try {
    return { texts: await readAll({ path }, 'pdf', pageCount, lang, context), warnings }
  } finally {
    closeDocument()
  }
}

async function readImage(file: InputFile, lang: Language, context: RunContext): Promise<Read> {
  const { format, pages } = await openImageFile(file, 'file', context)
  if (format === 'tiff') return { texts: await readAll(file, 'picture', pages, lang, context), warnings: [] }
  const warnings = pages > 1 ? [`Only the first of its ${pages} frames was read.`] : []
  return { texts: await readAll(file, 'picture', 1, lang, context), warnings }
}

function readAll(
  { path }: Pick<InputFile, 'path'>,
  kind: Page['kind'],
  count: number,
  lang: Language,
  context: RunContext,
): Promise<string[]> {
  const pages = Array.from({ length: count }, (_, page): Page => ({ path, kind, page, lang }))
  return context.share<Page, string>(pages)
}
