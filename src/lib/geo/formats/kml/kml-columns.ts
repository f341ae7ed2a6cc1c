/** The columns of a KML: elements of placemarks by their names, and extended data with the types that schemas declare. */

import type { Warning } from '../../../../warnings/warning.ts'
import { decimalOf, isBlank } from '../../../number-text.ts'
import { distinctColumns, type Feature, type Field, type FieldType } from '../../layers/layer.ts'

const TYPES: Record<string, FieldType> = {
  int: 'integer',
  short: 'integer',
  ushort: 'integer',
  uint: 'integer64',
  'xsd:long': 'integer64',
  float: 'real',
  double: 'real',
  bool: 'boolean',
}

const INTEGER = /^\s*[+-]?\d+\s*$/
const BOOLEANS: Record<string, boolean> = { '0': false, '1': true, false: false, true: true }

/** The key of the n-th value with the same name in a placemark. */
export const repeatedKey = (key: string, n: number): string => `${key}\0${n}`

const withoutRepetition = (key: string): string => key.replace(/\0.*$/, '')

export class KmlColumns {
  private readonly indexes = new Map<string, number>()
  private readonly declared = new Map<string, FieldType>()

  /** @param type type name of a KML schema; unknown types become text */
  declare(name: string, type: string | undefined): void {
    const key = `data:${name}`
    const known = TYPES[type ?? ''] ?? 'string'
    const earlier = this.declared.get(key)
    this.declared.set(key, earlier === undefined || earlier === known ? known : 'string')
    // declared columns exist also where no placemark has a value
    if (!this.indexes.has(key)) this.indexes.set(key, this.indexes.size)
  }

  /** @param values by key: an element's name, or `data:` and a name. @returns a row of texts for `finish` */
  row(values: ReadonlyMap<string, string>): unknown[] {
    const row: unknown[] = new Array(this.indexes.size).fill(null)
    for (const [key, value] of values) {
      let index = this.indexes.get(key)
      if (index === undefined) {
        index = this.indexes.size
        this.indexes.set(key, index)
      }
      row[index] = value
    }
    return row
  }

  /**
   * Converts the texts to the declared types; a column with a value of another type is text.
   * @param warnings receives the names that changed
   */
  finish(features: Feature[], warnings: Warning[]): { fields: Field[]; features: Feature[] } {
    const keys = [...this.indexes.keys()]
    const folder = keys.indexOf('folder')
    if (folder >= 0 && new Set(features.map(({ values }) => values[folder] ?? null)).size === 1) {
      // a single folder around all features is not an attribute
      for (const { values } of features) values.splice(folder, 1)
      keys.splice(folder, 1)
    }
    // an element and extended data may have the same name
    const names = distinctColumns(
      keys.map((key) => withoutRepetition(key).replace(/^data:/, '')),
      warnings,
    )
    const fields = keys.map((key, i): Field => {
      const declared = this.declared.get(withoutRepetition(key))
      const isOfType = features.every(({ values }) => convertible(values[i], declared))
      return { name: names[i] as string, type: isOfType ? (declared ?? 'string') : 'string' }
    })
    for (const { values } of features)
      fields.forEach(({ type }, i) => {
        values[i] = converted((values[i] ?? null) as string | null, type)
      })
    return { fields, features }
  }
}

function convertible(value: unknown, type: FieldType | undefined): boolean {
  const text = (value ?? '') as string
  if (isBlank(text)) return true
  if (type === 'integer' || type === 'integer64') return INTEGER.test(text) && Number.isSafeInteger(Number(text))
  if (type === 'real') return decimalOf(text) !== undefined
  return type !== 'boolean' || Object.hasOwn(BOOLEANS, text.trim().toLowerCase())
}

function converted(value: string | null, type: FieldType): unknown {
  if (value === null || type === 'string') return value
  if (isBlank(value)) return null
  return type === 'boolean' ? (BOOLEANS[value.trim().toLowerCase()] ?? null) : Number(value)
}
