/** Features of a GeoJSON file as a table: fields, kinds of geometries, boxes, and rows in any order. */
import type { Geometry } from 'geojson'
import type {
  Answers,
  Box,
  Cell,
  FeatureRow,
  FeatureSummary,
  Field,
  GeometryKind,
  Sorting,
} from './features-protocol.ts'
import { isObject } from './geojson.ts'

const KINDS: Record<string, GeometryKind> = {
  Point: 'point',
  MultiPoint: 'point',
  LineString: 'line',
  MultiLineString: 'line',
  Polygon: 'polygon',
  MultiPolygon: 'polygon',
  GeometryCollection: 'mixed',
}
/** More columns than anybody reads would make every row slow. */
const MAX_FIELDS = 500
/** Texts that are longer are cut in the table. */
const MAX_LETTERS = 2_000

function grow(box: Box, coordinates: unknown): void {
  if (!Array.isArray(coordinates)) return
  const x: unknown = coordinates[0]
  const y: unknown = coordinates[1]
  if (typeof x === 'number' && typeof y === 'number') {
    if (x < box[0]) box[0] = x
    if (y < box[1]) box[1] = y
    if (x > box[2]) box[2] = x
    if (y > box[3]) box[3] = y
    return
  }
  for (let i = 0; i < coordinates.length; i++) grow(box, coordinates[i])
}

function growBy(box: Box, geometry: unknown): void {
  if (!isObject(geometry)) return
  if (Array.isArray(geometry.geometries)) for (const part of geometry.geometries) growBy(box, part)
  else grow(box, geometry.coordinates)
}

function boxOf(geometry: unknown): Box | undefined {
  const box: Box = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ]
  growBy(box, geometry)
  return box.every(Number.isFinite) ? box : undefined
}

const isOnEarth = ([west, south, east, north]: Box): boolean =>
  west >= -360 && east <= 360 && south >= -90 && north <= 90

const geometryOf = (feature: unknown): unknown => (isObject(feature) ? feature.geometry : undefined)

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_LETTERS ? `${text.slice(0, MAX_LETTERS)}…` : text
}

export type FeatureTable = ReturnType<typeof createFeatureTable>

/**
 * @param onGeometry gets the geometries to draw: one for each feature, null for features without a place on the earth
 */
export function createFeatureTable(features: readonly unknown[], onGeometry: (geometry: Geometry | null) => void) {
  const kinds: GeometryKind[] = []
  const names = new Map<string, boolean>()
  const counts: FeatureSummary['kinds'] = {}
  let all: Box | undefined
  let empty = 0
  let outside = 0

  function addNames(properties: unknown): void {
    if (!isObject(properties)) return
    for (const name in properties) {
      const value = properties[name]
      const known = names.get(name)
      if (known === undefined && names.size >= MAX_FIELDS) continue
      if (value === null) {
        if (known === undefined) names.set(name, true)
      } else if (known !== false) names.set(name, typeof value === 'number')
    }
  }
  function add(feature: unknown): void {
    const geometry = geometryOf(feature)
    const box = boxOf(geometry)
    const kind = (box !== undefined && isObject(geometry) && KINDS[String(geometry.type)]) || 'none'
    kinds.push(kind)
    counts[kind] = (counts[kind] ?? 0) + 1
    const isDrawn = box !== undefined && isOnEarth(box)
    onGeometry(isDrawn ? (geometry as unknown as Geometry) : null)
    if (box === undefined) empty++
    else if (!isDrawn) outside++
    else if (all === undefined) all = [...box]
    else {
      if (box[0] < all[0]) all[0] = box[0]
      if (box[1] < all[1]) all[1] = box[1]
      if (box[2] > all[2]) all[2] = box[2]
      if (box[3] > all[3]) all[3] = box[3]
    }
    if (isObject(feature)) addNames(feature.properties)
  }

  const propertiesOf = (feature: unknown): Record<string, unknown> =>
    isObject(feature) && isObject(feature.properties) ? feature.properties : {}
  const rowOf = (feature: unknown, index: number): FeatureRow => {
    const properties = propertiesOf(feature)
    return { index, kind: kinds[index] ?? 'none', values: fields.map(({ name }) => cellOf(properties[name])) }
  }

  let sortedBy = ''
  let order: Int32Array | undefined
  /** Rows in the order of a field; empty values are last in both orders. */
  function orderOf(sorting: Sorting): Int32Array | undefined {
    if (sorting === undefined) return undefined
    const key = `${sorting.field} ${sorting.order}`
    if (key === sortedBy) return order
    const sign = sorting.order === 'asc' ? 1 : -1
    const name = fields[sorting.field]?.name ?? ''
    const values = features.map((feature) => cellOf(propertiesOf(feature)[name]))
    const compare = new Intl.Collator(undefined, { numeric: true }).compare
    order = Int32Array.from(values, (_, index) => index).sort((a, b) => {
      const [x, y] = [values[a] ?? null, values[b] ?? null]
      if (x === null || y === null) return x === y ? a - b : x === null ? 1 : -1
      const by = typeof x === 'number' && typeof y === 'number' ? x - y : compare(String(x), String(y))
      return by === 0 ? a - b : by * sign
    })
    sortedBy = key
    return order
  }

  for (const feature of features) add(feature)
  const fields: Field[] = [...names].map(([name, isNumber]) => ({ name, isNumber }))
  const summary: FeatureSummary = { count: features.length, empty, outside, kinds: counts, fields, box: all }

  return {
    summary,
    rows(offset: number, limit: number, sorting: Sorting): FeatureRow[] {
      const sorted = orderOf(sorting)
      const end = Math.min(features.length, offset + limit)
      return Array.from({ length: Math.max(0, end - offset) }, (_, i) => {
        const index = sorted?.[offset + i] ?? offset + i
        return rowOf(features[index], index)
      })
    },
    /** The numbers of a field; NaN where a feature has none. */
    numbers(field: number): Float64Array {
      const name = fields[field]?.name ?? ''
      return Float64Array.from(features, (feature) => {
        const value = propertiesOf(feature)[name]
        return typeof value === 'number' ? value : Number.NaN
      })
    },
    place(index: number, sorting: Sorting): Answers['place'] {
      const sorted = orderOf(sorting)
      const feature = features[index]
      const geometry = geometryOf(feature)
      const box = boxOf(geometry)
      return {
        row: sorted === undefined ? index : sorted.indexOf(index),
        box: box !== undefined && isOnEarth(box) ? box : undefined,
        feature: rowOf(feature, index),
        // geometries that cannot be drawn have no box
        geometry: box === undefined ? null : (geometry as Geometry),
      }
    },
  }
}
