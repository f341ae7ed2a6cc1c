/** Work that processes share has the same result as in one process, byte for byte. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeGeometry } from '../../../src/lib/geo/formats/geojson/geojson-geometry.ts'
import { writeGeoJson } from '../../../src/lib/geo/formats/geojson/geojson-write.ts'
import { loadGeos } from '../../../src/lib/geo/geometry/geos.ts'
import { WGS84 } from '../../../src/lib/geo/layers/layer.ts'
import { type Row, RowFile, writeRows } from '../../../src/lib/geo/layers/row-file.ts'
import { GeometrySet } from '../../../src/lib/geo/overlay/geometry-set.ts'
import { OPERATIONS, type OperationName } from '../../../src/lib/geo/overlay/row-operations.ts'
import { loadRegistry } from '../../../src/tools/registry.ts'
import { partOfRows } from '../../../src/tools/row-part.ts'
import { keepOnly } from '../../../src/tools/run-cache.ts'
import { type Part, readRows, SHARED_FROM, type Task, workInParts } from '../../../src/tools/shared-rows.ts'
import type { RunContext } from '../../../src/tools/tool.ts'
import union from '../../../src/tools/vector/union.ts'
import { randomPolygons } from '../../support/formats/geometries.ts'
import { seeded } from '../../support/random.ts'
import { geojson, runTool } from '../../support/workers/engine.ts'

let scratch: string
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'groundwave-rows-'))
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const LIMITS = { maxFeatures: 1e6, maxUnpackedBytes: 1e9, maxPixels: 1, maxSamples: 1, maxPages: 1 }

/** Parts travel as JSON, the last one first. The helper has nothing in memory, unlike the owner of the run. */
const contextOf = (isOwner: boolean): RunContext => ({
  scratch,
  limits: LIMITS,
  plan: 'max',
  openFolder: undefined,
  progress: () => undefined,
  warn: () => undefined,
  async share(parts) {
    if (!isOwner) keepOnly([])
    const done: unknown[] = []
    for (const [i, part] of [...parts.entries()].reverse())
      done[i] = JSON.parse(JSON.stringify(await partOfRows(JSON.parse(JSON.stringify(part)) as Part)))
    return done as never[]
  },
})

const BOW_TIE = { type: 'Polygon', coordinates: [[[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]] } // biome-ignore format: a ring
const EMPTY = { type: 'Polygon', coordinates: [] }

function geometries(seed: number): (Uint8Array | null)[] {
  const shapes = [...randomPolygons(seeded(seed), 40, 12, 1), BOW_TIE, EMPTY]
  const encoded = shapes.map((shape) => encodeGeometry(shape).wkb)
  return [...encoded.slice(0, 17), null, ...encoded.slice(17)]
}

const OPTIONS: { [Name in OperationName]: unknown } = {
  valid: {},
  intersect: {},
  union: {},
  validate: {},
  measure: {},
  clipOrErase: { keep: 'difference' },
  join: { predicate: 'overlaps' },
  inside: { findReference: true },
  buffer: { cap: 'round' },
  repair: { method: 'structure' },
  simplify: { tolerance: 0.05, preserveTopology: false },
  closeLines: {},
}
/** The outer rings of polygons without their last position, which is the first one. */
const linesOf = (rows: readonly Row[]): Row[] =>
  rows.map(({ values, geometry }) => {
    if (geometry === null || geometry[1] !== 3) return { values, geometry }
    const bytes = Buffer.from(geometry)
    const positions = bytes.readUInt32LE(9) - 1
    const line = Buffer.alloc(9 + 16 * positions)
    line.writeUInt8(1, 0)
    line.writeUInt32LE(2, 1)
    line.writeUInt32LE(positions, 5)
    bytes.copy(line, 9, 13, 13 + 16 * positions)
    return { values, geometry: line }
  })
const hex = (rows: readonly Row[]) =>
  rows.map(({ values, geometry }) => [...values, geometry === null ? null : Buffer.from(geometry).toString('hex')])

test.each(Object.keys(OPERATIONS) as OperationName[])('%s in parts of any size', async (operation) => {
  const geos = await loadGeos()
  const mask = geometries(2)
  const others = new GeometrySet(geos, (index) => mask[index] ?? null, mask.length, 'plane')
  // clipping and unions are given valid geometries; a buffer's rows have distances
  const valid = await OPERATIONS.valid(
    geometries(1).map((geometry, i) => ({ values: [i, 1000 + i], geometry })),
    others,
    {},
    () => undefined,
  )
  const options = OPTIONS[operation]
  const work = OPERATIONS[operation] as (rows: Row[], set: GeometrySet, options: unknown, done: () => void) => Promise<{ rows: Row[]; facts?: unknown }> // biome-ignore format: one line
  const given = ['valid', 'repair', 'validate'].includes(operation)
    ? geometries(1).map((geometry, i) => ({ values: [i], geometry }))
    : valid.rows.map((row) => (operation === 'buffer' ? row : { ...row, values: row.values.slice(0, 1) }))
  if (operation === 'closeLines') given.splice(0, given.length, ...linesOf(given))
  const serial = await work(given, others, options, () => undefined)
  expect(serial.rows.length).toBeGreaterThan(10)
  for (const [size, isOwner] of [
    [1, false],
    [7, false],
    [7, true],
    [1000, false],
  ] as const) {
    const task = { operation, options, field: 'file', rows: given, others } as unknown as Task<'valid'>
    const parts = await workInParts(task, contextOf(isOwner), size)
    expect(parts.length).toBe(Math.ceil(given.length / size))
    const rows = parts.flatMap(({ path }) => readRows(path, (index) => given[index]?.geometry ?? null))
    expect(hex(rows)).toEqual(hex(serial.rows))
    if (operation === 'validate')
      expect(parts.flatMap(({ facts }) => facts as string[])).toEqual(serial.facts as string[])
    if (operation === 'repair')
      expect(parts.reduce((sum, { facts }) => sum + (facts as number[])[0]!, 0)).toBe((serial.facts as number[])[0]!)
  }
  expect(readdirSync(scratch).filter((name) => name.endsWith('.rows'))).toEqual([])
})

test('a file of rows holds numbers and geometries of any length', () => {
  const path = join(scratch, 'any.rows')
  const long = new Uint8Array((4 << 20) + 5).fill(7)
  const rows: Row[] = [
    { values: [0, Number.NaN], geometry: null },
    { values: [1, -0.1], geometry: long },
    { values: [2, 2 ** 53], geometry: new Uint8Array(0) },
    { values: [3, -1], geometry: Uint8Array.of(1, 2, 3) },
    { values: [4, 1e300], geometry: long },
  ]
  writeRows(path, rows, (row) => row.values[0] === 4)
  const file = new RowFile(path)
  expect(file.count).toBe(5)
  expect(file.read(0, 5, (index) => (index === 4 ? long : null))).toEqual(rows)
  expect(file.read(2, 4)).toEqual(rows.slice(2, 4))
  expect(file.read(5, 5)).toEqual([])
  file.close()
})

test('a run that two processes share writes the same file as one process', async () => {
  const layer = (seed: number, name: string) =>
    geojson(randomPolygons(seeded(seed), SHARED_FROM + 100, 12, 0.03).map((shape, i) => [{ [name]: i }, shape]))
  const [a, b] = [layer(3, 'a'), layer(4, 'b')]
  const shared = await runTool('vector.union', { file: a, overlay: b, target_format: 'geojson' })
  const [file, overlay] = [a, b].map((given, i) => {
    const path = join(scratch, `layer-${i}.geojson`)
    writeFileSync(path, (given as { content: string }).content)
    return { path, filename: 'layer.geojson', bytes: statSync(path).size }
  })
  const alone = await union.run({ file, overlay, target_format: 'geojson' } as never, contextOf(true))
  const written = readFileSync(alone.files?.[0]?.path as string, 'utf8')
  expect(JSON.parse(written).features.length).toBeGreaterThan(2 * SHARED_FROM)
  expect(readFileSync(shared.path, 'utf8') === written).toBe(true)
})

test('a repeated geometry is converted to text once, with the same result', () => {
  const shapes = randomPolygons(seeded(5), SHARED_FROM + 50, 6, 0.03).map((shape) => encodeGeometry(shape).wkb)
  const features = shapes.flatMap((geometry, i) =>
    Array.from({ length: 1 + (i % 4) }, (_, k) => ({ values: [i, k], geometry: i % 50 === 7 ? null : geometry })),
  )
  // equal bytes in another place do not count as a repetition for the writer
  const copies = features.map(({ values, geometry }) => ({ values, geometry: geometry && Uint8Array.from(geometry) }))
  const fields = ['i', 'k'].map((name) => ({ name, type: 'integer' as const }))
  const written = (given: typeof features): string => {
    const layer = { name: 'layer', fields, features: given, crs: WGS84, sourceCrs: WGS84, warnings: [] }
    return Buffer.concat([...writeGeoJson(layer)]).toString()
  }
  const expected = written(copies)
  expect(JSON.parse(expected).features.map((feature: { geometry: unknown }) => feature.geometry !== null)).toEqual(
    features.map(({ geometry }) => geometry !== null),
  )
  expect(written(features) === expected).toBe(true)
})

test('every tool that works on rows can work on a part of them', async () => {
  const { tools } = await loadRegistry()
  const workers = tools.filter(({ id }) => {
    const [domain, name] = id.split('.')
    const path = join(import.meta.dir, `../../../src/tools/${domain}/${name}.ts`)
    return existsSync(path) && /\b(workOnRows|workInParts|madeValid|clipOrErase)\(/.test(readFileSync(path, 'utf8'))
  })
  expect(workers.length).toBeGreaterThan(9)
  expect(workers.filter(({ part }) => part !== partOfRows).map(({ id }) => id)).toEqual([])
})
