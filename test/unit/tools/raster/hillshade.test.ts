/** Hillshade, compared with gdaldem cell by cell and with the closed form of a plane. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { freshPath, gdal, geotiff, info, type Made, madeAt, terrain } from '../../../support/formats/rasters.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

/** Bytes of a raster in reading order, as GDAL reads them. */
function bytesOf(path: string): Uint8Array {
  const raw = freshPath('cells.bil')
  gdal('gdal_translate', '-q', '-of', 'ENVI', path, raw)
  return new Uint8Array(readFileSync(raw))
}

async function shade(file: Made | string, settings: Record<string, unknown> = {}) {
  const { data, path, filename, warnings } = await runTool('raster.hillshade', { file, ...settings })
  return { data, path, filename, warnings, cells: bytesOf(path) }
}

function gdaldem(file: Made, ...options: (string | number)[]): Uint8Array {
  const path = freshPath('gdaldem.tif')
  gdal('gdaldem', 'hillshade', file.path, path, '-q', ...options)
  return bytesOf(path)
}

/** gdaldem divides by an approximate square root, so a shade close to a half may be rounded the other way. */
const MAX_ROUNDED_OTHERWISE = 0.0005

function expectSame(ours: Uint8Array, theirs: Uint8Array): void {
  expect(ours.length).toBe(theirs.length)
  let [differing, max] = [0, 0]
  for (let i = 0; i < ours.length; i++) {
    const off = Math.abs((ours[i] as number) - (theirs[i] as number))
    if (off > 0) differing++
    max = Math.max(max, off)
  }
  expect(max).toBeLessThanOrEqual(1)
  expect(differing / ours.length).toBeLessThanOrEqual(MAX_ROUNDED_OTHERWISE)
}

const [W, H] = [310, 230]
const land = terrain(W, H)
const floats = () => Float32Array.from(land)
/** Cells of 3 seconds of arc at 47° north. */
const IN_DEGREES = ['-a_srs', 'EPSG:4326', '-a_ullr', 10, 47.1, 10 + W / 1200, 47.1 - H / 1200]

const SETTINGS: [string, Record<string, unknown>, (string | number)[]][] = [
  ['defaults', {}, []],
  ['light from the south-east, low', { azimuth: 120, altitude: 12 }, ['-az', 120, '-alt', 12]],
  ['light from above', { altitude: 90 }, ['-alt', 90]],
  ['exaggerated', { z_factor: 7.5 }, ['-z', 7.5]],
  ['a scale', { scale: 0.3048 }, ['-s', 0.3048]],
  ['several directions', { multidirectional: true }, ['-multidirectional']],
  [
    'several directions, exaggerated and low',
    { multidirectional: true, z_factor: 3, altitude: 20, scale: 2 },
    ['-multidirectional', '-z', 3, '-alt', 20, '-s', 2],
  ],
]

describe('matches gdaldem', () => {
  test.each(SETTINGS)('%s', async (_name, settings, options) => {
    const file = geotiff([floats()], W)
    expectSame((await shade(file, settings)).cells, gdaldem(file, ...options))
  })

  test.each([
    ['16 bits with holes', () => geotiff([holes(Int16Array.from(land), -9999)], W, '-a_nodata', -9999)],
    ['floats with holes', () => geotiff([holes(floats(), -3.4e38)], W, '-a_nodata', -3.4e38)],
    ['doubles with holes of NaN', () => geotiff([holes(Float64Array.from(land), Number.NaN)], W, '-a_nodata', 'nan')],
    ['bytes', () => geotiff([Uint8Array.from(land, (v) => v / 4)], W)],
    ['compressed tiles', () => geotiff([floats()], W, '-co', 'TILED=YES', '-co', 'COMPRESS=DEFLATE')],
    ['strips of one row', () => geotiff([floats()], W, '-co', 'BLOCKYSIZE=1')],
  ] as const)('%s', async (_name, make) => {
    const file = make()
    const { cells, data } = await shade(file)
    const expected = gdaldem(file)
    expectSame(cells, expected)
    expect(data.validCells).toBe(expected.filter((value) => value > 0).length)
  })

  test('of the second band', async () => {
    const file = geotiff([floats(), floats().reverse()], W)
    expectSame((await shade(file, { band: 2 })).cells, gdaldem(file, '-b', 2))
  })

  test('in degrees with a scale', async () => {
    const file = geotiff([floats()], W, ...IN_DEGREES)
    const { cells, data } = await shade(file, { scale: 111_120 })
    expectSame(cells, gdaldem(file, '-s', 111_120))
    expect(data).toMatchObject({ crs: 'EPSG:4326', scaleX: 111_120, scaleY: 111_120 })
  })

  test('across windows, read in several parts', async () => {
    const [width, height] = [2600, 1900]
    const file = geotiff([Float32Array.from(terrain(width, height))], width)
    expectSame((await shade(file)).cells, gdaldem(file))
  })
})

function holes<T extends Int16Array | Float32Array | Float64Array>(cells: T, nodata: number): T {
  for (let i = 0; i < cells.length; i++) if (i % 97 === 0 || (i % W > 100 && i % W < 120)) cells[i] = nodata
  return cells
}

/** Shade of a plane with the given rises per metre to the east and to the north. */
function planeShade(east: number, north: number, azimuth: number, altitude: number): number {
  const [az, alt] = [azimuth, altitude].map((degrees) => (degrees * Math.PI) / 180) as [number, number]
  const light = [Math.sin(az) * Math.cos(alt), Math.cos(az) * Math.cos(alt), Math.sin(alt)] as const
  const normal = [-east, -north, 1] as const
  const dot = normal[0] * light[0] + normal[1] * light[1] + normal[2] * light[2]
  return Math.round(1 + 254 * Math.max(0, dot / Math.hypot(...normal)))
}

const [PW, PH] = [12, 9]
const inner = (cells: Uint8Array): number[] => [...cells].filter((_, i) => !isEdge(i % PW, Math.floor(i / PW)))
const isEdge = (x: number, y: number): boolean => x === 0 || y === 0 || x === PW - 1 || y === PH - 1
/** Heights at the centres of cells of 10 m. */
const plane = (east: number, north: number): Float64Array<ArrayBuffer> =>
  Float64Array.from({ length: PW * PH }, (_, i) => 10 * east * (i % PW) - 10 * north * Math.floor(i / PW))

test.each([
  [0, 0, 315, 45],
  [0.5, 0, 90, 30],
  [0.5, 0, 270, 30],
  [0, 0.25, 180, 60],
  [-0.3, 0.8, 315, 45],
  [2, 2, 45, 10],
])('a plane of slope %d east and %d north in light from %d at %d', async (east, north, azimuth, altitude) => {
  const { cells, data } = await shade(geotiff([plane(east, north)], PW), { azimuth, altitude })
  expect(new Set(inner(cells))).toEqual(new Set([planeShade(east, north, azimuth, altitude)]))
  expect(data).toEqual({
    crs: 'EPSG:25833',
    width: PW,
    height: PH,
    validCells: (PW - 2) * (PH - 2),
    scaleX: 1,
    scaleY: 1,
  })
})

test('without a scale, degrees count as metres at the latitude of the centre', async () => {
  const cell = 0.001
  const north = 60 + (PH * cell) / 2
  const place = ['-a_srs', 'EPSG:4326', '-a_ullr', 10, north, 10 + PW * cell, north - PH * cell]
  const metres = (6_378_137 * Math.PI) / 180
  // a plane that rises by 0.4 for each metre to the east and 0.2 to the north
  const heights = Float64Array.from({ length: PW * PH }, (_, i) => {
    const [x, y] = [i % PW, Math.floor(i / PW)]
    return 0.4 * x * cell * metres * 0.5 - 0.2 * y * cell * metres
  })
  const { cells, data } = await shade(geotiff([heights], PW, ...place))
  expect(new Set(inner(cells))).toEqual(new Set([planeShade(0.4, 0.2, 315, 45)]))
  expect(data.scaleY).toBeCloseTo(metres, 6)
  expect(data.scaleX).toBeCloseTo(metres / 2, 6)
})

test('a rotated raster is shaded by true directions', async () => {
  const vrt = freshPath('turned.vrt')
  const [cos, sin] = [Math.cos(0.5), Math.sin(0.5)]
  // columns run along (cos, sin), rows along (sin, -cos); the plane rises by 0.6 for each metre to the east
  const heights = Float64Array.from(
    { length: PW * PH },
    (_, i) => 6 * ((i % PW) * cos + Math.floor(i / PW) * sin) + 100,
  )
  gdal('gdal_translate', '-q', '-of', 'VRT', geotiff([heights], PW).path, vrt)
  const transform = `<GeoTransform>400000, ${10 * cos}, ${10 * sin}, 5800000, ${10 * sin}, ${-10 * cos}</GeoTransform>`
  await Bun.write(vrt, (await Bun.file(vrt).text()).replace(/<GeoTransform>.*<\/GeoTransform>/, transform))
  const path = freshPath('turned.tif')
  gdal('gdal_translate', '-q', vrt, path)
  const { cells } = await shade(madeAt(path), { azimuth: 250, altitude: 40 })
  expect(new Set(inner(cells))).toEqual(new Set([planeShade(0.6, 0, 250, 40)]))
})

test('writes bytes in compressed tiles at the same position, with 0 as nodata', async () => {
  const { path, filename } = await shade('dem.tif')
  const source = info('test/fixtures/tools/dem.tif')
  const made = info(path)
  expect(filename).toBe('dem_hillshade.tif')
  expect(made.size).toEqual(source.size)
  expect(made.cornerCoordinates).toEqual(source.cornerCoordinates)
  expect(made.metadata.IMAGE_STRUCTURE).toMatchObject({ COMPRESSION: 'DEFLATE' })
  expect(made.bands).toHaveLength(1)
  expect(made.bands[0]).toMatchObject({ type: 'Byte', noDataValue: 0 })
})

test('masked cells and their neighbours have no shade', async () => {
  const mask = Uint8Array.from({ length: PW * PH }, (_, i) => (i === 4 * PW + 5 ? 0 : 255))
  const file = geotiff(
    [plane(0.1, 0), mask].map((band) => Float32Array.from(band)),
    PW,
    '-b',
    1,
    '-mask',
    2,
  )
  const { data, cells } = await shade(file)
  expect(data.validCells).toBe((PW - 2) * (PH - 2) - 9)
  expect(cells[4 * PW + 5]).toBe(0)
})

test('a raster of nodata, and one too narrow for neighbours, give nodata', async () => {
  const empty = geotiff([new Float32Array(PW * PH).fill(-1)], PW, '-a_nodata', -1)
  expect((await shade(empty)).data).toMatchObject({ validCells: 0 })
  expect((await shade(geotiff([new Float32Array(8)], 2))).data).toMatchObject({ width: 2, height: 4, validCells: 0 })
})

test('warns about values that are stored with a scale, and about a missing CRS', async () => {
  const scaled = await shade(geotiff([floats()], W, '-a_scale', 0.1))
  expect(scaled.warnings).toEqual(["Values are as stored: the raster's scale of 0.1 and offset of 0 were not applied."])
  const { warnings, data } = await shade(geotiff([floats()], W, '-a_srs', 'LOCAL_CS["grid",UNIT["metre",1]]'))
  expect(data.crs).toBeNull()
  expect(warnings).toEqual([
    'The file has no coordinate reference system: its positions were assumed to have the unit of the elevations.',
  ])
})

test.each([
  [{ file: 'dem.tif', band: 2 }, 'VALIDATION_FAILED', 'band'],
  [{ file: 'dem.tif', azimuth: 361 }, 'VALIDATION_FAILED', 'azimuth'],
  [{ file: 'dem.tif', altitude: -1 }, 'VALIDATION_FAILED', 'altitude'],
  [{ file: 'dem.tif', scale: 0 }, 'VALIDATION_FAILED', 'scale'],
  [{ file: 'stations.geojson' }, 'INPUT_UNREADABLE', 'file'],
])('rejects %p', async (input, code, field) => {
  expect(await refusal('raster.hillshade', input)).toMatchObject({ code, field })
})

test('rejects a raster that has no georeference, is broken, or is too large', async () => {
  const loose = freshPath('loose.tif')
  gdal('gdal_translate', '-q', '-of', 'GTiff', '-co', 'PROFILE=BASELINE', geotiff([floats()], W).path, loose)
  expect(await refusal('raster.hillshade', { file: madeAt(loose) })).toMatchObject({
    code: 'INPUT_UNREADABLE',
    rule: 'georeference',
  })
  const whole = geotiff([floats()], W, '-co', 'COMPRESS=DEFLATE').content
  const broken = {
    name: 'broken.tif',
    content: Buffer.concat([whole.subarray(0, 60_000), Buffer.alloc(whole.length - 60_000)]),
  }
  expect(await refusal('raster.hillshade', { file: broken })).toMatchObject({ code: 'INPUT_UNREADABLE', field: 'file' })
  const huge = freshPath('huge.tif')
  gdal(
    'gdal_create',
    '-q',
    '-of',
    'GTiff',
    '-ot',
    'Byte',
    '-bands',
    1,
    '-outsize',
    70_000,
    70_000,
    '-co',
    'SPARSE_OK=TRUE',
    '-co',
    'TILED=YES',
    huge,
  )
  expect(await refusal('raster.hillshade', { file: madeAt(huge) })).toMatchObject({
    code: 'FILE_TOO_LARGE',
    rule: 'samples',
  })
})
