/** The rules of a schema, checked in the browser as the server checks them, with messages in the person's language. */
import { formatBytes, formatList, formatValue } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Unreadable } from './entered.ts'
import type { Schema } from './process.ts'

/** By the path of the value, `placements.0.page`, as in the server's failures. */
export type Faults = Map<string, string>

/** @param value as `typedValue` returns it */
export function checkValue(schema: Schema, value: unknown, path: string, faults: Faults): void {
  const fault = faultOf(schema, value)
  if (fault !== undefined) {
    faults.set(path, fault)
    return
  }
  if (Array.isArray(value))
    for (const [i, one] of value.entries()) checkValue(schema.items ?? {}, one, `${path}.${i}`, faults)
  else if (typeof value === 'object' && value !== null)
    checkMembers(schema, value as Record<string, unknown>, path, faults)
}

function checkMembers(schema: Schema, value: Record<string, unknown>, path: string, faults: Faults): void {
  const { properties = {}, patternProperties = {}, required = [], additionalProperties } = schema
  const patterns = Object.entries(patternProperties)
  for (const name of required) if (value[name] === undefined) faults.set(`${path}.${name}`, t('processForm.required'))
  for (const [name, one] of Object.entries(value)) {
    const own = properties[name] ?? patterns.find(([pattern]) => new RegExp(pattern, 'u').test(name))?.[1]
    if (own !== undefined) checkValue(own, one, `${path}.${name}`, faults)
    else if (additionalProperties === false || patterns.length > 0)
      faults.set(`${path}.${name}`, t('processForm.rules.unknown', { name }))
  }
}

function faultOf(schema: Schema, value: unknown): string | undefined {
  if (value instanceof Unreadable) return t(`processForm.rules.${value.rule}`)
  if (value === undefined) return t('processForm.required')
  if (schema.anyOf !== undefined)
    return schema.anyOf.some((option) => isOfType(option, value) && faultOf(option, value) === undefined)
      ? undefined
      : t('processForm.rules.type')
  if (schema.type !== undefined && !isOfType(schema, value)) return typeFault(schema)
  if (schema.enum !== undefined && !schema.enum.includes(value as string))
    return t('processForm.rules.enum', { values: formatList(schema.enum) })
  if (typeof value === 'number') return numberFault(schema, value)
  if (typeof value === 'string') return textFault(schema, value)
  if (Array.isArray(value)) return listFault(schema, value)
  const most = schema.maxProperties
  if (most !== undefined && Object.keys(value as object).length > most)
    return t('processForm.rules.maxItems', { count: most })
  return undefined
}

function isOfType({ type }: Schema, value: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'null':
      return value === null
    case 'integer':
      return Number.isInteger(value)
    case undefined:
      return true
    default:
      return typeof value === type
  }
}

function typeFault({ type }: Schema): string {
  if (type === 'integer') return t('processForm.rules.whole')
  if (type === 'number') return t('processForm.rules.number')
  if (type === 'array') return t('processForm.rules.list')
  return type === 'object' ? t('processForm.rules.object') : t('processForm.rules.type')
}

function numberFault({ minimum, maximum, exclusiveMinimum, multipleOf }: Schema, value: number): string | undefined {
  const isOutside =
    (minimum !== undefined && value < minimum) ||
    (maximum !== undefined && value > maximum) ||
    (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
  if (isOutside) return boundsText({ minimum, maximum, exclusiveMinimum }, 'rules')
  if (multipleOf === undefined) return undefined
  const times = value / multipleOf
  if (Math.abs(times - Math.round(times)) < 1e-9) return undefined
  return multipleOf === 1
    ? t('processForm.rules.whole')
    : t('processForm.rules.multipleOf', { value: formatValue(multipleOf) })
}

type Bounds = Record<'minimum' | 'maximum' | 'exclusiveMinimum', number | undefined>

/** "0 to 360": as a hint beside the field, or as the rule that was broken. */
export function boundsText({ minimum, maximum, exclusiveMinimum }: Bounds, kind: 'rules' | 'hints', unit = ''): string {
  const shown = (value: number): string => formatValue(value, unit)
  if (minimum !== undefined && maximum !== undefined)
    return t(`processForm.${kind}.between`, { least: formatValue(minimum), most: shown(maximum) })
  if (minimum !== undefined) return t(`processForm.${kind}.atLeast`, { least: shown(minimum) })
  const more =
    exclusiveMinimum === undefined ? '' : t(`processForm.${kind}.moreThan`, { least: shown(exclusiveMinimum) })
  const most = maximum === undefined ? '' : t(`processForm.${kind}.atMost`, { most: shown(maximum) })
  return [more, most].filter((text) => text !== '').join(' ')
}

function textFault({ minLength, maxLength, pattern }: Schema, value: string): string | undefined {
  const { length } = value
  if (minLength !== undefined && length < minLength) return t('processForm.rules.minLength', { count: minLength })
  if (maxLength !== undefined && length > maxLength) return t('processForm.rules.maxLength', { count: maxLength })
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return t('processForm.rules.pattern')
  return undefined
}

function listFault({ minItems, maxItems, uniqueItems }: Schema, value: unknown[]): string | undefined {
  if (minItems !== undefined && value.length < minItems) return t('processForm.rules.minItems', { count: minItems })
  if (maxItems !== undefined && value.length > maxItems) return t('processForm.rules.maxItems', { count: maxItems })
  if (uniqueItems === true && new Set(value.map((one) => JSON.stringify(one))).size < value.length)
    return t('processForm.rules.unique')
  return undefined
}

export const sizeFault = (bytes: number, most: number): string =>
  t('processForm.rules.maxBytes', { size: formatBytes(bytes), most: formatBytes(most) })
