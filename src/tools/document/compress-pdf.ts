/** Reduces the size of a PDF. */
import { copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { stemOf } from '../../lib/file-name.ts'
import { compress, QUALITIES } from '../../lib/pdf/structure/compress.ts'
import { DOCUMENT_TOOL, damagedImageWarnings, openDocument, pageCount, pdfFile } from '../documents.ts'
import { ofField } from '../layers.ts'
import { choice, flagResult, integerResult } from '../params.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'document.compress-pdf',
  route: '/compress-pdf',
  version: '1.3.0',
  title: { en: 'Compress PDF', ar: 'ضغط PDF' },
  description: {
    en: 'Reduces the size of a PDF: images are downsampled to at most 72 (screen), 150 (ebook) or 300 (print) dots per inch, images of two colours to 300 or 1,200 (print), fonts are reduced to the glyphs in use, and duplicates are removed. Text and vector graphics stay exact. The result is never larger than the file.',
    ar: 'يصغّر حجم ملف PDF: تُخفض دقة الصور إلى 72 (screen) أو 150 (ebook) أو 300 (print) نقطة في البوصة على الأكثر، والصور ذات اللونين إلى 300 أو 1200 (print)، وتقتصر الخطوط على الحروف المستخدمة، وتُحذف النسخ المكررة. يبقى النص والرسوم الخطية كما هي، ولا يزيد حجم النتيجة على حجم الأصل.',
  },
  keywords: ['pdf', 'compress', 'optimise', 'size'],
  credits: 2,
  ...DOCUMENT_TOOL,
  input: Type.Object({
    file: pdfFile(),
    quality: choice(
      QUALITIES,
      {
        title: { en: 'Quality', ar: 'الجودة' },
        en: 'screen for the smallest file, ebook in between, print for the best quality',
        ar: 'screen لأصغر ملف، وebook للوسط، وprint لأعلى جودة',
      },
      {
        default: 'ebook',
        titles: {
          screen: { en: 'Smallest file, for screens', ar: 'أصغر ملف، للشاشات' },
          ebook: { en: 'Balanced', ar: 'متوازن' },
          print: { en: 'Best quality, for printing', ar: 'أعلى جودة، للطباعة' },
        },
      },
    ),
  }),
  output: Type.Object({
    pageCount,
    originalBytes: integerResult('Size of the file', 'حجم الأصل'),
    compressedBytes: integerResult('Size of the result', 'حجم النتيجة'),
    alreadyOptimized: flagResult(
      'Whether the file could not be reduced and is returned unchanged',
      'هل تعذّر التصغير وأُعيد الملف كما هو',
    ),
  }),
  examples: [{ name: 'for reading on a screen', input: { file: 'report.pdf', quality: 'screen' } }],
  async run({ file, quality }, context) {
    const document = await openDocument(file, 'file', context, 'decode')
    const path = join(context.scratch, 'compressed.pdf')
    const [damage] = await Promise.all([
      damagedImageWarnings(document, context),
      ofField('file', () => compress(document, quality, context.limits.maxPixels, path, context.progress)),
    ])
    const made = (await stat(path)).size
    const alreadyOptimized = made >= file.bytes
    // a file with errors, scripts or attachments is never returned unchanged
    const isClean = document.warnings.every(({ code }) => code === 'changesNotSigned')
    const isUnchanged = alreadyOptimized && isClean
    if (isUnchanged) await copyFile(file.path, path)
    const filename = `${stemOf(file.filename, 'document')}_compressed.pdf`
    return {
      data: {
        pageCount: document.pageCount,
        originalBytes: file.bytes,
        compressedBytes: isUnchanged ? file.bytes : made,
        alreadyOptimized,
      },
      files: [{ role: 'output', path, filename, mediaType: 'application/pdf' }],
      warnings: [...(isUnchanged ? [] : document.warnings), ...damage],
    }
  },
})
