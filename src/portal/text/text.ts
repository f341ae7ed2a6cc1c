/** Texts in the person's language, with values in them. */
import { computed, signal } from '@preact/signals'
import { digits, language } from '../shell/preferences.ts'
import type { Catalogue, Plural, TextKey } from './catalogue.ts'

export type Values = Record<string, string | number>

const LOADERS: Record<'en' | 'ar', () => Promise<Catalogue>> = {
  en: () => import('./en.ts').then((module) => module.en),
  ar: () => import('./ar.ts').then((module) => module.ar),
}

const catalogue = signal<Catalogue | undefined>(undefined)

/** Loads the texts of the chosen language; the page keeps the old ones until they have arrived. */
export async function loadTexts(): Promise<void> {
  const wanted = language.value
  const loaded = await LOADERS[wanted]()
  if (language.value === wanted) catalogue.value = loaded
}

/** @returns the texts of a language, without values: to search by words of either */
export async function textsOf(wanted: 'en' | 'ar'): Promise<(key: TextKey) => string> {
  const loaded = await LOADERS[wanted]()
  return (key) => {
    const found = textAt(loaded, key)
    return typeof found === 'string' ? found : ''
  }
}

function textAt(texts: Catalogue | undefined, key: TextKey): string | Plural | undefined {
  let found: unknown = texts
  for (const part of key.split('.')) found = (found as Record<string, unknown> | undefined)?.[part]
  return found as string | Plural | undefined
}

/** The locale for Intl: the language with the person's digits. */
export const locale = computed(() => `${language.value}-u-nu-${digits.value === 'arab' ? 'arab' : 'latn'}`)

const numberFormat = computed(() => new Intl.NumberFormat(locale.value))
const pluralRules = computed(() => new Intl.PluralRules(language.value))

/** First strong isolate and its end: an inserted name cannot change the direction of the sentence around it. */
export const isolated = (value: string): string => `\u2068${value}\u2069`

/**
 * The text of a key. A placeholder `{name}` is replaced by the value: numbers in the person's digits, texts isolated. A
 * plural is chosen by `count`.
 */
export function t(key: TextKey, values: Values = {}): string {
  const found = textAt(catalogue.value, key)
  if (found === undefined) return ''
  const form =
    typeof found === 'string' ? found : (found[pluralRules.value.select(Number(values.count))] ?? found.other)
  return filled(inDigits(form), values)
}

/** Numbers in the words of a text, but not in names and examples: "WGS 84", "31.01.2026 12:00", "p95". */
const NUMBERS = /(?<![^\s(±\u200fو])(?<!\b[A-Z]{2,} |zone |\d )\d+(?:[.:]\d+)?(?=[%٪]?[).،؛,;:]*(?:\s|$))/g
/** A text with its numbers in the person's digits. */
export const inDigits = (form: string): string =>
  digits.value === 'arab'
    ? form
        .replace(NUMBERS, (number) =>
          number.replace('.', '٫').replace(/\d/g, (digit) => numberFormat.value.format(Number(digit))),
        )
        .replace(/(?<=[٠-٩])%/g, '٪')
    : form

/** A text with its values. */
export const filled = (form: string, values: Values): string =>
  form.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ''
    return typeof value === 'number' ? numberFormat.value.format(value) : isolated(value)
  })
