/**
 * Texts of faults in fields, in English and Arabic. A fault has a rule, such as `maximum`. Its text is a sentence of
 * sentences.ts with values, or an English sentence written where the fault is made; its Arabic text is then the general
 * one of the rule.
 */
import { filled, isolated, type Placeholders } from '../placeholders.ts'
import { ARABIC_BY_RULE } from './arabic-by-rule.ts'
import { SENTENCES, type Sentence } from './sentences.ts'

export type TextKey = keyof typeof SENTENCES
export type Bilingual = { en: string; ar: string }
type Value = string | number | Bilingual
type ValuesOf<K extends TextKey> = Record<Placeholders<(typeof SENTENCES)[K]['en']>, Value>

/** The feature or the row of a file that a fault is in. */
export type Place = { feature: number } | { row: number }
/** Without `ar`, the general Arabic text of the rule is used. */
export type FieldText = { en: string; ar?: string; place?: Place | undefined }

const inEnglish = (value: Value): string => (typeof value === 'object' ? value.en : String(value))

/** In Arabic, a minus sign needs a left-to-right mark to stay in its place. */
function inArabic(value: Value): string {
  if (typeof value === 'object') return value.ar
  if (typeof value === 'string') return isolated(value)
  return value < 0 ? `\u200e${value}` : String(value)
}

/** The sentence of a key, in both languages. */
export function fieldText<K extends TextKey>(
  key: K,
  ...[values]: [keyof ValuesOf<K>] extends [never] ? [] : [ValuesOf<K>]
): Bilingual {
  const { en, one = en, ar }: Sentence = SENTENCES[key]
  const given: Record<string, Value> = values ?? {}
  return {
    en: filled(Object.values(given)[0] === 1 ? one : en, (name) => inEnglish(given[name] ?? '')),
    ar: filled(ar, (name) => inArabic(given[name] ?? '')),
  }
}

/** @param kind of value, such as `a number` */
export const mustBe = (kind: Bilingual): FieldText => fieldText('mustBe', { kind })

/** @param place none for a value that is not one of many */
export const inPlace = (place: Place | undefined, text: string | FieldText): FieldText => ({
  ...(typeof text === 'string' ? { en: text } : text),
  place,
})

export function englishOf(text: string | FieldText): string {
  if (typeof text === 'string') return text
  const { en, place } = text
  if (place === undefined) return en
  return 'row' in place ? `row ${place.row}: ${en}` : `feature ${place.feature}: ${en}`
}

export function arabicOf(rule: string, text: string | FieldText): string {
  const { ar = ARABIC_BY_RULE[rule] ?? 'القيمة غير صالحة.', place } = typeof text === 'string' ? {} : text
  if (place === undefined) return ar
  return 'row' in place ? `الصف ${place.row}: ${ar}` : `العنصر ${place.feature}: ${ar}`
}
