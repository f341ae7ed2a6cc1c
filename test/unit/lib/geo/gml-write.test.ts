/** GML has the text that GDAL writes, and GDAL reads it back unchanged. */
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Crs, Field, FieldType } from '../../../../src/lib/geo/layers/layer.ts'
import { anyGeometry } from '../../../support/formats/any-geometry.ts'
import { freshPath, gdal } from '../../../support/formats/rasters.ts'
import type { GivenLayer } from '../../../support/formats/write-gml.ts'
import { sampled } from '../../../support/fuzz.ts'
import { runProgram } from '../../../support/program.ts'
import { box, NODE, point } from '../../../support/workers/engine.ts'

const PROGRAM = join(import.meta.dir, '../../../support/formats/write-gml.ts')

const crsOf = (code: string): Crs => ({ wkt: '', code, geographic: code === 'EPSG:4326' })
const LONGITUDE_FIRST = crsOf('EPSG:25832')

const writer = Bun.spawn([NODE, PROGRAM], { stdin: 'pipe', stdout: 'pipe' })
const written = writer.stdout.pipeThrough(new TextDecoderStream()).getReader()
afterAll(async () => {
  writer.stdin.end()
  await writer.exited
})

/** Folder with the layer as written by our writer and by GDAL. */
async function write(layer: GivenLayer): Promise<string> {
  const folder = folderOf(layer)
  writer.stdin.write(`${folder}\n`)
  writer.stdin.flush()
  expect((await written.read()).value).toBe(`${folder}\n`)
  return folder
}

function folderOf(layer: GivenLayer): string {
  const folder = freshPath('gml')
  mkdirSync(folder)
  writeFileSync(join(folder, 'layer.json'), JSON.stringify(layer))
  return folder
}

const gmlIn = (folder: string, writer: string): string => readFileSync(join(folder, writer, 'layer.gml'), 'utf8')
const schemaIn = (folder: string, writer: string): string => readFileSync(join(folder, writer, 'layer.xsd'), 'utf8')

/** GDAL's GML for the geometries, written by its program from GeoJSON. */
function byProgram(folder: string, geometries: readonly unknown[], crs: Crs, ...more: string[]): string {
  const features = geometries.map((geometry) => ({ type: 'Feature', properties: {}, geometry }))
  const from = join(folder, 'layer.geojson')
  writeFileSync(from, JSON.stringify({ type: 'FeatureCollection', features }))
  mkdirSync(join(folder, 'program'))
  const options = ['-f', 'GML', '-dsco', 'FORMAT=GML3.2', '-a_srs', crs.code ?? crs.wkt]
  gdal('ogr2ogr', '-q', ...options, join(folder, 'program/layer.gml'), from, '-nln', 'layer', ...more)
  return gmlIn(folder, 'program')
}

type Read = { properties: Record<string, unknown>; geometry: unknown }

function readByProgram(folder: string): Read[] {
  const options = ['-lco', 'SIGNIFICANT_FIGURES=17', '-lco', 'RFC7946=NO']
  gdal('ogr2ogr', '-q', '-f', 'GeoJSON', ...options, join(folder, 'read.geojson'), join(folder, 'ours/layer.gml'))
  return (JSON.parse(readFileSync(join(folder, 'read.geojson'), 'utf8')) as { features: Read[] }).features
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** GDAL rounds to 15 digits, and cuts a last digit after five zeros. */
function expectSame(ours: string, theirs: string): void {
  const lines = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')
  const shape = (text: string): string[] => lines(text).map((line) => line.replace(NUMBER, '#'))
  expect(shape(ours)).toEqual(shape(theirs))
  const numbers = (text: string): number[] => (lines(text).join('\n').match(NUMBER) ?? []).map(Number)
  const [found, expected] = [numbers(ours), numbers(theirs)]
  const isOther = (value: number, i: number): boolean => {
    const difference = Math.abs(value - (expected[i] as number))
    return difference > 2e-9 && difference > Math.abs(value) * 1e-14
  }
  expect(found.filter(isOther)).toEqual([])
}

const geometriesOnly = (geometries: readonly unknown[], crs: Crs): GivenLayer => ({
  crs,
  fields: [],
  rows: geometries.map((geometry) => [[], geometry]),
})

const ofFields = (fields: Record<string, FieldType>, rows: unknown[][]): GivenLayer => ({
  crs: LONGITUDE_FIRST,
  fields: Object.entries(fields).map(([name, type]): Field => ({ name, type })),
  rows: rows.map((values) => [values, point(1, 2)]),
})

const UTM =
  'PROJCS["mine",GEOGCS["mine",DATUM["mine",SPHEROID["mine",6378137,298.25]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",7],PARAMETER["scale_factor",1],PARAMETER["false_easting",0],PARAMETER["false_northing",0],UNIT["metre",1]]'
const SYSTEMS: [string, Crs][] = [
  ...['EPSG:4326', 'EPSG:25832', 'EPSG:3006', 'EPSG:31467', 'EPSG:3857', 'ESRI:102003'].map((code): [string, Crs] => [
    code,
    crsOf(code),
  ]),
  ['a system without a code', { wkt: UTM, code: undefined, geographic: false }],
]

describe.each(SYSTEMS)('%s', (_, crs) => {
  test.each([2, 3] as const)('every geometry, in %d dimensions', async (axes) => {
    const geometries = [null, ...sampled(anyGeometry({ axes, empty: false }), 150)]
    const folder = await write(geometriesOnly(geometries, crs))
    expectSame(gmlIn(folder, 'ours'), byProgram(folder, geometries, crs))
    expectSame(gmlIn(folder, 'ours'), gmlIn(folder, 'gdal'))
    expect(readByProgram(folder).map(({ geometry }) => geometry)).toEqual(geometries)
  })
})

const TYPES: [one: string, several: string][] = [
  ['Point', 'MultiPoint'],
  ['LineString', 'MultiLineString'],
  ['Polygon', 'MultiPolygon'],
]

describe.each(TYPES)('%s', (one, several) => {
  test.each([2, 3] as const)('alone, of several parts, and both, in %d dimensions', async (axes) => {
    const all = sampled(anyGeometry({ axes, empty: false }), 300)
    for (const types of [[one], [several], [one, several]]) {
      const geometries = all.filter(({ type }) => types.includes(type))
      expect(geometries.length).toBeGreaterThan(2)
      const folder = await write(geometriesOnly(geometries, LONGITUDE_FIRST))
      // the program does not convert mixed types by itself
      const options = types.length > 1 ? ['-nlt', 'PROMOTE_TO_MULTI'] : []
      expectSame(gmlIn(folder, 'ours'), byProgram(folder, geometries, LONGITUDE_FIRST, ...options))
      expectSame(gmlIn(folder, 'ours'), gmlIn(folder, 'gdal'))
      expect(schemaIn(folder, 'ours')).toBe(schemaIn(folder, 'gdal'))
    }
  })
})

const EMPTY = [
  { type: 'Point', coordinates: [] },
  { type: 'LineString', coordinates: [] },
  { type: 'Polygon', coordinates: [] },
  { type: 'Polygon', coordinates: [[]] },
  { type: 'MultiPoint', coordinates: [] },
  { type: 'MultiLineString', coordinates: [[]] },
  { type: 'MultiPolygon', coordinates: [[], [[]]] },
  { type: 'GeometryCollection', geometries: [] },
  { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [] }] },
]
const { coordinates: shell } = box(0, 0, 4, 4)
const WITH_EMPTY_PARTS = [
  { type: 'Polygon', coordinates: [...shell, []] },
  { type: 'MultiPolygon', coordinates: [[], shell, [[]]] },
  { type: 'MultiLineString', coordinates: [[], shell[0]] },
  {
    type: 'GeometryCollection',
    geometries: [
      { type: 'LineString', coordinates: [] },
      { type: 'GeometryCollection', geometries: [] },
      point(1, 2),
      { type: 'MultiPoint', coordinates: [] },
    ],
  },
]

test('empty geometries are left out, empty parts are not', async () => {
  for (const geometries of [EMPTY, WITH_EMPTY_PARTS, [...EMPTY, ...WITH_EMPTY_PARTS], [null], []]) {
    const folder = await write(geometriesOnly(geometries, LONGITUDE_FIRST))
    expectSame(gmlIn(folder, 'ours'), gmlIn(folder, 'gdal'))
    if (geometries === WITH_EMPTY_PARTS) expect(readByProgram(folder)).toMatchObject([{}, {}, {}, {}])
  }
})

test('an empty point in a collection is left out, where GDAL writes nan nan', async () => {
  const line = { type: 'LineString', coordinates: [point(1, 2).coordinates, point(3, 4).coordinates] }
  const geometries = [{ type: 'Point', coordinates: [] }, line]
  const folder = await write(geometriesOnly([{ type: 'GeometryCollection', geometries }], LONGITUDE_FIRST))
  expect(readByProgram(folder)).toMatchObject([{ geometry: { type: 'GeometryCollection', geometries: [line] } }])
})

describe('values', () => {
  test('of every type, as GDAL writes them', async () => {
    const fields: Record<FieldType, FieldType> = {
      integer: 'integer',
      integer64: 'integer64',
      real: 'real',
      string: 'string',
      boolean: 'boolean',
      date: 'date',
      time: 'time',
      datetime: 'datetime',
      json: 'json',
      binary: 'binary',
    }
    const rows = [
      [1, 2 ** 53, 0.1, 'x', true, '2024-02-29', '10:20:30', '2024-02-29T10:20:30Z', { a: [1, '<'] }, 'AP/+'],
      [-7, -(2 ** 31), 1e300, 'ä 😀', false, '0001-01-01', '00:00:00', '1999-06-07T00:00:30-03:30', 'x', ''],
      [0, 2 ** 60, -1.25e-20, '', true, '9999-12-31', '23:59:59', '2024-12-31T23:59:00+05:45', [1, 2], 'AAAA'],
      [2, 3e15, 1e15, 'x', true, '2024-02-29', '10:20:30', '2024-02-29T10:20:30.000Z', [], 'AAAA'],
      [2, 3, 123456789.12345, 'x', true, '2024-02-29', '10:20:30', '2024-02-29T10:20:30.125Z', [], 'AAAA'],
      [2, 3, 1e-7, 'x', true, '2024-02-29', '10:20:30', '2024-02-29T10:20:30', null, null],
      Array(10).fill(null),
    ]
    const folder = await write(ofFields(fields, rows))
    expectSame(gmlIn(folder, 'ours'), gmlIn(folder, 'gdal'))
    expect(schemaIn(folder, 'ours')).toBe(schemaIn(folder, 'gdal'))
  })

  const TEXTS = ['<a href="x">&amp;</a>', '\'q\' "q"', 'a\tb\nc', 'ctl \u0001\u001f\u007f\u0085', 'اسم 😀', 'x ', ']]>']

  test('with special characters', async () => {
    const folder = await write(
      ofFields(
        { text: 'string', اسم: 'string' },
        TEXTS.map((text) => [text, text]),
      ),
    )
    expectSame(gmlIn(folder, 'ours'), gmlIn(folder, 'gdal'))
    const kept = TEXTS.map((text) => text.replace('\u0001\u001f', ''))
    expect(readByProgram(folder).map(({ properties }) => properties.text)).toEqual(kept)
  })

  test('with characters that GDAL changes or leaves invalid', async () => {
    const texts = ['a\r\nb', 'a\0b', '\uFFFF\uFFFEx', 'lone \uD800', '  x']
    const folder = await write(
      ofFields(
        { text: 'string' },
        texts.map((text) => [text]),
      ),
    )
    const expected = ['a\r\nb', 'ab', 'x', 'lone \uFFFD', 'x']
    expect(readByProgram(folder).map(({ properties }) => properties.text)).toEqual(expected)
    expect(gmlIn(folder, 'ours')).toContain('<ogr:text>  x</ogr:text>')
  })

  test('with all their digits', async () => {
    const numbers = [0.1 + 0.2, Math.PI, 100 / 7, -1 / 3, 5e-324, 1.7976931348623157e308, 1e21, 2 ** 63, 1e15]
    const longs = [2 ** 53, -(2 ** 53) + 1, 2 ** 62, 1e15, 2 ** 31, 0, 1, 2, 3]
    const folder = await write(
      ofFields(
        { n: 'real', long: 'integer64' },
        numbers.map((n, i) => [n, longs[i]]),
      ),
    )
    // GDAL's GeoJSON has fewer digits
    const found = [...gmlIn(folder, 'ours').matchAll(/<ogr:n>(.*)<\/ogr:n>/g)].map(([, text]) => Number(text))
    expect(found).toEqual(numbers)
    const read = readByProgram(folder).map(({ properties }) => properties)
    expect(read.map(({ long }) => long)).toEqual(longs)
  })

  test('a column gml_id becomes the ids of the features', async () => {
    const rows = [
      ['a.1', 1],
      ['b', 2],
      [null, 3],
    ]
    const folder = await write(ofFields({ gml_id: 'string', n: 'integer' }, rows))
    expectSame(gmlIn(folder, 'ours'), gmlIn(folder, 'gdal'))
    const hostile = await write(ofFields({ GML_ID: 'string' }, [['"><&'], ['']]))
    expect(readByProgram(hostile).map(({ properties }) => properties.gml_id)).toEqual(['"><&', 'layer.1'])
  })
})

test('coordinates with all their digits', async () => {
  const places = [point(0.1 + 0.2, 1e-7), point(1e-17, -1 / 3), point(1e30, 123.000000001), point(-0, 3e9)]
  const folder = await write(geometriesOnly(places, LONGITUDE_FIRST))
  const [, ...positions] = gmlIn(folder, 'ours').split('<gml:pos>')
  const found = positions.map((text) => text.slice(0, text.indexOf('<')).split(' ').map(Number))
  expect(found).toEqual(places.map(({ coordinates }) => coordinates.map((value) => value + 0)))
})

test('a file of several blocks', async () => {
  const count = 6_000
  const geometries = Array.from({ length: count }, (_, i) => point(i, i / 8))
  const folder = await write(geometriesOnly(geometries, crsOf('EPSG:4326')))
  expect(gmlIn(folder, 'ours').length).toBeGreaterThan(2 ** 21)
  expect(readByProgram(folder).map(({ geometry }) => geometry as unknown)).toEqual(geometries)
})

test('a layer that GDAL cannot write is an error of the target', () => {
  const folder = folderOf(geometriesOnly([point(1, 2)], crsOf('EPSG:999999')))
  const { status, stderr } = runProgram(NODE, [PROGRAM], { input: `${folder}\n` })
  expect(status).not.toBe(0)
  expect(stderr).toContain('cannot be written as GML')
  expect(stderr).toContain("rule: 'target'")
})
