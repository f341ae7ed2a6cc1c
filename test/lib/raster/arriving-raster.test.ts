/** Rasters that are read while they arrive have the statistics, histograms and thumbnails of the whole file. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { NODE } from '../../support/engine.ts'
import { mutated, runs } from '../../support/fuzz.ts'
import { outputOf } from '../../support/program.ts'
import { freshPath, gdal, geotiff, type Made, terrain } from '../../support/rasters.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-rasters-ahead-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const READER = join(import.meta.dir, '../../support/read-rasters-ahead.ts')
const [WIDTH, HEIGHT] = [700, 500]
const co = (...options: string[]): string[] => options.flatMap((option) => ['-co', option])
const floats = Float32Array.from(terrain(WIDTH, HEIGHT))
const bytes = Uint8Array.from(floats, (value) => value % 256)
const colours = [bytes, bytes.map((value) => 255 - value), bytes.map((value) => value / 2)]

function translated({ path }: Made, ...args: string[]): Made {
  const to = freshPath('translated.tif')
  gdal('gdal_translate', '-q', ...args, path, to)
  return { name: 'raster.tif', path: to, content: Buffer.alloc(0) }
}

/** The directories of the overviews are behind the cells. */
function withLateDirectories(): Made {
  const made = geotiff([floats], WIDTH)
  gdal('gdaladdo', '-q', made.path, '2')
  return made
}

const plain = geotiff([floats], WIDTH)
const CASES: [string, Made, 'same' | 'left'][] = [
  ['strips of floats', plain, 'same'],
  ['strips of bytes', geotiff([bytes], WIDTH), 'same'],
  ['strips of 16-bit integers with nodata', geotiff([Int16Array.from(floats)], WIDTH, '-a_nodata', '500'), 'same'],
  ['doubles, DEFLATE', geotiff([terrain(WIDTH, HEIGHT)], WIDTH, ...co('COMPRESS=DEFLATE', 'PREDICTOR=3')), 'same'],
  ['tiles', geotiff([floats], WIDTH, ...co('TILED=YES', 'BLOCKXSIZE=128', 'BLOCKYSIZE=64')), 'same'],
  ['tiles, LZW', geotiff([floats], WIDTH, ...co('TILED=YES', 'COMPRESS=LZW')), 'same'],
  ['three colours together', geotiff(colours, WIDTH, ...co('INTERLEAVE=PIXEL', 'PHOTOMETRIC=RGB')), 'same'],
  ['BigTIFF, big-endian', geotiff([floats], WIDTH, ...co('BIGTIFF=YES', 'ENDIANNESS=BIG')), 'same'],
  ['a COG with overviews', translated(plain, '-of', 'COG', ...co('BLOCKSIZE=128', 'COMPRESS=DEFLATE')), 'same'],
  [
    'empty blocks left out',
    geotiff([floats.map((_, i) => (i % WIDTH < 300 ? 0 : 7))], WIDTH, ...co('TILED=YES', 'SPARSE_OK=TRUE')),
    'same',
  ],
  ['bands one after the other', geotiff(colours, WIDTH, ...co('INTERLEAVE=BAND')), 'left'],
  ['a mask', geotiff([bytes], WIDTH, '-mask', '1'), 'left'],
  ['directories behind the cells', withLateDirectories(), 'same'],
]

/** Lengths of pieces: tiny ones at first, where the directories are. */
const lengths = fc.tuple(
  fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 20 }),
  fc.array(fc.integer({ min: 1, max: 90_000 }), { maxLength: 60 }),
)

test('every kind of layout, in pieces of any length', () => {
  const rounds = 4
  const pieces = fc.sample(lengths, { numRuns: rounds * CASES.length, seed: runs(1).seed })
  const input = pieces.map(([first, then], i) => ({
    path: (CASES[i % CASES.length] as (typeof CASES)[number])[1].path,
    lengths: [...first, ...then],
  }))
  const outcomes = JSON.parse(outputOf(NODE, [READER, home], { input: JSON.stringify(input) }).toString()) as string[]
  const named = (of: (i: number) => unknown) => input.map((_, i) => [CASES[i % CASES.length]?.[0], of(i)])
  expect(named((i) => outcomes[i])).toEqual(named((i) => CASES[i % CASES.length]?.[2]))
}, 60_000)

test('a damaged file gives what it gives as a whole, or is left to the run', () => {
  const [width, height] = [90, 70]
  const small = (...options: string[]): Buffer =>
    geotiff([Float32Array.from(terrain(width, height))], width, ...co(...options)).content
  const seeds = [small(), small('COMPRESS=DEFLATE'), small('TILED=YES', 'BLOCKXSIZE=32', 'BLOCKYSIZE=32')]
  const damaged = fc.sample(fc.tuple(mutated(...seeds), lengths), runs(400))
  const input = damaged.map(([bytes, [first, then]], i) => {
    const path = join(home, `damaged-${i}.tif`)
    writeFileSync(path, bytes)
    return { path, lengths: [...first, ...then] }
  })
  const outcomes = JSON.parse(outputOf(NODE, [READER, home], { input: JSON.stringify(input) }).toString()) as string[]
  expect(outcomes.filter((outcome) => outcome === 'different')).toEqual([])
  expect(outcomes.filter((outcome) => outcome === 'same').length).toBeGreaterThan(40)
}, 60_000)

test('what is no GeoTIFF, or ends early, is left to the run or rejected', () => {
  const { content } = plain
  const broken = {
    text: Buffer.from('no raster at all, but long enough to be read'),
    empty: Buffer.alloc(0),
    'the directory only': content.subarray(0, 600),
    half: content.subarray(0, content.length / 2),
  }
  const input = Object.entries(broken).map(([name, bytes]) => {
    const path = join(home, `${name}.tif`)
    writeFileSync(path, bytes)
    return { path, lengths: [10, 100, 1_000, 10_000] }
  })
  const outcomes = JSON.parse(outputOf(NODE, [READER, home], { input: JSON.stringify(input) }).toString()) as string[]
  expect(outcomes.slice(0, 2)).toEqual(['format', 'format'])
  for (const outcome of outcomes.slice(2)) expect(outcome).not.toBe('same')
})
