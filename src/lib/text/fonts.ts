/** The fonts that text is set in; they come with the packages and are the only ones used, here and in fonts.conf. */
import { join } from 'node:path'
import type { Font } from 'fontkit'

const PACKAGES = join(import.meta.dirname, '../../../node_modules/@expo-google-fonts')

/** In the order in which a character is looked for. */
const FONT_FILES = [
  join(PACKAGES, 'ibm-plex-sans-arabic/600SemiBold/IBMPlexSansArabic_600SemiBold.ttf'),
  join(PACKAGES, 'ibm-plex-sans/600SemiBold/IBMPlexSans_600SemiBold.ttf'),
]

/** As Pango names them. */
export const FONT_FAMILIES = 'IBM Plex Sans Arabic, IBM Plex Sans, Semi-Bold'

let fonts: Promise<Font[]> | undefined

const loadFonts = (): Promise<Font[]> => {
  fonts ??= import('fontkit').then(({ openSync }) => FONT_FILES.map((path) => openSync(path) as Font))
  return fonts
}

/** Joiners, marks of direction and white space are not drawn. */
const INVISIBLE = /[\s\p{Cf}\p{Cc}\p{Variation_Selector}]/u

/** The first character that no font can draw. */
export async function firstUndrawable(text: string): Promise<string | undefined> {
  const all = await loadFonts()
  const has = (character: string): boolean =>
    INVISIBLE.test(character) || all.some((font) => font.hasGlyphForCodePoint(character.codePointAt(0) as number))
  // a letter with an accent may be drawn of the two
  return [...text].find((character) => !has(character) && ![...character.normalize('NFD')].every(has))
}
