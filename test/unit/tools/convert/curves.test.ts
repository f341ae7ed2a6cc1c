/** Curved geometries and surfaces become straight ones as in GDAL, or are rejected with a reason. */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { freshPath, gdal } from '../../../support/formats/rasters.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

const WKT = [
  'CURVEPOLYGON (CIRCULARSTRING (0 0,4 0,4 4,0 4,0 0))',
  'MULTISURFACE (((10 0,14 0,14 4,10 0)),CURVEPOLYGON (CIRCULARSTRING (20 0,24 0,24 4,20 4,20 0)))',
  'COMPOUNDCURVE ((0 0,1 1),CIRCULARSTRING (1 1,2 2,3 1))',
  'MULTICURVE ((0 0,1 1),CIRCULARSTRING (0 0,1 1,2 0))',
  'TRIANGLE ((0 0,1 0,1 1,0 0))',
  'POINT (1 2)',
]
const table = (rows: readonly string[]) => `id,wkt\n${rows.map((wkt, i) => `${i},"${wkt}"`).join('\n')}\n`

test.each([
  ['GPKG', 'a.gpkg'],
  ['GML', 'a.gml'],
])('%s', async (driver, name) => {
  const csv = freshPath('curves.csv')
  writeFileSync(csv, table(driver === 'GML' ? WKT.slice(0, 4) : WKT))
  const path = freshPath(name)
  gdal('ogr2ogr', '-f', driver, '-a_srs', 'EPSG:4326', '-nlt', 'GEOMETRY', '-oo', 'GEOM_POSSIBLE_NAMES=wkt', path, csv)
  const truth = freshPath('truth.geojson')
  gdal('ogr2ogr', '-f', 'GeoJSON', '-nlt', 'CONVERT_TO_LINEAR', '-lco', 'COORDINATE_PRECISION=9', truth, path)
  const expected = JSON.parse(readFileSync(truth, 'utf8')).features as { geometry: unknown }[]
  const { geojson, warnings } = await runTool('vector.validate', {
    file: { name, content: readFileSync(path) },
    target_format: 'geojson',
  })
  const read = geojson().features
  expect(read.map(({ geometry }) => (geometry as { type: string }).type)).toEqual(
    expected.map(({ geometry }) => (geometry as { type: string }).type),
  )
  const numbers = (geometry: unknown) => (JSON.stringify(geometry).match(/-?\d[\d.e-]*/g) ?? []).map(Number).sort()
  read.forEach(({ geometry }, i) => {
    const [ours, theirs] = [numbers(geometry), numbers(expected[i]?.geometry)]
    expect(ours.length).toBe(theirs.length)
    expect(Math.max(...ours.map((value, k) => Math.abs(value - (theirs[k] as number))))).toBeLessThan(1e-8)
  })
  expect(warnings.join()).toContain('curves')
})

test('curves as WKT in CSV are rejected with the row and the reason', async () => {
  const file = { name: 'a.csv', content: table([WKT[5] as string, WKT[2] as string]) }
  expect(await refusal('vector.explode', { file, target_format: 'geojson' })).toMatchObject({
    code: 'INPUT_UNREADABLE',
    rule: 'curves',
    message: expect.stringContaining('row 2'),
  })
})
