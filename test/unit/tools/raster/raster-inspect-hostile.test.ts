/** Raster inspection of broken, oversized and changed files. */
import { describe, expect, test } from 'bun:test'
import { freshPath, gdal, geotiff, madeAt, terrain } from '../../../support/formats/rasters.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

const [W, H] = [700, 400]
const land = terrain(W, H)

const bytes = () => Uint8Array.from(land, (value) => Math.round((value - 395) * 1.2))

describe('rejects', () => {
  const refuse = (content: string | Uint8Array) =>
    refusal('raster.raster-inspect', { file: { name: 'a.tif', content } })

  test('a file that is not a TIFF, regardless of its name', async () => {
    for (const content of [
      '',
      'II',
      '<VRTDataset rasterXSize="1" rasterYSize="1"/>',
      '%PDF-1.7',
      'PK\u0003\u0004'.padEnd(100),
    ])
      expect(await refuse(content)).toMatchObject({ code: 'INPUT_UNREADABLE', field: 'file', rule: 'format' })
  })

  test('a header of 100,000 × 100,000 cells in a small file', async () => {
    const path = freshPath('huge.tif')
    gdal(
      'gdal_create',
      '-outsize',
      100_000,
      100_000,
      '-co',
      'SPARSE_OK=YES',
      '-co',
      'TILED=YES',
      '-co',
      'BLOCKXSIZE=4096',
      '-co',
      'BLOCKYSIZE=4096',
      path,
    )
    expect(await refuse(madeAt(path).content)).toMatchObject({ code: 'FILE_TOO_LARGE', field: 'file', rule: 'samples' })
  })

  test('a small file of empty tiles that would take a minute to read', async () => {
    const path = freshPath('sparse.tif')
    gdal(
      'gdal_create',
      '-q',
      '-ot',
      'Byte',
      '-outsize',
      '60000',
      '60000',
      '-co',
      'TILED=YES',
      '-co',
      'SPARSE_OK=YES',
      '-co',
      'COMPRESS=DEFLATE',
      path,
    )
    const { content } = madeAt(path)
    expect((content as Buffer).length).toBeLessThan(1_000_000)
    expect(await refuse(content)).toMatchObject({ code: 'FILE_TOO_LARGE', field: 'file', rule: 'samples' })
  })

  test('strips and tiles that are too large to decode, and too many bands', async () => {
    const create = (...args: (string | number)[]): Buffer => {
      const path = freshPath('bomb.tif')
      gdal('gdal_create', '-q', '-co', 'COMPRESS=DEFLATE', '-co', 'SPARSE_OK=YES', ...args, path)
      return madeAt(path).content
    }
    const strip = create('-outsize', 9_000, 9_000, '-ot', 'Float32', '-co', 'BLOCKYSIZE=9000')
    const tile = create(
      '-outsize',
      9_000,
      9_000,
      '-bands',
      4,
      '-co',
      'TILED=YES',
      '-co',
      'BLOCKXSIZE=8192',
      '-co',
      'BLOCKYSIZE=8192',
    )
    for (const content of [strip, tile])
      expect(await refuse(content)).toMatchObject({ code: 'FILE_TOO_LARGE', field: 'file', rule: 'blockBytes' })
    const bands = create('-outsize', 10, 10, '-bands', 1_001)
    expect(await refuse(bands)).toMatchObject({ code: 'FILE_TOO_LARGE', field: 'file', rule: 'bands' })
  })

  test('a truncated file, and one with circular directories', async () => {
    const { content } = geotiff([Float32Array.from(land)], W, '-co', 'COMPRESS=DEFLATE')
    for (const share of [0.3, 0.7, 0.95])
      expect(await refuse(content.subarray(0, Math.floor(content.length * share)))).toMatchObject({
        code: 'INPUT_UNREADABLE',
        field: 'file',
      })
    const loop = Buffer.from(geotiff([bytes()], W).content)
    const at = loop.readUInt32LE(4)
    loop.writeUInt32LE(at, at + 2 + 12 * loop.readUInt16LE(at))
    expect(await refuse(loop)).toMatchObject({ code: 'INPUT_UNREADABLE', rule: 'unreadable' })
  })

  test('changed bytes in the header give an error or a result, never a crash', async () => {
    const { content } = geotiff(
      [Uint16Array.from(terrain(64, 64))],
      64,
      '-co',
      'COMPRESS=LZW',
      '-co',
      'TILED=YES',
      '-co',
      'BLOCKXSIZE=16',
      '-co',
      'BLOCKYSIZE=16',
    )
    let state = 7
    const random = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
    const outcomes = new Set<string>()
    for (let round = 0; round < 150; round++) {
      const broken = Buffer.from(content)
      const head = round % 2 === 0 ? 400 : broken.length
      for (let i = 0; i <= random(3); i++) broken[random(head)] = random(256)
      const outcome = await runTool('raster.raster-inspect', { file: { name: 'a.tif', content: broken } }).then(
        () => 'fine',
        (error: { code: string }) => error.code,
      )
      outcomes.add(outcome)
    }
    expect([...outcomes].filter((code) => !['fine', 'INPUT_UNREADABLE', 'FILE_TOO_LARGE'].includes(code))).toEqual([])
    expect(outcomes.size).toBeGreaterThan(1)
  }, 120_000)
})
