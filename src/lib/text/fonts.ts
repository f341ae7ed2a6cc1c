/** The fonts that text is set in; they come with the packages and are the only ones used, here and in fonts.conf. */
import { join } from 'node:path'
import type { Font } from 'fontkit'
import { InputError } from '../input-error.ts'

const PACKAGES = join(import.meta.dirname, '../../../node_modules/@expo-google-fonts')
const STYLES = { regular: '400Regular', semibold: '600SemiBold' } as const
export type Weight = keyof typeof STYLES

/** In the order in which a character is looked for: Arabic with Latin, then Latin, Greek and Cyrillic. */
const filesOf = (weight: Weight): string[] => {
  const style = STYLES[weight]
  return [
    join(PACKAGES, `ibm-plex-sans-arabic/${style}/IBMPlexSansArabic_${style}.ttf`),
    join(PACKAGES, `ibm-plex-sans/${style}/IBMPlexSans_${style}.ttf`),
  ]
}

/** As Pango names them. */
export const FONT_FAMILIES = 'IBM Plex Sans Arabic, IBM Plex Sans, Semi-Bold'

const loaded = new Map<Weight, Promise<Font[]>>()

export function loadFonts(weight: Weight): Promise<Font[]> {
  const known = loaded.get(weight)
  if (known !== undefined) return known
  const fonts = import('fontkit').then(({ openSync }) => filesOf(weight).map((path) => openSync(path) as Font))
  loaded.set(weight, fonts)
  return fonts
}

/** Joiners, marks of direction and white space are not drawn. */
const INVISIBLE = /[\s\p{Cf}\p{Cc}\p{Variation_Selector}]/u

/** The first character that no font can draw. */
async function firstUndrawable(text: string): Promise<string | undefined> {
  const all = await loadFonts('semibold')
  const has = (character: string): boolean =>
    INVISIBLE.test(character) || all.some((font) => font.hasGlyphForCodePoint(character.codePointAt(0) as number))
  // a letter with an accent may be drawn of the two
  return [...text].find((character) => !has(character) && ![...character.normalize('NFD')].every(has))
}

/** @throws InputError `glyphs` when no font has a character of the text, `blank` when nothing of it can be seen */
export async function checkText(text: string): Promise<void> {
  if (!/[^\s\p{Cf}\p{Cc}]/u.test(text)) throw new InputError('blank', 'must hold something that can be seen')
  const missing = await firstUndrawable(text)
  if (missing === undefined) return
  const code = (missing.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
  throw new InputError(
    'glyphs',
    `holds ${missing} (U+${code}), which is in none of the fonts: Latin, Arabic, Greek, Cyrillic`,
  )
}
