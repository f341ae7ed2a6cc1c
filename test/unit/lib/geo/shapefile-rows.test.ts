/** Shapefiles compared with GDAL's, written by its program from the same GeoJSON. */
import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { anyGeometry } from '../../../support/formats/any-geometry.ts'
import { star } from '../../../support/formats/geometries.ts'
import { run } from '../../../support/formats/pdfs.ts'
import { freshPath, gdal } from '../../../support/formats/rasters.ts'
import { sampled } from '../../../support/fuzz.ts'
import { seeded } from '../../../support/random.ts'
import { runTool } from '../../../support/workers/engine.ts'

type Row = [properties: Record<string, unknown>, geometry: unknown]

/** Writes a layer with both programs. @returns the folders of their files, which have any name */
async function written(rows: readonly Row[]): Promise<{ ours: string; theirs: string }> {
  const features = rows.map(([properties, geometry]) => ({ type: 'Feature', properties, geometry }))
  const content = JSON.stringify({ type: 'FeatureCollection', features })
  const theirs = freshPath('shapefiles')
  mkdirSync(theirs)
  const from = join(theirs, 'any.geojson')
  writeFileSync(from, content)
  gdal('ogr2ogr', '-q', '-f', 'ESRI Shapefile', '-lco', 'ENCODING=UTF-8', join(theirs, 'any.shp'), from)
  const file = { name: 'any.geojson', content }
  const { path } = await runTool('export.workspace-export', { file, target_format: 'shp' })
  const ours = join(theirs, 'ours')
  run('unzip', '-q', path, '-d', ours)
  return { ours, theirs }
}

type Read = { properties: unknown; geometry: unknown }

/** As GDAL's program reads them. */
function featuresIn(dir: string): Read[] {
  const options = ['-q', '-f', 'GeoJSON', '-lco', 'SIGNIFICANT_FIGURES=17', '/vsistdout/']
  return (JSON.parse(gdal('ogr2ogr', ...options, join(dir, 'any.shp'))) as { features: Read[] }).features
}

async function expectSameBytes(rows: readonly Row[]): Promise<void> {
  const { ours, theirs } = await written(rows)
  for (const name of ['any.shp', 'any.shx', 'any.dbf', 'any.prj', 'any.cpg']) {
    const [own, other] = [ours, theirs].map((dir) => readFileSync(join(dir, name)).toString('hex'))
    expect([name, own]).toEqual([name, other])
  }
}

const point = { type: 'Point', coordinates: [1, 2] }
const withNull = (geometries: readonly unknown[]): Row[] => [
  ...geometries.map((geometry, i): Row => [{ n: i }, geometry]),
  [{ n: -1 }, null],
  [{ n: -2 }, geometries[0]],
]
const geometriesOf = (type: string, axes: 2 | 3): unknown[] =>
  sampled(
    anyGeometry({ axes, empty: false, depth: 0 }).filter((geometry) => geometry.type === type),
    40,
  )

for (const type of ['Point', 'MultiPoint', 'LineString', 'MultiLineString']) {
  test(`${type}: the same bytes`, () => expectSameBytes(withNull(geometriesOf(type, 2))))

  test(`${type} with heights: read as the same layer`, async () => {
    const { ours, theirs } = await written(withNull(geometriesOf(type, 3)))
    const [own, other] = [ours, theirs].map(featuresIn)
    expect(own).toEqual(other as Read[])
    expect(own?.at(-2)).toMatchObject({ properties: { n: -1 }, geometry: null })
  })
}

const random = seeded(1)
/** A star with a hole; both rings in either direction. */
const starWithHole = (i: number): number[][][] => {
  const [outer, hole] = [2, 0.2].map((radius) => star(random, (i % 7) * 5, Math.floor(i / 7) * 5, radius, 9)) as [
    number[][],
    number[][],
  ]
  return [i % 2 === 0 ? outer : outer.toReversed(), i % 4 < 2 ? hole : hole.toReversed()]
}
const stars = Array.from({ length: 40 }, (_, i) => starWithHole(i))

test('Polygon: the same bytes', () =>
  expectSameBytes(withNull(stars.map((coordinates) => ({ type: 'Polygon', coordinates })))))

test('MultiPolygon: the same bytes', () =>
  expectSameBytes(withNull(stars.slice(1).map((star, i) => ({ type: 'MultiPolygon', coordinates: [star, stars[i]] })))))

test('texts and numbers of every length, and none: the same bytes', async () => {
  const text = fc.oneof(fc.string({ maxLength: 300 }), fc.string({ maxLength: 300, unit: 'grapheme' }))
  const rows = sampled(
    fc.record({
      text: fc.option(text.map((value) => value.replaceAll('\0', ''))),
      whole: fc.option(fc.integer({ min: -2147483647 })),
      long: fc.option(fc.maxSafeInteger()),
      real: fc.option(fc.double({ noNaN: true, min: -9999999, max: 9999999 })),
    }),
    200,
  )
  await expectSameBytes(rows.map((row): Row => [row, point]))
})

test('columns that are widened, and cut at 254 bytes: the same bytes', async () => {
  const [low, high] = [-2147483647, 2147483647]
  await expectSameBytes([
    [{ arabic: 'قياس'.repeat(40), latin: 'x'.repeat(81), none: null, low, high }, point],
    [{ arabic: 'ق'.repeat(200), latin: '', none: null, low: -999999999, high: 1 }, point],
  ])
})

test('yes and no are 1 and 0', async () => {
  const { ours } = await written([true, false, null].map((yes): Row => [{ yes }, point]))
  expect(featuresIn(ours).map(({ properties }) => properties)).toEqual([{ yes: 1 }, { yes: 0 }, { yes: null }])
})
