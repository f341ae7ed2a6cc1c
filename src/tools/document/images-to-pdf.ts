/** Converts images to a PDF, one per page. JPEG photos are embedded without re-encoding. */
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { stemOf } from '../../lib/file-name.ts'
import { decoding } from '../../lib/image/image.ts'
import { PAGE_MODES, writeImagePages } from '../../lib/pdf/images/image-pages.ts'
import { pageCount } from '../documents.ts'
import { damageWarnings, openImageFiles } from '../images.ts'
import { ofField } from '../layers.ts'
import { choice, files, integerResult, named } from '../params.ts'
import { defineTool, type InputFile } from '../tool.ts'

export default defineTool({
  id: 'document.images-to-pdf',
  route: '/images-to-pdf',
  version: '1.2.0',
  title: { en: 'Images to PDF', ar: 'تحويل الصور إلى PDF' },
  description: {
    en: 'Converts one to twenty images to a PDF, one per page in their order: on A4 in the orientation of the image, or on pages of the size of the image at 96 dots per inch. JPEG photos are not re-encoded; transparency is kept.',
    ar: 'ينشئ ملف PDF من صورة إلى عشرين صورة، صورة في كل صفحة بترتيبها: على ورق A4 باتجاه الصورة، أو على صفحات بحجم الصور بدقة 96 نقطة في البوصة. لا يُعاد ترميز صور JPEG، وتبقى الشفافية.',
  },
  keywords: ['pdf', 'images', 'pictures', 'jpeg', 'a4'],
  credits: 1,
  lane: 'bun',
  async: true,
  inputKind: 'image',
  outputKind: 'document',
  input: Type.Object({
    files: files('image', 1, 20, {
      title: { en: 'Files', ar: 'الملفات' },
      en: 'The images, in order',
      ar: 'الصور بترتيبها',
    }),
    page_mode: choice(
      PAGE_MODES,
      {
        title: { en: 'Pages', ar: 'الصفحات' },
        en: 'A4, or pages of the size of the images',
        ar: 'ورق A4 أو صفحات بحجم الصور',
      },
      { default: 'a4', titles: { a4: named('A4'), fit: { en: 'As large as each image', ar: 'بحجم كل صورة' } } },
    ),
  }),
  output: Type.Object({
    pageCount,
    fileCount: integerResult('Images in the PDF', 'عدد الصور'),
  }),
  examples: [{ name: 'a photo and a logo', input: { files: ['dull.jpg', 'logo.png'] } }],
  async run({ files, page_mode }, context) {
    const images = await openImageFiles(files, context)
    const path = join(context.scratch, 'pictures.pdf')
    await ofField('files', () => decoding(images, () => writeImagePages(images, page_mode, path, context.progress)))
    const [first] = files as [InputFile]
    const filename = `${stemOf(first.filename, 'pictures')}.pdf`
    const warnings = await damageWarnings(images, (i) => `files.${i}`)
    return {
      data: { pageCount: images.length, fileCount: files.length },
      files: [{ role: 'output', path, filename, mediaType: 'application/pdf' }],
      warnings,
    }
  },
})
