/** Recognises glyphs of fonts without a map to letters. */

/** Target range of {@link markUnmappedFonts} for the codes of such fonts: the private use area of plane 15. */
export const UNMAPPED = 0xf0000
/** Control characters and the replacement character are not letters either. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NO_LETTER = /^[\u0000-\u0008\u000B-\u001F\u007F-\u009F\uFFFD\u{F0000}-\u{10FFFF}]/u

export const isUnmapped = (text: string): boolean => NO_LETTER.test(text)
