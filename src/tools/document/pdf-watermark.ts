/** Adds a text or a logo to every page of a PDF. */
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { stemOf } from '../../lib/file-name.ts'
import { decoding } from '../../lib/image/image.ts'
import { POSITIONS } from '../../lib/image/watermark.ts'
import { type Mark, watermark } from '../../lib/pdf/drawing/watermark.ts'
import { checkText } from '../../lib/text/fonts.ts'
import type { Warning } from '../../warnings/warning.ts'
import { DOCUMENT_TOOL, openDocument, pageCount, pdfFile } from '../documents.ts'
import { damageWarnings, FIRST_FRAME, openImageFile } from '../images.ts'
import { ofField, ofSetting } from '../layers.ts'
import { choice } from '../params.ts'
import { defineTool } from '../tool.ts'
import { checkMark, markFields, opacityField, POSITION_TITLES } from '../watermarks.ts'

export default defineTool({
  id: 'document.pdf-watermark',
  route: '/pdf-watermark',
  aliases: ['/watermark-pdf'],
  version: '1.2.0',
  title: { en: 'Watermark PDF', ar: 'علامة مائية على PDF' },
  description: {
    en: 'Adds a text in Latin or Arabic script or a logo to every page. The text is sharp at any zoom. Everything else in the file is kept.',
    ar: 'يضع نصًا لاتينيًا أو عربيًا أو شعارًا فوق كل صفحة. يبقى النص واضحًا عند أي تكبير، ويبقى بقية محتوى الملف كما هو.',
  },
  keywords: ['pdf', 'watermark', 'logo', 'draft'],
  credits: 1,
  ...DOCUMENT_TOOL,
  input: Type.Object({
    file: pdfFile(),
    ...markFields(),
    position: choice(
      POSITIONS,
      { title: { en: 'Position', ar: 'الموضع' }, en: 'Position of the watermark', ar: 'موضعها' },
      { default: 'diagonal', titles: POSITION_TITLES },
    ),
    opacity: opacityField(0.15),
  }),
  output: Type.Object({ pageCount }),
  examples: [
    { name: 'a word across the page', input: { file: 'report.pdf', text: 'Draft' } },
    {
      name: 'a logo in a corner',
      input: { file: 'report.pdf', wm_mode: 'image', logo: 'logo.png', position: 'top-right', opacity: 0.5 },
    },
  ],
  async run({ file, wm_mode, text, logo, position, opacity }, context) {
    const given = checkMark(wm_mode, text, logo)
    const document = await openDocument(file, 'file', context)
    let mark: Mark
    let damage: Warning[] = []
    if ('text' in given) {
      await ofSetting('text', () => checkText(given.text))
      mark = given
    } else {
      const image = await openImageFile(given.logo, 'logo', context, FIRST_FRAME)
      await ofField('logo', () => decoding([image], () => image.pipeline().stats()))
      damage = await damageWarnings([image], () => 'logo')
      mark = { logo: image }
    }
    const path = join(context.scratch, 'watermarked.pdf')
    await ofField('file', () => document.edit((pdf) => watermark(pdf, mark, position, opacity, context.progress), path))
    const filename = `${stemOf(file.filename, 'document')}_watermarked.pdf`
    return {
      data: { pageCount: document.pageCount },
      files: [{ role: 'output', path, filename, mediaType: 'application/pdf' }],
      warnings: [...document.warnings, ...damage],
    }
  },
})
