/** Adds a text in Latin or Arabic script, or a logo, to an image. */
import { Type } from '@sinclair/typebox'
import { writeImage } from '../../lib/image/encode.ts'
import { decoding } from '../../lib/image/image.ts'
import { squareDpi } from '../../lib/image/resolution.ts'
import { logoMark, POSITIONS, placeMark, textMark, withMark } from '../../lib/image/watermark.ts'
import { checkText } from '../../lib/text/fonts.ts'
import { append } from '../../lists.ts'
import {
  damageWarnings,
  FIRST_FRAME,
  formatOfResult,
  IMAGE_TOOL,
  imageFile,
  imageOutput,
  imageResult,
  openImageFile,
} from '../images.ts'
import { ofField, ofSetting } from '../layers.ts'
import { choice } from '../params.ts'
import { defineTool } from '../tool.ts'
import { checkMark, markFields, opacityField, POSITION_TITLES } from '../watermarks.ts'

export default defineTool({
  id: 'image.image-watermark',
  route: '/image-watermark',
  version: '1.2.0',
  title: { en: 'Watermark image', ar: 'علامة مائية على صورة' },
  description: {
    en: 'Adds a text in Latin or Arabic script, or a logo, to an image. Send either text or logo, as wm_mode says.',
    ar: 'يضع نصًا لاتينيًا أو عربيًا أو شعارًا فوق الصورة. يُرسل واحد فقط من text وlogo، وهو ما يحدده wm_mode.',
  },
  keywords: ['watermark', 'logo', 'text', 'copyright'],
  credits: 1,
  ...IMAGE_TOOL,
  input: Type.Object({
    file: imageFile(),
    ...markFields(),
    position: choice(
      POSITIONS,
      { title: { en: 'Position', ar: 'الموضع' }, en: 'Position of the watermark', ar: 'موضع العلامة' },
      { default: 'bottom-right', titles: POSITION_TITLES },
    ),
    opacity: opacityField(0.4),
  }),
  output: Type.Object(imageOutput),
  examples: [
    { name: 'a text', input: { file: 'dull.jpg', text: 'Groundwave · قراءة', position: 'diagonal' } },
    { name: 'a logo', input: { file: 'dull.jpg', wm_mode: 'image', logo: 'logo.png', position: 'top-left' } },
  ],
  async run({ file, wm_mode, text, logo, position, opacity }, context) {
    const mark = checkMark(wm_mode, text, logo)
    const image = await openImageFile(file, 'file', context, FIRST_FRAME)
    const { format, warnings } = formatOfResult(image, image)
    const write = async (path: string) => {
      const marked = 'text' in mark ? await textMark(mark.text, position, image) : await ofLogo(mark.logo)
      return writeImage(withMark(image, await placeMark(image, marked, position, opacity)), format, path, {
        lossless: !image.isLossy,
        dpi: squareDpi(image.resolution),
      })
    }
    const ofLogo = async (sent: typeof file) => {
      const opened = await openImageFile(sent, 'logo', context, FIRST_FRAME)
      const mark = await ofField('logo', () => decoding([opened], () => logoMark(opened, position, image)))
      append(warnings, await damageWarnings([opened], () => 'logo'))
      return mark
    }
    if ('text' in mark) await ofSetting('text', () => checkText(mark.text))
    return imageResult([image], 'file', file, format, 'watermarked', context, write, { warnings })
  },
})
