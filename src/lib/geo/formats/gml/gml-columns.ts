/**
 * The columns of a GML without its schema, as texts, by the rules of GDAL's GML driver: their names come from the paths
 * of elements. GDAL compares each element with every column; this code looks the column up in a map.
 */
import type { Field } from '../../layers/layer.ts'

type Column = { name: string; isList: boolean }
/** One value, or the values of an element that a feature repeats; null is an explicit nil. */
export type Cell = string | null | (string | null)[]

const MAX_UNDERSCORES = 10
/** Column names are unique regardless of the case of Latin letters. */
const keyOf = (name: string): string => name.replace(/[a-z]+/g, (letters) => letters.toUpperCase())

export class GmlColumns {
  private readonly columns: Column[] = []
  private readonly byPath = new Map<string, number>()
  private readonly names = new Set<string>()

  /** @param path of the element within the feature, with `|` between names; @param text null for a nil element */
  add(row: Cell[], path: string, text: string | null): void {
    const index = this.byPath.get(path) ?? this.create(path)
    if (index < 0) return
    const before = row[index]
    if (before === undefined) row[index] = text
    else if (Array.isArray(before)) before.push(text)
    else row[index] = [before, text]
    if (before !== undefined) (this.columns[index] as Column).isList = true
  }

  get fields(): Field[] {
    return this.columns.map(({ name, isList }) => ({ name, type: isList ? 'json' : 'string' }))
  }

  values(row: readonly Cell[]): unknown[] {
    return this.columns.map(({ isList }, i) => {
      const cell = row[i] ?? null
      if (!isList || cell === null) return cell
      return (Array.isArray(cell) ? cell : [cell]).map((text) => text ?? '')
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
    return this.columns.push({ name, isList: false }) - 1
  }
}
