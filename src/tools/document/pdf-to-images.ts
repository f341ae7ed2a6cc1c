/** Renders every page of a PDF as a PNG, in a ZIP. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { stemOf } from '../../lib/file-name.ts'
import { renderPages } from '../../lib/pdf/rendering/render.ts'
import { pack } from '../../lib/zip.ts'
import { firstOf, type Warning, warning } from '../../warnings/warning.ts'
import { damagedImageWarnings, openDocument, pageCount as pages, pdfFile } from '../documents.ts'
import { ofField } from '../layers.ts'
import { choice } from '../params.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'document.pdf-to-images',
  route: '/pdf-to-images',
  version: '1.3.0',
  title: { en: 'PDF to images', ar: 'تحويل PDF إلى صور' },
  description: {
    en: 'Renders every page of a PDF as a PNG, including forms and annotations. The result is a ZIP with the pages in order.',
    ar: 'يحوّل كل صفحة من PDF، بما فيها النماذج والتعليقات، إلى صورة PNG؛ وتأتي الصور في ملف ZIP بترتيب الصفحات.',
  },
  keywords: ['pdf', 'png', 'pages', 'render'],
  credits: 1,
  lane: 'bun',
  async: true,
  inputKind: 'document',
  outputKind: 'image',
  input: Type.Object({
    file: pdfFile(),
    dpi: choice(
      ['72', '150', '300'],
      { title: { en: 'Dots per inch', ar: 'نقطة في البوصة' }, en: 'Dots per inch', ar: 'نقطة في البوصة' },
      {
        default: '150',
        titles: {
          72: { en: '72, for screens', ar: '72، للشاشات' },
          150: { en: '150, balanced', ar: '150، متوازن' },
          300: { en: '300, for printing', ar: '300، للطباعة' },
        },
      },
    ),
  }),
  output: Type.Object({ pageCount: pages }),
  examples: [{ name: 'for a screen', input: { file: 'report.pdf', dpi: '72' } }],
  async run({ file, dpi }, context) {
    const document = await openDocument(file, 'file', context, 'read')
    const stem = stemOf(file.filename, 'document')
    const digits = String(document.pageCount).length
    const pictures: { name: string; path: string }[] = []
    const { pageCount, replacedFonts } = await ofField('file', () =>
      renderPages(document, Number(dpi), context.limits.maxPixels, async (png, page, count) => {
        const number = String(page + 1).padStart(digits, '0')
        const path = join(context.scratch, `page-${number}.png`)
        writeFileSync(path, png)
        pictures.push({ name: `${stem}_${number}.png`, path })
        context.progress((page + 1) / count)
      }),
    )
    const path = join(context.scratch, 'pages.zip')
    await pack(pictures, path)
    const output = { role: 'output' as const, path, filename: `${stem}_pages.zip`, mediaType: 'application/zip' }
    const warnings = [
      ...document.warnings,
      ...fontWarning(replacedFonts),
      ...(await damagedImageWarnings(document, context)),
    ]
    return { data: { pageCount }, files: [output], warnings }
  },
})

const MAX_NAMES = 10

const fontWarning = (names: readonly string[]): Warning[] =>
  names.length === 0 ? [] : [warning('fontsReplaced', { fonts: firstOf(names, MAX_NAMES) })]
