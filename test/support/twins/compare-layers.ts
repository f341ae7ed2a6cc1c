/** Compares how several programs read a vector file, by docs/formats.md. */
import { expect } from 'bun:test'
import type { AnyGeometry } from '../formats/any-geometry.ts'
import { plainGeometry } from './plain-geometry.ts'
import type { PlainLayer } from './vector-layers.ts'

/** The output of vector-twin.py. */
export type TwinDone = {
  rows: [Record<string, unknown>, string | null][]
  ids: (string | number)[] | null
  crs?: number
  failed?: string
} | null

export type Row = { values: Record<string, unknown>; geometry: AnyGeometry | null }

/** The compared data: values by name, and geometries with the usual order of rings. */
export const rowsOf = (layer: PlainLayer): Row[] =>
  layer.features.map(({ values, geometry }) => ({
    values: Object.fromEntries(layer.fields.map(([name], i) => [name, values[i] ?? null])),
    geometry: plainGeometry(geometry),
  }))

export const twinRows = (done: TwinDone): Row[] =>
  (done?.rows ?? []).map(([values, geometry]) => ({ values, geometry: plainGeometry(geometry) }))

export type Format = 'geojson' | 'shp' | 'kml' | 'kmz' | 'gml' | 'gpkg' | 'fgb'

/** A value in the form that readers have in common: numbers, texts and null. */
export function plain(format: Format, value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  // a shapefile has 15 decimals
  if (typeof value === 'number' && format === 'shp') return Number(value.toFixed(15))
  if (typeof value !== 'string') return value ?? null
  // spaces pad the fields of a shapefile, and GDAL drops white space before texts of GML; blank values count as missing
  const text = format === 'shp' ? value.replace(/^ +| +$/g, '') : format === 'gml' ? value.replace(/^\s+/, '') : value
  if (text === '' && (format === 'shp' || format === 'gml')) return null
  const [, moment, fraction = '', zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+?)0*)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? []
  if (moment !== undefined)
    return `${moment}${/^0*$/.test(fraction) ? '' : `.${fraction}`}${zone === '+00:00' ? 'Z' : (zone ?? '')}`
  return text
}

const SINGLE = { MultiPoint: 'Point', MultiLineString: 'LineString', MultiPolygon: 'Polygon' } as Record<string, string>

function plainShape(format: Format, geometry: AnyGeometry | null, isRounded = false): unknown {
  if (geometry === null) return null
  if (format === 'kml' || format === 'kmz') return inKml(geometry)
  // GeoJSON has nine decimals; GDAL reads some coordinates of GML with a wrong last digit
  const scale = format === 'geojson' ? 1e9 : 1e11
  const round = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Math.round(value * scale) / scale : value
  if (format === 'geojson') return JSON.parse(JSON.stringify(geometry), round)
  if (format === 'gml' && !isRounded) return plainShape(format, JSON.parse(JSON.stringify(geometry), round), true)
  const parts: unknown[] = 'geometries' in geometry ? geometry.geometries : geometry.coordinates
  // docs/formats.md: these formats have no empty geometries
  if ((format === 'shp' || format === 'gml') && parts.length === 0) return null
  // a shapefile has one type for single and multi geometries, and the other formats have one if a layer has both
  const single = SINGLE[geometry.type]
  return single !== undefined && parts.length === 1 ? { type: single, coordinates: parts[0] } : geometry
}

/** KML has one element for several geometries of any kind; geometries of one kind are read as a multi geometry */
function inKml(geometry: AnyGeometry): AnyGeometry {
  if (!('geometries' in geometry)) {
    const isEmpty = geometry.coordinates.length === 0 && geometry.type.startsWith('Multi')
    return isEmpty ? { type: 'GeometryCollection', geometries: [] } : geometry
  }
  const { geometries } = geometry
  const [first] = geometries
  const isUniform =
    first !== undefined && /^[PL]/.test(first.type) && geometries.every(({ type }) => type === first.type)
  if (!isUniform) return geometry
  return {
    type: `Multi${first.type}`,
    coordinates: geometries.map((one) => 'coordinates' in one && one.coordinates),
  } as AnyGeometry
}

type Compared = { values: unknown[]; geometry: unknown }

function comparable(format: Format, rows: readonly Row[], names: readonly string[]): Compared[] {
  const all = rows.map(({ values, geometry }) => ({
    values: names.map((name) => plain(format, values[name])),
    geometry: plainShape(format, geometry),
  }))
  // a FlatGeobuf has the order of its index
  return format === 'fgb' ? all.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : all
}

/** A GML has texts only; GDAL 3.6 does not know KML's longs, cuts white space there, and reads no empty GeoJSON polygons. */
export function asRead({ values, geometry }: Row, expected: Row | undefined): Row {
  const read = Object.entries(values).map(([name, value]) => {
    const own = expected?.values[name]
    if (/number|boolean/.test(typeof own) && typeof value === 'string') return [name, Number(value)]
    return [name, typeof own === 'string' && own.trim() === value ? own : value]
  })
  const isEmpty = geometry === null && /"(coordinate|geometrie)s":\[\]/.test(JSON.stringify(expected?.geometry))
  return { values: Object.fromEntries(read), geometry: isEmpty ? (expected?.geometry ?? null) : geometry }
}

/** The first difference as text: file, by which reader, in which row and column. */
export class Comparison {
  readonly differences: string[] = []
  readonly format: Format
  private readonly i: number
  constructor(format: Format, i: number) {
    this.format = format
    this.i = i
  }

  fail(by: string, why: unknown): void {
    this.differences.push(`${this.format} ${this.i}, ${by}: ${JSON.stringify(why)}`)
  }

  add(by: string, names: readonly string[], expected: readonly Row[], found: readonly Row[]): void {
    const [a, b] = [
      expected,
      this.format === 'gml' || (by === 'gdal' && this.format !== 'fgb')
        ? found.map((row, i) => asRead(row, expected[i]))
        : found,
    ].map((rows) => comparable(this.format, rows, names)) as [Compared[], Compared[]]
    if (a.length !== b.length) this.fail(by, `${b.length} rows in place of ${a.length}`)
    const at = a.findIndex((row, at) => !Bun.deepEquals(row, b[at]))
    if (at < 0 || at >= b.length) return
    const [one, other] = [a[at], b[at]] as [Compared, Compared]
    const column = one.values.findIndex((value, k) => !Bun.deepEquals(value, other.values[k]))
    if (column >= 0) this.fail(by, [at, names[column], one.values[column], other.values[column]])
    else this.fail(by, [at, one.geometry, other.geometry])
  }
}

/** Fails with the first differences of each format. */
export function report(seed: number, comparisons: readonly Comparison[]): void {
  const all = comparisons.flatMap(({ differences }) => differences)
  const kinds = Map.groupBy(all, (text) => text.replace(/ \d+,(.*?):.*$/, '$1'))
  expect({ seed, count: all.length, first: [...kinds.values()].flatMap((texts) => texts.slice(0, 4)) }).toEqual({
    seed,
    count: 0,
    first: [],
  })
}
