/**
 * Types of the columns of a GML file: from the application schema beside it (XML Schema 1.0), or guessed from the texts.
 * GDAL would guess them from all values, and read the code 01067 as a number.
 */
import { SaxesParser } from 'saxes'
import { decimalOf, guessedColumnType, isBlank } from '../../../number-text.ts'
import type { Feature, Field, FieldType } from '../../layers/layer.ts'
import { localName, parseXml } from '../xml-text.ts'

const TYPES: Record<string, FieldType> = {
  boolean: 'boolean',
  byte: 'integer',
  short: 'integer',
  int: 'integer',
  unsignedByte: 'integer',
  unsignedShort: 'integer',
  unsignedInt: 'integer64',
  long: 'integer64',
  unsignedLong: 'integer64',
  integer: 'integer64',
  nonNegativeInteger: 'integer64',
  positiveInteger: 'integer64',
  decimal: 'real',
  double: 'real',
  float: 'real',
  date: 'date',
  time: 'time',
  dateTime: 'datetime',
  string: 'string',
  token: 'string',
  normalizedString: 'string',
  anyURI: 'string',
  ID: 'string',
  NCName: 'string',
}

/** @returns the types of elements by name, where a schema declares simple types */
export function declaredTypes(path: string): Map<string, FieldType> {
  const declared = new Map<string, FieldType | undefined>()
  /** Named simple types, with their base type. */
  const named = new Map<string, string>()
  const used: [element: string, type: string][] = []
  /** The element or simple type around each open element. */
  const owners: { kind: 'element' | 'simpleType'; name: string }[] = []
  const open: boolean[] = []
  const parser = new SaxesParser({ xmlns: false, position: false })
  parser.on('opentag', ({ name, attributes }) => {
    const local = localName(name)
    const own = attributes.name
    const isOwner = own !== undefined && (local === 'element' || local === 'simpleType')
    if (isOwner) owners.push({ kind: local as 'element' | 'simpleType', name: own })
    open.push(isOwner)
    if (local === 'element' && own !== undefined && attributes.type !== undefined)
      used.push([own, localName(attributes.type)])
    const owner = owners.at(-1)
    if (local !== 'restriction' || owner === undefined || attributes.base === undefined) return
    const base = localName(attributes.base)
    if (owner.kind === 'element') used.push([owner.name, base])
    else named.set(owner.name, base)
  })
  parser.on('closetag', () => {
    if (open.pop()) owners.pop()
  })
  parseXml(path, parser)
  for (const [element, name] of used) {
    const type = TYPES[name] ?? TYPES[named.get(name) ?? '']
    const known = declared.get(element)
    // two feature types may have elements of the same name
    declared.set(element, declared.has(element) && known !== type ? undefined : type)
  }
  return new Map([...declared].filter((entry): entry is [string, FieldType] => entry[1] !== undefined))
}

/** Converts the columns of a table that was read as texts, and as lists of texts. */
export function withTypes(
  table: { fields: Field[]; features: Feature[] },
  declared: ReadonlyMap<string, FieldType>,
): Field[] {
  const { fields, features } = table
  return fields.map((field, i) => {
    const columnType = declared.get(elementOf(field.name))
    const isList = field.type === 'json'
    const cells = function* (): Generator<string | null> {
      for (const { values } of features) {
        const value = values[i] as string | (string | null)[] | null
        if (Array.isArray(value)) yield* value
        else yield value
      }
    }
    const type = typeOf(cells, columnType)
    if (type === 'string') return isList ? field : { ...field, type }
    for (const { values } of features) {
      const value = values[i] as string | (string | null)[] | null
      values[i] = Array.isArray(value) ? value.map((cell) => converted(cell, type)) : converted(value, type)
    }
    return isList ? field : { ...field, type }
  })
}

/** GDAL names a column by its element, by its path, or with underscores if the name is taken. */
const elementOf = (column: string): string => column.replace(/^.*\|/, '').replace(/_+$/, '')

const NUMBERS: readonly FieldType[] = ['integer', 'integer64', 'real']
const BOOLEANS: Record<string, boolean> = { true: true, false: false, '1': true, '0': false }
const FORMS: Partial<Record<FieldType, RegExp>> = {
  integer: /^\s*[+-]?\d+\s*$/,
  integer64: /^\s*[+-]?\d+\s*$/,
  boolean: /^\s*(true|false|0|1)\s*$/,
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d:\d\d(\.\d+)?$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/,
}

/** The declared type if all texts match it, otherwise text; without a declaration, the type guessed from the texts. */
function typeOf(cells: () => Iterable<string | null>, columnType: FieldType | undefined): FieldType {
  if (columnType === undefined) return guessedColumnType(cells()) ?? 'string'
  const form = FORMS[columnType]
  for (const cell of cells()) {
    if (isBlank(cell)) continue
    if (form !== undefined && !form.test(cell as string)) return 'string'
    if (NUMBERS.includes(columnType) && decimalOf(cell as string) === undefined) return 'string'
  }
  return columnType
}

function converted(cell: string | null, type: FieldType): unknown {
  if (cell === null || isBlank(cell)) return null
  if (NUMBERS.includes(type)) return Number(cell)
  return type === 'boolean' ? (BOOLEANS[cell.trim()] ?? null) : cell
}
