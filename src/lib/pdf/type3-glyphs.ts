/** Removes the glyph procedures of Type 3 fonts (ISO 32000-1, 9.6.5) that no string of the document shows. */
import type { PDFDict } from '@cantoo/pdf-lib'
import { codesIn, encodingOf } from './font-programs.ts'
import { STANDARD_ENCODING } from './type1/standard-names.ts'

/** Some readers give codes that a font does not name the names of StandardEncoding. */
export async function removeUnusedProcedures(font: PDFDict, strings: readonly Uint8Array[]): Promise<void> {
  const { PDFDict, PDFName } = await import('@cantoo/pdf-lib')
  const procedures = font.lookup(PDFName.of('CharProcs'))
  const { base, differences } = await encodingOf(font)
  if (!(procedures instanceof PDFDict) || base !== '') return
  const shown = new Set(['.notdef'])
  for (const code of codesIn(strings)) {
    const name = differences.get(code) ?? STANDARD_ENCODING.get(code)
    if (name !== undefined) shown.add(name)
  }
  const left = PDFDict.withContext(font.context)
  for (const [name, procedure] of procedures.entries()) if (shown.has(name.decodeText())) left.set(name, procedure)
  // another font may share the procedures
  font.set(PDFName.of('CharProcs'), left)
}
