/**
 * Generated layers in every vector format: the product's reading and writing is compared value by value with the
 * system's GDAL 3.6 (the product has a later one) and with readers written from the standards of the formats
 * (support/twins/vector-twin.py).
 */
import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf } from '../../support/program.ts'
import { seeded, testSeed } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { sharedFolder } from '../../support/run-end.ts'
import {
  ALL_TYPES,
  anyLayer,
  KINDS,
  LATIN_TEXTS,
  NAMES,
  type Rules,
  SHORT_NAMES,
  some,
  TEXTS,
  XML_NAMES,
} from '../../support/twins/any-layer.ts'
import {
  asRead,
  Comparison,
  type Format,
  plain,
  report,
  rowsOf,
  type TwinDone,
  twinRows,
} from '../../support/twins/compare-layers.ts'
import type { Done, Task } from '../../support/twins/vector-layers.ts'
import { NODE } from '../../support/workers/engine.ts'

const seed = testSeed
process.stderr.write(`replay with TEST_SEED=${seed}\n`)

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

const SUPPORT = join(import.meta.dir, '../../support')
const product = (dir: string, tasks: readonly Task[]) =>
  run(NODE, [join(SUPPORT, 'twins/vector-layers.ts'), dir], dir, tasks) as Done[]
const twin = (dir: string, tasks: readonly unknown[]) =>
  run('/usr/bin/python3', [join(SUPPORT, 'twins/vector-twin.py'), join(dir, 'tasks.jsonl')], dir, tasks) as TwinDone[]

const DRIVERS: Record<Format, string> = {
  geojson: 'GeoJSON',
  shp: 'ESRI Shapefile',
  kml: 'LIBKML',
  kmz: 'LIBKML',
  gml: 'GML',
  gpkg: 'GPKG',
  fgb: 'FlatGeobuf',
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

test('written files are read by other programs', () => {
  const random = seeded(seed)
  const dir = join(sharedFolder('format-twins'), 'written')
  const given = FORMATS.flatMap((format) =>
    Array.from({ length: rounds(5, 1_500) }, () => ({ format, layer: anyLayer(random, LAYERS[format]).layer })),
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
  report(seed, comparisons)
}, 900_000)

/** Values that GDAL 3.6 writes in many ways, and how the product's values follow from those in the file. */
const WRITERS: (Rules & { format: Format; options: string[][]; dataset?: string[][]; twin: string | undefined })[] = [
  {
    format: 'shp',
    twin: 'shp',
    names: SHORT_NAMES,
    kinds: KINDS.slice(0, 6),
    hasM: true,
    types: ['integer', 'integer64', 'real', 'string', 'date', 'boolean'],
    options: [
      ['ENCODING=UTF-8'],
      ['ENCODING=UTF-8', 'RESIZE=YES'],
      ['ENCODING=UTF-8', 'DBF_DATE_LAST_UPDATE=2001-02-03'],
    ],
  },
  {
    format: 'shp',
    twin: 'shp',
    names: ['name', 'Straße', 'a'],
    kinds: KINDS.slice(0, 6),
    values: LATIN_TEXTS,
    types: ['string'],
    options: [['ENCODING=ISO-8859-1'], ['ENCODING=CP1252'], ['ENCODING=CP1250'], ['ENCODING=']],
  },
  {
    format: 'gpkg',
    twin: 'gpkg',
    names: NAMES.filter((name) => name !== 'fid' && name !== 'geom'),
    types: [...ALL_TYPES, 'int16', 'float32'],
    hasM: true,
    options: [[], ['FID=key'], ['GEOMETRY_NAME=the shape', 'SPATIAL_INDEX=NO'], ['IDENTIFIER=x']],
    dataset: [[], ['VERSION=1.0'], ['VERSION=1.3'], ['ADD_GPKG_OGR_CONTENTS=NO']],
  },
  {
    format: 'fgb',
    twin: undefined,
    names: NAMES,
    types: [...ALL_TYPES, 'int16', 'float32'],
    hasM: true,
    nulls: false,
    options: [[], ['SPATIAL_INDEX=NO']],
  },
  {
    format: 'geojson',
    twin: 'geojson',
    names: NAMES,
    types: ['integer', 'integer64', 'real', 'string', 'date', 'datetime'],
    options: [
      ['RFC7946=NO', 'COORDINATE_PRECISION=15'],
      ['RFC7946=NO', 'WRITE_BBOX=YES', 'WRITE_NAME=NO', 'COORDINATE_PRECISION=12'],
    ],
  },
  {
    format: 'gml',
    twin: 'gml',
    empties: false,
    names: XML_NAMES,
    types: ['integer', 'integer64', 'real', 'string', 'date'],
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
    format: 'kml',
    twin: 'kml',
    empties: false,
    names: NAMES,
    types: ['integer', 'real', 'string', 'boolean'],
    texts: ['name', 'description'],
    crs: [4326],
    values: TEXTS.filter((text) => text !== ']]>'),
    options: [[], ['ADD_REGION=YES'], ['FOLDER=YES']],
  },
]

test('files of GDAL are read without changes', () => {
  const random = seeded(seed + 1)
  const dir = join(sharedFolder('format-twins'), 'read')
  const given = WRITERS.flatMap((writer) =>
    Array.from({ length: rounds(5, 1_500) }, () => ({ writer, made: anyLayer(random, writer) })),
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
      driver: DRIVERS[format],
      path,
      layer,
      options: some(random, options),
      dataset: some(random, dataset ?? [[]]),
      ...zip,
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
      // a GML without geometries names no CRS
      if (rows.some(({ geometry }) => geometry !== null)) expect(layer.crs).toBe(given[i]?.made.layer.crs as number)
    }
  }
  // LIBKML refuses some polygons
  expect(failed.flatMap((one) => one?.failed ?? []).filter((text) => !text.includes('Invalid polygon'))).toEqual([])
  report(seed, comparisons)
}, 900_000)
