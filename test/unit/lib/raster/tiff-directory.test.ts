/** Directories of TIFF files compared with their content, and with GDAL's description of its files. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { cogIssues, overviewsOf } from '../../../../src/lib/raster/cog-layout.ts'
import { omitsBlocks, readTiffLayout, type TiffLayout } from '../../../../src/lib/raster/tiff-directory.ts'
import { freshPath, gdal, geotiff, info, terrain } from '../../../support/formats/rasters.ts'
import { tiffs } from '../../../support/formats/tiffs.ts'
import { mutated, runs, succeedsOrRejects } from '../../../support/fuzz.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-tiff-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const path = join(home, 'one.tif')

function layoutOf(bytes: Uint8Array): TiffLayout {
  writeFileSync(path, bytes)
  return readTiffLayout(path)
}

test('reads written files, classic and BigTIFF, of either byte order', () => {
  fc.assert(
    fc.property(tiffs, ({ bytes, big, directories }) => {
      expect(layoutOf(bytes)).toEqual({
        big,
        bytes: bytes.length,
        crsText: '',
        structuralBytes: 0,
        directories: directories.map(
          ({ offset, subfile, width, height, samplesPerPixel, compression, tile, rowsPerStrip, blocks }) => ({
            offset,
            subfile,
            width,
            height,
            samplesPerPixel,
            compression,
            tiled: tile !== undefined,
            // written for all of them, and the default
            bits: 8,
            photometric: 1,
            resolution: undefined,
            blockWidth: tile?.width ?? width,
            blockHeight: tile?.height ?? Math.min(rowsPerStrip, height),
            firstBlock: blocks[0] as number,
            blockOffsets: { at: expect.any(Number), count: blocks.length, bytes: expect.any(Number) },
          }),
        ),
      })
    }),
    runs(1_000),
  )
})

const COMPRESSION: Record<string, number> = { none: 1, LZW: 5, DEFLATE: 8, PACKBITS: 32_773, ZSTD: 50_000 }
const source = geotiff([terrain(700, 600)], 700)
const colours = geotiff(
  [0, 1, 2].map(() => Uint8Array.from(terrain(700, 600, 50, 100))),
  700,
)

const co = (...options: string[]): string[] => options.flatMap((option) => ['-co', option])

test.each<[string, string[], number[]]>([
  ['strips', [], []],
  ['strips of 16 rows', co('BLOCKYSIZE=16', 'COMPRESS=LZW'), []],
  ['tiles', co('TILED=YES', 'BLOCKXSIZE=128', 'BLOCKYSIZE=64', 'COMPRESS=DEFLATE'), [2, 4]],
  ['big', co('BIGTIFF=YES', 'TILED=YES', 'COMPRESS=ZSTD'), [2]],
  ['high bytes first', co('ENDIANNESS=BIG', 'COMPRESS=PACKBITS'), [2, 4, 8]],
  ['big, high bytes first', co('ENDIANNESS=BIG', 'BIGTIFF=YES'), []],
  ['planes', co('INTERLEAVE=BAND', 'TILED=YES'), [2]],
])('%s: the same as gdalinfo says', (name, options, levels) => {
  const to = freshPath('made.tif')
  gdal('gdal_translate', '-q', ...options, name === 'planes' ? colours.path : source.path, to)
  if (levels.length > 0) gdal('gdaladdo', '-q', to, ...levels)
  const about = info(to)
  const layout = readTiffLayout(to)
  const [main] = layout.directories
  const structure = about.metadata.IMAGE_STRUCTURE ?? {}
  const [band] = about.bands as unknown as [{ block: [number, number]; overviews?: { size: [number, number] }[] }]
  expect(layout.big).toBe(name.startsWith('big'))
  expect([main?.width, main?.height]).toEqual(about.size)
  expect([main?.blockWidth, main?.blockHeight]).toEqual(band.block)
  expect(main?.compression).toBe(COMPRESSION[structure.COMPRESSION ?? 'none'] as number)
  expect(main?.samplesPerPixel).toBe(about.bands.length)
  expect(overviewsOf(layout).map(({ width, height }) => [width, height])).toEqual(
    (band.overviews ?? []).map(({ size }) => size),
  )
  expect(cogIssues(layout)).not.toEqual([])
})

test('finds blocks that GDAL left out', () => {
  const nothing = geotiff([new Float32Array(700 * 600)], 700)
  for (const [sparse, from] of [
    [true, nothing.path],
    [false, source.path],
  ] as const) {
    const to = freshPath('sparse.tif')
    gdal('gdal_translate', '-q', '-co', 'TILED=YES', '-co', 'SPARSE_OK=TRUE', from, to)
    expect(omitsBlocks(to, readTiffLayout(to))).toBe(sparse)
  }
})

test('a number of blocks beyond the end of the file does not prolong the search', () => {
  const { path: from } = geotiff(
    [terrain(64, 64)],
    64,
    ...co('BIGTIFF=YES', 'TILED=YES', 'BLOCKXSIZE=16', 'BLOCKYSIZE=16'),
  )
  const bytes = readFileSync(from)
  const directory = Number(bytes.readBigUInt64LE(8))
  const tags = Array.from({ length: Number(bytes.readBigUInt64LE(directory)) }, (_, i) =>
    bytes.readUInt16LE(directory + 8 + 20 * i),
  )
  const tileOffsets = tags.indexOf(324)
  expect(tileOffsets).toBeGreaterThanOrEqual(0)
  const entry = directory + 8 + 20 * tileOffsets
  const [count, at] = [bytes.readBigUInt64LE(entry + 4), bytes.readBigUInt64LE(entry + 12)].map(Number) as [
    number,
    number,
  ]
  bytes.writeBigUInt64LE(2n ** 63n, entry + 4)
  bytes.writeBigUInt64LE(BigInt(bytes.length), entry + 12)
  // the offsets move to the end of the file, because zeros behind them would read as omitted blocks
  const layout = layoutOf(Buffer.concat([bytes, bytes.subarray(at, at + count * 8)]))
  expect(layout.directories[0]?.blockOffsets.count).toBe(2 ** 63)
  expect(omitsBlocks(path, layout)).toBe(false)
})

test('the first block is where its bytes are', () => {
  // 16 rows of 32 cells: one strip, so that the whole image is one run of bytes
  const cells = Uint8Array.from({ length: 512 }, (_, i) => i * 7)
  for (const options of [[], co('TILED=YES', 'BLOCKXSIZE=32', 'BLOCKYSIZE=16'), co('BIGTIFF=YES')]) {
    const { path, content } = geotiff([cells], 32, ...options)
    const { firstBlock } = readTiffLayout(path).directories[0] as TiffLayout['directories'][0]
    expect([...content.subarray(firstBlock, firstBlock + 512)]).toEqual([...cells])
  }
})

test.each([['-co', 'BLOCKSIZE=128'], co('BIGTIFF=YES', 'COMPRESS=DEFLATE'), co('OVERVIEWS=NONE', 'BLOCKSIZE=512')])(
  'a COG written by GDAL with %s %s has the layout of a COG',
  (...options) => {
    const to = freshPath('cog.tif')
    gdal('gdal_translate', '-q', '-of', 'COG', ...options, source.path, to)
    expect(info(to).metadata.IMAGE_STRUCTURE?.LAYOUT).toBe('COG')
    const issues = cogIssues(readTiffLayout(to))
    expect(issues.filter((issue) => !issue.startsWith('It has no overviews'))).toEqual([])
  },
)

const SEEDS = fc.sample(tiffs, { numRuns: 30, seed: 1 }).map(({ bytes }) => bytes)
const small = geotiff([terrain(40, 30)], 40)
const cog = (() => {
  const to = freshPath('cog.tif')
  gdal('gdal_translate', '-q', '-of', 'COG', ...co('BLOCKSIZE=16'), small.path, to)
  return readFileSync(to)
})()

test('a broken file is rejected or read within its bounds', async () => {
  await fc.assert(
    fc.asyncProperty(mutated(small.content, cog, ...SEEDS), async (bytes) => {
      const layout = await succeedsOrRejects(() => layoutOf(bytes))
      if (layout === undefined) return
      expect(layout.directories.length).toBeWithin(1, 1_001)
      for (const { offset, width, height, blockOffsets, resolution, ...rest } of layout.directories) {
        expect(offset).toBeLessThan(bytes.length)
        expect(Math.min(width, height)).toBeGreaterThan(0)
        expect(Object.values(rest).every((value) => typeof value === 'boolean' || value >= 0)).toBe(true)
        if (resolution !== undefined) expect(Math.min(resolution.x, resolution.y)).toBeGreaterThan(0)
        expect(Math.min(blockOffsets.at, blockOffsets.count)).toBeGreaterThanOrEqual(0)
        expect(typeof omitsBlocks(path, layout)).toBe('boolean')
      }
      expect(Array.isArray(cogIssues(layout))).toBe(true)
    }),
    runs(5_000),
  )
})

test.each([
  ['first', 0],
  ['last', 1],
])('for an entry that occurs twice, once with another value %s, GDAL and our reader take the same one', (_, place) => {
  const { content } = geotiff([new Uint8Array(64 * 64)], 64)
  const at = content.readUInt32LE(4)
  const count = content.readUInt16LE(at)
  const entries = Array.from({ length: count }, (_, i) => content.subarray(at + 2 + 12 * i, at + 14 + 12 * i))
  const width = entries.findIndex((entry) => entry.readUInt16LE(0) === 256)
  const narrow = Buffer.from(entries[width] as Buffer)
  narrow.writeUInt16LE(32, 8)
  entries.splice(width + place, 0, narrow)
  const head = Buffer.from(content.subarray(0, at + 2))
  head.writeUInt16LE(count + 1, at)
  head.writeUInt32LE(content.length, 4)
  const bytes = Buffer.concat([
    head.subarray(0, at),
    content.subarray(at),
    head.subarray(at, at + 2),
    ...entries,
    Buffer.alloc(4),
  ])
  const layout = layoutOf(bytes)
  expect([layout.directories[0]?.width, layout.directories[0]?.height]).toEqual(info(path).size)
})

test('an unused entry may point outside the file, as in GDAL', () => {
  const { content } = geotiff([new Uint8Array(64 * 64)], 64)
  const bytes = Buffer.from(content)
  const at = bytes.readUInt32LE(4)
  const tags = Array.from({ length: bytes.readUInt16LE(at) }, (_, i) => bytes.readUInt16LE(at + 2 + 12 * i))
  // the georeference: three numbers, which do not fit into the directory
  bytes.writeUInt32LE(0x7fff_ffff, at + 2 + 12 * tags.indexOf(33_550) + 8)
  const layout = layoutOf(bytes)
  expect([layout.directories[0]?.width, layout.directories[0]?.height]).toEqual(info(path).size)
})
