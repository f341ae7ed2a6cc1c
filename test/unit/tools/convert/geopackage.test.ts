/** GeoPackages that are written and read in bulk, checked with GDAL and with SQLite's own check of the index. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { star } from '../../../support/formats/geometries.ts'
import { outputOf } from '../../../support/program.ts'
import { seeded, testSeed } from '../../../support/random.ts'
import { sharedFolder } from '../../../support/run-end.ts'
import { runTool } from '../../../support/workers/engine.ts'

type Shape = { type: string; coordinates: unknown } | null

// ogr2ogr writes at most nine decimals exactly
const round = (value: number): number => Math.round(value * 1e9) / 1e9
const rounded = (ring: number[][]): number[][] => ring.map((at) => at.map(round))

/** Points, lines, polygons, multi geometries, empty and missing ones, all over the globe. */
function shapes(count: number, random: () => number): Shape[] {
  return Array.from({ length: count }, (_, i) => {
    const [x, y] = [random() * 340 - 170, random() * 160 - 80].map(round) as [number, number]
    const ring = rounded(star(random, x, y, random() * 3, 8))
    const kinds: Shape[] = [
      { type: 'Point', coordinates: [x, y] },
      { type: 'LineString', coordinates: ring.slice(1) },
      { type: 'Polygon', coordinates: [ring] },
      { type: 'MultiPoint', coordinates: [[x, y], ...ring] },
      { type: 'MultiPolygon', coordinates: [[ring], [rounded(star(random, x, y - 5 * Math.sign(y), 0.5, 5))]] },
      { type: 'Polygon', coordinates: [] },
      null,
    ]
    return kinds[i % 97 === 0 ? 6 : i % 101 === 0 ? 5 : Math.floor(random() * 5)] as Shape
  })
}

const numbersIn = (value: unknown): number[][] =>
  Array.isArray(value) ? (typeof value[0] === 'number' ? [value as number[]] : value.flatMap(numbersIn)) : []

test.each([1, 51, 52, 2_700, 6_000])(
  `%d features, seed ${testSeed}`,
  async (count) => {
    const random = seeded(testSeed + count)
    const geometries = shapes(count, random)
    const features = geometries.map((geometry, i) => ({
      type: 'Feature',
      geometry,
      properties: {
        whole: i % 7 === 0 ? null : i - 2 ** 31,
        large: i * 2 ** 33,
        real: i % 5 === 0 ? i : i / 3,
        text: i % 3 === 0 ? null : `name ${i} "القراءة"`,
        flag: i % 2 === 0,
      },
    }))
    const file = { name: 'layer.geojson', content: JSON.stringify({ type: 'FeatureCollection', features }) }
    const { path, data } = await runTool('convert.validate-convert', { file, target_format: 'gpkg' })
    expect(data.featureCount).toBe(count)

    const read = outputOf('ogr2ogr', ['-f', 'GeoJSON', '-lco', 'COORDINATE_PRECISION=15', '/vsistdout/', path])
    const back = JSON.parse(read.toString()) as typeof features extends (infer F)[] ? { features: F[] } : never
    for (const [i, { properties, geometry }] of back.features.entries()) {
      const given = features[i] as (typeof features)[number]
      expect({ ...properties, flag: Boolean(properties.flag) }).toEqual(given.properties)
      expect(numbersIn(geometry?.coordinates).length).toBe(numbersIn(given.geometry?.coordinates).length)
      for (const [k, [x, y]] of numbersIn(geometry?.coordinates).entries())
        expect(numbersIn(given.geometry?.coordinates)[k]).toEqual([x as number, y as number])
    }

    const db = new Database(path, { readonly: true })
    const [{ table, geometry }] = db
      .query('SELECT table_name AS "table", column_name AS geometry FROM gpkg_geometry_columns')
      .all() as [{ table: string; geometry: string }]
    const index = `rtree_${table}_${geometry}`
    expect(db.query(`SELECT rtreecheck('${index}') AS found`).get()).toEqual({ found: 'ok' })
    expect(db.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    expect(db.query('SELECT feature_count AS count FROM gpkg_ogr_contents').get()).toEqual({ count })
    const triggers = db.query(`SELECT count(*) AS count FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?`)
    expect(triggers.get(table)).toEqual({ count: 8 })

    // the index finds the same features as a scan of all vertices
    for (let i = 0; i < 20; i++) {
      const [x, y, side] = [random() * 340 - 170, random() * 160 - 80, random() * 40]
      const expected = features.flatMap(({ geometry: shape }, at) => {
        const all = numbersIn(shape?.coordinates)
        if (all.length === 0) return []
        const [xs, ys] = [all.map(([px]) => px as number), all.map(([, py]) => py as number)]
        const meets =
          Math.min(...xs) <= x + side && Math.max(...xs) >= x && Math.min(...ys) <= y + side && Math.max(...ys) >= y
        return meets ? [at + 1] : []
      })
      const found = db
        .query(`SELECT id FROM "${index}" WHERE minx <= ? AND maxx >= ? AND miny <= ? AND maxy >= ? ORDER BY id`)
        .all(x + side, x, y + side, y) as { id: number }[]
      expect(found.map(({ id }) => id)).toEqual(expected)
    }
    db.close()
    const bounds = /Extent: \((.*), (.*)\) - \((.*), (.*)\)/.exec(outputOf('ogrinfo', ['-so', path, table]).toString())
    const every = geometries.flatMap((shape) => numbersIn(shape?.coordinates))
    if (every.length > 0)
      expect(bounds?.slice(1).map(Number)).toEqual([
        ...[Math.min, Math.max].flatMap((pick) =>
          [0, 1].map((axis) => +pick(...every.map((at) => at[axis] as number)).toFixed(6)),
        ),
      ])
  },
  120_000,
)

/** Values that GDAL has to convert, after which it reads all rows of a file. */
const ODD = [
  `UPDATE layer SET whole = 'seven' WHERE fid = 3`,
  'UPDATE layer SET large = 9007199254740993 WHERE fid = 3',
  `UPDATE layer SET text = CAST(x'61ff62' AS TEXT) WHERE fid = 3`,
  `UPDATE layer SET at = '2024-01-02T03:04:05.250Z' WHERE fid = 3`,
]

test(`rows read in bulk equal the rows that GDAL reads, seed ${testSeed}`, async () => {
  const random = seeded(testSeed)
  const features = shapes(400, random).map((geometry, i) => ({
    type: 'Feature',
    geometry,
    properties: {
      whole: i % 7 === 0 ? null : i - 2 ** 31,
      large: i * 2 ** 33,
      real: i / 3,
      text: i % 3 === 0 ? null : `name ${i} "القراءة"`,
      flag: i % 2 === 0,
      day: '2024-02-29',
      at: `2024-02-29T23:59:${10 + (i % 50)}Z`,
    },
  }))
  const path = join(sharedFolder('geopackages'), 'layer.gpkg')
  const text = JSON.stringify({ type: 'FeatureCollection', features })
  outputOf('ogr2ogr', ['-f', 'GPKG', '-nln', 'layer', path, '/vsistdin/'], { input: text })
  const readBack = async (change?: string): Promise<unknown[]> => {
    const db = new Database(path)
    const triggers = db.query(`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'layer'`).all()
    for (const { name } of triggers as { name: string }[]) db.run(`DROP TRIGGER "${name}"`)
    if (change !== undefined) db.run(change)
    db.close()
    const file = { name: 'layer.gpkg', content: readFileSync(path) }
    const { geojson } = await runTool('vector.explode', { file, target_format: 'geojson', coordinate_precision: 15 })
    return geojson().features.filter(({ properties }) => properties?.real !== features[2]?.properties.real)
  }
  const inBulk = await readBack()
  expect(inBulk.length).toBeGreaterThan(400)
  for (const change of ODD) expect(await readBack(change)).toEqual(inBulk)
}, 120_000)
