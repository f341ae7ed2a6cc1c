/**
 * A warning is a code with values from the place where it is found to the boundary of the API, which answers its text in
 * English and Arabic. The tables of this folder have the texts of each code side by side. Arabic texts keep numbers apart
 * from the counted noun, so that no text needs a plural.
 */
import { filled, isolated, type Placeholders } from '../placeholders.ts'
import { DOCUMENT } from './document.ts'
import { IMAGE } from './image.ts'
import { RASTER } from './raster.ts'
import { RULE } from './rule.ts'
import { VECTOR } from './vector.ts'

export const TEXTS = {
  ...VECTOR,
  ...RASTER,
  ...IMAGE,
  ...DOCUMENT,
  ...RULE,
  inField: { en: '{field}: {warning}', ar: '{field}: {warning}' },
  /** For the text of a warning that otherwise follows the name of a field. */
  ofTheFile: { en: '{warning}', ar: '{warning}' },
  andMore: { en: '{list} and {n} more', ar: '{list} و{n} غيرها' },
} as const

export type WarningCode = keyof typeof TEXTS
export const WARNING_CODES = Object.keys(TEXTS) as WarningCode[]
/** A text is copied unchanged, and another warning is written in the same language. */
export type WarningValue = string | number | readonly (string | number)[] | Warning
export type Warning = { code: WarningCode; values?: Record<string, WarningValue> }

type ValuesOf<Code extends WarningCode> = Record<Placeholders<(typeof TEXTS)[Code]['en']>, WarningValue>

export function warning<Code extends WarningCode>(
  code: Code,
  ...[values]: keyof ValuesOf<Code> extends never ? [] : [values: ValuesOf<Code>]
): Warning {
  if (values === undefined) return { code }
  const entries = Object.entries<WarningValue>(values)
  return { code, values: Object.fromEntries(entries.map(([name, value]) => [name, asJson(value)])) }
}

/** Warnings leave a worker process as JSON, which has no NaN and no infinite numbers. */
const asJson = (value: WarningValue): WarningValue =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value

/** @param field of the input, such as `files.2` */
export const inField = (field: string, found: Warning): Warning => warning('inField', { field, warning: found })

/** A list for a warning, cut after `max` items. */
export const firstOf = (list: readonly (string | number)[], max: number): WarningValue =>
  list.length <= max ? list : warning('andMore', { list: list.slice(0, max), n: list.length - max })

/** The warnings without repetitions. */
export const distinctWarnings = (warnings: readonly Warning[]): Warning[] => [
  ...new Map(warnings.map((one) => [JSON.stringify(one), one])).values(),
]

type Language = 'en' | 'ar'

export const inEnglish = (warnings: readonly Warning[]): string[] => warnings.map((one) => textOf(one, 'en'))
export const inArabic = (warnings: readonly Warning[]): string[] => warnings.map((one) => textOf(one, 'ar'))

function textOf({ code, values = {} }: Warning, language: Language): string {
  const text = filled(TEXTS[code][language], (name) => valueIn(language, values[name] ?? ''))
  return code === 'ofTheFile' ? text.charAt(0).toUpperCase() + text.slice(1) : text
}

function valueIn(language: Language, value: WarningValue): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return language === 'ar' ? isolated(value) : value
  if ('code' in value) return textOf(value, language)
  // as Intl.ListFormat does, which takes 7 ms for a thousand items
  return value.map((item) => valueIn(language, item)).join(language === 'ar' ? ' و' : ', ')
}
