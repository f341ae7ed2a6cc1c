/**
 * FlatGeobufs of long layers, read by ogr2ogr: the same content as the source, and the same columns as ogr2ogr's own.
 */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outputOf } from '../../../support/program.ts'
import { seeded } from '../../../support/random.ts'
import { box, geojson, runTool } from '../../../support/workers/engine.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-fgb-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

type Geometry = Record<string, unknown>
type Read = {
  name: string
  crs?: unknown
  features: { properties: Record<string, unknown> & { n: number }; geometry: Geometry }[]
}

const random = seeded(9)
const LENGTH = 1_200
const place = (): [number, number] => [Math.round(random() * 1e6) / 1e5, 45 + Math.round(random() * 1e5) / 1e5]
const area = (apart = 0): Geometry => {
  const [x, y] = place()
  return box(x + apart, y, x + apart + 0.25, y + 0.25)
}
const point = (...height: number[]): Geometry => ({ type: 'Point', coordinates: [...place(), ...height] })
const areas = (): Geometry => ({ type: 'MultiPolygon', coordinates: [area().coordinates, area(20).coordinates] })
const rows = (geometryOf: (n: number) => Geometry, more: (n: number) => Record<string, unknown> = () => ({})) =>
  geojson(
    Array.from({ length: LENGTH }, (_, n): [Record<string, unknown>, Geometry] => [
      { n, name: n % 7 === 0 ? null : `قطعة ${n}`, share: n / 8, big: 2 ** 40 + n, ...more(n) },
      geometryOf(n),
    ]),
  ) as { name: string; content: string }

/** As GDAL reads it, in the order of the column `n`. */
function readBy(path: string): Read {
  const text = outputOf('ogr2ogr', ['-f', 'GeoJSON', '-lco', 'COORDINATE_PRECISION=12', '/vsistdout/', path]).toString()
  const read = JSON.parse(text) as Read
  read.features.sort((a, b) => a.properties.n - b.properties.n)
  return read
}

/** ogrinfo's output for the columns, the type of geometries and the CRS. */
const summaryOf = (path: string): string =>
  outputOf('ogrinfo', ['-so', '-al', path])
    .toString()
    .replace(/^INFO: .*\n/, '')

test.each([
  ['points', rows(() => point())],
  ['points with heights', rows((n) => point(n))],
  ['areas, some of several parts', rows((n) => (n % 3 === 0 ? areas() : area()))],
  ['a mixture', rows((n) => (n % 2 === 0 ? point() : area()))],
  [
    'a mixture with heights',
    rows((n) =>
      n % 2 === 0
        ? point(n)
        : {
            type: 'LineString',
            coordinates: [
              [0, 0, 1],
              [n / 10, 1, 2],
            ],
          },
    ),
  ],
  [
    'names that differ in case only',
    rows(
      () => point(),
      (n) => ({ Name: n, NAME: `x${n}` }),
    ),
  ],
  [
    'columns named like those of a GeoPackage',
    rows(
      () => point(),
      (n) => ({ fid: n % 5, geom: `g${n}`, ogc_fid: n }),
    ),
  ],
])('%s', async (what, file) => {
  const { path } = await runTool('convert.validate-convert', { file, target_format: 'fgb' })
  const [source, theirs] = [join(home, 'source.geojson'), join(home, 'theirs.fgb')]
  writeFileSync(source, file.content)
  rmSync(theirs, { force: true })
  outputOf('ogr2ogr', ['-f', 'FlatGeobuf', theirs, source])
  const [ours, given] = [readBy(path), readBy(source)]
  expect(ours.features).toHaveLength(LENGTH)
  const geometries = ({ features }: Read) => features.map(({ geometry }) => multiple(geometry, what))
  expect(geometries(ours)).toEqual(geometries(given))
  const values = ({ features }: Read) =>
    features.map(({ properties }) => Object.entries(properties).filter(([, value]) => value !== null))
  expect(values(ours)).toEqual(values(given))
  // ogr2ogr renames these
  if (what === 'names that differ in case only') return
  // the columns; GDAL gives heights in GeoJSON a CRS of three dimensions
  const facts = (text: string) => /\n(?:Geometry Column.*\n)?n: [\s\S]*/.exec(text)?.[0].replace(/\(0\.0\)/g, '')
  expect(facts(summaryOf(path))).toBe(facts(summaryOf(theirs)) as string)
})

/**
 * If some geometries have several parts, all are written as multi geometries; ogr2ogr leaves the type of such a layer
 * open.
 */
function multiple(geometry: Geometry, what: string): Geometry {
  if (what !== 'areas, some of several parts' || geometry.type !== 'Polygon') return geometry
  return { type: 'MultiPolygon', coordinates: [geometry.coordinates] }
}

test('a CRS without a code', async () => {
  const [source, utm] = [join(home, 'plain.geojson'), join(home, 'utm.gpkg')]
  writeFileSync(source, rows(() => area()).content)
  outputOf('ogr2ogr', ['-t_srs', '+proj=laea +lat_0=47 +lon_0=9 +x_0=5 +ellps=bessel +units=m', utm, source])
  const content = await Bun.file(utm).bytes()
  const { path } = await runTool('convert.validate-convert', {
    file: { name: 'a.gpkg', content },
    target_format: 'fgb',
  })
  const crsOf = (text: string) => /Layer SRS WKT:\n([\s\S]*?)Data axis/.exec(text)?.[1]
  const parts = (text = '') => text.match(/PARAMETER\[[^\]]*|ELLIPSOID\[[^\]]*|METHOD\[[^\]]*/g)
  expect(parts(crsOf(summaryOf(path)))).toEqual(parts(crsOf(summaryOf(utm))))
  const [ours, theirs] = [readBy(path), readBy(utm)]
  expect(ours.features.map(({ geometry }) => geometry)).toEqual(theirs.features.map(({ geometry }) => geometry))
})
