/** Arranges two to twelve images below each other, beside each other or in a grid. */
import { Type } from '@sinclair/typebox'
import { arrange, compositeImages, LAYOUTS } from '../../lib/image/arrangement.ts'
import { writeImage } from '../../lib/image/encode.ts'
import { FORMAT_PROPERTIES } from '../../lib/image/formats.ts'
import { checkPixels } from '../../lib/image/image.ts'
import { IMAGE_TOOL, imageOutput, imageResult, openImageFiles } from '../images.ts'
import { ofField } from '../layers.ts'
import { choice, files, integerResult } from '../params.ts'
import { defineTool, type InputFile } from '../tool.ts'

export default defineTool({
  id: 'image.merge-images',
  route: '/merge-images',
  version: '1.2.0',
  title: { en: 'Merge images', ar: 'دمج الصور' },
  description: {
    en: 'Arranges two to twelve images below each other, beside each other or in a grid, each at its own size, with smaller ones centred. The result is JPEG if all images are, otherwise PNG.',
    ar: 'يضع من صورتين إلى اثنتي عشرة صورة عموديًا أو أفقيًا أو في شبكة، كلٌّ بحجمها، والأصغر في الوسط. النتيجة JPEG إذا كانت كلها كذلك، وإلا PNG.',
  },
  keywords: ['merge', 'collage', 'grid', 'append'],
  credits: 1,
  ...IMAGE_TOOL,
  input: Type.Object({
    files: files('image', 2, 12, {
      title: { en: 'Files', ar: 'الملفات' },
      en: 'The images, in order',
      ar: 'الصور بترتيبها',
    }),
    layout: choice(
      LAYOUTS,
      { title: { en: 'Layout', ar: 'التخطيط' }, en: 'How the images are arranged', ar: 'طريقة الترتيب' },
      {
        default: 'vertical',
        titles: {
          vertical: { en: 'Below each other', ar: 'بعضها تحت بعض' },
          horizontal: { en: 'Beside each other', ar: 'بعضها بجانب بعض' },
          grid: { en: 'In a grid', ar: 'في شبكة' },
        },
      },
    ),
  }),
  output: Type.Object({
    ...imageOutput,
    fileCount: integerResult('Images merged', 'عدد الصور المدموجة'),
  }),
  examples: [{ name: 'two beside each other', input: { files: ['dull.jpg', 'logo.png'], layout: 'horizontal' } }],
  async run({ files, layout }, context) {
    const images = await openImageFiles(files, context)
    const arrangement = arrange(images, layout)
    const { width, height } = arrangement
    await ofField('files', () => checkPixels(width, height, 1, context.limits.maxPixels))
    const photos = images.every(({ format }) => format === 'jpeg')
    const format = photos && Math.max(width, height) <= FORMAT_PROPERTIES.jpeg.maxSide ? 'jpeg' : 'png'
    return imageResult(
      images,
      'files',
      files[0] as InputFile,
      format,
      'merged',
      context,
      async (path) => writeImage(await compositeImages(images, arrangement, context.progress), format, path),
      { data: { fileCount: files.length } },
    )
  },
})
