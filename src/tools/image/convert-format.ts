/**
 * Converts an image to another format, rotated according to its EXIF data. Warnings list properties that the format
 * cannot hold.
 */
import { Type } from '@sinclair/typebox'
import { convert } from '../../lib/image/convert.ts'
import { IMAGE_FORMATS } from '../../lib/image/formats.ts'
import { decoding, hasTransparency } from '../../lib/image/image.ts'
import { IMAGE_TOOL, imageFile, imageOutput, imageResult, openImageFile } from '../images.ts'
import { ofField, ofSetting } from '../layers.ts'
import { choice, named } from '../params.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'image.convert-format',
  route: '/convert-format',
  version: '1.2.0',
  title: { en: 'Convert image', ar: 'تحويل صيغة الصورة' },
  description: {
    en: 'Converts an image to another format, rotated according to its EXIF data. Animations are kept between GIF and WebP, and pixels where the format can hold them exactly; warnings list what a format cannot represent (transparency, frames, 16 bits).',
    ar: 'يكتب الصورة بصيغة أخرى مع تدويرها وفق بيانات EXIF. تبقى الصور المتحركة متحركة بين GIF وWebP، وتبقى قيم البكسل كما هي حيث تستوعبها الصيغة؛ وتذكر التحذيرات ما لا تستوعبه الصيغة (الشفافية والإطارات و16 بت).',
  },
  keywords: ['convert', 'png', 'jpeg', 'webp', 'bmp', 'tiff', 'gif'],
  credits: 1,
  ...IMAGE_TOOL,
  input: Type.Object({
    file: imageFile(),
    target_format: choice(
      IMAGE_FORMATS,
      { title: { en: 'Format', ar: 'الصيغة' }, en: 'Format of the result', ar: 'صيغة النتيجة' },
      {
        default: 'png',
        titles: {
          png: named('PNG'),
          jpeg: named('JPEG'),
          webp: named('WebP'),
          bmp: named('BMP'),
          tiff: named('TIFF'),
          gif: named('GIF'),
        },
      },
    ),
  }),
  output: Type.Object(imageOutput),
  examples: [{ name: 'a photo as WebP', input: { file: 'dull.jpg', target_format: 'webp' } }],
  async run({ file, target_format }, context) {
    const image = await openImageFile(file, 'file', context, { frames: 'own', samples: 'own' })
    const transparent = await ofField('file', () => decoding([image], () => hasTransparency(image)))
    const { write, warnings } = await ofSetting('target_format', () => convert(image, target_format, transparent))
    const suffix = image.format === target_format ? 'converted' : ''
    return imageResult([image], 'file', file, target_format, suffix, context, write, { warnings })
  },
})
