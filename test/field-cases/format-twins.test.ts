/**
 * Generated layers in every vector format: what the product reads and writes is compared value by value with GDAL 3.6 of
 * the system (the product has a later one) and with readers by the standards of the formats (support/vector-twin.py).
 */
import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AnyGeometry, type Position, wkbOf } from '../support/any-geometry.ts'
import { NODE } from '../support/engine.ts'
import { plainGeometry } from '../support/plain-geometry.ts'
import { outputOf } from '../support/program.ts'
import { type Random, seeded, whole } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { sharedFolder } from '../support/run-end.ts'
import type { Done, PlainLayer, Task } from '../support/vector-layers.ts'

const seed = Number(process.env.TEST_SEED || Math.floor(Math.random() * 2 ** 31))
process.stderr.write(`replay with TEST_SEED=${seed}\n`)
const some = <T>(random: Random, list: readonly T[]): T => list[whole(random, list.length)] as T

type TwinDone = {
  rows: [Record<string, unknown>, string | null][]
  ids: (string | number)[] | null
  crs?: number
  failed?: string
} | null
const lines = (output: Buffer) =>
  output
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)

function run(program: string, args: string[], dir: string, tasks: readonly unknown[]): unknown[] {
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'tasks.jsonl'), tasks.map((task) => `${JSON.stringify(task)}\n`).join(''))
  return lines(outputOf(program, args))
}

const SUPPORT = join(import.meta.dir, '../support')
const product = (dir: string, tasks: readonly Task[]) =>
  run(NODE, [join(SUPPORT, 'vector-layers.ts'), dir], dir, tasks) as Done[]
const twin = (dir: string, tasks: readonly unknown[]) =>
  run('/usr/bin/python3', [join(SUPPORT, 'vector-twin.py'), join(dir, 'tasks.jsonl')], dir, tasks) as TwinDone[]

type FieldType = PlainLayer['fields'][number][1]
const TEXTS = [
  '',
  ' ',
  'a',
  'ä',
  'عقدة',
  '日本',
  '007',
  '1',
  '-2.5',
  '1e5',
  'x y',
  "it's",
  '<&>"',
  'a\nb',
  'a\tb',
  '😀',
  'true',
  '2024-02-29',
  ' lead',
  'trail ',
  '\u00a0',
  ']]>',
  '%s',
  'null',
  '{"a":1}',
  'x'.repeat(250),
]
const LATIN_TEXTS = ['', 'a', 'ä', 'ß', 'É', '007', 'x y']
const VALUES: Record<string, (random: Random) => unknown> = {
  integer: (random) => some(random, [0, -1, 2 ** 31 - 1, -(2 ** 31), whole(random, 1e6)]),
  integer64: (random) => some(random, [0, 2 ** 31, -(2 ** 40), 2 ** 53 - 1, -(2 ** 53) + 1]),
  real: (random) => some(random, [0, 0.1, -1.25, 1e-7, 123456.789, 1e15, (random() - 0.5) * 1000]),
  string: (random) => some(random, TEXTS),
  boolean: (random) => random() < 0.5,
  date: (random) => `${some(random, ['2024', '1900', '1000', '2999'])}-0${1 + whole(random, 9)}-1${whole(random, 10)}`,
  datetime: (random) =>
    `2024-02-29T0${whole(random, 10)}:3${whole(random, 10)}:59${some(random, ['', '.5', '.123'])}${some(random, ['', 'Z', '+02:00', '-09:30'])}`,
}

const KINDS = [
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
  'Unknown',
] as const
type Kind = (typeof KINDS)[number]

type Where = { random: Random; axes: 2 | 3; crs: number; empties?: boolean }

function position({ random, axes, crs }: Where): Position {
  const decimals = 10 ** whole(random, 10)
  const at = (from: number, to: number) => Math.round((from + random() * (to - from)) * decimals) / decimals || 0
  const xy = crs === 4326 ? [at(-170, 170), at(-80, 80)] : [at(300_000, 700_000), at(5_200_000, 6_000_000)]
  return axes === 2 ? xy : [...xy, at(-100, 9000)]
}

/** Boxes in a row, which do not touch, with a hole in some. */
function boxes(where: Where, count: number): Position[][][] {
  const { random, axes } = where
  const [x = 0, y = 0, ...z] = position(where)
  const box = (at: number, size: number): Position[] =>
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [0, 0],
    ].map(([dx = 0, dy = 0]) => [x + at + dx * size, y + dy * size, ...(axes === 3 ? z : [])])
  return Array.from({ length: count }, (_, i) =>
    random() < 0.3 ? [box(2 * i, 1), box(2 * i + 0.25, 0.5).reverse()] : [box(2 * i, 1)],
  )
}

function shape(where: Where, kind: Kind): AnyGeometry {
  const { random } = where
  const list = <T>(least: number, item: () => T): T[] => Array.from({ length: least + whole(random, 3) }, item)
  const line = () => list(2, () => position(where))
  if (where.empties && kind !== 'Point' && random() < 0.05)
    return kind === 'GeometryCollection'
      ? { type: kind, geometries: [] }
      : kind === 'Unknown'
        ? shape(where, 'MultiPoint')
        : { type: kind, coordinates: [] }
  switch (kind) {
    case 'Point':
      return { type: kind, coordinates: position(where) }
    case 'LineString':
      return { type: kind, coordinates: line() }
    case 'Polygon':
      return { type: kind, coordinates: boxes(where, 1)[0] as Position[][] }
    case 'MultiPoint':
      return { type: kind, coordinates: list(1, () => position(where)) }
    case 'MultiLineString':
      return { type: kind, coordinates: list(1, line) }
    case 'MultiPolygon':
      return { type: kind, coordinates: boxes(where, 1 + whole(random, 3)) }
    case 'GeometryCollection':
      return {
        type: kind,
        geometries: list(1, () => shape({ ...where, empties: false }, some(random, KINDS.slice(0, 6)))),
      }
    default:
      return shape(where, some(random, KINDS.slice(0, 6)))
  }
}

type Rules = {
  kinds?: readonly Kind[]
  types: readonly string[]
  names: readonly string[]
  crs?: readonly number[]
  texts?: readonly string[]
  values?: readonly string[]
  hasM?: boolean
  empties?: boolean
  nulls?: boolean
}

function anyLayer(random: Random, rules: Rules): { layer: PlainLayer; kind: Kind; axes: 2 | 3; m: boolean } {
  const kind = some(random, rules.kinds ?? KINDS)
  const axes = random() < 0.6 ? 2 : 3
  const crs = some(random, rules.crs ?? [4326, 25832])
  const m = rules.hasM === true && random() < 0.2
  const names = rules.names.filter(() => random() < 0.5)
  const typeOf = (name: string) => (rules.texts?.includes(name) ? 'string' : some(random, rules.types))
  const fields = names.map((name): [string, FieldType] => [name, typeOf(name) as FieldType])
  const anyValue = (type: string) =>
    type === 'string' && rules.values ? some(random, rules.values) : VALUES[type]?.(random)
  const features = Array.from({ length: 1 + whole(random, 6) }, () => ({
    values: fields.map(([, type]) => (random() < 0.15 ? null : anyValue(type))),
    geometry:
      rules.nulls !== false && random() < 0.1
        ? null
        : Buffer.from(
            wkbOf(shape({ random, axes, crs, empties: rules.nulls !== false && rules.empties !== false }, kind), axes, {
              little: true,
              z: 'iso',
              m,
              srid: false,
            }),
          ).toString('hex'),
  }))
  return { layer: { fields, features, crs }, kind, axes, m }
}

const NAMES = [
  'name',
  'description',
  'a',
  'B',
  'b c',
  'اسم',
  'Straße',
  'x-1',
  'fid',
  'id',
  'geom',
  'a_rather_long_name',
]
const XML_NAMES = ['name', 'a', 'B', 'اسم', 'Straße', 'x_1', 'id', 'a_rather_long_name']
const SHORT_NAMES = ['name', 'a', 'B', 'اسم', 'Straße', 'x_1', 'id', 'geom']
const DRIVERS: Record<Format, string> = {
  ...{
    geojson: 'GeoJSON',
    shp: 'ESRI Shapefile',
    kml: 'LIBKML',
    kmz: 'LIBKML',
    gml: 'GML',
    gpkg: 'GPKG',
    fgb: 'FlatGeobuf',
  },
}
const ALL_TYPES = ['integer', 'integer64', 'real', 'string', 'boolean', 'date', 'datetime']

type Row = { values: Record<string, unknown>; geometry: AnyGeometry | null }

/** What is compared: values by name, and geometries with the usual order of rings. */
const rowsOf = (layer: PlainLayer): Row[] =>
  layer.features.map(({ values, geometry }) => ({
    values: Object.fromEntries(layer.fields.map(([name], i) => [name, values[i] ?? null])),
    geometry: plainGeometry(geometry),
  }))

const twinRows = (done: TwinDone): Row[] =>
  (done?.rows ?? []).map(([values, geometry]) => ({ values, geometry: plainGeometry(geometry) }))

type Format = 'geojson' | 'shp' | 'kml' | 'kmz' | 'gml' | 'gpkg' | 'fgb'

/** A value in the form that readers have in common: numbers, texts and null. */
function plain(format: Format, value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  if (typeof value !== 'string') return value ?? null
  // spaces fill the fields of a shapefile, and GDAL drops white space before texts of GML; what is left blank is missing
  const text = format === 'shp' ? value.replace(/^ +| +$/g, '') : format === 'gml' ? value.replace(/^\s+/, '') : value
  if (text === '' && (format === 'shp' || format === 'gml')) return null
  const [, moment, fraction = '', zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+?)0*)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? []
  if (moment !== undefined)
    return `${moment}${/^0*$/.test(fraction) ? '' : `.${fraction}`}${zone === '+00:00' ? 'Z' : (zone ?? '')}`
  return text
}

const SINGLE = { MultiPoint: 'Point', MultiLineString: 'LineString', MultiPolygon: 'Polygon' } as Record<string, string>

function plainShape(format: Format, geometry: AnyGeometry | null): unknown {
  if (geometry === null) return null
  if (format === 'kml' || format === 'kmz') return inKml(geometry)
  const round = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Math.round(value * 1e9) / 1e9 : value
  if (format === 'geojson') return JSON.parse(JSON.stringify(geometry), round)
  const parts: unknown[] = 'geometries' in geometry ? geometry.geometries : geometry.coordinates
  // docs/formats.md: they have no empty geometries
  if ((format === 'shp' || format === 'gml') && parts.length === 0) return null
  // a shapefile has one type for both, and the others have one where a layer has both
  const single = SINGLE[geometry.type]
  return single !== undefined && parts.length === 1 ? { type: single, coordinates: parts[0] } : geometry
}

/** KML has one element for several geometries, whatever they are: of one kind they are a multi geometry. */
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
  // a FlatGeobuf is in the order of its index
  return format === 'fgb' ? all.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : all
}

/** A GML has texts only; GDAL 3.6 does not know KML's longs, cuts white space there, and reads no empty GeoJSON polygons. */
function asRead({ values, geometry }: Row, expected: Row | undefined): Row {
  const read = Object.entries(values).map(([name, value]) => {
    const own = expected?.values[name]
    if (/number|boolean/.test(typeof own) && typeof value === 'string') return [name, Number(value)]
    return [name, typeof own === 'string' && own.trim() === value ? own : value]
  })
  const isEmpty = geometry === null && /"(coordinate|geometrie)s":\[\]/.test(JSON.stringify(expected?.geometry))
  return { values: Object.fromEntries(read), geometry: isEmpty ? (expected?.geometry ?? null) : geometry }
}

/** What differs first, as text: file, by which reader, in which row and column. */
class Comparison {
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
      this.format === 'gml' || by === 'gdal' ? found.map((row, i) => asRead(row, expected[i])) : found,
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

const LAYERS: Record<Format, Rules & { twin: string | undefined; inside?: string }> = {
  geojson: { twin: 'geojson', names: NAMES, types: ['integer', 'integer64', 'real', 'string', 'boolean'], crs: [4326] },
  shp: { twin: 'shp', inside: 'layer.shp', names: SHORT_NAMES, types: ALL_TYPES, kinds: KINDS.slice(0, 6) },
  kml: { twin: 'kml', names: NAMES, texts: ['name', 'description'], types: ALL_TYPES, crs: [4326] },
  kmz: { twin: 'kmz', names: NAMES, texts: ['name', 'description'], types: ALL_TYPES, crs: [4326] },
  gml: { twin: 'gml', inside: 'layer.gml', names: XML_NAMES, types: ALL_TYPES },
  gpkg: { twin: 'gpkg', names: NAMES, types: ALL_TYPES },
  fgb: { twin: undefined, names: [...NAMES, 'b'], types: ALL_TYPES, nulls: false },
}
const FORMATS = Object.keys(LAYERS) as Format[]

test('what is written is read by other programs', () => {
  const random = seeded(seed)
  const dir = join(sharedFolder('format-twins'), 'written')
  const given = FORMATS.flatMap((format) =>
    Array.from({ length: rounds(5, 3_000) }, () => ({ format, layer: anyLayer(random, LAYERS[format]).layer })),
  )
  const folders = given.map((_, i) => join(dir, String(i)))
  const written = product(
    dir,
    given.map(({ format, layer }, i) => ({ dir: folders[i] as string, write: format, layer })),
  )
  const paths = written.map(({ path = '' }) => path)
  const again = product(
    dir,
    paths.map((read, i) => ({ dir: folders[i] as string, read })),
  )
  const readers = given.flatMap(({ format }, i) => {
    const { twin: kind, inside } = LAYERS[format]
    const path = paths[i] as string
    const withGdal = { kind: 'gdal', path: inside ? `/vsizip/${path}/${inside}` : path, drivers: [DRIVERS[format]] }
    return kind === undefined
      ? [{ i, ...withGdal }]
      : [
          { i, ...withGdal },
          { i, kind, path },
        ]
  })
  const comparisons = given.map(({ format }, i) => new Comparison(format, i))
  for (const [i, { layer }] of given.entries()) {
    const names = layer.fields.map(([name]) => name)
    const read = again[i]?.layer
    if (read === undefined) comparisons[i]?.fail('product', [written[i], again[i]])
    // docs/formats.md: names that differ in case only
    else if (!again[i]?.warnings.some((text) => text.startsWith('fractions of seconds')))
      comparisons[i]?.add('product', names, rowsOf(layer), rowsOf(read))
  }
  for (const [k, found] of twin(dir, readers).entries()) {
    const { i, kind } = readers[k] as (typeof readers)[number]
    const { layer } = given[i] as (typeof given)[number]
    if (found?.failed) comparisons[i]?.fail(kind, found.failed)
    else
      comparisons[i]?.add(
        kind,
        layer.fields.map(([name]) => name),
        rowsOf(layer),
        twinRows(found),
      )
  }
  report(comparisons)
}, 900_000)

/** Fails with the first differences of each format. */
function report(comparisons: readonly Comparison[]): void {
  const all = comparisons.flatMap(({ differences }) => differences)
  const kinds = Map.groupBy(all, (text) => text.replace(/ \d+,(.*?):.*$/, '$1'))
  expect({ seed, count: all.length, first: [...kinds.values()].flatMap((texts) => texts.slice(0, 4)) }).toEqual({
    seed,
    count: 0,
    first: [],
  })
}

/** What GDAL 3.6 writes in many ways, and how the product's values follow from those in the file. */
const WRITERS: (Rules & { format: Format; options: string[][]; dataset?: string[][]; twin: string | undefined })[] = [
  {
    ...{ format: 'shp', twin: 'shp', names: SHORT_NAMES, kinds: KINDS.slice(0, 6), hasM: true },
    types: ['integer', 'integer64', 'real', 'string', 'date', 'boolean'],
    options: [
      ['ENCODING=UTF-8'],
      ['ENCODING=UTF-8', 'RESIZE=YES'],
      ['ENCODING=UTF-8', 'DBF_DATE_LAST_UPDATE=2001-02-03'],
    ],
  },
  {
    ...{ format: 'shp', twin: 'shp', names: ['name', 'Straße', 'a'], kinds: KINDS.slice(0, 6), values: LATIN_TEXTS },
    types: ['string'],
    options: [['ENCODING=ISO-8859-1'], ['ENCODING=CP1252'], ['ENCODING=CP1250'], ['ENCODING=']],
  },
  {
    ...{
      format: 'gpkg',
      twin: 'gpkg',
      names: NAMES.filter((name) => name !== 'fid' && name !== 'geom'),
      types: [...ALL_TYPES, 'int16', 'float32'],
      hasM: true,
    },
    options: [[], ['FID=key'], ['GEOMETRY_NAME=the shape', 'SPATIAL_INDEX=NO'], ['IDENTIFIER=x']],
    dataset: [[], ['VERSION=1.0'], ['VERSION=1.3'], ['ADD_GPKG_OGR_CONTENTS=NO']],
  },
  {
    ...{
      format: 'fgb',
      twin: undefined,
      names: NAMES,
      types: [...ALL_TYPES, 'int16', 'float32'],
      hasM: true,
      nulls: false,
    },
    options: [[], ['SPATIAL_INDEX=NO']],
  },
  {
    ...{
      format: 'geojson',
      twin: 'geojson',
      names: NAMES,
      types: ['integer', 'integer64', 'real', 'string', 'date', 'datetime'],
    },
    options: [
      ['RFC7946=NO', 'COORDINATE_PRECISION=15'],
      ['RFC7946=NO', 'WRITE_BBOX=YES', 'WRITE_NAME=NO', 'COORDINATE_PRECISION=12'],
    ],
  },
  {
    ...{
      format: 'gml',
      twin: 'gml',
      empties: false,
      names: XML_NAMES,
      types: ['integer', 'integer64', 'real', 'string', 'date'],
    },
    options: [[]],
    dataset: ['GML2', 'GML3', 'GML3.2', 'GML3Deegree'].flatMap((format) =>
      [
        [],
        ['SRSNAME_FORMAT=OGC_URL'],
        ['SRSNAME_FORMAT=SHORT'],
        ['STRIP_PREFIX=YES'],
        ['PREFIX=app', 'SPACE_INDENTATION=NO'],
        ['WRITE_FEATURE_BOUNDED_BY=NO'],
      ].map((more) => [`FORMAT=${format}`, ...more]),
    ),
  },
  {
    ...{
      format: 'kml',
      twin: 'kml',
      empties: false,
      names: NAMES,
      types: ['integer', 'real', 'string', 'boolean'],
      texts: ['name', 'description'],
      crs: [4326],
      values: TEXTS.filter((text) => text !== ']]>'),
    },
    options: [[], ['ADD_REGION=YES'], ['FOLDER=YES']],
  },
]

test('what GDAL writes is read as it is in the file', () => {
  const random = seeded(seed + 1)
  const dir = join(sharedFolder('format-twins'), 'read')
  const given = WRITERS.flatMap((writer) =>
    Array.from({ length: rounds(5, 3_000) }, () => ({ writer, made: anyLayer(random, writer) })),
  )
  const writes = given.map(({ writer: { format, options, dataset }, made: { layer, kind, axes, m } }, i) => {
    const folder = join(dir, String(i))
    mkdirSync(folder, { recursive: true })
    const path = join(folder, `layer.${format}`)
    const zip =
      format === 'shp'
        ? {
            zip: join(folder, 'a.zip'),
            upper: random() < 0.3,
            extensions: ['shp', 'dbf', 'prj', ...(random() < 0.7 ? ['cpg'] : [])],
          }
        : {}
    return {
      ...{
        driver: DRIVERS[format],
        path,
        layer,
        options: some(random, options),
        dataset: some(random, dataset ?? [[]]),
        ...zip,
      },
      kind: kind === 'Unknown' ? kind : kind + (axes === 3 && m ? 'ZM' : m ? 'M' : axes === 3 ? '25D' : ''),
      nulls: random() < 0.5,
    }
  })
  const failed = twin(dir, writes)
  const paths = writes.map(({ path, ...rest }) => ('zip' in rest ? (rest.zip as string) : path))
  const read = product(
    dir,
    paths.map((read, i) => ({ dir: join(dir, String(i), 'scratch'), read })),
  )
  const readers = given.map(({ writer }, i) =>
    writer.twin === undefined
      ? { kind: 'gdal', path: paths[i], drivers: [DRIVERS[writer.format]] }
      : { kind: writer.twin, path: paths[i] },
  )
  const comparisons = given.map(({ writer }, i) => new Comparison(writer.format, i))
  for (const [i, found] of twin(dir, readers).entries()) {
    const [comparison, { layer, refused } = {}] = [comparisons[i] as Comparison, read[i]]
    if (failed[i]?.failed) continue
    if (layer === undefined || found?.failed)
      comparison.fail('product', [writes[i]?.options, writes[i]?.dataset, refused, found?.failed])
    else {
      const rows = twinRows(found)
      const names = layer.fields.map(([name]) => name)
      const isMissing = rows
        .flatMap(({ values }) =>
          Object.keys(values).filter(
            (name) => plain(comparison.format, values[name]) !== null || comparison.format !== 'gml',
          ),
        )
        .find((name) => !names.includes(name))
      if (isMissing !== undefined) comparison.fail('product', ['no column', isMissing, names])
      const own = rowsOf(layer)
      comparison.add(
        'product',
        names,
        comparison.format === 'gml' ? rows.map((row, k) => asRead(row, own[k])) : rows,
        own,
      )
      expect(layer.crs).toBe(given[i]?.made.layer.crs as number)
    }
  }
  // LIBKML refuses some polygons
  expect(failed.flatMap((one) => one?.failed ?? []).filter((text) => !text.includes('Invalid polygon'))).toEqual([])
  report(comparisons)
}, 900_000)
