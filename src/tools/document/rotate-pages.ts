/** Rotates and deletes pages of a PDF. Everything else is kept. */
import { Type } from '@sinclair/typebox'
import { type PageEdits, pageEdits } from '../../lib/pdf/structure/page-edits.ts'
import { changed, DOCUMENT_TOOL, openDocument, pdfFile } from '../documents.ts'
import { ofSetting } from '../layers.ts'
import { described, integerResult, jsonText } from '../params.ts'
import { defineTool } from '../tool.ts'

const QUARTERS = Type.Unsafe<90 | 180 | 270>({ ...Type.Integer({ minimum: 90, maximum: 270, multipleOf: 90 }) })

export default defineTool({
  id: 'document.rotate-pages',
  route: '/rotate-pages',
  version: '1.2.0',
  title: { en: 'Rotate and delete pages', ar: 'تدوير الصفحات وحذفها' },
  description: {
    en: 'Rotates pages of a PDF clockwise from their current orientation, and deletes pages. Pages are numbered from 0. Links, forms, outline and metadata are kept.',
    ar: 'يدير صفحات PDF باتجاه عقارب الساعة انطلاقًا من وضعها الحالي، ويحذف صفحات؛ ترقيم الصفحات من 0. تبقى الروابط والنماذج والفهرس والبيانات الوصفية.',
  },
  keywords: ['pdf', 'rotate', 'delete pages', 'pages'],
  credits: 1,
  ...DOCUMENT_TOOL,
  input: Type.Object({
    file: pdfFile(),
    operations: jsonText(
      Type.Object(
        {
          rotations: Type.Optional(
            described(
              Type.Record(Type.String({ pattern: '^(0|[1-9]\\d{0,8})$' }), QUARTERS, { additionalProperties: false }),
              {
                en: 'Rotations: the page, and 90, 180 or 270 degrees clockwise',
                ar: 'التدوير: الصفحة ثم 90 أو 180 أو 270 درجة مع عقارب الساعة',
              },
            ),
          ),
          delete: Type.Optional(
            described(Type.Array(Type.Integer({ minimum: 0 }), { uniqueItems: true, maxItems: 100_000 }), {
              en: 'Pages to delete, separated by commas',
              ar: 'الصفحات المحذوفة، تفصل بينها فواصل',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      {
        title: { en: 'Operations', ar: 'العمليات' },
        en: 'Pages to rotate and to delete: at least one operation',
        ar: 'ما يُدوَّر وما يُحذف: عملية واحدة على الأقل',
      },
      { rotations: { 0: 90 }, delete: [2] },
    ),
  }),
  output: Type.Object({
    pageCount: integerResult('Pages that remain', 'عدد الصفحات الباقية'),
    rotatedCount: integerResult('Pages rotated', 'عدد الصفحات المدارة'),
    deletedCount: integerResult('Pages deleted', 'عدد الصفحات المحذوفة'),
  }),
  examples: [
    {
      name: 'rotate the first page, delete the last',
      input: { file: 'report.pdf', operations: { rotations: { 0: 90 }, delete: [2] } },
    },
  ],
  async run({ file, operations }, context) {
    const document = await openDocument(file, 'file', context)
    const edits: PageEdits = await ofSetting('operations', () => pageEdits(operations, document.pageCount))
    const output = await changed(document, file, edits.args, 'edited', context)
    return {
      data: { pageCount: edits.remaining, rotatedCount: edits.rotated, deletedCount: edits.deleted },
      files: [output],
      warnings: document.warnings,
    }
  },
})
