/** Both longitudes of the antimeridian are one place, for every predicate. */
import { expect, test } from 'bun:test'
import { boxOf, isInBox } from '../../../src/analytics/live.ts'
import { encodeGeometry } from '../../../src/lib/geo/formats/geojson/geojson-geometry.ts'
import { loadGeos } from '../../../src/lib/geo/geometry/geos.ts'
import { GeometrySet } from '../../../src/lib/geo/overlay/geometry-set.ts'
import { areaOf, containsPosition } from '../../../src/portal/features/map/engine/area.ts'
import { positionsOf } from '../../support/formats/globe-truth.ts'
import { geotiff } from '../../support/formats/rasters.ts'
import { box, type Given, geojson, point, runTool } from '../../support/workers/engine.ts'

const layer = (...geometries: unknown[]): Given => geojson(geometries.map((geometry, i) => [{ i }, geometry]))
const line = (...coordinates: number[][]) => ({ type: 'LineString', coordinates })
const toGeojson = { target_format: 'geojson' }

const EAST = box(170, 0, 180, 10)
const WEST = box(-180, 0, -170, 10)
const BOTH = { type: 'MultiPolygon', coordinates: [EAST.coordinates, WEST.coordinates] }

const matches = async (predicate: string, file: Given, join: Given): Promise<number> =>
  (await runTool('vector.spatial-join', { file, join, predicate, ...toGeojson })).data.matchedCount as number

test('longitudes 180 and -180 are the same place in joins, checks and overlays', async () => {
  for (const x of [180, -180]) {
    const file = layer(point(x, 5))
    for (const reference of [EAST, WEST, BOTH]) {
      const { data } = await runTool('vector.inside-check', { file, reference: layer(reference) })
      expect(data.results).toMatchObject([{ relation: 'inside', percentInside: 100, matchCount: 1 }])
      const clipped = await runTool('vector.clip', { file, mask: layer(reference), ...toGeojson })
      expect(clipped.data.featureCount).toBe(1)
      const erased = await runTool('vector.erase', { file, mask: layer(reference), ...toGeojson })
      expect(erased.data.featureCount).toBe(0)
      const common = await runTool('vector.intersect', { file, overlay: layer(reference), ...toGeojson })
      expect(common.data.featureCount).toBe(1)
    }
    // on the border of one side, and inside both together
    expect(await matches('touches', file, layer(WEST))).toBe(1)
    expect(await matches('within', file, layer(EAST, WEST))).toBe(0)
    expect(await matches('within', file, layer(BOTH))).toBe(1)
    expect(await matches('within', file, layer(point(-x, 5)))).toBe(1)
    expect(await matches('intersects', layer(BOTH), file)).toBe(1)
  }
  expect(await matches('intersects', layer(point(180, 11)), layer(WEST))).toBe(0)
})

test('areas and lines meet across the antimeridian', async () => {
  expect(await matches('touches', layer(EAST), layer(WEST))).toBe(1)
  expect(await matches('overlaps', layer(EAST), layer(WEST))).toBe(0)
  expect(await matches('within', layer(EAST), layer(BOTH))).toBe(1)
  expect(await matches('contains', layer(BOTH), layer(line([175, 1], [185, 2])))).toBe(1)
  expect(await matches('touches', layer(line([170, 20], [180, 10])), layer(WEST))).toBe(1)
  const along = layer(line([180, -5], [180, 15]))
  const clipped = await runTool('vector.clip', { file: along, mask: layer(WEST), ...toGeojson })
  expect(
    positionsOf(clipped.geojson().features[0]?.geometry)
      .map(([, y]) => y)
      .sort((a, b) => a - b),
  ).toEqual([0, 10])
  const { data } = await runTool('vector.inside-check', { file: along, reference: layer(WEST), rule: 'partly' })
  expect(data.results).toMatchObject([{ relation: 'partial', percentInside: expect.closeTo(50, 1) }])
  // metres have no antimeridian
  const metres = { crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::25833' } } }
  const inMetres = (shape: unknown) => geojson([[{}, shape]], metres)
  const plain = await runTool('vector.spatial-join', {
    file: inMetres(point(180, 5)),
    join: inMetres(WEST),
    target_format: 'gpkg',
  })
  expect(plain.data.matchedCount).toBe(0)
})

test('zones of sensors, boxes of live positions and areas of the map have both longitudes', async () => {
  const wkbs = [EAST, WEST, box(0, 0, 10, 10)].map((shape) => encodeGeometry(shape).wkb)
  const set = new GeometrySet(await loadGeos(), (index) => wkbs[index] ?? null, wkbs.length, 'globe')
  const zonesAt = (x: number, y: number): number[] => {
    const found: number[] = []
    set.holding(x, y, found)
    return found
  }
  const places: [number, number][] = [[180, 5], [-180, 5], [180, 10], [-180, 11], [179, 5], [0, 0]] // biome-ignore format: a list
  expect(places.map((place) => zonesAt(...place))).toEqual([[0, 1], [0, 1], [0, 1], [], [0], [2]])
  set.invalidate([1], 1)
  expect(zonesAt(-180, 5)).toEqual([0])
  set.free()
  for (const [text, x, isInside] of [
    ['170,0,180,10', -180, true],
    ['-180,0,-170,10', 180, true],
    ['170,0,180,10', -179, false],
    ['-180,0,-170,10', 179, false],
    ['180,0,180,10', -180, true],
    ['-180,0,180,10', 0, true],
    ['170,0,-170,10', 180, true],
  ] as const)
    expect([text, x, isInBox(boxOf(text) as never, x, 5)]).toEqual([text, x, isInside])
  const area = areaOf([WEST.coordinates])
  expect([180, -180, 179].map((x) => containsPosition(area, x, 5))).toEqual([true, true, false])
})

test('cells whose centres lie on the antimeridian belong to one of the zones beside it', async () => {
  const cells = Uint8Array.from({ length: 36 * 18 }, (_, i) => i % 36)
  // centres at -180, -170, …
  const raster = geotiff([cells], 36, '-a_srs', 'EPSG:4326', '-a_ullr', -185, 90, 175, -90)
  const { geojson: read } = await runTool('raster.zonal-stats', {
    file: layer(EAST, WEST, BOTH),
    raster,
    stats: ['count', 'min', 'max'],
    ...toGeojson,
  })
  expect(read().features.map(({ properties }) => properties)).toMatchObject([
    { count: 1, min: 0, max: 0 },
    { count: 1, min: 1, max: 1 },
    { count: 2, min: 0, max: 1 },
  ])
})

test('geometries of a second layer that cannot be repaired are named', async () => {
  const collapsed = { type: 'Polygon', coordinates: [[[1, 1], [2, 2], [1, 1], [1, 1]]] } // biome-ignore format: a ring
  const far = { type: 'Polygon', coordinates: [[[190, 1], [191, 2], [190, 1], [190, 1]]] } // biome-ignore format: a ring
  const file = layer(box(0, 0, 5, 5), box(-172, 0, -168, 5))
  for (const [id, field] of [
    ['clip', 'mask'],
    ['erase', 'mask'],
    ['intersect', 'overlay'],
    ['union', 'overlay'],
    ['spatial-join', 'join'],
    ['inside-check', 'reference'],
  ] as const) {
    const input = { file, [field]: layer(box(1, 1, 2, 2), collapsed, far), ...(id === 'inside-check' ? {} : toGeojson) }
    const { warnings } = await runTool(`vector.${id}`, input)
    expect([id, ...warnings]).toEqual([
      id,
      `${field}: 2 geometries are invalid and could not be repaired, so they or some of their parts are lost; the first belongs to feature 1`,
    ])
  }
})

test('shares of a long line refer to its edge as drawn', async () => {
  const { data } = await runTool('vector.inside-check', {
    file: layer(line([0, 60], [90, 60])),
    reference: layer(box(0, 50, 45, 70)),
    rule: 'partly',
  })
  expect(data.results).toMatchObject([{ percentInside: expect.closeTo(50, 4) }])
})
