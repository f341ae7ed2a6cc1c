/**
 * Generated layers, processed by the geometry tools and by PostGIS. They lie anywhere on the globe, also on the
 * antimeridian; PostGIS has them in one plane, where the antimeridian is an ordinary line.
 */
import { expect, test } from 'bun:test'
import { star } from '../../support/formats/geometries.ts'
import { type Random, seeded, testSeed, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { postgis } from '../../support/stores/postgis.ts'
import { type Given, geojson, runTool } from '../../support/workers/engine.ts'

const seed = testSeed
process.stderr.write(`replay with TEST_SEED=${seed}\n`)
const some = <T>(random: Random, list: readonly T[]): T => list[whole(random, list.length)] as T

type Shape = { type: string; coordinates: unknown }
type Position = [x: number, y: number]
const KINDS = ['Point', 'LineString', 'Polygon'] as const
type Kind = (typeof KINDS)[number]

/** The number is divisible by the steps between columns of the grid, so that edges cross all of them without rounding. */
const ROW = (3 * 5 * 7) / 256

/** Most positions are on a grid, so that shapes touch, cover each other and repeat. */
function anyShape(random: Random, kind: Kind): Shape {
  const grid = (): Position => [whole(random, 9) / 2 - 2, (whole(random, 9) - 4) * ROW]
  const place = (): Position => (random() < 0.7 ? grid() : [random() * 4 - 2, random() * 4 - 2])
  const box = ([x, y]: Position, width: number, height = width): Position[] => [
    ...([[x, y], [x + width, y], [x + width, y + height], [x, y + height], [x, y]] as Position[]), // biome-ignore format: a ring
  ]
  const size = () => (1 + whole(random, 4)) / 2
  const ring = (): Position[] => {
    const [a, b, c] = [place(), place(), place()]
    const which = random()
    if (which < 0.35) return box(grid(), size(), size())
    if (which < 0.6) return [a, b, c, a]
    if (which < 0.75) return [a, b, c, place(), a]
    if (which < 0.78) return box(place(), 1e-6)
    if (which < 0.8) return [a, b, a, a]
    return star(random, ...place(), size(), 5 + whole(random, 9)) as Position[]
  }
  const several = <T>(make: () => T): T[] => Array.from({ length: 1 + whole(random, 3) }, make)
  const isMulti = random() < 0.25
  if (kind === 'Point')
    return isMulti ? { type: 'MultiPoint', coordinates: several(place) } : { type: 'Point', coordinates: place() }
  if (kind === 'LineString') {
    const line = (): Position[] => [place(), ...several(place)]
    return isMulti ? { type: 'MultiLineString', coordinates: several(line) } : { type: kind, coordinates: line() }
  }
  if (isMulti) return { type: 'MultiPolygon', coordinates: several(() => [ring()]) }
  if (random() < 0.2) {
    const corner = grid()
    return { type: kind, coordinates: [box(corner, 2), box([corner[0] + 0.5, corner[1] + some(random, [0, 0.5])], 1)] }
  }
  return { type: kind, coordinates: [ring()] }
}

const moved = (coordinates: unknown, by: Position, within: boolean): unknown => {
  const [x, y] = coordinates as Position
  if (typeof x !== 'number') return (coordinates as unknown[]).map((one) => moved(one, by, within))
  return [x + by[0] - (within && x + by[0] > 180 ? 360 : 0), y + by[1]]
}
const movedShape = (shape: Shape, by: Position, within = false): Shape => ({
  ...shape,
  coordinates: moved(shape.coordinates, by, within),
})

type Side = 'a' | 'b'
type Pair = { at: Position; a: Given; b: Given }

/** Centres of layers. At the antimeridian, half of the layers extend beyond 180 degrees and half are cut there. */
const MIDDLES: Position[] = [[0, 0], [180, 0], [180, 60], [-180, -30], [11.25, 47], [179, 10], [-181.5, 0]] // biome-ignore format: a list

/** Layers of both sides, which PostGIS has as `twins`: valid, and centred at 0. */
async function pairsOf(random: Random, count: number, kinds: Record<Side, readonly Kind[]>): Promise<Pair[]> {
  const sql = await postgis()
  await sql.unsafe(
    'DROP TABLE IF EXISTS twins; CREATE TABLE twins (r integer, side text, i integer, geom geometry, is_given boolean)',
  )
  const middles = Array.from({ length: count }, () => some(random, MIDDLES))
  const rows = middles.flatMap(([x, y], r) =>
    (['a', 'b'] as const).flatMap((side) => {
      // a layer of one kind
      const kind = some(random, kinds[side])
      return Array.from({ length: 6 }, (_, i) => ({ r, side, i, x, y, shape: anyShape(random, kind) }))
    }),
  )
  const cut: { g: string | null }[] = await sql.unsafe(
    `WITH given AS (SELECT r.*, ST_SetSRID(ST_GeomFromGeoJSON(shape), 4326) AS geom
       FROM json_to_recordset($1::text::json) AS r (r integer, side text, i integer, x float8, y float8, shape text)),
     valid AS (SELECT r, side, i, x, y, ST_IsValid(geom) AND ST_IsSimple(geom) AS is_given, CASE WHEN ST_Dimension(geom) < 2 THEN geom
       ELSE ST_CollectionExtract(ST_MakeValid(geom, 'method=structure keepcollapsed=false'), 3) END AS geom FROM given),
     put AS (INSERT INTO twins SELECT r, side, i, geom, is_given FROM valid WHERE NOT ST_IsEmpty(geom))
     SELECT CASE WHEN NOT ST_IsEmpty(geom) THEN ST_AsGeoJSON(ST_CollectionHomogenize(ST_Collect(ST_Translate(west, x + 180 - turn, y), ST_Translate(east, x - 180 - turn, y))), 15) END AS g
     FROM valid, LATERAL (SELECT turn, turn - x AS seam FROM (SELECT CASE WHEN x > 0 THEN 180 ELSE -180 END AS turn) AS t) AS s,
       LATERAL (SELECT ST_MakeEnvelope(seam - 20, -20, seam, 20, 4326) AS half) AS h,
       LATERAL (SELECT ST_CollectionExtract(ST_Intersection(geom, half), ST_Dimension(geom) + 1) AS west,
         ST_CollectionExtract(ST_Difference(geom, half), ST_Dimension(geom) + 1) AS east) AS halves
     ORDER BY r, side, i`,
    [JSON.stringify(rows)],
  )
  const isBeyond = middles.map(() => random() < 0.5)
  const features = rows.map(({ r, side, i, x, y, shape }, at): [Pair['at'], Side, Parameters<typeof geojson>[0][0]] => {
    const isCut = Math.abs(x) > 170 && !isBeyond[r]
    const isPoint = shape.type.endsWith('Point')
    const wrapped = isPoint ? movedShape(shape, [x, y], random() < 0.5) : JSON.parse(cut[at]?.g ?? 'null')
    return [[r, i], side, [{ [side]: i }, isCut ? wrapped : movedShape(shape, [x, y])]]
  })
  const fileOf = (r: number, side: Side): Given =>
    geojson(features.filter(([[of], own]) => of === r && own === side).map(([, , feature]) => feature))
  return middles.map((at, r) => ({ at, a: fileOf(r, 'a'), b: fileOf(r, 'b') }))
}

/** A geometry of a result, centred at 0. */
function local(geometry: unknown, [x0, y0]: Position): unknown {
  const back = (coordinates: unknown): unknown => {
    const [x, y] = coordinates as Position
    if (typeof x !== 'number') return (coordinates as unknown[]).map(back)
    return [x - x0 - 360 * Math.round((x - x0) / 360), y - y0]
  }
  const { type, coordinates } = geometry as Shape
  return { type, coordinates: back(coordinates) }
}

type Found = { r: number; a: number; b: number; g: string }

/**
 * Differences from PostGIS beyond rounding. Lines along edges of the other side are left out, and so are points on
 * edges of shapes that were repaired or cut at their crossings: whether they are inside depends on the last digit.
 * @param truth rows of r, a and b, which are -1 for none, and g
 */
async function differences(ours: readonly Found[], truth: string): Promise<unknown[]> {
  const sql = await postgis()
  return sql.unsafe(
    `WITH edges AS (SELECT r, ST_Buffer(ST_Union(ST_Boundary(geom)), 1e-7) AS edge FROM twins WHERE side = 'b' AND ST_Dimension(geom) = 2 GROUP BY r),
     repairs AS (SELECT r, ST_Buffer(ST_Union(CASE ST_Dimension(geom) WHEN 2 THEN ST_Boundary(geom) ELSE geom END), 1e-7) AS repaired
       FROM twins WHERE NOT is_given GROUP BY r),
     vague AS (SELECT r, coalesce(repaired, 'SRID=4326;POLYGON EMPTY') AS repaired,
       ST_Union(coalesce(edge, 'SRID=4326;POLYGON EMPTY'), coalesce(repaired, 'SRID=4326;POLYGON EMPTY')) AS edge
       FROM edges FULL JOIN repairs USING (r)),
     truth AS (SELECT r, a, b, ST_UnaryUnion(g) AS g FROM (${truth}) AS t),
     ours AS (SELECT r, a, b, ST_UnaryUnion(ST_Collect(ST_SetSRID(ST_GeomFromGeoJSON(g), 4326))) AS g
       FROM json_to_recordset($1::text::json) AS x (r integer, a integer, b integer, g text) GROUP BY r, a, b),
     both_sides AS (SELECT r, a, b, coalesce(truth.g, 'SRID=4326;POINT EMPTY') AS t, coalesce(ours.g, 'SRID=4326;POINT EMPTY') AS o
       FROM truth FULL JOIN ours USING (r, a, b)),
     compared AS (SELECT r, a, b, t, o, CASE
       WHEN 2 IN (ST_Dimension(t), ST_Dimension(o)) THEN ST_Area(ST_SymDifference(t, o)) > 1e-8
       WHEN 1 IN (ST_Dimension(t), ST_Dimension(o)) THEN
         ST_Length(ST_Difference(t, ST_Union(ST_Buffer(o, 1e-7), coalesce(edge, o)))) > 1e-6
         OR ST_Length(ST_Difference(o, ST_Union(ST_Buffer(t, 1e-7), coalesce(edge, t)))) > 1e-6
       ELSE NOT ST_IsEmpty(ST_Difference(ST_SymDifference(ST_SnapToGrid(t, 1e-9), ST_SnapToGrid(o, 1e-9)),
         coalesce(repaired, 'SRID=4326;POLYGON EMPTY'))) END AS differs
       FROM both_sides LEFT JOIN vague USING (r))
     SELECT r, a, b, ST_AsText(t) AS truth, ST_AsText(o) AS ours FROM compared WHERE differs LIMIT 3`,
    [JSON.stringify(ours)],
  )
}

const twins = (side: Side): string => `(SELECT r, i, geom, is_given FROM twins WHERE side = '${side}')`
const PAIRS = `${twins('a')} AS a JOIN ${twins('b')} AS b USING (r)`
const ofLower = 'least(ST_Dimension(a.geom), ST_Dimension(b.geom)) + 1'
const all = (side: Side): string =>
  `(SELECT r, ST_UnaryUnion(ST_Collect(geom)) AS geom FROM ${twins(side)} AS t GROUP BY r)`
/**
 * The part of one side that is inside or outside the other side; points are tested against the shapes themselves, whose
 * union may be rounded.
 */
const part = (of: Side, operation: 'Intersection' | 'Difference', values: string): string => {
  const other = of === 'a' ? 'b' : 'a'
  const isOut = operation === 'Difference'
  return `SELECT r, ${values}, CASE WHEN ST_Dimension(m.geom) = 0 THEN
     (SELECT ST_Collect(p.geom) FROM ST_Dump(m.geom) AS p WHERE ${isOut ? 'NOT' : ''} EXISTS
       (SELECT FROM twins AS t WHERE t.r = m.r AND side = '${other}' AND ST_Intersects(t.geom, p.geom)))
   WHEN o.geom IS NULL THEN ${isOut ? 'm.geom' : "'SRID=4326;POINT EMPTY'"}
   ELSE ST_CollectionExtract(ST_${operation}(m.geom, o.geom), ST_Dimension(m.geom) + 1) END AS g
   FROM ${twins(of)} AS m LEFT JOIN ${all(other)} AS o USING (r)`
}
const COMMON = `SELECT r, a.i AS a, b.i AS b, ST_CollectionExtract(ST_Intersection(a.geom, b.geom), ${ofLower}) AS g
  FROM ${PAIRS} WHERE ST_Intersects(a.geom, b.geom)`

const ANY = { a: KINDS, b: KINDS }
const POLYGONS = { a: ['Polygon'], b: ['Polygon'] } as const
const MASKED = { a: KINDS, b: ['Polygon'] } as const
type Tool = [id: string, kinds: Record<Side, readonly Kind[]>, field: string | undefined, truth: string, more?: object]
const TOOLS: Tool[] = [
  ['clip', MASKED, 'mask', part('a', 'Intersection', 'm.i AS a, -1 AS b')],
  ['erase', MASKED, 'mask', part('a', 'Difference', 'm.i AS a, -1 AS b')],
  ['intersect', ANY, 'overlay', COMMON],
  [
    'union',
    POLYGONS,
    'overlay',
    [COMMON, part('a', 'Difference', 'm.i AS a, -1 AS b'), part('b', 'Difference', '-1 AS a, m.i AS b')].join(
      ' UNION ALL ',
    ),
  ],
  ['dissolve', ANY, undefined, `SELECT r, -1 AS a, -1 AS b, geom AS g FROM ${all('a')} AS t`],
  ['repair', ANY, undefined, `SELECT r, i AS a, -1 AS b, geom AS g FROM ${twins('a')} AS t`],
]
/** Layers in one query to PostGIS. */
const BATCH = rounds(6, 20)

test.each(TOOLS)(
  '%s has the geometries of PostGIS',
  async (id, kinds, field, truth) => {
    const random = seeded(seed + Bun.hash.crc32(id))
    for (let batch = 0; batch < rounds(1, 50); batch++) {
      const pairs = await pairsOf(random, BATCH, kinds)
      const ours: Found[] = []
      for (const [r, { at, a, b }] of pairs.entries()) {
        const input = { file: a, ...(field && { [field]: b }), target_format: 'geojson', coordinate_precision: 13 }
        for (const { properties, geometry } of (await runTool(`vector.${id}`, input)).geojson().features)
          if (geometry !== null)
            ours.push({
              r,
              a: Number(properties.a ?? -1),
              b: Number(properties.b ?? -1),
              g: JSON.stringify(local(geometry, at)),
            })
      }
      expect({ seed, batch, differences: await differences(ours, truth) }).toEqual({ seed, batch, differences: [] })
    }
  },
  3_600_000,
)

const PREDICATES = ['intersects', 'within', 'contains', 'crosses', 'touches', 'overlaps'] as const

test('spatial joins and inside checks find the same pairs as PostGIS', async () => {
  const random = seeded(seed + 1)
  const sql = await postgis()
  for (let batch = 0; batch < rounds(6, 100); batch++) {
    const predicate = PREDICATES[batch % PREDICATES.length] as string
    const pairs = await pairsOf(random, BATCH, ANY)
    const ours = new Set<string>()
    for (const [r, { a, b }] of pairs.entries()) {
      const input = { file: a, join: b, predicate, target_format: 'geojson' }
      for (const { properties } of (await runTool('vector.spatial-join', input)).geojson().features)
        ours.add(`${r} ${properties.a} ${properties.b}`)
    }
    const found: { key: string; holds: boolean }[] = await sql.unsafe(
      `SELECT r || ' ' || a.i || ' ' || b.i AS key, ST_${predicate}(a.geom, b.geom) AS holds FROM ${PAIRS}
       WHERE a.is_given AND b.is_given`,
    )
    // repairs and cuts round, so a point on an edge may no longer be on it: only valid and simple shapes are compared
    const wrong = found.filter(({ key, holds }) => ours.has(key) !== holds)
    expect({ seed, batch, predicate, wrong }).toEqual({ seed, batch, predicate, wrong: [] })
  }
}, 3_600_000)

test('inside checks have the shares of PostGIS', async () => {
  const random = seeded(seed + 2)
  const sql = await postgis()
  for (let batch = 0; batch < rounds(1, 50); batch++) {
    const pairs = await pairsOf(random, BATCH, MASKED)
    const latitudes = JSON.stringify(pairs.map(({ at }, r) => ({ r, y: at[1] })))
    // areas in an equal-area projection, lengths on the ellipsoid, numbers of points
    const size = (g: string) => `CASE ST_Dimension(m.geom)
        WHEN 2 THEN ST_Area(ST_Transform(ST_Segmentize(ST_Translate(${g}, 0, y), 0.01), 6933))
        WHEN 1 THEN ST_Length(ST_Segmentize(ST_Translate(${g}, 0, y), 0.01)::geography) ELSE ST_NumGeometries(${g}) END`
    const truth: { r: number; i: number; percent: number; most: number; least: number; is_clear: boolean }[] =
      await sql.unsafe(
        `SELECT r, m.i, 100 * (1 - ${size('rest')} / ${size('m.geom')}) AS percent,
           (SELECT count(*)::integer FROM ${twins('b')} AS b WHERE b.r = m.r AND ST_DWithin(b.geom, m.geom, 1e-9)) AS most,
           (SELECT count(*)::integer FROM ${twins('b')} AS b
             WHERE b.r = m.r AND b.is_given AND m.is_given AND ST_Intersects(b.geom, m.geom)) AS least,
           (SELECT coalesce(sum(ST_Length(ST_Intersection(m.geom, ST_Buffer(ST_Boundary(b.geom), 1e-7)))), 0) < 1e-5
               AND ST_IsSimple(m.geom) FROM ${twins('b')} AS b WHERE b.r = m.r AND ST_Dimension(m.geom) = 1) AS is_clear
         FROM ${twins('a')} AS m LEFT JOIN ${all('b')} AS o USING (r)
         JOIN json_to_recordset($1::text::json) AS y (r integer, y float8) USING (r),
         LATERAL (SELECT CASE WHEN o.geom IS NULL THEN m.geom
           WHEN ST_Dimension(m.geom) > 0 THEN ST_CollectionExtract(ST_Difference(m.geom, o.geom), ST_Dimension(m.geom) + 1)
           ELSE (SELECT ST_Collect(p.geom) FROM ST_Dump(m.geom) AS p WHERE NOT EXISTS
             (SELECT FROM twins AS t WHERE t.r = m.r AND side = 'b' AND ST_Intersects(t.geom, p.geom))) END AS rest) AS rest
         WHERE ST_Dimension(m.geom) = 0 OR ST_Area(m.geom) + ST_Length(m.geom) > 1e-5`,
        [latitudes],
      )
    for (const [r, { a, b }] of pairs.entries()) {
      const results = (await runTool('vector.inside-check', { file: a, reference: b })).data.results as Share[]
      for (const { i, percent, most, least, is_clear } of truth.filter((row) => row.r === r)) {
        const { relation, percentInside, matchCount } = results[i] as Share
        const context = JSON.stringify({ seed, batch, r, i, percent, percentInside })
        expect(matchCount, context).toBeLessThanOrEqual(most)
        expect(matchCount, context).toBeGreaterThanOrEqual(least)
        // lines along edges, and points on edges that a repair has moved, are inside by the last digit; PostGIS counts the
        // part once that a line passes twice
        if (most !== least || !is_clear) continue
        expect(Math.abs(percentInside - Math.max(0, percent ?? 100)), context).toBeLessThan(1e-3)
        if (percentInside > 1e-3 && percentInside < 99.999) expect(relation).toBe('partial')
      }
    }
  }
}, 3_600_000)

type Share = { relation: string; percentInside: number; matchCount: number }

const MEASURED = `SELECT r, i, ST_AsGeoJSON(geom, 15) AS g, ST_NumGeometries(geom) AS parts,
  ST_X(ST_Centroid(geom)) AS x, ST_Y(ST_Centroid(geom)) AS y,
  ST_Area(globe) AS area, ST_Perimeter(globe) AS perimeter, ST_Length(globe) AS length
  FROM ${twins('a')} AS a JOIN json_to_recordset($1::text::json) AS y (r integer, y float8) USING (r),
  LATERAL (SELECT ST_Translate(geom, 0, y.y)::geography AS globe) AS globe ORDER BY r, i`

test('measures, centroids, hulls, simple lines and parts match PostGIS', async () => {
  const random = seeded(seed + 3)
  const sql = await postgis()
  for (let batch = 0; batch < rounds(1, 50); batch++) {
    const pairs = await pairsOf(random, BATCH, ANY)
    const latitudes = JSON.stringify(pairs.map(({ at }, r) => ({ r, y: at[1] })))
    const rows: ({ r: number; i: number; g: string } & Record<string, number>)[] = await sql.unsafe(MEASURED, [
      latitudes,
    ])
    const [hulls, simple]: [Found[], Found[]] = [[], []]
    for (const [r, { at }] of pairs.entries()) {
      const own = rows.filter((row) => row.r === r)
      if (own.length === 0) continue
      const file = geojson(own.map(({ i, g }) => [{ i }, movedShape(JSON.parse(g) as Shape, at)]))
      const result = async (id: string, more: object = {}) =>
        (await runTool(`vector.${id}`, { file, ...more, target_format: 'geojson', coordinate_precision: 13 })).geojson()
          .features
      const measures = await result('area-length')
      const centres = await result('centroids')
      for (const [k, { i, area, perimeter, length, x, y }] of own.entries()) {
        const context = JSON.stringify({ seed, batch, r, i })
        const near = (value: unknown, wanted: number | undefined) =>
          expect(Math.abs(Number(value ?? 0) - Number(wanted)), context).toBeLessThan(1e-6 + 1e-9 * Number(wanted))
        near(measures[k]?.properties.area_m2, area)
        near(measures[k]?.properties.perimeter_m, perimeter)
        near(measures[k]?.properties.length_m, length)
        const { coordinates } = local(centres[k]?.geometry, at) as { coordinates: Position }
        expect(Math.hypot(coordinates[0] - Number(x), coordinates[1] - Number(y)), context).toBeLessThan(1e-9)
      }
      const counts = Map.groupBy(await result('explode'), ({ properties }) => properties.i)
      for (const { i, parts } of own) expect(counts.get(i)?.length).toBe(Number(parts))
      for (const { geometry } of await result('convex-hull'))
        hulls.push({ r, a: -1, b: -1, g: JSON.stringify(local(geometry, at)) })
      for (const { properties, geometry } of await result('simplify', { tolerance: 0.2718 }))
        if (geometry !== null)
          simple.push({ r, a: Number(properties.i), b: -1, g: JSON.stringify(local(geometry, at)) })
    }
    const collected = `SELECT r, -1 AS a, -1 AS b, ST_ConvexHull(ST_Collect(geom)) AS g FROM ${twins('a')} AS a GROUP BY r`
    expect({ seed, batch, found: await differences(hulls, collected) }).toEqual({ seed, batch, found: [] })
    // vertices of the geometry, none of which is farther from the result than the tolerance
    const wrong: unknown[] = await sql.unsafe(
      `SELECT r, i, ST_AsText(geom) AS given, ST_AsText(simple) AS simple FROM ${twins('a')} AS a
       JOIN json_to_recordset($1::text::json) AS x (r integer, a integer, g text) USING (r),
       LATERAL (SELECT ST_SetSRID(ST_GeomFromGeoJSON(x.g), 4326) AS simple) AS s,
       -- lines without a length are left out
       LATERAL (SELECT ST_Collect(d.geom) AS long FROM ST_Dump(geom) AS d WHERE ST_Dimension(d.geom) <> 1 OR ST_Length(d.geom) > 0) AS l
       WHERE i = x.a AND (ST_HausdorffDistance(long, simple) > 0.2718 OR (ST_IsValid(geom) AND NOT ST_IsValid(simple))
         OR EXISTS (SELECT FROM ST_DumpPoints(simple) AS p WHERE ST_Distance(p.geom, ST_Points(a.geom)) > 1e-9))`,
      [JSON.stringify(simple)],
    )
    expect({ seed, batch, wrong }).toEqual({ seed, batch, wrong: [] })
    expect(simple.length).toBeGreaterThan(rows.length * 0.9)
  }
}, 3_600_000)

test('a buffer holds the places within its distance on the ellipsoid, and no others', async () => {
  const random = seeded(seed + 4)
  const sql = await postgis()
  for (let batch = 0; batch < rounds(1, 40); batch++) {
    const pairs = await pairsOf(random, BATCH, ANY)
    const latitudes = JSON.stringify(pairs.map(({ at }, r) => ({ r, y: at[1] })))
    const rows: { r: number; i: number; g: string }[] = await sql.unsafe(MEASURED, [latitudes])
    const asked: object[] = []
    for (const [r, { at }] of pairs.entries()) {
      const own = rows.filter((row) => row.r === r)
      const metres = 10 ** (2 + 3 * random())
      const file = geojson(own.map(({ i, g }) => [{ i }, movedShape(JSON.parse(g) as Shape, at)]))
      const { features } = (
        await runTool('vector.buffer', { file, distance_m: metres, target_format: 'geojson', coordinate_precision: 13 })
      ).geojson()
      for (const { i, g } of own) {
        const flat = (JSON.parse(g) as { coordinates: never }).coordinates as never as number[]
        const [x = 0, y = 0] = [flat].flat(4) as number[]
        const area = local(features.find(({ properties }) => properties.i === i)?.geometry, at)
        const [angle, far] = [random() * 2 * Math.PI, (metres * (0.5 + random())) / 111_000]
        const stretch = Math.cos(((y + at[1]) * Math.PI) / 180)
        const [px, py] = [x + (far * Math.cos(angle)) / stretch, y + far * Math.sin(angle)]
        asked.push({ r, i, px, py, y: at[1], metres, area: JSON.stringify(area) })
      }
    }
    // edges are straight in longitude and latitude; arcs are polygons
    const wrong: unknown[] = await sql.unsafe(
      `SELECT r, i, px, py, metres, distance, ST_AsText(geom) AS geom FROM json_to_recordset($1::text::json)
           AS x (r integer, i integer, px float8, py float8, y float8, metres float8, area text)
         JOIN ${twins('a')} AS a USING (r, i),
         LATERAL (SELECT ST_Distance(ST_Segmentize(ST_Translate(geom, 0, y), 0.02)::geography,
           ST_SetSRID(ST_Point(px, py + y), 4326)::geography) AS distance) AS d
         WHERE abs(distance - metres) > 0.2 + 0.002 * metres
           AND (distance < metres) <> ST_Intersects(ST_SetSRID(ST_GeomFromGeoJSON(area), 4326), ST_SetSRID(ST_Point(px, py), 4326))
         LIMIT 3`,
      [JSON.stringify(asked)],
    )
    expect({ seed, batch, wrong }).toEqual({ seed, batch, wrong: [] })
  }
}, 3_600_000)
