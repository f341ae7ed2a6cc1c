/**
 * Texts of faults in fields, in English and Arabic. A fault has a rule, such as `maximum`. Its text is a sentence of
 * sentences.ts with values, or an English sentence written where the fault is made; its Arabic text is then the general
 * one of the rule.
 */
import { ARABIC_BY_RULE } from './arabic-by-rule.ts'
import { SENTENCES, type Sentence } from './sentences.ts'

export type TextKey = keyof typeof SENTENCES
type NameIn<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | NameIn<Rest> : never
export type Bilingual = { en: string; ar: string }
type Value = string | number | Bilingual
type ValuesOf<K extends TextKey> = Record<NameIn<(typeof SENTENCES)[K]['en']>, Value>

/** The feature or the row of a file that a fault is in. */
export type Place = { feature: number } | { row: number }
/** Without `ar`, the general Arabic text of the rule is used. */
export type FieldText = { en: string; ar?: string; place?: Place | undefined }

const filled = (text: string, values: Record<string, Value>, write: (value: Value) => string): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => write(values[name] ?? ''))

/** In Arabic, a minus sign needs a left-to-right mark, and a Latin text an isolate, to stay in their places. */
function inArabic(value: Value): string {
  if (typeof value === 'object') return value.ar
  if (typeof value === 'string') return `\u2068${value}\u2069`
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
    en: filled(Object.values(given)[0] === 1 ? one : en, given, (value) =>
      typeof value === 'object' ? value.en : String(value),
    ),
    ar: filled(ar, given, inArabic),
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
