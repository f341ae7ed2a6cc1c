/** Zonal statistics, compared with a plain loop over all cell centres as gdal_translate prints them. */
import { describe, expect, test } from 'bun:test'
import { OrderStatistics, orderStatisticsByRanges } from '../../../../src/lib/raster/order-statistics.ts'
import { star } from '../../../support/formats/geometries.ts'
import { gdal, geotiff, type Made, terrain } from '../../../support/formats/rasters.ts'
import { runProgram } from '../../../support/program.ts'
import { seeded } from '../../../support/random.ts'
import { box, geojson, refusal, runTool } from '../../../support/workers/engine.ts'

const STATS = [
  'count',
  'sum',
  'mean',
  'min',
  'max',
  'median',
  'std',
  'range',
  'majority',
  'minority',
  'variety',
] as const
type Ring = [number, number][]
type Row = Record<(typeof STATS)[number], number | null>

const [W, H] = [300, 220]
/** Upper left corner and cell size of the rasters that geotiff() makes. */
const [X, Y, SIDE] = [400_000, 5_800_000, 10]
const UTM = { crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::25833' } } }

function inside(rings: readonly Ring[], x: number, y: number): boolean {
  let odd = false
  for (const ring of rings)
    for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
      const [[x1, y1], [x2, y2]] = [ring[i] as [number, number], ring[j] as [number, number]]
      if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) odd = !odd
    }
  return odd
}

/** Every cell with its centre, as gdal_translate prints it. */
function cellsOf(file: Made, band = 1): { x: number; y: number; value: number }[] {
  return gdal('gdal_translate', '-q', '-of', 'XYZ', '-b', band, file.path, '/vsistdout/')
    .trim()
    .split('\n')
    .map((line) => {
      const [x = 0, y = 0, value = 0] = line.split(' ').map(Number)
      return { x, y, value }
    })
}

function plainLoop(values: number[]): Row {
  if (values.length === 0)
    return { ...(Object.fromEntries(STATS.map((stat) => [stat, null])) as Row), count: 0, variety: 0 }
  const sorted = values.toSorted((a, b) => a - b)
  const counts = new Map<number, number>()
  for (const value of sorted) counts.set(value, (counts.get(value) ?? 0) + 1)
  const sum = values.reduce((total, value) => total + value, 0)
  const mean = sum / values.length
  const [min, max] = [sorted[0] as number, sorted.at(-1) as number]
  const pick = (better: (a: number, b: number) => boolean): number =>
    [...counts].reduce((best, next) => (better(next[1], best[1]) ? next : best))[0]
  return {
    count: values.length,
    sum,
    mean,
    min,
    max,
    range: max - min,
    variety: counts.size,
    median: ((sorted[(values.length - 1) >> 1] as number) + (sorted[values.length >> 1] as number)) / 2,
    std: Math.sqrt(values.reduce((total, value) => total + (value - mean) ** 2, 0) / values.length),
    majority: pick((a, b) => a > b),
    minority: pick((a, b) => a < b),
  }
}

const zones = (rings: readonly Ring[][], crs: object = UTM) =>
  geojson(
    rings.map((coordinates, i) => [{ id: i }, { type: 'Polygon', coordinates }]),
    crs,
  )

async function zonal(file: ReturnType<typeof zones>, raster: Made, more: object = {}) {
  const ran = await runTool('raster.zonal-stats', {
    file,
    raster,
    target_format: 'geojson',
    stats: [...STATS],
    ...more,
  })
  return { ...ran, rows: ran.geojson().features.map(({ properties }) => properties as Row) }
}

function expectRow(mine: Row, theirs: Row): void {
  for (const stat of STATS)
    if (theirs[stat] === null) expect({ stat, value: mine[stat] }).toEqual({ stat, value: null })
    else
      expect(Math.abs((mine[stat] as number) - theirs[stat])).toBeLessThanOrEqual(1e-9 * Math.abs(theirs[stat]) + 1e-7)
}

/** Random stars inside, across the edge and outside of the raster; some with a hole, some smaller than a cell. */
function randomZones(count: number, seed: number): Ring[][] {
  const random = seeded(seed)
  return Array.from({ length: count }, (_, i) => {
    const [x, y] = [X + (random() * 1.2 - 0.1) * W * SIDE, Y - (random() * 1.2 - 0.1) * H * SIDE]
    const radius = i % 5 === 0 ? 3 : 20 + random() * 500
    const outer = star(random, x, y, radius, 5 + Math.floor(random() * 20)) as Ring
    return i % 3 === 0 ? [outer, star(random, x, y, radius * 0.2, 7) as Ring] : [outer]
  })
}

const land = terrain(W, H)
const holes = (value: number, i: number): number => (i % 11 === 0 ? -9999 : value)
const RASTERS: [string, () => Made, (value: number) => boolean][] = [
  [
    'floats with nodata',
    () =>
      geotiff(
        [Float32Array.from(land, holes)],
        W,
        '-a_nodata',
        -9999,
        '-co',
        'COMPRESS=DEFLATE',
        '-co',
        'TILED=YES',
        '-co',
        'BLOCKXSIZE=64',
        '-co',
        'BLOCKYSIZE=64',
      ),
    (v) => v !== -9999,
  ],
  [
    'classes of bytes',
    () => geotiff([Uint8Array.from(land, (v) => Math.round((v - 400) / 20))], W, '-a_nodata', 3),
    (v) => v !== 3,
  ],
  [
    'floats with NaN',
    () => geotiff([Float32Array.from(land, (v, i) => (i % 4 ? v : Number.NaN))], W),
    (v) => !Number.isNaN(v),
  ],
]

test.each(RASTERS)('%s: every statistic of sixty zones', async (_what, make, isValue) => {
  const [raster, rings] = [make(), randomZones(60, 5)]
  const { rows, data } = await zonal(zones(rings), raster)
  const cells = cellsOf(raster)
  const expected = rings.map((zone) =>
    plainLoop(cells.filter(({ x, y, value }) => isValue(value) && inside(zone, x, y)).map(({ value }) => value)),
  )
  for (const [i, row] of rows.entries()) expectRow(row, expected[i] as Row)
  expect(data).toMatchObject({
    inputFeatureCount: 60,
    zones: 60,
    band: 1,
    stats: [...STATS],
    zonesWithData: expected.filter(({ count }) => (count as number) > 0).length,
  })
  expect(data.zonesWithData).toBeWithin(20, 60)
})

test('adjacent zones share no cell and together have all cells', async () => {
  const raster = geotiff([new Float32Array(W * H).fill(1)], W)
  // borders that pass exactly through cell centres
  const grid = [0, 1, 2, 3].flatMap((i) =>
    [0, 1, 2].map((k): Ring[] => {
      const [x1, y1] = [X + i * 750 - 5, Y - k * 735 + 5]
      return box(x1, y1 - 735, x1 + 750, y1).coordinates as Ring[]
    }),
  )
  const { rows } = await zonal(zones(grid), raster)
  expect(rows.reduce((sum, { count }) => sum + (count as number), 0)).toBe(W * H)
})

test('zones in degrees work with a raster in metres', async () => {
  const raster = geotiff([Float32Array.from(land)], W)
  const rings = randomZones(20, 9)
  const corners = rings.flat(2).map(([x, y]) => `${x} ${y}`)
  const moved = runProgram('gdaltransform', ['-s_srs', 'EPSG:25833', '-t_srs', 'EPSG:4326', '-output_xy'], {
    input: Buffer.from(corners.join('\n')),
  })
  // gdaltransform prints latitude first here
  const degrees = moved.stdout
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number).reverse() as [number, number])
  let next = 0
  const rows = rings.map((zone) => zone.map((ring) => ring.map(() => degrees[next++] as [number, number])))
  const flip =
    (degrees[0]?.[0] ?? 0) > 40
      ? rows.map((zone) => zone.map((ring) => ring.map(([a, b]): [number, number] => [b, a])))
      : rows
  const [mine, plain] = [await zonal(zones(flip, {}), raster), await zonal(zones(rings), raster)]
  expect(mine.data.crs).toBe('EPSG:4326')
  for (const [i, row] of mine.rows.entries()) expectRow(row, plain.rows[i] as Row)
})

test('another band, a mask, and a rotated raster', async () => {
  const mask = Uint8Array.from(land, (v) => (v > 500 ? 255 : 0))
  const bytes = Uint8Array.from(land, (v) => (v - 395) * 1.2)
  const raster = geotiff([bytes, bytes.map((v) => 255 - v), bytes, mask], W, '-b', 1, '-b', 2, '-b', 3, '-mask', 4)
  const rings = randomZones(10, 3)
  const { rows, data } = await zonal(zones(rings), raster, { band: 2 })
  expect(data.band).toBe(2)
  const cells = cellsOf(raster, 2).filter((_, i) => mask[i] === 255)
  for (const [i, row] of rows.entries())
    expectRow(row, plainLoop(cells.filter(({ x, y }) => inside(rings[i] as Ring[], x, y)).map(({ value }) => value)))

  // rotated by 90 degrees: columns run upwards, rows to the right
  const turned = geotiff([Float32Array.from(land)], W)
  gdal('gdal_edit.py', '-a_ullr', X, Y, X + 10, Y - 10, turned.path)
  const { rows: whole } = await zonal(zones([box(X - 1, Y - 11, X + 11, Y + 1).coordinates as Ring[]]), {
    ...turned,
    content: Buffer.from(await Bun.file(turned.path).bytes()),
  })
  expect(whole[0]?.count).toBe(W * H)
})

test('a zone outside the area of use of the CRS has no data, with a warning', async () => {
  const raster = geotiff([Float32Array.from(land)], W)
  const far = box(-75, -10, -74, -9).coordinates as Ring[]
  const near = box(13.54, 52.325, 13.56, 52.34).coordinates as Ring[]
  const { rows, data } = await zonal(zones([far, near], {}), raster)
  expect(rows[0]).toMatchObject({ count: 0, mean: null })
  expect(rows[1]?.count).toBeGreaterThan(100)
  expect(data.zonesWithData).toBe(1)
})

test('a column with the name of a statistic is kept, and the statistic gets another name', async () => {
  const raster = geotiff([Float32Array.from(land)], W)
  const file = geojson([[{ mean: 'mine' }, box(X, Y - 100, X + 100, Y)]], UTM)
  const ran = await runTool('raster.zonal-stats', { file, raster, target_format: 'geojson', stats: ['mean'] })
  expect(ran.geojson().features[0]?.properties).toEqual({ mean: 'mine', mean_2: expect.any(Number) })
  expect(ran.warnings).toEqual([expect.stringContaining('mean_2')])
})

test('a zone with more cells than fit into memory has the same statistics', async () => {
  const [width, height] = [5_100, 5_000]
  // values 0 to 16 are equally frequent, except for 16, which occurs once more in every 17 rows
  const cells = Uint8Array.from({ length: width * height }, (_, i) => (i % width === 0 ? 16 : i % 17))
  const counts = new Array<number>(17).fill(0)
  for (const value of cells) counts[value] = (counts[value] as number) + 1
  const raster = geotiff([cells], width, '-co', 'COMPRESS=DEFLATE', '-co', 'TILED=YES')
  const whole = zones([box(X - 5, Y - 10 * height - 5, X + 10 * width + 5, Y + 5).coordinates as Ring[]])
  const { rows } = await zonal(whole, raster)
  let below = 0
  const median = counts.findIndex((count) => {
    below += count
    return below >= cells.length / 2
  })
  expect(rows[0]).toMatchObject({
    count: cells.length,
    min: 0,
    max: 16,
    range: 16,
    variety: 17,
    median,
    majority: counts.indexOf(Math.max(...counts)),
    minority: counts.indexOf(Math.min(...counts)),
    sum: counts.reduce((sum, count, value) => sum + count * value, 0),
  })
}, 120_000)

test('order statistics of more values than fit into memory equal the statistics of the sorted values', async () => {
  const random = seeded(21)
  const kinds = [
    () => Math.fround(random() * 1e6),
    () => Math.floor(random() * 5),
    () => (random() < 0.9 ? 4.25 : random()),
    () => 1e15 + Math.floor(random() * 3),
  ]
  for (const kind of kinds) {
    const values = Float64Array.from({ length: 20_000 }, kind)
    const expected = new OrderStatistics(values.length)
    expected.addAll(values.slice())
    const ranges = new OrderStatistics(values.length)
    const scan = async (take: (value: number) => void): Promise<void> => {
      for (const value of values) take(value)
    }
    await orderStatisticsByRanges(ranges, scan, Math.min(...values), Math.max(...values), values.length, 700)
    const reported = ({ variety, majority, minority, median }: OrderStatistics) => ({
      variety,
      majority,
      minority,
      median,
    })
    expect(reported(ranges)).toEqual(reported(expected))
    const { median, majority, minority, variety } = plainLoop([...values])
    expect(reported(ranges) as object).toEqual({ variety, majority, minority, median })
  }
})

describe('rejects', () => {
  const raster = () => geotiff([Float32Array.from(land)], W)
  const zone = () => zones([box(X, Y - 100, X + 100, Y).coordinates as Ring[]])
  const refuse = (more: object) =>
    refusal('raster.zonal-stats', {
      file: zone(),
      raster: raster(),
      target_format: 'geojson',
      stats: ['mean'],
      ...more,
    })

  test.each([
    ['an unknown statistic', { stats: ['mean', 'average'] }, 'stats.1', 'enum'],
    ['no statistic', { stats: [] }, 'stats', 'minItems'],
    ['a statistic twice', { stats: ['mean', 'mean'] }, 'stats', 'uniqueItems'],
    ['a band of 0', { band: 0 }, 'band', 'minimum'],
    ['a band of 1.5', { band: 1.5 }, 'band', 'multipleOf'],
  ])('%s', async (_what, more, field, rule) => {
    expect(await refuse(more)).toMatchObject({ code: 'VALIDATION_FAILED', field, rule })
  })

  test('a band that does not exist, zones that are not polygons, a raster without georeference', async () => {
    expect(await refuse({ band: 2 })).toMatchObject({ code: 'VALIDATION_FAILED', field: 'band', rule: 'maximum' })
    expect(await refuse({ file: 'stations.geojson' })).toMatchObject({ field: 'file', rule: 'polygons' })
    expect(await refuse({ raster: 'logo.png' })).toMatchObject({
      code: 'INPUT_UNREADABLE',
      field: 'raster',
      rule: 'format',
    })
    const { path } = raster()
    gdal('gdal_edit.py', '-unsetgt', path)
    const bare = { name: 'bare.tif', content: Buffer.from(await Bun.file(path).bytes()) }
    expect(await refuse({ raster: bare })).toMatchObject({ field: 'raster', rule: 'georeference' })
  })
})
