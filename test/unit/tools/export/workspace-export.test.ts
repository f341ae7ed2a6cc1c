/** Exported layers, read back by GDAL's programs. */
import { describe, expect, test } from 'bun:test'
import { run } from '../../../support/formats/pdfs.ts'
import { geojson, point, refusal, runTool } from '../../../support/workers/engine.ts'

const RECORDS: [Record<string, unknown>, unknown][] = [
  [
    { name: 'Hill, "204"', population_density: 12.5, population_change: -3, notes: 'قياس\nsecond line' },
    point(13.4, 52.5),
  ],
  [{ name: '=SUM(A1)', population_density: null, population_change: 7, notes: '' }, point(-70.25, -33.125)],
]
const LINE = {
  type: 'LineString',
  coordinates: [
    [1, 2],
    [3, 4.5],
    [5, 6],
  ],
}
const layer = geojson(RECORDS)
const write = (target_format: string, more: object = {}, file = layer) =>
  runTool('export.workspace-export', { file, target_format, ...more })

type Read = { features: { properties: Record<string, unknown>; geometry: { type: string; coordinates: unknown } }[] }
/** The layer as ogr2ogr reads it. */
const readBack = (path: string, ...options: string[]): Read =>
  JSON.parse(run('ogr2ogr', '-f', 'GeoJSON', '/vsistdout/', path, ...options)) as Read

test('shapefile: names of ten characters, shortened ones are listed', async () => {
  const { data, path, filename, warnings } = await write('shp', { base_name: 'stations 2026' })
  expect(data).toEqual({ featureCount: 2, truncatedFields: ['population_density', 'population_change'] })
  expect(filename).toBe('stations 2026.zip')
  expect(warnings.join()).toContain('population_density')
  const { features } = readBack(`/vsizip/${path}`)
  expect(Object.keys(features[0]?.properties ?? {})).toEqual(['name', 'population', 'populati_1', 'notes'])
  expect(features.map(({ geometry }) => geometry.coordinates)).toEqual(
    RECORDS.map(([, geometry]) => (geometry as { coordinates: unknown }).coordinates),
  )
  expect(features[0]?.properties).toMatchObject({ name: 'Hill, "204"', population: 12.5, populati_1: -3 })
})

test('CSV of points: longitude and latitude, every value unchanged', async () => {
  const { data, path, filename } = await write('csv')
  expect({ data, filename }).toEqual({ data: { featureCount: 2, truncatedFields: [] }, filename: 'layer.csv' })
  const rows = run(
    'python3',
    '-c',
    'import csv,json,sys; print(json.dumps(list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")))))',
    path,
  )
  expect(JSON.parse(rows)).toEqual([
    {
      longitude: '13.4',
      latitude: '52.5',
      name: 'Hill, "204"',
      population_density: '12.5',
      population_change: '-3',
      notes: 'قياس\nsecond line',
    },
    {
      longitude: '-70.25',
      latitude: '-33.125',
      name: '=SUM(A1)',
      population_density: '',
      population_change: '7',
      notes: '',
    },
  ])
  const { features } = readBack(path, '-oo', 'X_POSSIBLE_NAMES=longitude', '-oo', 'Y_POSSIBLE_NAMES=latitude')
  expect(features.map(({ geometry }) => geometry.coordinates)).toEqual([
    [13.4, 52.5],
    [-70.25, -33.125],
  ])
})

test('CSV of lines: WKT, which reads as the same layer', async () => {
  const { path } = await write(
    'csv',
    {},
    geojson([
      [{ wkt: 'mine', way: 'a' }, LINE],
      [{ wkt: 'none', way: 'b' }, null],
    ]),
  )
  expect(run('head', '-1', path).trim()).toBe('wkt,wkt_2,way')
  const { features } = readBack(path, '-oo', 'GEOM_POSSIBLE_NAMES=wkt')
  expect(features.map(({ geometry }) => geometry)).toEqual([LINE, null] as never)
  const content = await Bun.file(path).text()
  const back = await runTool('vector.explode', { file: { name: 'back.csv', content }, target_format: 'geojson' })
  expect(back.geojson().features.map(({ geometry }) => geometry)).toEqual([LINE, null] as never)
})

test('CSV of lines keeps every digit', async () => {
  const exact = {
    type: 'LineString',
    coordinates: [
      [0.1 + 0.2, 1 / 3],
      [-100 / 7, 5e-7],
    ],
  }
  const { path } = await write('csv', {}, geojson([[{}, exact]]))
  const numbers = /LINESTRING \((.*)\)/.exec(await Bun.file(path).text())?.[1]?.split(',')
  expect(numbers?.map((pair) => pair.split(' ').map(Number))).toEqual(exact.coordinates)
})

test('KML and GeoJSON', async () => {
  for (const format of ['kml', 'geojson']) {
    const { path, data, filename } = await write(format, { base_name: 'محطات' })
    expect({ data, filename }).toEqual({ data: { featureCount: 2, truncatedFields: [] }, filename: `محطات.${format}` })
    const { features } = readBack(path)
    expect(features.map(({ geometry }) => (geometry.coordinates as number[]).slice(0, 2))).toEqual([
      [13.4, 52.5],
      [-70.25, -33.125],
    ])
  }
})

test('a shapefile keeps features without geometry, in their place', async () => {
  const rows: [Record<string, unknown>, unknown][] = [
    [{ n: 1 }, point(1, 1)],
    [{ n: 2 }, null],
    [{ n: 3 }, LINE],
    [{ n: 4 }, null],
  ]
  for (const given of [rows.slice(0, 2), rows, rows.slice(1, 2)]) {
    const { path, data } = await write('shp', {}, geojson(given))
    expect(data.featureCount).toBe(given.length)
    const names = run('unzip', '-Z1', path)
      .split('\n')
      .filter((name) => name.endsWith('.shp'))
    const read = names.flatMap((name) => readBack(`/vsizip/${path}/${name}`).features)
    const inOrder = read.toSorted((a, b) => Number(a.properties.n) - Number(b.properties.n))
    expect(inOrder.map(({ properties, geometry }) => [properties, geometry])).toEqual(given as never)
  }
})

test.each(['shp', 'kml', 'csv', 'geojson'])('integers beyond 2^53 are named in %s', async (format) => {
  // written as text, because JavaScript would round the literals
  const content = `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},
    "properties":{"id":9007199254740993,"list":[{"n":9007199254740993}],"sound":9007199254740991,"text":"9007199254740993"}},
    {"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"mixed":9007199254740993}},
    {"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"mixed":"a"}}]}`
  const { warnings, path } = await write(format, {}, { name: 'big.geojson', content })
  expect(warnings.filter((text) => text.includes('2^53'))).toEqual([
    'integers beyond ±2^53 may have lost digits in list, mixed',
    'integers beyond ±2^53 may have lost digits in id',
  ])
  const { features } = readBack(format === 'shp' ? `/vsizip/${path}` : path)
  expect(String(features[0]?.properties.text)).toBe('9007199254740993')
  expect(Number(features[0]?.properties.sound)).toBe(Number.MAX_SAFE_INTEGER)
})

describe('rejects', () => {
  test.each([
    ['another format', { target_format: 'gpkg' }, 'target_format', 'enum'],
    ['a name with a path', { target_format: 'csv', base_name: '../x' }, 'base_name', 'pattern'],
    ['a name that starts with a dot', { target_format: 'csv', base_name: '.x' }, 'base_name', 'pattern'],
    [
      'a layer that is no GeoJSON',
      { target_format: 'csv', file: { name: 'a.csv', content: 'lon,lat\n1,2\n' } },
      'file',
      'format',
    ],
  ])('%s', async (_, input, field, rule) => {
    expect(await refusal('export.workspace-export', { file: layer, ...input })).toMatchObject({ field, rule })
  })
})
