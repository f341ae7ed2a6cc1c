/**
 * Failures of the server in the person's language. Its own texts are English; it names the code of each failure and the
 * rule of each field, which have a text in both languages. Details beyond that stay available in the server's own text.
 */
import { CODES } from '../../errors.ts'
import { language } from '../shell/preferences.ts'
import type { TextKey } from './catalogue.ts'
import type { failures } from './failures.en.ts'
import { t, type Values } from './text.ts'

export type Said = {
  message: string
  /** The server's text, if it may say more. */
  original?: string
}
export type FieldFault = Said & { field: string; rule: string }

const textsOf = (code: string): { en: string; ar: string } | undefined =>
  (CODES as Record<string, { en: string; ar: string }>)[code]

/** @param message as the server sent it. @param fault the first that it names. @returns undefined when there is neither a text nor a message */
export function saidOf(code: string, message: string | undefined, fault?: FieldFault): Said | undefined {
  const texts = textsOf(code)
  if (language.peek() === 'en' || texts === undefined) {
    const text = message ?? texts?.en
    return text === undefined ? undefined : { message: text }
  }
  const saysMore = message !== undefined && message !== '' && message !== texts.en
  return {
    message: fault === undefined ? texts.ar : `${texts.ar} ${fault.message}`,
    ...(saysMore && (fault === undefined || fault.original !== undefined) && { original: message }),
  }
}

type Template = [pattern: RegExp, key: keyof typeof failures.values]

/** The texts of src/schema-rules.ts and of limits of numbers, each without the description of the field. */
const TEMPLATES: readonly Template[] = [
  [/^must have at least (?<least>\d+) characters?$/, 'charactersAtLeast'],
  [/^must have at most (?<most>\d+) characters?$/, 'charactersAtMost'],
  [/^must be (?<least>\d+) to (?<most>\d+) characters long$/, 'characters'],
  [/^must be a string of (?<least>\d+) to (?<most>\d+) characters$/, 'characters'],
  [/^must have at least (?<least>\d+) (?:item|propert)\w+$/, 'entriesAtLeast'],
  [/^must have at most (?<most>\d+) (?:item|propert|name)\w*$/, 'entriesAtMost'],
  [/^must name at most (?<most>\d+) \w+$/, 'entriesAtMost'],
  [/^must be a list of (?<least>\d+) to (?<most>\d+)$/, 'entries'],
  [/^must be at most (?<most>\d+) bytes$/, 'bytes'],
  [/^must be at least (?<least>-?[\d.]+)$/, 'atLeast'],
  [/^must be at most (?<most>-?[\d.]+)$/, 'atMost'],
  [/^must be greater than (?<limit>-?[\d.]+)$/, 'moreThan'],
  [/^must be less than (?<limit>-?[\d.]+)$/, 'lessThan'],
  [/^must be a multiple of (?<step>-?[\d.]+)$/, 'multiple'],
  [/^must be a whole number$/, 'whole'],
  [/^must be a whole number from (?<least>-?[\d.]+) to (?<most>-?[\d.]+)$/, 'wholeFrom'],
  [/^must be (?:a number )?from (?<least>-?[\d.]+) to (?<most>-?[\d.]+)$/, 'from'],
  [/^must be one of (?<values>[^;]+)$/, 'oneOf'],
  [/^page (?<page>\d+) does not exist; pages are (?<least>\d+) to (?<most>\d+)$/, 'page'],
  [/; the maximum is (?<most>[\d.]+)$/, 'maximum'],
]
/** The prefix of a text about one of many. */
const PLACE = /^(feature|row) (\d+): (.+)$/s

const numberOr = (text: string): string | number => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text)

/** The text of a rule with its values. */
function withValues(rule: string, message: string): string | undefined {
  // the description of a field follows in brackets
  const plain = message.replace(/ \(.*\)$/s, '')
  for (const [pattern, key] of TEMPLATES) {
    const match = pattern.exec(plain)
    if (match === null) continue
    const values: Values = {}
    for (const [name, text] of Object.entries(match.groups ?? {})) values[name] = numberOr(text)
    const text = t(`failures.values.${key}`, values)
    return key === 'maximum' ? `${ruleText(rule)} ${text}` : text
  }
  return undefined
}

const ruleText = (rule: string): string => t(`failures.rules.${rule}` as TextKey) || t('failures.rules.unlisted')

/** One field's fault, as the server sent it. */
export function faultOf(fault: Omit<FieldFault, 'original'>): FieldFault {
  if (language.peek() === 'en') return fault
  const [, where, number, rest = fault.message] = PLACE.exec(fault.message) ?? []
  const found = withValues(fault.rule, rest)
  const text = found ?? ruleText(fault.rule)
  const place = where === 'row' ? 'failures.row' : 'failures.feature'
  return {
    field: fault.field,
    rule: fault.rule,
    message: where === undefined ? text : t(place, { number: Number(number), text }),
    ...(found === undefined && fault.rule !== 'required' && { original: fault.message }),
  }
}
