/** Maps glyphs that stand for several Arabic letters to a single ligature character (ISO 32000-1, 9.10.3). */
import type { PDFDocument } from '@cantoo/pdf-lib'
import { ligatures } from '../../text/arabic-ligatures.ts'
import { streamDecoder } from '../structure/stream-decoder.ts'

/** Two or more Arabic characters as the target of a code in a ToUnicode map. */
const SEVERAL_LETTERS = /<((?:06[0-9A-Fa-f]{2}\s*){2,})>/g

/** Changes the ToUnicode maps of a document's fonts. @returns whether any was changed */
export async function restoreLigatures({ context }: PDFDocument): Promise<boolean> {
  const decode = await streamDecoder()
  const { PDFDict, PDFName, PDFRawStream, PDFRef } = await import('@cantoo/pdf-lib')
  let isChanged = false
  for (const [, font] of context.enumerateIndirectObjects()) {
    const ref = font instanceof PDFDict ? font.get(PDFName.of('ToUnicode')) : undefined
    const map = context.lookup(ref)
    if (!(ref instanceof PDFRef) || !(map instanceof PDFRawStream)) continue
    const text = Buffer.from(decode(map) ?? []).toString('latin1')
    const restored = text.replace(SEVERAL_LETTERS, (target, digits: string) => {
      const codes = digits.replace(/\s/g, '').match(/.{4}/g) ?? []
      const ligature = ligatures().get(String.fromCharCode(...codes.map((code) => Number.parseInt(code, 16))))
      return ligature === undefined ? target : `<${ligature.charCodeAt(0).toString(16)}>`
    })
    if (restored === text) continue
    context.assign(ref, context.flateStream(restored))
    isChanged = true
  }
  return isChanged
}
