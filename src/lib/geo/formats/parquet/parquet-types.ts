/**
 * Logical types of Parquet columns (LogicalTypes.md of the format): the type of each column, and its values converted
 * from the stored ones. The library would convert to JavaScript's dates and doubles, which lose precision.
 */

import type { SchemaElement } from 'hyparquet'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { JsonTextError, parseJson } from '../../../../json-text.ts'
import { InputError } from '../../../input-error.ts'
import type { Field, FieldType } from '../../layers/layer.ts'

/** A column or a part of one: a leaf with its conversion, a list, or a group with its members. */
type Node =
  | ({ kind: 'leaf' } & Leaf)
  | { kind: 'list'; item: Node }
  | { kind: 'map'; value: Node }
  | { kind: 'group'; members: [name: string, node: Node][] }

export type ParquetColumn = { name: string; node: Node }

/**
 * The columns of a schema. Logical types are removed from leaves, except texts, so that the library returns stored
 * values.
 * @returns the columns, and the schema for the library
 */
export function readSchema(schema: readonly SchemaElement[]): { columns: ParquetColumn[]; stored: SchemaElement[] } {
  const stored = schema.map(storedElement)
  const columns: ParquetColumn[] = []
  for (let at = 1; at < schema.length; ) {
    const { node, end } = nodeAt(schema, at)
    columns.push({ name: (schema[at] as SchemaElement).name, node })
    at = end
  }
  return { columns, stored }
}

function storedElement(element: SchemaElement): SchemaElement {
  const { logical_type, converted_type, ...rest } = element
  if (element.type === undefined) {
    const group = logical_type?.type === 'LIST' || logical_type?.type === 'MAP' ? logical_type.type : converted_type
    return { ...rest, ...(group && { converted_type: group }), ...(logical_type && { logical_type }) }
  }
  return isText(element) ? { ...rest, converted_type: 'UTF8' } : rest
}

const TEXT_TYPES = new Set(['UTF8', 'ENUM', 'JSON'])
const isText = ({ type, converted_type, logical_type }: SchemaElement): boolean =>
  type === 'BYTE_ARRAY' &&
  (TEXT_TYPES.has(converted_type ?? '') || ['STRING', 'ENUM', 'JSON'].includes(logical_type?.type ?? ''))

function nodeAt(schema: readonly SchemaElement[], at: number): { node: Node; end: number } {
  const element = schema[at] as SchemaElement
  const members: [string, Node][] = []
  let end = at + 1
  for (let i = 0; i < (element.num_children ?? 0); i++) {
    const child = nodeAt(schema, end)
    members.push([(schema[end] as SchemaElement).name, child.node])
    end = child.end
  }
  const node = nodeOf(element, members)
  return {
    node: element.repetition_type === 'REPEATED' && !isInsideOf(schema, at) ? { kind: 'list', item: node } : node,
    end,
  }
}

/** Whether a repeated element is the entries group of a list or map, which the library omits. */
function isInsideOf(schema: readonly SchemaElement[], at: number): boolean {
  const around = schema[at - 1]
  const annotation = around?.logical_type?.type ?? around?.converted_type
  return around?.num_children === 1 && (annotation === 'LIST' || annotation === 'MAP')
}

function nodeOf(element: SchemaElement, members: [string, Node][]): Node {
  if (element.type !== undefined) return { kind: 'leaf', ...leafOf(element) }
  const annotation = element.logical_type?.type ?? element.converted_type
  const [first] = members
  if (members.length === 1 && first !== undefined) {
    const [, entries] = first
    if (annotation === 'LIST') {
      const isWrapped = entries.kind === 'group' && entries.members.length === 1
      return { kind: 'list', item: isWrapped ? (entries.members[0] as [string, Node])[1] : entries }
    }
    if (annotation === 'MAP' && entries.kind === 'group' && entries.members.length === 2)
      return { kind: 'map', value: (entries.members[1] as [string, Node])[1] }
  }
  return { kind: 'group', members }
}

type Leaf = { type: FieldType; convert: (stored: unknown) => unknown; isDecimal?: boolean }

const same = (stored: unknown): unknown => stored
const UNITS = { MILLIS: 3, MICROS: 6, NANOS: 9 } as const

/** The table of logical types, and of the older converted types. */
function leafOf(element: SchemaElement): Leaf {
  const { type, converted_type: older, logical_type: logical, scale = 0 } = element
  if (isText(element))
    return (logical?.type ?? older) === 'JSON' ? { type: 'json', convert: fromJson } : { type: 'string', convert: same }
  if (logical?.type === 'UUID') return { type: 'string', convert: uuid }
  if (logical?.type === 'FLOAT16') return { type: 'real', convert: float16 }
  if (logical?.type === 'DECIMAL' || older === 'DECIMAL')
    return { type: 'string', convert: (n) => decimal(n, scale), isDecimal: true }
  if (logical?.type === 'DATE' || older === 'DATE')
    return { type: 'date', convert: (days) => dateOf(BigInt(Number(days))) }
  if (logical?.type === 'TIME') {
    const { unit, isAdjustedToUTC } = logical
    return { type: 'time', convert: (n) => timeOf(n, UNITS[unit]) + (isAdjustedToUTC ? 'Z' : '') }
  }
  if (older === 'TIME_MILLIS') return { type: 'time', convert: (n) => `${timeOf(n, 3)}Z` }
  if (older === 'TIME_MICROS') return { type: 'time', convert: (n) => `${timeOf(n, 6)}Z` }
  if (logical?.type === 'TIMESTAMP') {
    const { unit, isAdjustedToUTC } = logical
    return { type: 'datetime', convert: (n) => momentOf(n, UNITS[unit]) + (isAdjustedToUTC ? 'Z' : '') }
  }
  if (older === 'TIMESTAMP_MILLIS') return { type: 'datetime', convert: (n) => `${momentOf(n, 3)}Z` }
  if (older === 'TIMESTAMP_MICROS') return { type: 'datetime', convert: (n) => `${momentOf(n, 6)}Z` }
  if (older === 'INTERVAL') return { type: 'string', convert: duration }
  const isUnsigned = (logical?.type === 'INTEGER' && !logical.isSigned) || (older?.startsWith('UINT') ?? false)
  switch (type) {
    case 'BOOLEAN':
      return { type: 'boolean', convert: same }
    case 'INT32':
      return isUnsigned ? { type: 'integer64', convert: (n) => Number(n) >>> 0 } : { type: 'integer', convert: same }
    case 'INT64':
      return { type: 'integer64', convert: (n) => Number(isUnsigned ? BigInt.asUintN(64, n as bigint) : n) }
    // the older form of a timestamp, which does not state a zone
    case 'INT96':
      return { type: 'datetime', convert: (n) => momentOf(n, 9) }
    case 'FLOAT':
    case 'DOUBLE':
      return { type: 'real', convert: same }
    default:
      return { type: 'binary', convert: same }
  }
}

function fromJson(text: unknown): unknown {
  try {
    return parseJson(Buffer.from(text as string))
  } catch (error) {
    if (error instanceof JsonTextError && error.rule !== 'json')
      throw new InputError(error.rule, fieldText('inJsonColumn', { fault: error.text }), error)
    // the file holds only the text
    return text
  }
}

function uuid(bytes: unknown): string {
  const hex = Buffer.from(bytes as Uint8Array).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** IEEE 754 with half precision. */
function float16(bytes: unknown): number {
  const bits = Buffer.from(bytes as Uint8Array).readUInt16LE(0)
  const sign = bits >> 15 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** The exact digits. */
function decimal(stored: unknown, scale: number): string {
  const unscaled = stored instanceof Uint8Array ? signedInteger(stored) : BigInt(stored as bigint | number)
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  const point = digits.length - scale
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ''}`
}

const signedInteger = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))

const SECONDS_PER_DAY = 86_400n

/** ISO 8601; years of more than four digits have a sign. */
function dateOf(days: bigint): string {
  const date = new Date(Number(days) * 86_400_000)
  return Number.isNaN(date.getTime()) ? `day ${days} since 1970-01-01` : date.toISOString().replace(/T.*$/, '')
}

/** @param digits of the unit's fraction */
function timeOf(stored: unknown, digits: number): string {
  const count = BigInt(stored as bigint | number)
  const unit = 10n ** BigInt(digits)
  const seconds = Number(count / unit)
  const two = (n: number): string => String(Math.floor(n)).padStart(2, '0')
  const fraction = (count % unit).toString().padStart(digits, '0').replace(/0+$/, '')
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}${fraction && `.${fraction}`}`
}

function momentOf(stored: unknown, digits: number): string {
  const perDay = SECONDS_PER_DAY * 10n ** BigInt(digits)
  const count = BigInt(stored as bigint | number)
  const rest = ((count % perDay) + perDay) % perDay
  return `${dateOf((count - rest) / perDay)}T${timeOf(rest, digits)}`
}

/** Months, days and milliseconds as a duration of ISO 8601. */
function duration(stored: unknown): string {
  const bytes = Buffer.from(stored as Uint8Array)
  const [months, days, milliseconds] = [0, 4, 8].map((at) => bytes.readUInt32LE(at)) as [number, number, number]
  return `P${months}M${days}DT${milliseconds / 1000}S`
}

/** Decimal numbers with up to this many digits are exact as doubles. */
const DOUBLE_DIGITS = 15
const isExactDouble = (text: string): boolean =>
  text.replace(/^-?0*\.?0*|\./g, '').replace(/^0+/, '').length <= DOUBLE_DIGITS

/** The values of a column and its field. A column of decimals becomes numbers if doubles hold all of them exactly. */
export function columnOf(
  { name, node }: ParquetColumn,
  storedValues: readonly unknown[],
): { field: Field; values: unknown[] } {
  const values = storedValues.map((stored) => valueIn(node, stored))
  if (node.kind !== 'leaf') return { field: { name, type: 'json' }, values }
  const areNumbers = node.isDecimal && values.every((value) => value === null || isExactDouble(value as string))
  if (!areNumbers) return { field: { name, type: node.type }, values }
  return { field: { name, type: 'real' }, values: values.map((value) => (value === null ? null : Number(value))) }
}

function valueIn(node: Node, stored: unknown): unknown {
  if (stored === null || stored === undefined) return null
  switch (node.kind) {
    case 'leaf':
      return node.convert(stored)
    case 'list':
      return Array.from(stored as ArrayLike<unknown>, (item) => plain(node.item, item))
    case 'map':
      return Object.fromEntries(Object.entries(stored as object).map(([key, value]) => [key, plain(node.value, value)]))
    case 'group':
      return Object.fromEntries(
        node.members.map(([name, member]) => [name, plain(member, (stored as Record<string, unknown>)[name])]),
      )
  }
}

/** A value within JSON, where bytes are base64. */
function plain(node: Node, stored: unknown): unknown {
  const value = valueIn(node, stored)
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}
