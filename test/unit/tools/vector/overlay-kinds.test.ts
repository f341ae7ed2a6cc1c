/** Overlays of points, lines and polygons with each other, compared with PostGIS. */
import { expect, test } from 'bun:test'
import { encodeGeometry } from '../../../../src/lib/geo/formats/geojson/geojson-geometry.ts'
import { loadGeos } from '../../../../src/lib/geo/geometry/geos.ts'
import { GeometrySet } from '../../../../src/lib/geo/overlay/geometry-set.ts'
import { type Random, seeded, whole } from '../../../support/random.ts'
import { loadTable, postgis } from '../../../support/stores/postgis.ts'
import { box, geojson, point, refusal, runTool } from '../../../support/workers/engine.ts'

const EXTENT = 12

/** Everything has whole coordinates, so that lines share segments and points lie on lines. */
const MAKERS = {
  points: (random: Random) => point(whole(random, EXTENT), whole(random, EXTENT)),
  lines: (random: Random) => {
    const coordinates = [[whole(random, EXTENT), whole(random, EXTENT)]]
    for (let i = 0; i < 6; i++) {
      const [x, y] = coordinates.at(-1) as [number, number]
      coordinates.push(random() < 0.5 ? [x + 1 + whole(random, 2), y] : [x, y + 1 + whole(random, 2)])
    }
    return { type: 'LineString', coordinates }
  },
  polygons: (random: Random) => {
    const [x, y] = [whole(random, EXTENT), whole(random, EXTENT)]
    return box(x, y, x + 1 + whole(random, 4), y + 1 + whole(random, 4))
  },
}
type Kind = keyof typeof MAKERS
const KINDS = ['points', 'lines', 'polygons'] as const
const dimension = (kind: Kind): number => KINDS.indexOf(kind)

const some = (kind: Kind, seed: number) => {
  const random = seeded(seed)
  return Array.from({ length: 60 }, () => MAKERS[kind](random))
}
const layer = (shapes: readonly unknown[], column: string) =>
  geojson(shapes.map((shape, i) => [{ [column]: i }, shape]))

/** SQL for the number of points, the length or the area of the parts with a dimension. */
const sizeOf = (geometry: string, of: number): string => {
  const parts = `ST_CollectionExtract(${geometry}, ${of + 1})`
  return `${['ST_NPoints', 'ST_Length', 'ST_Area'][of]}(${parts})`
}

async function sizesOf(features: { geometry: unknown }[], of: number): Promise<number[]> {
  const sql = await postgis()
  await loadTable(
    sql,
    'kinds_out',
    features.map(({ geometry }) => geometry),
  )
  const rows: { size: number }[] = await sql.unsafe(`SELECT ${sizeOf('geom', of)} AS size FROM kinds_out ORDER BY i`)
  return rows.map(({ size }) => size)
}

const pairs = KINDS.flatMap((a) => KINDS.map((b) => [a, b] as const))

test.each(pairs)('intersect %s and %s', async (kindA, kindB) => {
  const [a, b] = [some(kindA, 11), some(kindB, 12)]
  const common = Math.min(dimension(kindA), dimension(kindB))
  const sql = await postgis()
  await loadTable(sql, 'kinds_a', a)
  await loadTable(sql, 'kinds_b', b)
  const truth: { a: number; b: number; size: number }[] = await sql.unsafe(
    `SELECT * FROM (SELECT a.i AS a, b.i AS b, ${sizeOf('ST_Intersection(a.geom, b.geom)', common)} AS size
       FROM kinds_a a, kinds_b b) AS pairs WHERE size > 0 ORDER BY a, b`,
  )
  expect(truth.length).toBeGreaterThan(10)
  const ran = await runTool('vector.intersect', {
    file: layer(a, 'a'),
    overlay: layer(b, 'b'),
    target_format: 'geojson',
  })
  const { features } = ran.geojson()
  const sizes = await sizesOf(features, common)
  expect(features.map(({ properties: { a, b } }, i) => ({ a, b, size: sizes[i] }))).toEqual(truth)
})

test.each(pairs)('erase %s by %s', async (kindA, kindB) => {
  const [a, b] = [some(kindA, 13), some(kindB, 14).slice(0, 20)]
  const sql = await postgis()
  await loadTable(sql, 'kinds_a', a)
  await loadTable(sql, 'kinds_b', b)
  const of = dimension(kindA)
  const remainder = 'ST_Difference(geom, (SELECT ST_Union(geom) FROM kinds_b))'
  const truth: { i: number; size: number }[] = await sql.unsafe(
    `SELECT * FROM (SELECT i, ${sizeOf(remainder, of)} AS size FROM kinds_a) AS all_ WHERE size > 0 ORDER BY i`,
  )
  const ran = await runTool('vector.erase', { file: layer(a, 'i'), mask: layer(b, 'm'), target_format: 'geojson' })
  const { features } = ran.geojson()
  const sizes = await sizesOf(features, of)
  expect(features.map(({ properties }, i) => ({ i: properties.i as number, size: sizes[i] }))).toEqual(truth)
  expect(ran.warnings.some((text) => text.includes('remove nothing'))).toBe(dimension(kindB) < of)
})

test.each(pairs)('clip %s by %s', async (kindA, kindB) => {
  const [a, b] = [some(kindA, 15), some(kindB, 16).slice(0, 20)]
  const input = { file: layer(a, 'i'), mask: layer(b, 'm'), target_format: 'geojson' }
  const of = dimension(kindA)
  if (dimension(kindB) < of) {
    const rule = kindA
    expect(await refusal('vector.clip', input)).toMatchObject({ code: 'INPUT_UNREADABLE', field: 'mask', rule })
    return
  }
  const sql = await postgis()
  await loadTable(sql, 'kinds_a', a)
  await loadTable(sql, 'kinds_b', b)
  const inside = 'ST_Intersection(geom, (SELECT ST_Union(geom) FROM kinds_b))'
  const truth: { i: number; size: number }[] = await sql.unsafe(
    `SELECT * FROM (SELECT i, ${sizeOf(inside, of)} AS size FROM kinds_a) AS all_ WHERE size > 0 ORDER BY i`,
  )
  expect(truth.length).toBeGreaterThan(3)
  const { features } = (await runTool('vector.clip', input)).geojson()
  const sizes = await sizesOf(features, of)
  expect(features.map(({ properties }, i) => ({ i: properties.i as number, size: sizes[i] }))).toEqual(truth)
})

test.each(pairs)('union of %s and %s', async (kindA, kindB) => {
  const [a, b] = [some(kindA, 17), some(kindB, 18)]
  const input = { file: layer(a, 'a'), overlay: layer(b, 'b'), target_format: 'geojson' }
  const of = dimension(kindA)
  if (kindA !== kindB) {
    const expected = { code: 'INPUT_UNREADABLE', field: 'file', rule: kindB }
    expect(await refusal('vector.union', input)).toMatchObject(expected)
    return
  }
  const sql = await postgis()
  await loadTable(sql, 'kinds_a', a)
  await loadTable(sql, 'kinds_b', b)
  const only = (table: string, other: string) =>
    `(SELECT sum(${sizeOf(`ST_Difference(geom, (SELECT ST_Union(geom) FROM ${other}))`, of)}) FROM ${table})::float`
  const [truth] = await sql.unsafe(
    `SELECT (SELECT sum(${sizeOf('ST_Intersection(a.geom, b.geom)', of)}) FROM kinds_a a, kinds_b b)::float AS common,
      ${only('kinds_a', 'kinds_b')} AS only_a, ${only('kinds_b', 'kinds_a')} AS only_b`,
  )
  const { features } = (await runTool('vector.union', input)).geojson()
  const sums = { common: 0, only_a: 0, only_b: 0 }
  const sizes = await sizesOf(features, of)
  for (const [i, { properties }] of features.entries())
    sums[properties.a === null ? 'only_b' : properties.b === null ? 'only_a' : 'common'] += sizes[i] as number
  for (const part of ['common', 'only_a', 'only_b'] as const) {
    expect(sums[part]).toBeGreaterThan(0)
    expect(sums[part]).toBeCloseTo(truth[part], 9)
  }
})

test('union names the layer that mixes kinds', async () => {
  const mixed = geojson([
    [{}, point(0, 0)],
    [{}, box(0, 0, 1, 1)],
  ])
  const polygons = geojson([[{}, box(0, 0, 2, 2)]])
  for (const [file, overlay, field] of [
    [mixed, polygons, 'file'],
    [polygons, mixed, 'overlay'],
  ] as const)
    expect(await refusal('vector.union', { file, overlay, target_format: 'geojson' })).toMatchObject({
      field,
      rule: 'polygons',
    })
})

test('a mask of polygons and lines cuts lines by both, and does not clip polygons', async () => {
  const line = (...coordinates: number[][]) => ({ type: 'LineString', coordinates })
  const mask = geojson([
    [{}, box(0, 0, 1, 1)],
    [{}, line([2, 0.5], [3, 0.5])],
  ])
  const file = geojson([[{}, line([-1, 0.5], [5, 0.5])]])
  const { geojson: read } = await runTool('vector.clip', { file, mask, target_format: 'geojson' })
  const [row] = await (await postgis())`
    SELECT ST_Length(ST_GeomFromGeoJSON(${JSON.stringify(read().features[0]?.geometry)})) AS length`
  expect(row.length).toBeCloseTo(2, 9)
  const polygons = { file: geojson([[{}, box(0, 0, 2, 2)]]), mask, target_format: 'geojson' }
  expect(await refusal('vector.clip', polygons)).toMatchObject({ field: 'mask', rule: 'polygons' })
})

test('a collection of several kinds is found in a mask, and again after a change of a layer', async () => {
  const square = box(0, 0, 2, 2)
  const mixed = { type: 'GeometryCollection', geometries: [point(1, 1), square] }
  const stored = [square, mixed].map((geometry) => encodeGeometry(geometry).wkb)
  const set = new GeometrySet(await loadGeos(), (index) => stored[index] ?? null, stored.length, 'plane')
  expect(set.firstMixed()).toBe(1)
  stored.pop()
  set.invalidate([1], 2)
  expect(set.firstMixed()).toBe(-1)
  set.free()
  const [file, mask] = [layer([point(1, 1)], 'a'), layer([square, mixed], 'b')]
  for (const [tool, field] of [['clip', 'mask'], ['erase', 'mask'], ['intersect', 'overlay']] as const) // biome-ignore format: a list
    expect(await refusal(`vector.${tool}`, { file, [field]: mask, target_format: 'geojson' })).toMatchObject({
      field,
      rule: 'collections',
    })
})
