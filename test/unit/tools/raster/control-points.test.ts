/** Rasters with ground control points only: bounds by the plane that fits them, and a reason where a grid is needed. */
import { expect, test } from 'bun:test'
import { freshPath, gdal, geotiff, madeAt, terrain } from '../../../support/formats/rasters.ts'
import { box, geojson, refusal, runTool } from '../../../support/workers/engine.ts'

function withPoints() {
  const path = freshPath('points.tif')
  const points = [
    [0, 0, 10, 50],
    [200, 0, 12, 50],
    [0, 100, 10, 49],
    [200, 100, 12, 49],
  ].flatMap((point) => ['-gcp', ...point])
  gdal('gdal_translate', '-q', '-a_srs', 'EPSG:4326', ...points, geotiff([terrain(200, 100)], 200).path, path)
  return madeAt(path)
}

test('inspection returns bounds and their origin', async () => {
  const { data, warnings } = await runTool('raster.raster-inspect', { file: withPoints() })
  for (const bounds of [data.bounds, data.boundsWgs84] as number[][])
    expect(bounds).toEqual([10, 49, 12, 50].map((value) => expect.closeTo(value, 9)))
  expect(data.crs).toBe('EPSG:4326')
  expect(warnings).toEqual([expect.stringContaining('4 ground control points')])
})

test('tools that need a grid explain how to get one', async () => {
  const rejected = { code: 'INPUT_UNREADABLE', rule: 'georeference', message: expect.stringContaining('gdalwarp') }
  expect(await refusal('raster.hillshade', { file: withPoints() })).toMatchObject(rejected)
  const file = geojson([[{ z: 1 }, box(10, 49, 11, 50)]])
  const input = { file, raster: withPoints(), target_format: 'geojson', stats: ['mean'] }
  expect(await refusal('raster.zonal-stats', input)).toMatchObject(rejected)
})
