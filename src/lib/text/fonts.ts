/** The fonts that text is set in. They come from npm packages; fonts.conf restricts Pango to the same ones. */
import { join } from 'node:path'
import type { Font, Glyph } from 'fontkit'
import type { FieldText } from '../../field-texts/bilingual.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { InputError } from '../input-error.ts'

const PACKAGES = join(import.meta.dirname, '../../../node_modules/@expo-google-fonts')
const STYLES = { regular: '400Regular', semibold: '600SemiBold' } as const
export type Weight = keyof typeof STYLES

/** In order of preference for each character: Arabic with Latin, then Latin with Greek and Cyrillic. */
const filesOf = (weight: Weight): string[] => {
  const style = STYLES[weight]
  return [
    join(PACKAGES, `ibm-plex-sans-arabic/${style}/IBMPlexSansArabic_${style}.ttf`),
    join(PACKAGES, `ibm-plex-sans/${style}/IBMPlexSans_${style}.ttf`),
  ]
}

/** Family names for Pango. */
export const FONT_FAMILIES = 'IBM Plex Sans Arabic, IBM Plex Sans, Semi-Bold'

const loaded = new Map<Weight, Promise<Font[]>>()

export function loadFonts(weight: Weight): Promise<Font[]> {
  const cached = loaded.get(weight)
  if (cached !== undefined) return cached
  const fonts = import('fontkit').then(({ openSync }) =>
    filesOf(weight).map((path) => withoutKeptCharacters(openSync(path) as Font)),
  )
  loaded.set(weight, fonts)
  return fonts
}

/**
 * fontkit caches each glyph with its first characters: after an "é", drawn as e and accent, the glyph of e would stand
 * for "é" in all later texts.
 */
function withoutKeptCharacters(font: Font): Font {
  const kept = font as Font & { _glyphs: Record<number, Glyph> }
  const { getGlyph } = font
  font.getGlyph = (id, characters) => {
    delete kept._glyphs[id]
    return getGlyph.call(font, id, characters)
  }
  return font
}

/** Joiners, direction marks and white space have no visible glyph. */
const INVISIBLE = /[\s\p{Cf}\p{Cc}\p{Variation_Selector}]/u

/** Finds the characters of a text that none of the fonts contains. */
export async function loadUndrawable(): Promise<(text: string) => string[]> {
  const all = await loadFonts('semibold')
  const canDraw = (character: string): boolean =>
    INVISIBLE.test(character) || all.some((font) => font.hasGlyphForCodePoint(character.codePointAt(0) as number))
  // an accented letter may be drawn as base letter and accent
  return (text) =>
    [...new Set(text)].filter((character) => !canDraw(character) && ![...character.normalize('NFD')].every(canDraw))
}

/** A character with its code point, for readers whose fonts lack it. */
export const named = (character: string): string =>
  `${character} (U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')})`

/** The error message for a text that cannot be drawn. */
export const lacking = (characters: readonly string[]): FieldText =>
  fieldText('glyphs', { characters: characters.slice(0, MAX_NAMED).map(named).join(', ') })
const MAX_NAMED = 10

/**
 * @throws InputError `glyphs` for a character that none of the fonts contains, `blank` for text without visible
 * characters
 */
export async function checkText(text: string): Promise<void> {
  if (!/[^\s\p{Cf}\p{Cc}]/u.test(text)) throw new InputError('blank', fieldText('visibleCharacter'))
  const [missing] = (await loadUndrawable())(text)
  if (missing !== undefined) throw new InputError('glyphs', lacking([missing]))
}
