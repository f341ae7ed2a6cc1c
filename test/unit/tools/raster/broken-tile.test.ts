/** A GeoTIFF with one tile that cannot be decoded: every raster tool reports it, and none returns a result for it. */
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { AppError } from '../../../../src/errors.ts'
import { freshPath, gdal, geotiff, type Made, madeAt, terrain } from '../../../support/formats/rasters.ts'
import { runProgram } from '../../../support/program.ts'
import { sampleOf } from '../../../support/rounds.ts'
import { box, geojson, runTool } from '../../../support/workers/engine.ts'

const [W, H] = [700, 600]
const land = terrain(W, H)
const bytes = Uint8Array.from(land, (value) => Math.round((value - 395) * 1.2))

/** A COG with one kind of compression; only the cells of one tile are changed afterwards. */
function cog(compression: string, floats: boolean): Made {
  const source = geotiff([floats ? Float32Array.from(land) : bytes], W)
  const path = freshPath('cog.tif')
  gdal(
    'gdal_translate',
    '-q',
    '-of',
    'COG',
    '-co',
    `COMPRESS=${compression}`,
    '-co',
    'BLOCKSIZE=128',
    source.path,
    path,
  )
  return madeAt(path)
}

/** Position and length of a tile of the full image. */
function tileOf(path: string, index: number): { offset: number; length: number } {
  const script = `import json,sys
from osgeo import gdal
ds = gdal.Open(sys.argv[1]); b = ds.GetRasterBand(1); i = int(sys.argv[2]); n = (b.XSize + 127) // 128
x, y = i % n, i // n
print(json.dumps([int(b.GetMetadataItem('BLOCK_%s_%d_%d' % (w, x, y), 'TIFF')) for w in ('OFFSET', 'SIZE')]))`
  const { stdout } = runProgram('/usr/bin/python3', ['-c', script, path, String(index)])
  const [offset, length] = JSON.parse(stdout.toString()) as [number, number]
  return { offset, length }
}

const DAMAGES: Record<string, (content: Buffer, tile: { offset: number; length: number }) => Buffer> = {
  'noise in a tile': (content, { offset, length }) => {
    for (let i = 0; i < length; i++) content[offset + i] = (i * 151 + 7) % 256
    return content
  },
  'zeros in a tile': (content, { offset, length }) => content.fill(0, offset, offset + length),
  'noise in half of a tile': (content, { offset, length }) => {
    for (let i = Math.floor(length / 2); i < length; i++) content[offset + i] = (i * 151 + 7) % 256
    return content
  },
}

const zones = {
  name: 'zones.geojson',
  content: (
    geojson([[{ z: 1 }, box(400_000, 5_794_000, 407_000, 5_800_000)]], {
      crs: { type: 'name', properties: { name: 'EPSG:25833' } },
    }) as { content: string }
  ).content,
}
const TOOLS: Record<string, (file: Made) => Record<string, unknown>> = {
  'raster.raster-inspect': (file) => ({ file }),
  'raster.cog-optimize': (file) => ({ file }),
  'raster.hillshade': (file) => ({ file }),
  'raster.zonal-stats': (raster) => ({ raster, file: zones, target_format: 'geojson', stats: ['mean'] }),
}

const outcome = (id: string, input: Record<string, unknown>): Promise<string> =>
  runTool(id, input).then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? `${error.code} ${error.errors?.[0]?.rule}` : String(error)),
  )

describe.each([
  ['DEFLATE', true],
  ['LZW', true],
  ['ZSTD', true],
  ['LERC', true],
  ['DEFLATE', false],
  ['JPEG', false],
] as const)('%s, floats: %p', (compression, floats) => {
  const made = cog(compression, floats)
  test('no damage', async () => {
    for (const [id, inputOf] of Object.entries(TOOLS))
      expect([id, await outcome(id, inputOf(made))]).toEqual([id, 'done'])
  })
  test.each(Object.keys(DAMAGES))('%s', async (name) => {
    const damaged = (DAMAGES[name] as (typeof DAMAGES)[string])(Buffer.from(made.content), tileOf(made.path, 12))
    const path = freshPath('damaged.tif')
    writeFileSync(path, damaged)
    // GDAL decides whether a change is damage: some changes decode to other cells
    const isDamaged = runProgram('gdal_translate', ['-q', '-of', 'ENVI', path, freshPath('raw')]).status !== 0
    for (const [id, inputOf] of Object.entries(TOOLS)) {
      const expected = isDamaged ? 'INPUT_UNREADABLE truncated' : 'done'
      expect([id, await outcome(id, inputOf(madeAt(path)))]).toEqual([id, expected])
    }
  })
})

const RESULT = /^(done|INPUT_UNREADABLE truncated)$/

/** Overwrites a range of the file. */
function withNoise(content: Buffer, from: number, length: number): Buffer {
  for (let i = from; i < from + length && i < content.length; i++) content[i] = (i * 151 + 7) % 256
  return content
}

test('noise anywhere in files with masks, palettes, overviews and many windows is never our failure', async () => {
  const [w, h] = [2_400, 1_800]
  const large = terrain(w, h)
  const small = Uint8Array.from(large, (value) => Math.round((value - 395) * 1.2))
  const classes = freshPath('classes.vrt')
  gdal('gdal_translate', '-q', '-of', 'VRT', geotiff([small], w).path, classes)
  const entries = Array.from({ length: 256 }, (_, i) => `<Entry c1="${i}" c2="${255 - i}" c3="7" c4="255"/>`).join('')
  const text = (await Bun.file(classes).text()).replace(
    /<ColorInterp>.*?<\/ColorInterp>/,
    `<ColorInterp>Palette</ColorInterp><ColorTable>${entries}</ColorTable>`,
  )
  await Bun.write(classes, text)
  const masked = geotiff([small, small, small, small.map((value) => (value > 90 ? 255 : 0))], w)
  const sources: [string, string[]][] = [
    [geotiff([Float32Array.from(large)], w).path, ['-of', 'COG', '-co', 'COMPRESS=DEFLATE']],
    [classes, ['-of', 'COG', '-co', 'COMPRESS=DEFLATE']],
    [masked.path, ['-of', 'COG', '-co', 'COMPRESS=JPEG', '-b', '1', '-b', '2', '-b', '3', '-mask', '4']],
    [masked.path, ['-of', 'GTiff', '-co', 'COMPRESS=LZW', '-b', '1', '-mask', '4']],
  ]
  const codes = new Set<string>()
  for (const [source, args] of sources) {
    const path = freshPath('whole.tif')
    gdal('gdal_translate', '-q', ...args, source, path)
    const { content } = madeAt(path)
    for (const share of sampleOf([0.03, 0.1, 0.3, 0.6, 0.9], 2)) {
      const damaged = freshPath('noise.tif')
      writeFileSync(damaged, withNoise(Buffer.from(content), Math.floor(content.length * share), 600))
      for (const [id, inputOf] of Object.entries(TOOLS)) {
        const found = await outcome(id, inputOf(madeAt(damaged)))
        expect({ id, args, share, found }).toEqual({ id, args, share, found: expect.stringMatching(RESULT) })
        codes.add(found)
      }
    }
  }
  expect(codes.size).toBe(2)
}, 120_000)
