/**
 * Converts the Type 1 programs of a document to CFF with the glyphs that are shown, as Ghostscript does. npm has no
 * library for it. Curves and widths stay exactly the same; hints are left out, as from all other fonts.
 */
import { codesIn, encodingOf, type FontUse, shownNamedGlyphs } from '../font-programs.ts'
import { namedGlyphs } from '../font-tables.ts'
import { type CffGlyph, writeCff } from './cff-writer.ts'
import { outlineOf } from './outline.ts'
import { readType1 } from './program.ts'

/** CFF counts the glyphs with a code in one byte. */
const MAX_CODES = 255

/** @returns undefined when it is not certain which glyphs are shown, and for a font that cannot be read completely */
export async function cffOfType1(bytes: Uint8Array, uses: readonly FontUse[]): Promise<Uint8Array | undefined> {
  const program = readType1(bytes)
  if (program?.encoding === undefined) return undefined
  const names = [...new Set(['.notdef', ...program.charstrings.keys()])]
  const numbers = new Map(names.map((name, i) => [name, i]))
  const glyphOfCode = new Map<number, number>()
  for (const [code, name] of program.encoding) {
    const glyph = numbers.get(name)
    if (glyph !== undefined && code >= 0 && code <= 255) glyphOfCode.set(code, glyph)
  }
  const named = namedGlyphs(new Map(names.map((name, i) => [name, [i]])), glyphOfCode)
  const shown = new Set(['.notdef'])
  const codeOf = new Map<string, number>()
  for (const use of uses) {
    const glyphs = use.descendant === undefined ? await shownNamedGlyphs(named, use) : undefined
    if (glyphs === undefined) return undefined
    for (const glyph of glyphs) shown.add(names[glyph] as string)
    const { differences } = await encodingOf(use.font)
    for (const code of codesIn(use.strings)) {
      const name = program.encoding.get(code)
      if (name === undefined || name === '.notdef' || differences.has(code)) continue
      // not every reader finds the second code of a glyph in CFF
      if ((codeOf.get(name) ?? code) !== code) return undefined
      codeOf.set(name, code)
    }
  }
  if (codeOf.size > MAX_CODES) return undefined
  const glyphs: CffGlyph[] = []
  for (const name of shown) {
    const outline = outlineOf(program, name)
    if (outline === undefined) return undefined
    glyphs.push({ name, code: codeOf.get(name), outline })
  }
  return writeCff(program, glyphs)
}
