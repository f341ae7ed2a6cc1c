/**
 * Texts of faults in fields, in English and Arabic. The text of a fault is a sentence of sentences.ts or
 * input-sentences.ts with values.
 */
import { filled, isolated, type Placeholders } from '../placeholders.ts'
import type { Bilingual, FieldText } from './bilingual.ts'
import { INPUT_SENTENCES } from './input-sentences.ts'
import { MESSAGES } from './messages.ts'
import { SENTENCES, type Sentence } from './sentences.ts'

/** All sentences by their keys. */
export const TEXTS = { ...SENTENCES, ...INPUT_SENTENCES, ...MESSAGES }

export type TextKey = keyof typeof TEXTS
type Value = string | number | Bilingual
type ValuesOf<K extends TextKey> = Record<Placeholders<(typeof TEXTS)[K]['en']>, Value>

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
  const { en, one = en, ar }: Sentence = TEXTS[key]
  const given: Record<string, Value> = values ?? {}
  return {
    en: filled(Object.values(given)[0] === 1 ? one : en, (name) => inEnglish(given[name] ?? '')),
    ar: filled(ar, (name) => inArabic(given[name] ?? '')),
  }
}

/** @param kind of value, such as `a number` */
export const mustBe = (kind: Bilingual): FieldText => fieldText('mustBe', { kind })
