/** A test for each place that reads cells, projects edges into another plane or compares longitudes. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { pointIn, positionsOf, squareDegrees } from '../../support/formats/globe-truth.ts'
import { transformed } from '../../support/formats/proj.ts'
import { freshPath, gdal, geotiff, type Made, madeAt, type Samples } from '../../support/formats/rasters.ts'
import { type Random, seeded, testSeed, whole } from '../../support/random.ts'
import { rounds, someOf } from '../../support/rounds.ts'
import { box, type Given, geojson, refusal, runTool } from '../../support/workers/engine.ts'

const layer = (...geometries: unknown[]): Given => geojson(geometries.map((geometry, i) => [{ i }, geometry]))
const inCrs = (code: number, ...geometries: unknown[]): Given =>
  geojson(
    geometries.map((geometry, i) => [{ i }, geometry]),
    { crs: { type: 'name', properties: { name: `urn:ogc:def:crs:EPSG::${code}` } } },
  )
const points = (...positions: number[][]) => layer(...positions.map((coordinates) => ({ type: 'Point', coordinates })))
const toGeojson = { target_format: 'geojson' }

type Band = { dataType: string; min: number; max: number; mean: number; validCount: number; nodata: unknown }
const bandOf = async (raster: Made) => {
  const { data, warnings } = await runTool('raster.raster-inspect', { file: raster })
  return { ...((data.bands as Band[])[0] as Band), warnings }
}

/** 64 cells of a type that ENVI does not have, or with a nodata value as text. */
function cellsOf(dataType: string, bytes: Uint8Array, ...args: string[]): Made {
  const [raw, vrt, path] = [freshPath('raw.bin'), freshPath('raw.vrt'), freshPath('raster.tif')]
  const size = bytes.length / 64
  writeFileSync(raw, bytes)
  writeFileSync(
    vrt,
    `<VRTDataset rasterXSize="8" rasterYSize="8"><VRTRasterBand dataType="${dataType}" band="1" subClass="VRTRawRasterBand"><SourceFilename>${raw}</SourceFilename><PixelOffset>${size}</PixelOffset><LineOffset>${8 * size}</LineOffset><ByteOrder>LSB</ByteOrder></VRTRasterBand></VRTDataset>`,
  )
  const place = ['-a_srs', 'EPSG:25833', '-a_ullr', '400000', '5800000', '400080', '5799920']
  gdal('gdal_translate', '-q', ...place, ...args, vrt, path)
  return madeAt(path)
}

const bytesOf = (cells: { buffer: ArrayBufferLike }): Uint8Array => new Uint8Array(cells.buffer)
const everywhere = inCrs(25833, box(399_990, 5_799_900, 400_090, 5_800_010))
const zoneOf = async (raster: Made) => {
  const input = { file: everywhere, raster, stats: ['count', 'min', 'max', 'mean', 'median'], ...toGeojson }
  const { geojson: read, warnings } = await runTool('raster.zonal-stats', input)
  return { ...read().features[0]?.properties, warnings }
}
const shadeOf = async (raster: Made): Promise<string> =>
  gdal('gdalinfo', '-checksum', (await runTool('raster.hillshade', { file: raster })).path).match(
    /Checksum=\d+/,
  )?.[0] ?? ''

const HEIGHTS = Int16Array.from({ length: 64 }, (_, i) => (i % 9 === 4 ? -1 : Math.round(100 * Math.sin(i / 5))))
const valid = [...HEIGHTS].filter((value) => value !== -1)
const FIGURES = { min: Math.min(...valid), max: Math.max(...valid) }

test('every tool reads the cell values as the file defines them', async () => {
  const plain = geotiff([HEIGHTS], 8, '-a_nodata', -1)
  const lowest = -3.4028234663852886e38
  const withNodata = (nodata: number) => Float64Array.from(HEIGHTS, (value) => (value === -1 ? nodata : value))
  const rasters: [string, Made][] = [
    [
      'signed bytes',
      cellsOf('Byte', bytesOf(Int8Array.from(HEIGHTS)), '-co', 'PIXELTYPE=SIGNEDBYTE', '-a_nodata', '-1'),
    ],
    ['floats', cellsOf('Float32', bytesOf(Float32Array.from(withNodata(lowest))), '-a_nodata', '-3.40282e+38')],
    ['rounded up', cellsOf('Float32', bytesOf(Float32Array.from(withNodata(lowest))), '-a_nodata', '-3.403e+38')],
    ['short', cellsOf('Float32', bytesOf(Float32Array.from(withNodata(-3.4e38))), '-a_nodata', '-3.4e+38')],
    ['digits', cellsOf('Float32', bytesOf(Float32Array.from(withNodata(-9999.9))), '-a_nodata', '-9999.9')],
    ['doubles', cellsOf('Float64', bytesOf(withNodata(-Number.MAX_VALUE)), '-a_nodata', '-1.79769e+308')],
    [
      '64 bits',
      cellsOf(
        'Int64',
        bytesOf(BigInt64Array.from([...HEIGHTS].map((value) => (value === -1 ? -(2n ** 63n) : BigInt(value))))),
        '-a_nodata',
        '-9223372036854775808',
      ),
    ],
  ]
  const shade = await shadeOf(plain)
  for (const [what, raster] of [['plain', plain] as [string, Made], ...rasters]) {
    expect({ what, ...(await bandOf(raster)) }).toMatchObject({
      what,
      validCount: valid.length,
      ...FIGURES,
      warnings: [],
    })
    expect({ what, ...(await zoneOf(raster)) }).toMatchObject({ what, count: valid.length, ...FIGURES, warnings: [] })
    expect([what, await shadeOf(raster)]).toEqual([what, shade])
    const { path } = await runTool('raster.cog-optimize', { file: raster })
    expect({ what, ...(await bandOf(madeAt(path))) }).toMatchObject({ what, validCount: valid.length, ...FIGURES })
  }
})

test('values that a double cannot hold, and complex numbers, are named or refused', async () => {
  const large = cellsOf('UInt64', bytesOf(BigUint64Array.from({ length: 64 }, (_, i) => 2n ** 63n + BigInt(i))))
  expect((await bandOf(large)).warnings.join()).toContain('beyond 2^53')
  expect((await zoneOf(large)).warnings.join()).toContain('beyond 2^53')
  const complex = cellsOf('CFloat32', bytesOf(Float32Array.from({ length: 128 }, (_, i) => i)))
  expect((await bandOf(complex)).warnings.join()).toContain('real parts')
  const wanted = { code: 'VALIDATION_FAILED', field: 'band', rule: 'complex' }
  expect(await refusal('raster.hillshade', { file: complex })).toMatchObject(wanted)
  const input = { file: everywhere, raster: complex, stats: ['mean'], ...toGeojson }
  expect(await refusal('raster.zonal-stats', input)).toMatchObject(wanted)
})

test('overviews of signed bytes have values of the raster', async () => {
  const cells = Uint8Array.from({ length: 1024 * 1024 }, (_, i) => ((i + (i >> 10)) % 2 === 0 ? 255 : 1))
  const raster = geotiff([cells], 1024, '-co', 'PIXELTYPE=SIGNEDBYTE')
  const { path } = await runTool('raster.cog-optimize', { file: raster })
  const found = gdal('gdallocationinfo', '-valonly', '-overview', 1, path, 100, 100).trim()
  expect(['1', '255', '-1']).toContain(found)
})

test('the preview of few bits reaches white', async () => {
  const band = Uint8Array.from({ length: 64 }, () => 15)
  const rgb = ['-co', 'NBITS=4', '-colorinterp', 'red,green,blue']
  const { data } = await runTool('raster.raster-inspect', { file: geotiff([band, band, band], 8, ...rgb) })
  const path = freshPath('preview.png')
  writeFileSync(path, Buffer.from(data.previewPngB64 as string, 'base64'))
  expect(gdal('gdallocationinfo', '-valonly', path, 4, 4).trim().split('\n')).toEqual(['255', '255', '255', '255'])
})

test('a polygon around a pole, and one across the antimeridian, are complete after a change of CRS', async () => {
  const arctic = inCrs(3413, box(-1e6, -1e6, 1e6, 1e6))
  const antarctic = inCrs(3031, box(-1e6, -1e6, 1e6, 1e6))
  const places = [0, 45, 100, 180, -179, -45].flatMap((x) => [
    [x, 85],
    [x, 75],
    [x, -85],
    [x, -75],
  ])
  for (const [reference, sign] of [
    [arctic, 1],
    [antarctic, -1],
  ] as const) {
    const { data } = await runTool('vector.inside-check', { file: points(...places), reference })
    const inside = (data.results as { relation: string }[]).map(({ relation }) => relation === 'inside')
    expect(inside).toEqual(places.map(([, y]) => y === 85 * sign))
  }
  const convert = async (file: Given) =>
    (await runTool('convert.validate-convert', { file, ...toGeojson })).geojson().features[0]?.geometry
  const pole = await convert(arctic)
  expect([pointIn(pole, 10, 89.9), pointIn(pole, -170, 85), pointIn(pole, 10, 75)]).toEqual([true, true, false])
  // UTM zone 60 ends at the antimeridian
  const across = await convert(inCrs(32660, box(780_000, 1e6, 1e6, 1.2e6)))
  expect(Math.min(...positionsOf(across).map(([x]) => Math.abs(x)))).toBeGreaterThan(178)
  expect([pointIn(across, 179.9, 10), pointIn(across, -179.9, 10)]).toEqual([true, true])
  // a box around the earth keeps its drawn width
  const half = 20_037_508.342
  const world = await convert(inCrs(3857, box(-half, -1e6, half, 1e6)))
  expect(pointIn(world, 0, 0)).toBe(true)
  expect(positionsOf(world)).toHaveLength(5)
  // a layer beyond ±180 has two parts in the plane of a map
  const { features } = (
    await runTool('vector.clip', {
      file: inCrs(3857, box(-half, -1e6, half, 1e6)),
      mask: layer(box(179, -1, 181, 1)),
      ...toGeojson,
    })
  ).geojson()
  const xs = positionsOf(features[0]?.geometry).map(([x]) => Math.abs(x))
  expect(Math.min(...xs)).toBeCloseTo(179, 6)
})

test('a buffer keeps the course of long edges', async () => {
  // the edge along 60 N would be 1.7 km further north as a straight line in a plane
  const { geojson: read } = await runTool('vector.buffer', {
    file: layer(box(-2, 60, 2, 61)),
    distance_m: 1000,
    ...toGeojson,
  })
  const geometry = read().features[0]?.geometry
  // a degree of latitude is 111.41 km long here
  const south = (metres: number): number => 60 - metres / 111_410
  for (const x of [-1.5, 0, 0.7]) {
    expect(pointIn(geometry, x, south(995))).toBe(true)
    expect(pointIn(geometry, x, south(1005))).toBe(false)
  }
})

test('a hillshade warns where its scale does not hold', async () => {
  const heights = Float32Array.from({ length: 64 }, (_, i) => i)
  const at = (code: string, ...corners: number[]) => geotiff([heights], 8, '-a_srs', code, '-a_ullr', ...corners)
  const warned = async (file: Made, more = {}) => (await runTool('raster.hillshade', { file, ...more })).warnings.join()
  expect(await warned(at('EPSG:3857', 0, 8_400_000, 80_000, 8_320_000))).toContain('50 percent')
  expect(await warned(at('EPSG:4326', 0, 60, 10, 0))).toContain('percent')
  expect(await warned(at('EPSG:4326', 0, 50.1, 0.1, 50))).toBe('')
  expect(await warned(at('EPSG:25833', 400_000, 5_800_000, 480_000, 5_720_000))).toBe('')
  expect(await warned(at('EPSG:3857', 0, 8_400_000, 80_000, 8_320_000), { scale: 1 })).toBe('')
})

const LONG_MS = 3_600_000

async function eachSeed(work: (random: Random) => Promise<void>): Promise<void> {
  for (let round = 0; round < rounds(1, 200); round++) {
    const seed = testSeed + round
    process.stderr.write(`replay with TEST_SEED=${seed}\n`)
    await work(seeded(seed))
  }
}

/** Longitudes have no origin: a result does not change when everything turns with the earth. */
test('results are the same after a rotation of the earth', () => eachSeed(turnsWithTheEarth), LONG_MS)

async function turnsWithTheEarth(random: Random): Promise<void> {
  const turns = someOf([-180, -170.5, 10, 179, 180, 190], 2, random)
  const star = (x: number, y: number, radius: number): [number, number][] => {
    const ring = Array.from({ length: 9 }, (_, i): [number, number] => {
      const [angle, length] = [(i * Math.PI * 2) / 9, radius * (0.4 + 0.6 * random())]
      return [x + length * Math.cos(angle), y + length * Math.sin(angle)]
    })
    return [...ring, ring[0] as [number, number]]
  }
  const place = () => [whole(random, 9) - 4, whole(random, 120) - 60] as const
  const stars = Array.from({ length: 6 }, () => star(...place(), 3))
  const others = stars.map(([[x, y] = [0, 0]]) => star(x, y, 3))
  const at = (rings: [number, number][][], turn: number) =>
    layer(...rings.map((ring) => ({ type: 'Polygon', coordinates: [ring.map(([x, y]) => [x + turn, y])] })))
  const figures = async (turn: number): Promise<number[]> => {
    const [file, other] = [at(stars, turn), at(others, turn)]
    const check = await runTool('vector.inside-check', { file, reference: other })
    const result = async (id: string, more: object): Promise<number[]> => {
      const ran = await runTool(id, { file, ...more, target_format: 'geojson', coordinate_precision: 12 })
      return ran.geojson().features.map(({ geometry }) => squareDegrees(geometry))
    }
    return [
      ...(check.data.results as { percentInside: number }[]).map(({ percentInside }) => percentInside),
      ...(await result('vector.clip', { mask: other })),
      ...(await result('vector.erase', { mask: other })),
      ...(await result('vector.intersect', { overlay: other })),
      ...(await result('vector.buffer', { distance_m: 5000 })),
      ...(await result('vector.dissolve', {})),
      ...(await result('vector.convex-hull', {})),
    ]
  }
  // percentages are rounded to six decimals
  const here = await figures(0)
  for (const turn of turns) {
    const there = await figures(turn)
    expect(there.length).toBe(here.length)
    for (const [i, value] of there.entries()) expect(Math.abs(value - (here[i] as number))).toBeLessThan(2e-6)
  }
}

test('zones of any place have the cells whose centres PROJ finds in them', () => eachSeed(zonesAgreeWithProj), LONG_MS)

async function zonesAgreeWithProj(random: Random): Promise<void> {
  const side = 60
  const values: Samples = Uint16Array.from({ length: side * side }, (_, i) => i)
  const systems = [
    ['EPSG:3035', 2_500_000, 5_500_000, 50_000],
    ['EPSG:3413', -1_500_000, 1_500_000, 50_000],
    ['EPSG:3832', 1_000_000, 1_500_000, 50_000],
    ['EPSG:32660', 300_000, 3_000_000, 20_000],
  ] as const
  for (const [code, left, top, cell] of someOf(systems, 2, random)) {
    const raster = geotiff([values], side, '-a_srs', code, '-a_ullr', left, top, left + side * cell, top - side * cell)
    const centres = Array.from({ length: side * side }, (_, i): [number, number] => [
      left + ((i % side) + 0.5) * cell,
      top - (Math.floor(i / side) + 0.5) * cell,
    ])
    const places = transformed(code, 'EPSG:4326', centres).map(([x, y]): [number, number] => [x, y])
    const zones = Array.from({ length: 4 }, () => {
      const [x, y] = places[whole(random, places.length)] as [number, number]
      const [width, height] = [1 + 30 * random(), 1 + 10 * random()]
      return [x - width, Math.max(-90, y - height), x + width, Math.min(90, y + height)] as const
    })
    const input = { file: layer(...zones.map((zone) => box(...zone))), raster, stats: ['count', 'sum'], ...toGeojson }
    const { features } = (await runTool('raster.zonal-stats', input)).geojson()
    for (const [i, [west, south, east, north]] of zones.entries()) {
      const inside = [...places.keys()].filter((at) => {
        const [x, y] = places[at] as [number, number]
        return y > south && y < north && [x, x - 360, x + 360].some((turned) => turned > west && turned < east)
      })
      const sum = inside.reduce((total, at) => total + (values[at] as number), 0)
      expect([code, zones[i], features[i]?.properties]).toMatchObject([
        code,
        zones[i],
        { count: inside.length, sum: inside.length === 0 ? null : sum },
      ])
    }
  }
}
