/**
 * User input, kept as typed, so that nothing is lost while it is not a valid value yet; and its conversion to the value
 * of the schema and back.
 */
import type { Schema } from './process.ts'

/** Texts of inputs, states of check boxes, and lists and groups of them. */
export type Entered = string | boolean | Entered[] | { [name: string]: Entered }
export type Pair = { key: Entered; value: Entered }

/** A list or group that is edited as JSON text. */
const JSON_TEXT = '$json'
export const jsonText = (text: string): Entered => ({ [JSON_TEXT]: text })
export function jsonTextOf(entered: Entered | undefined): string | undefined {
  if (typeof entered !== 'object' || Array.isArray(entered)) return undefined
  const text = entered[JSON_TEXT]
  return typeof text === 'string' ? text : undefined
}

/** How a value is edited. */
export type Shape = 'flag' | 'choice' | 'number' | 'text' | 'choices' | 'list' | 'rows' | 'pairs' | 'group' | 'json'

export function shapeOf(schema: Schema): Shape {
  if (schema.enum !== undefined) return 'choice'
  // several types: the typed text determines the type
  if (schema.anyOf !== undefined) return 'text'
  switch (schema.type) {
    case 'boolean':
      return 'flag'
    case 'number':
    case 'integer':
      return 'number'
    case 'string':
      return 'text'
    case 'array':
      return shapeOfList(schema.items ?? {}, schema)
    case 'object':
      if (schema.patternProperties !== undefined) return 'pairs'
      return schema.properties === undefined ? 'json' : 'group'
    default:
      return 'json'
  }
}

function shapeOfList(items: Schema, { minItems, maxItems }: Schema): Shape {
  const shape = shapeOf(items)
  if (shape === 'choice') return 'choices'
  if (shape === 'text' || shape === 'number')
    // a fixed number of values, such as the four of an extent, is also typed in one line
    return minItems !== undefined || maxItems !== undefined || items.type !== undefined ? 'list' : 'json'
  return shape === 'group' || cellsOf(items) !== undefined ? 'rows' : 'json'
}

/** The names of the values in a list of fixed length, such as `[longitude, latitude]`, from its description. */
export function cellsOf({ type, items, minItems, maxItems, description = '' }: Schema): string[] | undefined {
  if (type !== 'array' || minItems === undefined || minItems !== maxItems || shapeOf(items ?? {}) !== 'number')
    return undefined
  const names = /\[([^\]]+)\]/.exec(description)?.[1]?.split(',') ?? []
  return Array.from({ length: minItems }, (_, i) => names[i]?.trim() ?? String(i + 1))
}

/** The initial content of a control. */
export function startOf(schema: Schema): Entered {
  switch (shapeOf(schema)) {
    case 'flag':
      return schema.default === true
    case 'choices':
    case 'list':
    case 'rows':
    case 'pairs':
      return []
    case 'group':
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, startOf(one)]))
    case 'json':
      return jsonText('')
    default:
      return schema.default === undefined ? '' : String(schema.default)
  }
}

const ARABIC_DIGITS = /[\u0660-\u0669\u06f0-\u06f9]/g

/** Numbers as people type them: Arabic digits, the Arabic decimal separator, a typographic minus. */
export const plainNumber = (text: string): string =>
  text
    .trim()
    .replace(ARABIC_DIGITS, (digit) => String(digit.charCodeAt(0) & 0xf))
    .replaceAll('٫', '.')
    .replace(/^[\u2212\u200e]*\u2212/, '-')
    .replaceAll('\u200e', '')

/** Marks a value that cannot be converted; the rules report it. */
export class Unreadable {
  readonly rule: 'number' | 'json'
  constructor(rule: 'number' | 'json') {
    this.rule = rule
  }
}

function numberOf(text: string): number | Unreadable {
  const plain = plainNumber(text)
  const number = Number(plain)
  return plain !== '' && Number.isFinite(number) ? number : new Unreadable('number')
}

/** A value of one of several types: true and false, then a number where the schema prefers numbers, then text. */
function anyOf(text: string, options: readonly Schema[]): unknown {
  if (options.some(({ type }) => type === 'boolean') && (text === 'true' || text === 'false')) return text === 'true'
  const number = numberOf(text)
  return options[0]?.type === 'number' && typeof number === 'number' ? number : text
}

/** @returns the value for the API, undefined when nothing was entered; `Unreadable` stands in it for invalid values */
export function typedValue(schema: Schema, entered: Entered | undefined): unknown {
  const json = jsonTextOf(entered)
  if (json !== undefined) return parsed(json)
  switch (shapeOf(schema)) {
    case 'flag':
      return entered === true
    case 'number':
      return typeof entered !== 'string' || entered.trim() === '' ? undefined : numberOf(entered)
    case 'choice':
    case 'text':
      if (typeof entered !== 'string' || entered === '') return undefined
      return schema.anyOf === undefined ? entered : anyOf(entered, schema.anyOf)
    case 'choices':
      return Array.isArray(entered) && entered.length > 0 ? entered : undefined
    case 'list':
    case 'rows':
      return listOf(schema.items ?? {}, entered)
    case 'pairs':
      return pairsOf(schema, entered)
    case 'group':
      return groupOf(schema, entered)
    default:
      return undefined
  }
}

function parsed(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return new Unreadable('json')
  }
}

function listOf(items: Schema, entered: Entered | undefined): unknown {
  if (!Array.isArray(entered)) return undefined
  const cells = cellsOf(items)
  const shape = shapeOf(items)
  const filled =
    cells !== undefined || shape === 'group' ? withoutBlankEnd(items, entered) : entered.filter((one) => one !== '')
  const values = filled.map((one) =>
    cells === undefined
      ? (typedValue(items, one) ?? {})
      : cells.map((_, i) => typedValue(items.items ?? {}, (one as Entered[])[i]) ?? new Unreadable('number')),
  )
  return values.length === 0 ? undefined : values
}

/** More rows would make the page slow; the others are kept, and visible as JSON. */
export const MAX_ROWS = 100
export const hasHiddenRows = (entered: Entered): boolean => Array.isArray(entered) && entered.length > MAX_ROWS

/** The content of a new row of a list. */
export const blankRow = (items: Schema): Entered => cellsOf(items)?.map(() => '') ?? startOf(items)

/** Empty rows at the end are dropped; between other rows they count, because positions have a meaning. */
function withoutBlankEnd(items: Schema, rows: readonly Entered[]): readonly Entered[] {
  const blank = JSON.stringify(blankRow(items))
  return rows.slice(0, rows.findLastIndex((row) => JSON.stringify(row) !== blank) + 1)
}

function pairsOf({ patternProperties = {} }: Schema, entered: Entered | undefined): unknown {
  if (!Array.isArray(entered)) return undefined
  const [schema = {}] = Object.values(patternProperties)
  const members = (entered as Pair[])
    .filter(({ key }) => key !== '')
    .map(({ key, value }) => [String(key), typedValue(schema, value) ?? ''] as const)
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

/** Fields of a group that equal their defaults are left out. */
function groupOf({ properties = {}, required = [] }: Schema, entered: Entered | undefined): unknown {
  if (typeof entered !== 'object' || Array.isArray(entered)) return undefined
  const members = Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
    const value = typedValue(schema, entered[name])
    const isDefault = value === schema.default && !required.includes(name)
    return value === undefined || isDefault ? [] : [[name, value]]
  })
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

/** The content of controls for a value of the API. */
export function enteredOf(schema: Schema, value: unknown): Entered {
  if (value === undefined || value === null) return startOf(schema)
  switch (shapeOf(schema)) {
    case 'flag':
      return value === true
    case 'number':
    case 'choice':
    case 'text':
      return typeof value === 'object' ? jsonText(JSON.stringify(value)) : String(value)
    case 'choices':
    case 'list':
      return Array.isArray(value) ? value.map(String) : jsonText(JSON.stringify(value))
    case 'rows':
      return rowsOf(schema, value)
    case 'pairs':
      return Object.entries(value).map(([key, one]) => ({ key, value: textOf(one) }))
    case 'group':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, one]) => [
          name,
          enteredOf(one, (value as Record<string, unknown>)[name]),
        ]),
      )
    default:
      return jsonText(JSON.stringify(value, undefined, 2))
  }
}

function rowsOf({ items = {} }: Schema, value: unknown): Entered {
  if (!Array.isArray(value)) return jsonText(JSON.stringify(value, undefined, 2))
  return value.map((one: unknown) =>
    Array.isArray(one) && cellsOf(items) !== undefined ? one.map(textOf) : enteredOf(items, one),
  )
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value ?? ''))
