/**
 * The columns of a GML without its schema, by the rules of GDAL's GML driver: their names from the paths of elements,
 * their types from all values. GDAL compares each element with every column; this finds it in a map.
 */
import type { Field, FieldType } from './layer.ts'

type Type = 'untyped' | 'boolean' | 'integer' | 'integer64' | 'real' | 'string'
type Column = { name: string; type: Type; isList: boolean }
/** One value, or those of an element that a feature repeats; null is an explicit one. */
export type Cell = string | null | (string | null)[]

const MAX_UNDERSCORES = 10
/** Columns differ in more than the case of Latin letters. */
const keyOf = (name: string): string => name.replace(/[a-z]+/g, (letters) => letters.toUpperCase())

export class GmlColumns {
  private readonly columns: Column[] = []
  private readonly byPath = new Map<string, number>()
  private readonly names = new Set<string>()

  /** @param path of the element within the feature, with `|` between names; @param text null if it is nil */
  add(row: Cell[], path: string, text: string | null): void {
    const index = this.byPath.get(path) ?? this.create(path)
    if (index < 0) return
    const before = row[index]
    if (before === undefined) row[index] = text
    else if (Array.isArray(before)) before.push(text)
    else row[index] = [before, text]
    if (text !== null) widen(this.columns[index] as Column, text, before !== undefined)
  }

  get fields(): Field[] {
    return this.columns.map(({ name, type, isList }) => ({ name, type: isList ? 'json' : FIELD_TYPES[type] }))
  }

  /** The values of a row, as GDAL converts them. */
  values(row: readonly Cell[]): unknown[] {
    return this.columns.map(({ type, isList }, i) => {
      const cell = row[i] ?? null
      const [first = null] = Array.isArray(cell) ? cell : [cell]
      if (first === null) return null
      if (!isList) return converted(first, type)
      return (Array.isArray(cell) ? cell : [cell]).map((text) => converted(text ?? '', type))
    })
  }

  /** @returns -1 if there are too many columns of that name */
  private create(path: string): number {
    const last = path.slice(path.lastIndexOf('|') + 1)
    let name = this.names.has(keyOf(last)) ? path : last
    for (let i = 0; this.names.has(keyOf(name)); i++) {
      if (i === MAX_UNDERSCORES) return -1
      name += '_'
    }
    this.names.add(keyOf(name))
    this.byPath.set(path, this.columns.length)
    return this.columns.push({ name, type: 'untyped', isList: false }) - 1
  }
}

const FIELD_TYPES: Record<Type, FieldType> = {
  untyped: 'string',
  boolean: 'integer',
  integer: 'integer',
  integer64: 'integer64',
  real: 'real',
  string: 'string',
}

/** What GDAL takes for numbers, which includes a sign or a point alone. */
const INTEGER = /^[ \t\n\r\f\v]*(?:[+-]\d*|\d+)[ \t\n\r\f\v]*$/
const REAL =
  /^[ \t\n\r\f\v]*[+-]?(?:\d*\.\d*|(?:\d+\.\d*|\.\d+)[eEdD](?:[+-]\d*|\d+)|\d+[eEdD](?:[+-]\d*|\d+)(?:\.\d*)?)[ \t\n\r\f\v]*$/

/** @param isRepeated whether the feature has an earlier value of the column */
function widen(column: Column, text: string, isRepeated: boolean): void {
  if (isRepeated && column.type !== 'untyped') column.isList = true
  if (text === '' || column.type === 'string') return
  if (INTEGER.test(text) || REAL.test(text)) widenByNumber(column, text)
  else {
    const mayBeBoolean = column.type === 'boolean' || (column.type === 'untyped' && !column.isList)
    column.type = mayBeBoolean && (text === 'true' || text === 'false') ? 'boolean' : 'string'
  }
}

const INT32 = 2 ** 31

function widenByNumber(column: Column, text: string): void {
  const { type } = column
  if (type !== 'untyped' && type !== 'integer' && type !== 'integer64') return
  const value = Number.parseInt(text, 10) || 0
  if (!INTEGER.test(text)) column.type = 'real'
  else if (type !== 'integer64') column.type = value >= -INT32 && value < INT32 ? 'integer' : 'integer64'
}

function converted(text: string, type: Type): unknown {
  switch (type) {
    case 'untyped':
    case 'string':
      return text
    case 'boolean':
      return text === 'true' || Number.parseInt(text, 10) ? 1 : 0
    case 'integer':
    case 'integer64':
      return Number.parseInt(text, 10) || 0
    case 'real':
      return Number.parseFloat(text) || 0
  }
}
