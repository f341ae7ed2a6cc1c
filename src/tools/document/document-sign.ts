/** Stamps the image of a signature on pages of a PDF. It is not a certified digital signature. */
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { fieldText } from '../../field-texts/field-text.ts'
import { stemOf } from '../../lib/file-name.ts'
import { decoding } from '../../lib/image/image.ts'
import { InputError } from '../../lib/input-error.ts'
import { stamp } from '../../lib/pdf/drawing/stamp.ts'
import { DOCUMENT_TOOL, openDocument, pdfFile } from '../documents.ts'
import { FIRST_FRAME, type ImageUse, openImageFile } from '../images.ts'
import { ofField, ofSetting } from '../layers.ts'
import { described, file, integerResult, jsonText } from '../params.ts'
import { defineTool, type Text } from '../tool.ts'

const SIGNATURE: ImageUse = { ...FIRST_FRAME, formats: ['png'] }
const MAX_PLACEMENTS = 1_000
/** Rounded shares may reach slightly beyond the edge. */
const EDGE_TOLERANCE = 1e-6

const share = (about: Text) => described(Type.Number({ minimum: 0, maximum: 1 }), about)
const side = (about: Text) => described(Type.Number({ exclusiveMinimum: 0, maximum: 1 }), about)

export default defineTool({
  id: 'document.document-sign',
  route: '/document-sign',
  version: '1.2.0',
  title: { en: 'Sign PDF', ar: 'توقيع PDF' },
  description: {
    en: 'Stamps the image of a signature on pages of a PDF, as large as its box allows. This is an image, not a certified digital signature. Everything else in the file is kept.',
    ar: 'يضع صورة توقيع على صفحات PDF بأكبر حجم يسمح به مربعها. هذه صورة وليست توقيعًا رقميًا معتمدًا. يبقى بقية محتوى الملف كما هو.',
  },
  keywords: ['pdf', 'sign', 'signature', 'stamp'],
  credits: 1,
  ...DOCUMENT_TOOL,
  input: Type.Object({
    file: pdfFile(),
    signature: file(
      'image',
      { title: { en: 'Signature', ar: 'التوقيع' }, en: 'The signature: PNG', ar: 'التوقيع: PNG' },
      { mediaType: 'image/png' },
    ),
    placements: jsonText(
      Type.Array(
        Type.Object(
          {
            page: described(Type.Integer({ minimum: 0 }), { en: 'Page', ar: 'الصفحة' }),
            x: share({ en: 'Left (x)', ar: 'اليسار (x)' }),
            y: share({ en: 'Top (y)', ar: 'الأعلى (y)' }),
            w: side({ en: 'Width (w)', ar: 'العرض (w)' }),
            h: side({ en: 'Height (h)', ar: 'الارتفاع (h)' }),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: MAX_PLACEMENTS },
      ),
      {
        title: { en: 'Positions', ar: 'المواضع' },
        en: 'Where the signature goes; pages are numbered from 0; x, y, w and h are fractions of the page as displayed, measured from its top left corner',
        ar: 'مواضع التوقيع؛ ترقيم الصفحات من 0، وx وy وw وh نسب من الصفحة كما تُعرض، محسوبة من ركنها العلوي الأيسر',
      },
      [{ page: 0, x: 0.6, y: 0.8, w: 0.3, h: 0.1 }],
    ),
  }),
  output: Type.Object({
    placementCount: integerResult('Positions that were stamped', 'عدد المواضع'),
  }),
  examples: [
    {
      name: 'at the bottom of the first page',
      input: { file: 'report.pdf', signature: 'logo.png', placements: [{ page: 0, x: 0.6, y: 0.85, w: 0.3, h: 0.1 }] },
    },
  ],
  async run({ file, signature, placements }, context) {
    const document = await openDocument(file, 'file', context)
    const image = await openImageFile(signature, 'signature', context, SIGNATURE)
    for (const [i, { page, x, y, w, h }] of placements.entries())
      await ofSetting(`placements.${i}`, () => {
        if (page >= document.pageCount)
          throw new InputError('range', fieldText('noSuchPageOfFile', { page, least: 0, most: document.pageCount - 1 }))
        if (x + w > 1 + EDGE_TOLERANCE || y + h > 1 + EDGE_TOLERANCE)
          throw new InputError('outside', fieldText('outsidePage'))
      })
    // a truncated image is an error of the field signature, not of file
    await ofField('signature', () => decoding([image], () => image.pipeline().stats()))
    const path = join(context.scratch, 'signed.pdf')
    await ofField('file', () => document.edit((pdf) => stamp(pdf, image, placements, context.progress), path))
    const filename = `${stemOf(file.filename, 'document')}_signed.pdf`
    return {
      data: { placementCount: placements.length },
      files: [{ role: 'output', path, filename, mediaType: 'application/pdf' }],
      warnings: document.warnings,
    }
  },
})
