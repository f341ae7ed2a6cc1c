/** Equalises local contrast and sharpens edges; doubles the size on request. */

import { Type } from '@sinclair/typebox'
import { AppError } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { enhance } from '../../lib/image/enhance.ts'
import { checkPixels } from '../../lib/image/image.ts'
import {
  FIRST_FRAME,
  formatOfResult,
  IMAGE_TOOL,
  imageFile,
  imageOutput,
  imageResult,
  openImageFile,
} from '../images.ts'
import { ofSetting } from '../layers.ts'
import { flag } from '../params.ts'
import { defineTool } from '../tool.ts'

/** Limits of the free plan. */
const PREVIEW = { maxPixels: 2e6, quality: 80 }
const FULL_QUALITY = 92

export default defineTool({
  id: 'image.enhance-quality',
  route: '/enhance-quality',
  version: '1.2.0',
  title: { en: 'Enhance image', ar: 'تحسين جودة الصورة' },
  description: {
    en: 'Equalises local contrast and sharpens edges without changing colours. Full resolution, higher quality and upscaling need the Plus plan; without it the result has at most 2 megapixels.',
    ar: 'يوازن التباين موضعيًا ويوضح الحواف مع الحفاظ على الألوان. الدقة الكاملة والجودة الأعلى والتكبير مرتين تتطلب خطة Plus؛ ودونها لا تتجاوز النتيجة 2 ميغابكسل.',
  },
  keywords: ['enhance', 'sharpen', 'contrast', 'upscale'],
  credits: 1,
  ...IMAGE_TOOL,
  input: Type.Object({
    file: imageFile(),
    upscale: flag(
      {
        title: { en: 'Double the size', ar: 'التكبير مرتين' },
        en: 'Double the width and height; needs the Plus plan',
        ar: 'تكبير العرض والارتفاع مرتين؛ يتطلب خطة Plus',
      },
      false,
    ),
  }),
  output: Type.Object(imageOutput),
  examples: [{ name: 'a dull photo', input: { file: 'dull.jpg' } }],
  async run({ file, upscale }, context) {
    const full = context.plan !== 'free'
    if (upscale && !full) throw new AppError('GIS_TIER_REQUIRED', { message: fieldText('upscaleNeedsPlus') })
    const image = await openImageFile(file, 'file', context, FIRST_FRAME)
    const { maxPixels } = context.limits
    const factor = upscale ? 2 : 1
    const size = { width: factor * image.width, height: factor * image.height }
    await ofSetting('upscale', () => checkPixels(size.width, size.height, 1, maxPixels))
    const { format, warnings } = formatOfResult(image, size)
    const how = full ? { upscale, maxPixels, quality: FULL_QUALITY } : { upscale, ...PREVIEW }
    return imageResult(
      [image],
      'file',
      file,
      format,
      'enhanced',
      context,
      (path) => enhance(image, format, path, how),
      {
        warnings,
      },
    )
  },
})
