/** The rows of a layer's table: filtered by text, sorted by a column. */
import type { LayerFeature, LayerStore } from './layer-store.ts'

export type RowsQuery = { q: string; sort: string | undefined; order: 'asc' | 'desc' }

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

function holds({ id, properties }: LayerFeature, wanted: string): boolean {
  if (id.toLowerCase().includes(wanted)) return true
  for (const name in properties) if (textOf(properties[name]).toLowerCase().includes(wanted)) return true
  return false
}

/** Numbers before texts, and missing values at the end in either order. */
function compare(a: unknown, b: unknown, sign: number): number {
  const [noA, noB] = [a === null || a === undefined, b === null || b === undefined]
  if (noA || noB) return Number(noA) - Number(noB)
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b)
  if (typeof a !== typeof b) return sign * (rankOf(a) - rankOf(b))
  return sign * collator.compare(textOf(a), textOf(b))
}
const rankOf = (value: unknown): number => ['number', 'boolean', 'string'].indexOf(typeof value) >>> 0

export function createLayerRows(store: LayerStore) {
  let key = ''
  let found: LayerFeature[] = []

  function rows({ q, sort, order }: RowsQuery): LayerFeature[] {
    const wanted = `${store.version()} ${q} ${sort ?? ''} ${order}`
    if (wanted === key) return found
    const text = q.trim().toLowerCase()
    const all = store.features()
    found = text === '' ? all : all.filter((feature) => holds(feature, text))
    if (sort !== undefined) {
      const sign = order === 'asc' ? 1 : -1
      const valueIn = ({ id, properties }: LayerFeature): unknown =>
        sort === 'id:' ? id : Object.hasOwn(properties, sort) ? properties[sort] : undefined
      found = [...found].sort((a, b) => compare(valueIn(a), valueIn(b), sign))
    }
    key = wanted
    return found
  }
  return {
    page(query: RowsQuery, offset: number, limit: number) {
      const all = rows(query)
      return { items: all.slice(offset, offset + limit), total: all.length }
    },
    /** -1 where the filter hides the row. */
    indexOf: (query: RowsQuery, id: string): number => rows(query).findIndex((feature) => feature.id === id),
  }
}
