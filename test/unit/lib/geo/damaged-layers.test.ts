/** Damaged vector files and rasters in real workers: every call succeeds, or reports an error of the file. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { AppError } from '../../../../src/errors.ts'
import { freshPath, gdal, geotiff, terrain } from '../../../support/formats/rasters.ts'
import { mutated, runs } from '../../../support/fuzz.ts'
import { outputOf } from '../../../support/program.ts'
import { runTool } from '../../../support/workers/engine.ts'
import { FIXTURES } from '../../../support/workers/tools.ts'

const SOURCE = join(FIXTURES, 'districts.geojson')

function layer(name: string, driver: string, ...options: string[]): { name: string; content: Buffer } {
  const path = freshPath(name)
  gdal('ogr2ogr', '-q', '-f', driver, ...options, path, SOURCE)
  return { name, content: readFileSync(path) }
}

function shapefile(): { name: string; content: Buffer } {
  const folder = freshPath('shapefile')
  gdal('ogr2ogr', '-q', '-f', 'ESRI Shapefile', folder, SOURCE)
  return { name: 'a.zip', content: outputOf('zip', ['-q', '-r', '-', '.'], { cwd: folder }) }
}

const FILES = [
  layer('a.gpkg', 'GPKG'),
  layer('a.kml', 'KML'),
  layer('a.fgb', 'FlatGeobuf'),
  layer('a.gml', 'GML'),
  layer('a.csv', 'CSV', '-lco', 'GEOMETRY=AS_WKT'),
  shapefile(),
  { name: 'a.geojson', content: readFileSync(SOURCE) },
]
const RASTERS = [[], ['-co', 'COMPRESS=DEFLATE', '-co', 'TILED=YES']].map((options) => ({
  name: 'a.tif',
  content: geotiff([terrain(60, 50)], 60, ...options).content,
}))

const ABOUT_THE_FILE = /^(done|INPUT_UNREADABLE|FILE_TOO_LARGE)$/

const outcome = (tool: string, input: Record<string, unknown>): Promise<string> =>
  runTool(tool, input).then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  )

/** A file with a few bytes changed, under its own name. */
const damaged = (files: readonly { name: string; content: Buffer }[]) =>
  fc.constantFrom(...files).chain(({ name, content }) => mutated(content).map((bytes) => ({ name, content: bytes })))

test('layers', async () => {
  for (const file of FILES)
    expect([file.name, await outcome('vector.repair', { file, target_format: 'geojson' })]).toEqual([file.name, 'done'])
  await fc.assert(
    fc.asyncProperty(damaged(FILES), fc.constantFrom('vector.explode', 'vector.repair'), async (file, tool) => {
      expect(await outcome(tool, { file, target_format: 'geojson' })).toMatch(ABOUT_THE_FILE)
    }),
    runs(250),
  )
})

test('rasters', async () => {
  await fc.assert(
    fc.asyncProperty(damaged(RASTERS), async (file) => {
      expect(await outcome('raster.raster-inspect', { file })).toMatch(ABOUT_THE_FILE)
    }),
    runs(250),
  )
})

test('a CRS that PROJ cannot write is reported as an error of the file', async () => {
  const { name, content } = FILES[2] as (typeof FILES)[number]
  const bytes = Buffer.from(content)
  // an offset within the description of the CRS in the header of FlatGeobuf, found by the previous test
  bytes[175] = 0xfd
  expect(await outcome('vector.repair', { file: { name, content: bytes }, target_format: 'geojson' })).toBe(
    'INPUT_UNREADABLE',
  )
})

test('a raster without its strips is damaged, although GDAL reads zeros at the second attempt', async () => {
  const bytes = readFileSync(join(FIXTURES, 'dem.tif'))
  const at = bytes.readUInt32LE(4)
  const tags = Array.from({ length: bytes.readUInt16LE(at) }, (_, i) => bytes.readUInt16LE(at + 2 + 12 * i))
  // the number of strip offsets
  bytes.writeUInt32LE(0, at + 2 + 12 * tags.indexOf(273) + 4)
  expect(await outcome('raster.raster-inspect', { file: { name: 'a.tif', content: bytes } })).toBe('INPUT_UNREADABLE')
})
