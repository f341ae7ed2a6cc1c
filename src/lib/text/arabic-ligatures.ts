/** Arabic ligatures as single characters, from Unicode's Arabic Presentation Forms blocks. */

let byLetters: Map<string, string> | undefined

/**
 * Maps sequences of letters to their ligature. PDF viewers reverse right-to-left text, and some reverse the letters of
 * a single glyph too; a ligature mapped to one character stays intact.
 */
export function ligatures(): Map<string, string> {
  if (byLetters !== undefined) return byLetters
  byLetters = new Map()
  for (let code = 0xfefc; code >= 0xfb50; code--) {
    const ligature = String.fromCodePoint(code)
    const letters = ligature.normalize('NFKC')
    if (letters.length > 1 && !letters.includes(' ')) byLetters.set(letters, ligature)
  }
  return byLetters
}
