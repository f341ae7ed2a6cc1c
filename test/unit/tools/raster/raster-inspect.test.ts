/** Raster inspection, value by value compared with gdalinfo. */
import { expect, test } from 'bun:test'
import { difference, rgba } from '../../../support/formats/images.ts'
import { freshPath, gdal, geotiff, info, type Made, madeAt, terrain } from '../../../support/formats/rasters.ts'
import { runTool } from '../../../support/workers/engine.ts'

type Band = {
  dataType: string
  colorInterpretation: string
  nodata: number | string | null
  validCount: number
  validPercent: number
  min: number | null
  max: number | null
  mean: number
  stdDev: number
  histogram: { min: number; max: number; counts: number[] }
}
type Inspected = { bands: Band[]; bounds: number[]; boundsWgs84: number[]; previewPngB64: string }

const inspect = async (file: Made) => (await runTool('raster.raster-inspect', { file })).data as unknown as Inspected

const [W, H] = [700, 400]
const land = terrain(W, H)

const bytes = () => Uint8Array.from(land, (value) => Math.round((value - 395) * 1.2))
const holes = (value: number, i: number): number => (i % 7 === 0 ? -9999 : value)

const FILES: [string, () => Made][] = [
  ['bytes in strips', () => geotiff([bytes()], W)],
  [
    'bytes with nodata, tiled, DEFLATE',
    () => geotiff([bytes()], W, '-a_nodata', 100, '-co', 'TILED=YES', '-co', 'COMPRESS=DEFLATE'),
  ],
  [
    '16 bits without sign, LZW with predictor',
    () => geotiff([Uint16Array.from(land, (v) => v * 90)], W, '-co', 'COMPRESS=LZW', '-co', 'PREDICTOR=2'),
  ],
  [
    '16 bits with negative nodata',
    () => geotiff([Int16Array.from(land, (v, i) => holes(v - 500, i))], W, '-a_nodata', -9999),
  ],
  ['32 bits', () => geotiff([Int32Array.from(land, (v) => v * 1e6)], W, '-co', 'COMPRESS=ZSTD')],
  ['32 bits without sign', () => geotiff([Uint32Array.from(land, (v) => v * 7e6)], W)],
  [
    'floats with nodata, DEFLATE',
    () =>
      geotiff(
        [Float32Array.from(land, holes)],
        W,
        '-a_nodata',
        -9999,
        '-co',
        'COMPRESS=DEFLATE',
        '-co',
        'PREDICTOR=3',
        '-co',
        'TILED=YES',
      ),
  ],
  [
    'floats with NaN as nodata',
    () => geotiff([Float32Array.from(land, (v, i) => (i % 5 === 0 ? Number.NaN : v))], W, '-a_nodata', 'nan'),
  ],
  [
    'floats whose nodata is the smallest float',
    () =>
      geotiff(
        [Float32Array.from(land, (v, i) => (i % 5 === 0 ? -3.4028234663852886e38 : v))],
        W,
        '-a_nodata',
        '-3.4028234663852886e+38',
      ),
  ],
  ['doubles far from zero', () => geotiff([Float64Array.from(land, (v) => v + 1e9)], W)],
  [
    'three bands of one block',
    () =>
      geotiff(
        [bytes(), bytes().reverse(), bytes()],
        W,
        '-co',
        'INTERLEAVE=PIXEL',
        '-co',
        'PHOTOMETRIC=RGB',
        '-co',
        'COMPRESS=LZW',
      ),
  ],
  [
    'bands in separate blocks',
    () =>
      geotiff(
        [Float32Array.from(land), Float32Array.from(land, (v) => v / 3)],
        W,
        '-co',
        'INTERLEAVE=BAND',
        '-co',
        'TILED=YES',
      ),
  ],
  ['a single value', () => geotiff([new Float32Array(W * H).fill(7.5)], W)],
]

/** Large enough for many windows, some of them without values. */
const [WIDE, HIGH] = [3_000, 2_900]
const wide = terrain(WIDE, HIGH)
// `from` with a function takes five times as long
const wideBytes = (offset: number) => new Uint8Array(wide.map((value) => (value - 395) * 1.2 + offset))
const LARGE: [string, () => Made][] = [
  [
    'large: floats in strips, none in the upper third',
    () => {
      const values = new Float32Array(wide.map((value, i) => (i < wide.length / 3 ? -9999 : holes(value * 1e3, i))))
      return geotiff([values], WIDE, '-a_nodata', -9999)
    },
  ],
  ['large: doubles far from zero, in tiles', () => geotiff([wide.map((v) => v + 1e9)], WIDE, '-co', 'TILED=YES')],
  [
    'large: 16 bits and bands in separate blocks, one without values',
    () => {
      const values = new Int16Array(wide.map((v) => v * 20 - 9000))
      const none = new Int16Array(wide.length).fill(-9999)
      return geotiff([values, none], WIDE, '-a_nodata', -9999, '-co', 'INTERLEAVE=BAND')
    },
  ],
  [
    'large: three bands of bytes',
    () => geotiff([wideBytes(0), wideBytes(20), wideBytes(40)], WIDE, '-co', 'INTERLEAVE=PIXEL'),
  ],
]

test.each([...FILES, ...LARGE])('%s: statistics and histogram match gdalinfo', async (_what, make) => {
  const file = make()
  const { bands } = await inspect(file)
  const expected = info(file.path, '-stats', '-hist').bands
  expect(bands.length).toBe(expected.length)
  for (const [i, band] of bands.entries()) {
    const theirs = expected[i] as (typeof expected)[number]
    const figures = theirs.metadata[''] as Record<string, string>
    if (figures.STATISTICS_MINIMUM === undefined) {
      // no values: GDAL has no statistics either
      expect(band).toMatchObject({ validCount: 0, min: null, max: null, mean: null, stdDev: null, histogram: null })
      continue
    }
    const figure = (name: string): number => Number(figures[`STATISTICS_${name}`])
    expect({ type: band.dataType, colour: band.colorInterpretation }).toEqual({
      type: theirs.type,
      colour: theirs.colorInterpretation,
    })
    const close = (mine: number | null, other: number): void =>
      expect(Math.abs((mine as number) - other)).toBeLessThanOrEqual(
        1e-9 * Math.max(1, Math.abs(other)) + 1e-6 * figure('STDDEV'),
      )
    close(band.min, figure('MINIMUM'))
    close(band.max, figure('MAXIMUM'))
    close(band.mean, figure('MEAN'))
    close(band.stdDev, figure('STDDEV'))
    expect(band.validPercent).toBeCloseTo(figure('VALID_PERCENT'), 1)
    const { histogram } = theirs
    if (histogram !== undefined && (band.max as number) > (band.min as number)) {
      close(band.histogram.min, histogram.min)
      close(band.histogram.max, histogram.max)
      // a value on the edge of a bucket may be counted on either side
      const off = band.histogram.counts.reduce((sum, n, at) => sum + Math.abs(n - (histogram.buckets[at] as number)), 0)
      expect(off / band.validCount).toBeLessThan(1e-3)
    }
    expect(band.histogram.counts.reduce((sum, n) => sum + n, 0)).toBe(band.validCount)
  }
})

test('only unmasked cells of a band count', async () => {
  const mask = Uint8Array.from(land, (value) => (value > 500 ? 255 : 0))
  const file = geotiff([bytes(), bytes(), bytes(), mask], W, '-b', 1, '-b', 2, '-b', 3, '-mask', 4)
  const left = [...bytes()].filter((_, i) => mask[i] === 255)
  const mean = left.reduce((sum, value) => sum + value, 0) / left.length
  const { bands } = await inspect(file)
  for (const band of bands) {
    expect(band).toMatchObject({
      masked: true,
      validCount: left.length,
      min: Math.min(...left),
      max: Math.max(...left),
    })
    expect(band.mean).toBeCloseTo(mean, 9)
    expect(band.stdDev).toBeCloseTo(
      Math.sqrt(left.reduce((sum, value) => sum + (value - mean) ** 2, 0) / left.length),
      9,
    )
  }
})

test('returns bounds in the CRS of the raster and in degrees', async () => {
  for (const crs of ['EPSG:25833', 'EPSG:3857', 'EPSG:4326', 'EPSG:3035']) {
    const base = geotiff([Float32Array.from(land)], W)
    const path = freshPath('warped.tif')
    gdal('gdalwarp', '-q', '-t_srs', crs, base.path, path)
    const { bounds, boundsWgs84, ...reported } = await inspect(madeAt(path))
    const { cornerCoordinates, wgs84Extent, size } = info(path)
    expect(reported).toMatchObject({ crs, width: size[0], height: size[1], bandCount: 1 })
    const { lowerLeft, upperRight } = cornerCoordinates
    for (const [i, value] of [...lowerLeft, ...upperRight].entries()) expect(bounds[i]).toBeCloseTo(value, 3)
    const ring = wgs84Extent.coordinates[0] as [number, number][]
    const [xs, ys] = [ring.map(([x]) => x), ring.map(([, y]) => y)]
    // gdalinfo uses the corners only, the tool also points on the sides
    for (const [i, value] of [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)].entries())
      expect(boundsWgs84[i]).toBeCloseTo(value, 3)
  }
})

test('a raster across the antimeridian has west greater than east', async () => {
  const base = geotiff([Float32Array.from(land)], W)
  const path = freshPath('fiji.tif')
  gdal(
    'gdal_translate',
    '-q',
    '-a_srs',
    'EPSG:32701',
    '-a_ullr',
    50_000,
    8_000_000,
    350_000,
    7_700_000,
    base.path,
    path,
  )
  const { boundsWgs84 } = await inspect(madeAt(path))
  const [west = 0, , east = 0] = boundsWgs84
  expect([west > 170 || west < -170, east < -170]).toEqual([true, true])
})

test('the preview shows photos unchanged, terrain stretched, classes in their colours', async () => {
  const save = async ({ previewPngB64 }: Inspected): Promise<string> => {
    const path = freshPath('preview.png')
    await Bun.write(path, Buffer.from(previewPngB64, 'base64'))
    return path
  }
  const photo = geotiff([bytes(), bytes().reverse(), bytes()], W, '-co', 'PHOTOMETRIC=RGB')
  const shown = await save(await inspect(photo))
  const averaged = (path: string, width: number, height: number): string => {
    const expected = freshPath('expected.png')
    gdal('gdal_translate', '-q', '-of', 'PNG', '-outsize', width, height, '-r', 'average', path, expected)
    return expected
  }
  expect(difference(rgba(averaged(photo.path, 512, 293)), rgba(shown)).mean).toBeLessThan(1.5)

  const large = geotiff([wideBytes(0), wideBytes(20), wideBytes(40)], WIDE, '-co', 'PHOTOMETRIC=RGB')
  const ofLarge = rgba(await save(await inspect(large)))
  expect(difference(rgba(averaged(large.path, 512, 495)), ofLarge).mean).toBeLessThan(2)

  const dem = geotiff([Float32Array.from(land, holes)], W, '-a_nodata', -9999)
  const grey = rgba(await save(await inspect(dem)))
  const levels = [...grey.data.filter((_, i) => i % 4 === 0)]
  expect(Math.min(...levels)).toBeLessThan(5)
  expect(Math.max(...levels)).toBeGreaterThan(250)

  const classes = geotiff([Uint8Array.from(land, (v) => (v > 550 ? 2 : v > 450 ? 1 : 0))], W)
  const vrt = freshPath('classes.vrt')
  const table =
    '<ColorTable><Entry c1="200" c2="0" c3="0"/><Entry c1="0" c2="150" c3="0"/><Entry c1="0" c2="0" c3="250"/></ColorTable>'
  gdal('gdal_translate', '-q', '-of', 'VRT', classes.path, vrt)
  await Bun.write(
    vrt,
    (await Bun.file(vrt).text()).replace(
      '<ColorInterp>Gray</ColorInterp>',
      `<ColorInterp>Palette</ColorInterp>${table}`,
    ),
  )
  const path = freshPath('classes.tif')
  gdal('gdal_translate', '-q', vrt, path)
  const { data } = rgba(await save(await inspect(madeAt(path))))
  const colours = new Set(Array.from({ length: data.length / 4 }, (_, i) => data.subarray(4 * i, 4 * i + 3).join(' ')))
  expect([...colours].sort()).toEqual(['0 0 250', '0 150 0', '200 0 0'])
})

test('warns about a raster without CRS and georeference; a band without values has no statistics', async () => {
  const base = geotiff([new Float32Array(100).fill(-1)], 10, '-a_nodata', -1)
  const path = freshPath('bare.tif')
  gdal('gdal_create', '-outsize', 10, 10, '-burn', 5, path)
  const { data, warnings } = await runTool('raster.raster-inspect', { file: madeAt(path) })
  expect(data).toMatchObject({ crs: null, width: 10, height: 10 })
  expect(warnings[0]).toContain('coordinate reference system')
  const { bands } = await inspect(base)
  expect(bands[0]).toMatchObject({ validCount: 0, min: null, max: null, mean: null, histogram: null })
})
