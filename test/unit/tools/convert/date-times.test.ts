/** Columns of dates and times, as GDAL's programs write them and read the results. */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf } from '../../../support/program.ts'
import { sharedFolder } from '../../../support/run-end.ts'
import { geojson, runTool } from '../../../support/workers/engine.ts'

const MOMENTS = [
  '2024-01-02T03:04:05Z',
  '2024-12-31T23:59:00+02:00',
  '1999-06-07T00:00:30-03:30',
  '2024-02-29T12:00:00',
]
const point = { type: 'Point', coordinates: [8, 50] }
const layer = geojson(MOMENTS.map((at, i) => [{ at, day: at.slice(0, 10), i }, point])) as { content: string }

function withGdal(driver: string, extension: string): { name: string; content: Uint8Array } {
  const path = join(sharedFolder('date-times'), `given.${extension}`)
  writeFileSync(`${path}.geojson`, layer.content)
  outputOf('ogr2ogr', ['-f', driver, path, `${path}.geojson`])
  return { name: `given.${extension}`, content: readFileSync(path) }
}

const DRIVERS: [driver: string, extension: string][] = [
  ['GPKG', 'gpkg'],
  ['FlatGeobuf', 'fgb'],
]

test.each(DRIVERS)('date-times of a %s are text with their zone', async (driver, extension) => {
  const file = withGdal(driver, extension)
  const { features } = (await runTool('convert.validate-convert', { file, target_format: 'geojson' })).geojson()
  const found = features.map(({ properties }) => properties).sort((a, b) => Number(a?.i) - Number(b?.i))
  expect(found.map((properties) => properties?.at)).toEqual(MOMENTS)
})

test.each(['gpkg', 'fgb', 'shp'])('date-times keep their time of day and zone in %s', async (target_format) => {
  const file = withGdal('GPKG', 'gpkg')
  const { path } = await runTool('convert.validate-convert', { file, target_format })
  const source = target_format === 'shp' ? `/vsizip/${path}` : path
  const { features } = JSON.parse(outputOf('ogr2ogr', ['-f', 'GeoJSON', '/vsistdout/', source]).toString()) as {
    features: { properties: { at: string; i: number } }[]
  }
  const found = features.toSorted((a, b) => a.properties.i - b.properties.i).map(({ properties }) => properties.at)
  // GDAL's program writes slashes for dates of some formats
  expect(found.map((text) => text.replaceAll('/', '-').replace(' ', 'T'))).toEqual(MOMENTS)
})
