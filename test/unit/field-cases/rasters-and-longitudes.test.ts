/** Longitudes, long edges, collections and types of cells: inputs from public bug reports, with the correct results. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pointIn, positionsOf, zoneM2 } from '../../support/formats/globe-truth.ts'
import { box, type Geometry, type Given, geojson, refusal, runTool } from '../../support/workers/engine.ts'

const CASES = join(import.meta.dir, '../../fixtures/field-cases')
const given = (name: string): Given => ({ name, content: readFileSync(join(CASES, name)) })
const layer = (...geometries: unknown[]): Given => geojson(geometries.map((geometry, i) => [{ i }, geometry]))
const line = (...coordinates: number[][]) => ({ type: 'LineString', coordinates })
const toGeojson = { target_format: 'geojson' }

const only = async (id: string, input: Record<string, unknown>) => {
  const ran = await runTool(id, { ...input, ...toGeojson })
  return { ...ran, first: ran.geojson().features[0] }
}
const xsOf = (geometry: Geometry | null | undefined): number[] => positionsOf(geometry).map(([x]) => x)

const stats = ['count', 'min', 'max', 'mean']
const zonal = async (zone: Given, raster: Given, wanted = stats) => {
  const { geojson: read, warnings } = await runTool('raster.zonal-stats', {
    file: zone,
    raster,
    stats: wanted,
    ...toGeojson,
  })
  return { rows: read().features.map(({ properties }) => properties), warnings }
}

test('a zone across the antimeridian has the cells of both sides, wherever raster and zone begin to count', async () => {
  const expected = { count: 8, min: 0, max: 179, mean: 89.5 }
  for (const [west, east] of [
    [176, 184],
    [-184, -176],
  ] as const) {
    const { rows } = await zonal(layer(box(west, 0, east, 4)), given('17-world.tif'))
    expect(rows).toMatchObject([expected])
  }
  expect((await zonal(given('17-zone.geojson'), given('17-world.tif'))).rows).toMatchObject([expected])
})

test('the bounds of a raster around a pole contain the pole', async () => {
  const { data } = await runTool('raster.raster-inspect', { file: given('18-pole.tif') })
  const [west, south, east, north] = data.boundsWgs84 as number[]
  expect([west, east, north]).toEqual([-180, 180, 90])
  expect(south).toBeCloseTo(76.9988, 3)
})

test('a line takes the short way across the antimeridian in every tool', async () => {
  const across = given('19-line.geojson')
  const buffer = await only('vector.buffer', { file: across, distance_m: 1000 })
  const xs = xsOf(buffer.first?.geometry)
  expect(Math.min(...xs.map(Math.abs))).toBeGreaterThan(169.98)
  expect(pointIn(buffer.first?.geometry, 175, 0) && pointIn(buffer.first?.geometry, -175, 0)).toBe(true)

  const centre = await only('vector.centroids', { file: across })
  expect(Math.abs(centre.first?.geometry?.coordinates[0] as never as number)).toBeCloseTo(180, 9)

  const bent = layer(line([170, 0], [-179, 0.0001], [-170, 0]))
  const simple = await only('vector.simplify', { file: bent, tolerance: 0.01 })
  expect(Math.min(...xsOf(simple.first?.geometry).map(Math.abs))).toBe(170)

  const hull = await only('vector.convex-hull', { file: layer(line([170, 0], [-170, 0], [-175, 5])) })
  expect(Math.min(...xsOf(hull.first?.geometry).map(Math.abs))).toBe(170)

  const cells = await only('vector.grid', { file: across, cell_size_m: 500_000 })
  expect(cells.data.cols).toBe(5)

  // it is outside of a reference from −160 to 160, and fully inside one that crosses the antimeridian
  const middle = layer(box(-160, -5, 160, 5))
  const check = async (reference: Given) => (await runTool('vector.inside-check', { file: across, reference })).data
  expect((await check(middle)).results).toMatchObject([{ relation: 'outside' }])
  expect((await check(layer(box(165, -5, 195, 5)))).results).toMatchObject([{ relation: 'inside', percentInside: 100 }])
  const half = await runTool('vector.inside-check', { file: across, reference: layer(box(165, -5, 180, 5)) })
  expect(half.data.results).toMatchObject([{ relation: 'partial', percentInside: 50 }])

  const clipped = await only('vector.clip', { file: across, mask: layer(box(-180, -5, -175, 5)) })
  expect(xsOf(clipped.first?.geometry).sort((a, b) => a - b)).toEqual([-180, -175])
  const joined = await runTool('vector.spatial-join', { file: across, join: middle, ...toGeojson })
  expect(joined.data.matchedCount).toBe(0)

  const closed = line([179, 0], [-179, 0], [-179, 1], [179, 1])
  const polygon = await runTool('vector.line-to-polygon-file', { file: layer(closed) })
  expect(Math.min(...xsOf(polygon.geojson().features[0]?.geometry).map(Math.abs))).toBe(179)
  const shape = await runTool('vector.line-to-polygon', { coordinates: closed.coordinates })
  expect(shape.data.stats).toMatchObject({ bbox: [179, 0, -179, 1] })
})

test('the centroid and the hull of parts on both sides of the antimeridian are near it', async () => {
  const both = given('45-both-sides.geojson')
  const { first } = await only('vector.centroids', { file: both })
  const [position] = positionsOf(first?.geometry)
  expect(position?.map(Math.abs)).toEqual([expect.closeTo(180, 9), expect.closeTo(16.5, 9)])
  for (const id of ['vector.convex-hull', 'vector.concave-hull']) {
    const hull = await only(id, { file: both })
    expect(Math.min(...xsOf(hull.first?.geometry).map(Math.abs))).toBe(179)
  }
})

test('areas of more than a hemisphere match the closed form on the globe', async () => {
  const areaOf = async (file: Given) => (await runTool('vector.area-length', { file, ...toGeojson })).geojson().features
  const [world] = await areaOf(given('101-world-minus-hole.geojson'))
  const near = (value: unknown, wanted: number, share: number) =>
    expect(Math.abs((value as number) / wanted - 1)).toBeLessThan(share)
  near(world?.properties.area_m2, zoneM2(-90, 90, 360) - zoneM2(50, 51, 1), 1e-6)
  // with a position every 10 degrees, edges are geodesics between them
  const [north, middle] = await areaOf(given('102-over-hemisphere.geojson'))
  near(north?.properties.area_m2, zoneM2(-90, 60, 360), 1e-3)
  near(middle?.properties.area_m2, zoneM2(-60, 60, 360), 1e-3)
  // edges of more than 90 degrees are as they are drawn
  for (const [west, south, east, north] of [
    [-170, -60, 170, 60],
    [-100, 10, 100, 70],
    [-180, -90, 180, 0],
    [0, 60, 360, 90],
  ] as const) {
    const [feature] = await areaOf(layer(box(west, south, east, north)))
    near(feature?.properties.area_m2, zoneM2(south, north, east - west), 1e-5)
  }
})

test('the edges of a polygon keep their course as drawn', async () => {
  const positions = async (polygon: number[][], points: [number, number][]) => {
    const { data, warnings } = await runTool('measure.point-in-polygon', {
      polygon,
      points: points.map(([lon, lat]) => ({ lon, lat })),
    })
    return { found: data.results as { position: string; distance_m: number }[], warnings }
  }
  const world = await positions(box(-180, -90, 180, 90).coordinates[0] as number[][], [[0, 0]])
  expect(world.found).toMatchObject([{ position: 'inside' }])
  expect(world.found[0]?.distance_m).toBeCloseTo(10_001_965.729, 0)
  const wide = await positions(box(-100, -10, 100, 10).coordinates[0] as number[][], [
    [0, 0],
    [150, 0],
    [0, 9],
  ])
  expect(wide.found).toMatchObject([{ position: 'inside' }, { position: 'outside' }, { position: 'inside' }])
  // the length of a degree of the meridian at 9.5 N
  expect(wide.found[2]?.distance_m).toBeCloseTo(110_604.6, 0)
  expect(wide.warnings).toHaveLength(1)
  const across = await positions(box(179, -1, 181, 1).coordinates[0] as number[][], [
    [180, 0],
    [-180, 0],
    [-179.5, 0],
    [0, 0],
  ])
  expect(across.found.map(({ position }) => position)).toEqual(['inside', 'inside', 'inside', 'outside'])
  expect(across.warnings).toEqual([])
})

test('a grid covers its layer, or the layer is too wide for one', async () => {
  expect(
    await refusal('vector.grid', { file: given('108-wide.geojson'), cell_size_m: 2e6, ...toGeojson }),
  ).toMatchObject({
    code: 'INPUT_UNREADABLE',
    field: 'file',
    rule: 'extent',
  })
  const { geojson: read, warnings } = await runTool('vector.grid', {
    file: given('109-usa.geojson'),
    cell_size_m: 500_000,
    ...toGeojson,
  })
  const cells = read().features.map(({ geometry }) => geometry)
  const missing: number[][] = []
  for (let x = -125; x <= -66; x += 0.5)
    for (let y = 25; y <= 49; y += 0.5)
      // on the border, rounding decides
      if (!cells.some((cell) => pointIn(cell, Math.min(x + 1e-6, -66.000001), Math.min(y + 1e-6, 48.999999))))
        missing.push([x, y])
  expect(missing).toEqual([])
  expect(warnings.join()).toContain('percent shorter than cell_size_m')
})

test('shares of features wider than a hemisphere, and across the antimeridian', async () => {
  const check = async (file: Given, reference: Given, more: object = { rule: 'percent', percent: 50 }) =>
    (await runTool('vector.inside-check', { file, reference, ...more })).data
  expect(await check(given('111-wide.geojson'), given('111-half.geojson'))).toMatchObject({
    passed: true,
    results: [{ relation: 'partial', percentInside: 50 }],
  })
  expect(await check(given('112-across.geojson'), given('112-two-parts.geojson'))).toMatchObject({
    results: [{ relation: 'inside', percentInside: 100 }],
  })
  expect(
    await check(given('168-line.geojson'), given('168-box.geojson'), { rule: 'percent', percent: 20 }),
  ).toMatchObject({ passed: true, results: [{ percentInside: 20 }] })
})

test('zones keep the course of their edges in the plane of the raster', async () => {
  const { rows } = await zonal(given('162-zones.geojson'), given('162-laea.tif'), ['count', 'mean'])
  // PROJ, for the centre of each cell
  expect(rows[0]).toMatchObject({ count: 12_449 })
  expect(rows[0]?.mean as number).toBeCloseTo(10_539.06, 1)
})

test('a tile keeps the course of its edges, from either side', async () => {
  const [file, reference] = [given('164-points.geojson'), given('164-tile.geojson')]
  const { data } = await runTool('vector.inside-check', { file, reference })
  const relations = (data.results as { relation: string }[]).map(({ relation }) => relation)
  expect(relations).toEqual(['outside', 'inside', 'outside', 'inside', 'outside', 'inside'])
  const inside = async (input: object) => {
    const { features } = (await runTool('vector.spatial-join', { ...input, ...toGeojson })).geojson()
    return features.map(({ properties }) => properties.d as number).sort((a, b) => a - b)
  }
  expect(await inside({ file, join: reference })).toEqual([50, 150, 300])
  expect(await inside({ file: reference, join: file })).toEqual([50, 150, 300])
  const clipped = await runTool('vector.clip', { file, mask: reference, ...toGeojson })
  expect(clipped.data).toMatchObject({ featureCount: 3, droppedCount: 3 })
})

test('bytes are signed where the file declares it', async () => {
  const { data } = await runTool('raster.raster-inspect', { file: given('13-signed-8-bit.tif') })
  expect(data.bands).toMatchObject([{ dataType: 'Int8', min: -128, max: 127, mean: -0.0625 }])
  const { rows } = await zonal(given('14-15-zone.geojson'), given('14-signed-8-bit-nodata.tif'))
  expect(rows).toMatchObject([{ count: 8, min: 5, max: 5, mean: 5 }])
  const nodata = await runTool('raster.raster-inspect', { file: given('14-signed-8-bit-nodata.tif') })
  expect(nodata.data.bands).toMatchObject([{ nodata: -1, validCount: 8, min: 5, max: 5 }])
})

test('a nodata value of few digits is nodata', async () => {
  const { rows } = await zonal(given('14-15-zone.geojson'), given('15-short-nodata.tif'))
  expect(rows).toMatchObject([{ count: 12, min: 1, max: 3 }])
  expect(rows[0]?.mean as number).toBeCloseTo(7 / 3, 9)
  const { data } = await runTool('raster.raster-inspect', { file: given('15-short-nodata.tif') })
  expect(data.bands).toMatchObject([{ validCount: 12, min: 1, max: 3 }])
})

test('every kind of geometry in a collection counts', async () => {
  const { data, first } = await only('vector.area-length', { file: given('104-collection.geojson') })
  // PostGIS: ST_Perimeter, ST_Length and ST_Area of geography
  expect(first?.properties.perimeter_m as number).toBeCloseTo(443_770.917, 2)
  expect(first?.properties.length_m as number).toBeCloseTo(110_898.7, 1)
  expect(data).toMatchObject({ measuredAreas: 1, measuredLengths: 1 })
  expect(data.totalLengthM as number).toBeCloseTo(110_898.7, 1)

  const partsOf = (geometry: unknown): Geometry[] => (geometry as { geometries: Geometry[] }).geometries
  const [file, mask] = [given('114-collection.geojson'), given('114-mask.geojson')]
  const clipped = await only('vector.clip', { file, mask })
  const inside = partsOf(clipped.first?.geometry)
  expect(inside.map(({ type }) => type)).toEqual(['Point', 'LineString', 'Polygon'])
  expect(xsOf(inside[1])).toEqual([0, 1])
  const erased = await only('vector.erase', { file, mask })
  const outside = partsOf(erased.first?.geometry)
  expect(outside.map(({ type }) => type)).toEqual(['LineString', 'Polygon'])
  expect(xsOf(outside[0])).toEqual([1, 3])

  const common = await runTool('vector.intersect', { file, overlay: mask, ...toGeojson })
  expect(common.geojson().features.map(({ geometry }) => geometry?.type)).toEqual(['Point', 'LineString', 'Polygon'])
  for (const [id, field] of [
    ['vector.intersect', 'overlay'],
    ['vector.erase', 'mask'],
    ['vector.clip', 'mask'],
    ['vector.union', 'file'],
    ['vector.inside-check', 'reference'],
  ] as const) {
    const other = id === 'vector.union' ? { file, overlay: mask } : { file: mask, [field]: file }
    const input = id === 'vector.inside-check' ? other : { ...other, ...toGeojson }
    expect(await refusal(id, input)).toMatchObject({ code: 'INPUT_UNREADABLE', field })
  }
  expect(
    await refusal('raster.zonal-stats', { file, raster: given('17-world.tif'), stats, ...toGeojson }),
  ).toMatchObject({
    field: 'file',
    rule: 'polygons',
  })
  const check = await runTool('vector.inside-check', { file, reference: mask })
  expect(check.warnings.join()).toContain('the first is feature 0')
  const dissolved = await only('vector.dissolve', { file })
  expect(positionsOf(dissolved.first?.geometry).some(([x]) => x === 3)).toBe(true)

  const bowTie = { type: 'Polygon', coordinates: [[[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]] } // biome-ignore format: a ring
  const mixed = { type: 'GeometryCollection', geometries: [bowTie, line([5, 5], [6, 6])] }
  const repaired = await only('vector.repair', { file: layer(mixed) })
  expect(positionsOf(repaired.first?.geometry).some(([x]) => x === 6)).toBe(true)
})

test('features that lose their geometry are counted, and the first is named', async () => {
  const { geojson: read, warnings } = await runTool('vector.simplify', {
    file: given('117-tiny.geojson'),
    tolerance: 0.001,
    preserve_topology: false,
    ...toGeojson,
  })
  expect(read().features.map(({ geometry }) => geometry)).toEqual([null, null])
  expect(warnings.join()).toMatch(/2 geometries are smaller than the tolerance.* feature 0/)

  const flat = { type: 'Polygon', coordinates: [[[0, 0], [1, 0], [2, 0], [0, 0]]] } // biome-ignore format: a ring
  const file = layer(box(0, 0, 1, 1), flat)
  const other = layer(box(0, 0, 5, 5))
  for (const [id, more] of [
    ['vector.clip', { mask: other }],
    ['vector.erase', { mask: other }],
    ['vector.intersect', { overlay: other }],
    ['vector.union', { overlay: other }],
    ['vector.spatial-join', { join: other }],
    ['vector.dissolve', {}],
    ['vector.buffer', { distance_m: 10 }],
    ['vector.repair', {}],
    ['raster.zonal-stats', { raster: given('17-world.tif'), stats: ['count'] }],
  ] as const)
    expect([id, (await runTool(id, { file, ...more, ...toGeojson })).warnings.join()]).toEqual([
      id,
      expect.stringMatching(/1 geometries are invalid.* feature 1/),
    ])
  expect((await runTool('vector.inside-check', { file, reference: other })).warnings.join()).toContain('feature 1')
})

test('a hull without an area has a warning', async () => {
  for (const [id, shape, vertices] of [
    ['vector.convex-hull', line([0, 0], [2, 2]), 2],
    ['vector.concave-hull', line([0, 0], [1, 1], [2, 2]), 2],
    ['vector.convex-hull', { type: 'Point', coordinates: [1, 1] }, 1],
  ] as const) {
    const { data, warnings } = await runTool(id, { file: layer(shape), ...toGeojson })
    expect(data.hullVertices).toBe(vertices)
    expect(warnings.join()).toContain('the hull has no area')
  }
})

test('a place that does not exist gets no answer', async () => {
  const file = given('166-latitude-first.geojson')
  for (const [id, more] of [
    ['vector.buffer', { distance_m: 1000 }],
    ['vector.grid', { cell_size_m: 1000 }],
    ['vector.area-length', {}],
    ['vector.centroids', {}],
    ['vector.convex-hull', {}],
  ] as const)
    expect(await refusal(id, { file, ...more, ...toGeojson })).toMatchObject({ field: 'file', rule: 'degrees' })
  expect(await refusal('vector.inside-check', { file, reference: layer(box(0, 0, 1, 1)) })).toMatchObject({
    rule: 'degrees',
  })
})
