/** Arabic ligatures as single characters (Unicode's Arabic Presentation Forms). */

let byLetters: Map<string, string> | undefined

/**
 * By the letters that they join. Readers turn lines that run from the right around, some with the letters of a glyph
 * that stands for several; as one character it stays whole.
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
