/** Writes one PDF for each range of pages, in a ZIP if there are several. */
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { stemOf } from '../../lib/file-name.ts'
import { parseRanges, rangeText } from '../../lib/pdf/structure/page-ranges.ts'
import { pack } from '../../lib/zip.ts'
import { DOCUMENT_TOOL, openDocument, pdfFile } from '../documents.ts'
import { ofField, ofSetting } from '../layers.ts'
import { integerResult, text } from '../params.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'document.split-pdf',
  route: '/split-pdf',
  version: '1.2.0',
  title: { en: 'Split PDF', ar: 'تقسيم PDF' },
  description: {
    en: 'Writes one PDF for each range of pages. One range gives a PDF, several give a ZIP of PDFs.',
    ar: 'ينشئ ملف PDF لكل نطاق من الصفحات: نطاق واحد يعطي PDF، وعدة نطاقات تعطي ملف ZIP.',
  },
  keywords: ['pdf', 'split', 'extract pages'],
  credits: 1,
  ...DOCUMENT_TOOL,
  input: Type.Object({
    file: pdfFile(),
    ranges: text(
      {
        title: { en: 'Page ranges', ar: 'نطاقات الصفحات' },
        en: 'Page ranges such as 1-3,5,8-, counted from 1; each becomes one PDF',
        ar: 'نطاقات صفحات مثل ‎1-3,5,8-‎ تبدأ من 1؛ ملف PDF لكل نطاق',
      },
      { maxLength: 10_000 },
    ),
  }),
  output: Type.Object({ partCount: integerResult('PDFs written', 'عدد ملفات PDF الناتجة') }),
  examples: [
    { name: 'one range', input: { file: 'report.pdf', ranges: '2-' } },
    { name: 'two parts', input: { file: 'report.pdf', ranges: '1,2-3' } },
  ],
  async run({ file, ranges }, context) {
    const document = await openDocument(file, 'file', context)
    const parts = await ofSetting('ranges', () => parseRanges(ranges, document.pageCount))
    const stem = stemOf(file.filename, 'document')
    const made: { name: string; path: string }[] = []
    for (const [i, part] of parts.entries()) {
      const path = join(context.scratch, `part-${i + 1}.pdf`)
      await ofField('file', () => document.write(['--pages', '.', rangeText(part), '--'], path))
      const twin = made.some((other) => other.name === `${stem}_${rangeText(part)}.pdf`)
      made.push({ name: `${stem}_${rangeText(part)}${twin ? `_${i + 1}` : ''}.pdf`, path })
      context.progress((i + 1) / parts.length)
    }
    const data = { partCount: parts.length }
    const [only] = made
    if (made.length === 1 && only !== undefined) {
      const output = { role: 'output' as const, path: only.path, filename: only.name, mediaType: 'application/pdf' }
      return { data, files: [output], warnings: document.warnings }
    }
    const path = join(context.scratch, 'parts.zip')
    await pack(made, path)
    const output = { role: 'output' as const, path, filename: `${stem}_parts.zip`, mediaType: 'application/zip' }
    return { data, files: [output], warnings: document.warnings }
  },
})
