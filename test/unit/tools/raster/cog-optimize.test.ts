/** Cloud Optimized GeoTIFFs, checked by GDAL's validator, with cells compared by checksum and tags by gdalinfo. */
import { describe, expect, test } from 'bun:test'
import { omitsBlocks, readTiffLayout } from '../../../../src/lib/raster/tiff-directory.ts'
import { freshPath, gdal, geotiff, info, type Made, madeAt, terrain } from '../../../support/formats/rasters.ts'
import { runProgram } from '../../../support/program.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

const VALIDATOR = '/usr/lib/python3/dist-packages/osgeo_utils/samples/validate_cloud_optimized_geotiff.py'

/** Errors and warnings of GDAL's validator. */
function validated(path: string): string[] {
  const { stdout } = runProgram('/usr/bin/python3', [VALIDATOR, '--full-check=yes', path])
  const lines = stdout.toString().split('\n')
  expect(lines.some((line) => line.includes('valid cloud optimized GeoTIFF'))).toBe(true)
  return lines.filter((line) => line.startsWith(' - '))
}

const optimise = async (file: Made) => {
  const { data, path, warnings, filename } = await runTool('raster.cog-optimize', { file })
  return { data, path, warnings, filename }
}

// two overviews, as blocks have 512 cells
const [W, H] = [1100, 700]
const land = terrain(W, H)
const bytes = () => Uint8Array.from(land, (value) => Math.round((value - 395) * 1.2))
const RGB = ['-co', 'PHOTOMETRIC=RGB']

const LOSSLESS: [string, () => Made][] = [
  ['bytes in strips', () => geotiff([bytes()], W, '-a_nodata', 17)],
  [
    '16 bits',
    () =>
      geotiff([Uint16Array.from(land, (v) => v * 90)], W, '-a_nodata', 0, '-co', 'COMPRESS=LZW', '-co', 'PREDICTOR=2'),
  ],
  [
    '16 bits with sign',
    () => geotiff([Int16Array.from(land, (v) => v - 500)], W, '-a_nodata', -9999, '-co', 'COMPRESS=PACKBITS'),
  ],
  ['32 bits', () => geotiff([Int32Array.from(land, (v) => v * 1e6)], W, '-co', 'COMPRESS=LZW')],
  [
    'floats',
    () => geotiff([Float32Array.from(land)], W, '-a_nodata', -9999, '-co', 'COMPRESS=DEFLATE', '-co', 'TILED=YES'),
  ],
  [
    'floats with NaN',
    () => geotiff([Float32Array.from(land, (v, i) => (i % 9 ? v : Number.NaN))], W, '-a_nodata', 'nan'),
  ],
  ['doubles', () => geotiff([Float64Array.from(land)], W)],
  ['a photo', () => geotiff([bytes(), bytes().reverse(), bytes()], W, ...RGB)],
  [
    'a photo with alpha',
    () =>
      geotiff([bytes(), bytes().reverse(), bytes(), bytes()], W, ...RGB, '-co', 'ALPHA=YES', '-colorinterp_4', 'alpha'),
  ],
  [
    'bands in separate blocks',
    () => geotiff([Float32Array.from(land), Float32Array.from(land, (v) => -v)], W, '-co', 'INTERLEAVE=BAND'),
  ],
  [
    'one bit a cell',
    () => geotiff([Uint8Array.from(land, (v) => (v > 500 ? 1 : 0))], W, '-co', 'NBITS=1', '-co', 'COMPRESS=CCITTFAX4'),
  ],
]

test.each(LOSSLESS)('%s: a valid COG with the same cells', async (_what, make) => {
  const file = make()
  const { data, path, warnings } = await optimise(file)
  expect(validated(path)).toEqual([])
  const [before, after] = [info(file.path, '-checksum'), info(path, '-checksum')]
  expect(after.size).toEqual(before.size)
  const reported = ({ bands }: typeof before) =>
    bands.map(({ type, checksum, noDataValue, colorInterpretation }) => ({
      type,
      checksum,
      noDataValue,
      colorInterpretation,
    }))
  expect(reported(after)).toEqual(reported(before))
  expect(data).toMatchObject({
    wasAlreadyCog: false,
    width: W,
    height: H,
    bandCount: before.bands.length,
    optimizedCompression: 'DEFLATE',
    optimizedOverviewCount: after.bands[0]?.overviews?.length,
    originalOverviewCount: 0,
    originalCompression: before.metadata.IMAGE_STRUCTURE?.COMPRESSION ?? 'NONE',
  })
  expect((data.issues as string[]).length).toBeGreaterThan(0)
  expect(warnings).toEqual([])
  expect(after.bands[0]?.overviews?.map(({ size }) => size)).toEqual([
    [550, 350],
    [275, 175],
  ])
})

test.each<[string, () => Made]>([
  ['12 bits', () => geotiff([Uint16Array.from(land, (v) => v * 3)], W, '-co', 'NBITS=12')],
  ['9 bits', () => geotiff([Uint16Array.from(land, (v) => v / 2)], W, '-co', 'NBITS=9')],
  ['half floats', () => geotiff([Float32Array.from(land, Math.round)], W, '-co', 'NBITS=16')],
  ['complex', () => geotiff([Float32Array.from(land)], W, '-ot', 'CFloat32')],
  ['complex integers', () => geotiff([Int16Array.from(land)], W, '-ot', 'CInt16')],
  ['LERC', () => geotiff([Float32Array.from(land)], W, '-co', 'COMPRESS=LERC')],
  ['LERC with ZSTD', () => geotiff([Float32Array.from(land)], W, '-co', 'COMPRESS=LERC_ZSTD')],
  ['ZSTD', () => geotiff([Float32Array.from(land)], W, '-co', 'COMPRESS=ZSTD')],
])('%s: the cells stay, and so does the compression if it is a good one', async (_what, make) => {
  const file = make()
  const { data, path } = await optimise(file)
  expect(validated(path)).toEqual([])
  const [before, after] = [info(file.path, '-checksum'), info(path, '-checksum')]
  const cells = ({ bands }: typeof before) => bands.map(({ type, checksum }) => [type, checksum])
  expect(cells(after)).toEqual(cells(before))
  expect(data.optimizedCompression).toBe(before.metadata.IMAGE_STRUCTURE?.COMPRESSION ?? 'DEFLATE')
})

test('tiles that the file leaves out stay left out', async () => {
  const sparse = geotiff(
    [land.map((v, i) => (i < W * H * 0.8 ? 0 : v))],
    W,
    '-a_nodata',
    0,
    '-co',
    'TILED=YES',
    '-co',
    'SPARSE_OK=TRUE',
  )
  const { path } = await optimise(sparse)
  expect(validated(path)).toEqual([])
  expect(omitsBlocks(path, readTiffLayout(path))).toBe(true)
})

test('bands in one compressed strip each are decoded once, and rejected if they are too large together', async () => {
  const [width, height] = [2_600, 2_500]
  const cells = new Float32Array(width * height).map((_, i) => (i % 101) / 10)
  const strips = ['-co', 'COMPRESS=DEFLATE', '-co', 'INTERLEAVE=BAND', '-co', `BLOCKYSIZE=${height}`]
  const file = geotiff([cells, cells.map((value) => -value), cells], width, ...strips)
  const { path } = await optimise(file)
  expect(validated(path)).toEqual([])
  const checksums = (from: string) => info(from, '-checksum').bands.map(({ checksum }) => checksum)
  expect(checksums(path)).toEqual(checksums(file.path))
  const empty = new Float32Array(width * height)
  const many = geotiff([empty, empty, empty, empty, empty], width, ...strips)
  expect(await refusal('raster.cog-optimize', { file: many })).toMatchObject({
    code: 'FILE_TOO_LARGE',
    field: 'file',
    rule: 'blockBytes',
  })
}, 120_000)

test('keeps tags, descriptions, scales, CRS and area-or-point', async () => {
  const base = geotiff(
    [Float32Array.from(land)],
    W,
    '-mo',
    'SURVEY=2026',
    '-mo',
    'AREA_OR_POINT=Point',
    '-a_scale',
    0.5,
    '-a_offset',
    3,
    '-a_srs',
    'EPSG:3035',
  )
  const { path } = await optimise(base)
  const [before, after] = [info(base.path), info(path)]
  expect(after.metadata['']).toMatchObject({ SURVEY: '2026', AREA_OR_POINT: 'Point' })
  expect(after.cornerCoordinates).toEqual(before.cornerCoordinates)
  expect(after.bands[0]).toMatchObject({ scale: 0.5, offset: 3 })
  expect(gdal('gdalsrsinfo', '-o', 'epsg', path).trim()).toBe('EPSG:3035')
})

test('classes keep their colours, and overviews contain classes', async () => {
  const classes = geotiff([Uint8Array.from(land, (v) => (v > 520 ? 200 : 10))], W)
  const vrt = freshPath('classes.vrt')
  const entries = Array.from({ length: 256 }, (_, i) => `<Entry c1="${i}" c2="${255 - i}" c3="7" c4="255"/>`).join('')
  gdal('gdal_translate', '-q', '-of', 'VRT', classes.path, vrt)
  const palette = `<ColorInterp>Palette</ColorInterp><ColorTable>${entries}</ColorTable>`
  await Bun.write(vrt, (await Bun.file(vrt).text()).replace('<ColorInterp>Gray</ColorInterp>', palette))
  const path = freshPath('classes.tif')
  gdal('gdal_translate', '-q', vrt, path)
  const { path: cog } = await optimise(madeAt(path))
  expect(validated(cog)).toEqual([])
  const [band] = info(cog).bands
  expect(band?.colorTable?.entries[200]).toEqual([200, 55, 7, 255])
  const small = freshPath('small.tif')
  gdal('gdal_translate', '-q', '-outsize', 275, 175, '-co', 'COMPRESS=NONE', cog, small)
  const { histogram } = info(small, '-hist').bands[0] as { histogram: { buckets: number[] } }
  expect(histogram.buckets.flatMap((count, value) => (count > 0 ? [value] : []))).toEqual([10, 200])
})

test('a mask stays a mask', async () => {
  const mask = Uint8Array.from(land, (v) => (v > 500 ? 255 : 0))
  const file = geotiff([bytes(), bytes(), bytes(), mask], W, '-b', 1, '-b', 2, '-b', 3, '-mask', 4, ...RGB)
  const { path } = await optimise(file)
  expect(validated(path)).toEqual([])
  expect(info(path).bands[0]?.mask?.flags).toEqual(['PER_DATASET'])
  const maskOf = (from: string): string => {
    const alone = freshPath('mask.tif')
    gdal('gdal_translate', '-q', '-b', 'mask', from, alone)
    return String(info(alone, '-checksum').bands[0]?.checksum)
  }
  expect(maskOf(path)).toBe(maskOf(file.path))
})

test.each([
  ['JPEG', ['-co', 'COMPRESS=JPEG', '-co', 'PHOTOMETRIC=YCBCR', '-co', 'TILED=YES'], 'YCbCr JPEG'],
  ['WEBP', ['-co', 'COMPRESS=WEBP', '-co', 'TILED=YES'], 'WEBP'],
])('an image in %s keeps its compression and looks the same, with a warning', async (name, options, compression) => {
  const file = geotiff([bytes(), bytes(), bytes()], W, ...options)
  const { data, path, warnings } = await optimise(file)
  expect(validated(path)).toEqual([])
  expect(data).toMatchObject({ originalCompression: compression, optimizedCompression: compression })
  expect(warnings).toEqual([expect.stringContaining(name)])
  const meanOf = (from: string): number => Number(info(from, '-stats').bands[0]?.metadata['']?.STATISTICS_MEAN)
  expect(meanOf(path)).toBeCloseTo(meanOf(file.path), 0)
  expect(Bun.file(path).size).toBeLessThan(file.content.length * 2.5)
})

test('a COG is returned byte by byte; one without compression is compressed', async () => {
  const base = geotiff([Float32Array.from(land)], W)
  const cog = (compression: string): Made => {
    const path = freshPath('cog.tif')
    gdal('gdal_translate', '-q', '-of', 'COG', '-co', `COMPRESS=${compression}`, base.path, path)
    return madeAt(path)
  }
  const packed = cog('LZW')
  const same = await optimise(packed)
  expect(same.data).toMatchObject({ wasAlreadyCog: true, issues: [], originalTiled: true, optimizedCompression: 'LZW' })
  expect(await Bun.file(same.path).bytes()).toEqual(new Uint8Array(packed.content))
  const plain = await optimise(cog('NONE'))
  expect(plain.data).toMatchObject({
    wasAlreadyCog: true,
    originalCompression: 'NONE',
    optimizedCompression: 'DEFLATE',
  })
})

describe('the layout is judged as by the validator', () => {
  const base = () => geotiff([bytes()], W)
  const overviews = (file: Made, ...levels: number[]): Made => {
    gdal('gdaladdo', '-q', '-r', 'average', file.path, ...levels)
    return madeAt(file.path)
  }
  test.each([
    ['strips', base],
    ['tiles without overviews', () => geotiff([bytes()], W, '-co', 'TILED=YES')],
    ['tiles with overviews added behind', () => overviews(geotiff([bytes()], W, '-co', 'TILED=YES'), 2, 4)],
    ['strips with overviews', () => overviews(base(), 2)],
    ['a small file in strips', () => geotiff([Uint8Array.from(terrain(100, 80))], 100)],
    [
      'a copy with overviews',
      () => {
        const path = freshPath('copy.tif')
        gdal(
          'gdal_translate',
          '-q',
          '-co',
          'TILED=YES',
          '-co',
          'COPY_SRC_OVERVIEWS=YES',
          overviews(geotiff([bytes()], W, '-co', 'TILED=YES'), 2, 4).path,
          path,
        )
        return madeAt(path)
      },
    ],
    [
      'a large COG of BigTIFF',
      () => {
        const path = freshPath('big.tif')
        gdal('gdal_translate', '-q', '-of', 'COG', '-co', 'BIGTIFF=YES', base().path, path)
        return madeAt(path)
      },
    ],
  ])('%s', async (_what, make) => {
    const file = make()
    const { data } = await optimise(file)
    const complaints = validated(file.path)
    expect({ cog: data.wasAlreadyCog, issues: data.issues }).toEqual({
      cog: complaints.length === 0,
      issues: complaints.length === 0 ? [] : expect.any(Array),
    })
  })
})

test('rejects broken files and other formats, naming field and rule', async () => {
  const { content } = geotiff([Float32Array.from(land)], W, '-co', 'COMPRESS=DEFLATE')
  const cut = { name: 'a.tif', content: content.subarray(0, content.length >> 1) }
  expect(await refusal('raster.cog-optimize', { file: cut })).toMatchObject({ code: 'INPUT_UNREADABLE', field: 'file' })
  const zeroed = Buffer.from(content)
  zeroed.fill(0, 40_000, 60_000)
  expect(await refusal('raster.cog-optimize', { file: { name: 'a.tif', content: zeroed } })).toMatchObject({
    code: 'INPUT_UNREADABLE',
    field: 'file',
    rule: 'truncated',
  })
  expect(await refusal('raster.cog-optimize', { file: 'logo.png' })).toMatchObject({ rule: 'format' })
})
