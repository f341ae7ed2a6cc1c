/** Merges PDFs in the order in which they are sent. */

import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { type AppError, fieldFailure } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { stemOf } from '../../lib/file-name.ts'
import { mergePdfs } from '../../lib/pdf/structure/merge.ts'
import type { OpenPdf } from '../../lib/pdf/structure/open-pdf.ts'
import { distinctWarnings } from '../../warnings/warning.ts'
import { DOCUMENT_TOOL, openDocument, pageCount } from '../documents.ts'
import { ofField } from '../layers.ts'
import { files, integerResult } from '../params.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'document.merge-pdf',
  route: '/merge-pdf',
  version: '1.2.0',
  title: { en: 'Merge PDF', ar: 'دمج PDF' },
  description: {
    en: 'Merges 2 to 20 PDFs in the order in which they are sent. Outlines, links and forms are kept; the metadata comes from the first file.',
    ar: 'يدمج من 2 إلى 20 ملف PDF بترتيب إرسالها. تبقى فهارسها وروابطها ونماذجها، والبيانات الوصفية هي بيانات الأول.',
  },
  keywords: ['pdf', 'merge', 'combine', 'join'],
  credits: 1,
  ...DOCUMENT_TOOL,
  input: Type.Object({
    files: files('pdf', 2, 20, {
      title: { en: 'Files', ar: 'الملفات' },
      en: 'The documents: 2 to 20 PDFs without passwords',
      ar: 'المستندات: من 2 إلى 20 ملف PDF بلا كلمات مرور',
    }),
  }),
  output: Type.Object({
    fileCount: integerResult('PDFs that were merged', 'عدد ملفات PDF المرسلة'),
    pageCount,
  }),
  examples: [{ name: 'the same report twice', input: { files: ['report.pdf', 'report.pdf'] } }],
  async run({ files }, context) {
    const opened: OpenPdf[] = []
    let pages = 0
    for (const [i, file] of files.entries()) {
      const open = await openDocument(file, `files.${i}`, context)
      pages += open.pageCount
      if (pages > context.limits.maxPages) throw tooManyPages(context.limits.maxPages)
      opened.push(open)
      context.progress((i + 1) / (2 * files.length))
    }
    const path = join(context.scratch, 'merged.pdf')
    const left = await ofField('files', () => mergePdfs(opened, path))
    const filename = `${stemOf(files[0]?.filename ?? '', 'document')}_merged.pdf`
    return {
      data: { fileCount: files.length, pageCount: pages },
      files: [{ role: 'output', path, filename, mediaType: 'application/pdf' }],
      warnings: distinctWarnings([...opened.flatMap((open) => open.warnings), ...left]),
    }
  },
})

const tooManyPages = (maxPages: number): AppError =>
  fieldFailure('FILE_TOO_LARGE', 'files', 'pages', fieldText('pagesInTotal', { most: maxPages }))
