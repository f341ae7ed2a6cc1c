/** Converts a PDF to a Word document. */
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { stemOf } from '../../lib/file-name.ts'
import { writeWord } from '../../lib/pdf/word/word.ts'
import { DOCUMENT_TOOL, damagedImageWarnings, openDocument, pageCount, pdfFile } from '../documents.ts'
import { ofField } from '../layers.ts'
import { defineTool } from '../tool.ts'

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

export default defineTool({
  id: 'document.pdf-to-word',
  route: '/pdf-to-word',
  version: '1.3.0',
  title: { en: 'PDF to Word', ar: 'تحويل PDF إلى Word' },
  description: {
    en: 'Converts a PDF to an editable Word document: columns, headings, bold, italic and coloured text, lists, tables, form values, images, links, headers and footers, and right-to-left text. Drawings become images. Text in fonts without a Unicode map is recognised (OCR); scanned pages stay images.',
    ar: 'يحوّل PDF إلى مستند Word قابل للتحرير: أعمدة وعناوين ونص عريض ومائل وملوّن وقوائم وجداول وقيم النماذج وصور وروابط ورؤوس وتذييلات ونص من اليمين إلى اليسار. تتحول الرسوم إلى صور، ويُقرأ النص بالتعرف الضوئي (OCR) إذا خلا خطه من خريطة يونيكود، وتبقى الصفحات الممسوحة صورًا.',
  },
  keywords: ['pdf', 'word', 'docx', 'convert', 'edit'],
  credits: 3,
  ...DOCUMENT_TOOL,
  input: Type.Object({ file: pdfFile() }),
  output: Type.Object({ pageCount }),
  examples: [{ name: 'a report', input: { file: 'report.pdf' } }],
  async run({ file }, context) {
    const document = await openDocument(file, 'file', context, 'read')
    const path = join(context.scratch, 'document.docx')
    const { warnings } = await ofField('file', () =>
      writeWord(document, context.limits.maxPixels, path, context.progress),
    )
    const filename = `${stemOf(file.filename, 'document')}.docx`
    return {
      data: { pageCount: document.pageCount },
      files: [{ role: 'output', path, filename, mediaType: DOCX }],
      warnings: [...document.warnings, ...warnings, ...(await damagedImageWarnings(document, context))],
    }
  },
})
