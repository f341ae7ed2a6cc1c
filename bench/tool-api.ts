/**
 * Saved tools compared with PostGIS: inside check, clip, intersect and spatial join of 1, 100 and 10,000 features with
 * bound layers of 10, 1,000 and 100,000 polygons. PostGIS has the layer in an indexed table and runs a prepared
 * statement on the same JSON; both return JSON. Whole calls are timed, in alternating order; then the latency of the
 * first call after an edit of the layer.
 *
 * bun run bench tool-api [rounds] [regular expression on `tool bound features`, or `edit`]
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { star } from '../test/support/formats/geometries.ts'
import { manage, startServer, stopServer } from '../test/support/processes.ts'
import { seeded } from '../test/support/random.ts'
import { startPostgres } from '../test/support/stores/postgres.ts'
import { type Operation, STATEMENTS } from './support/tool-api-rivals.ts'
import { load, ms, quantile, say } from './support/tool-harness.ts'

const LAYERS = [10, 1_000, 100_000]
const INPUTS = [1, 100, 10_000]
/** Calls per side and round, by number of features. */
const REPEATS: Record<number, number> = { 1: 100, 100: 30, 10000: 2 }
const CALLERS = 4
const EDITS = 15
const EXTENT_DEGREES = 10

const rounds = Number(process.argv[2] ?? 5)
const filter = new RegExp(process.argv[3] ?? '')

/** Named polygons that cover most of the extent and overlap their neighbours. */
function layerOf(count: number) {
  const random = seeded(count)
  const side = Math.ceil(Math.sqrt(count))
  const cell = EXTENT_DEGREES / side
  return Array.from({ length: count }, (_, i) => {
    const [x, y] = [((i % side) + random()) * cell, (Math.floor(i / side) + random()) * cell]
    const ring = star(random, x, y, cell * 0.8, 8 + Math.floor(random() * 9))
    return {
      type: 'Feature',
      id: `z${i}`,
      properties: { name: `zone ${i}`, value: i % 97 },
      geometry: { type: 'Polygon', coordinates: [ring] },
    }
  })
}

/** Polygons a few kilometres wide. */
function inputOf(count: number, seed: number) {
  const random = seeded(seed)
  const features = Array.from({ length: count }, (_, i) => {
    const [x, y] = [random() * EXTENT_DEGREES, random() * EXTENT_DEGREES]
    const ring = star(random, x, y, 0.05, 6 + Math.floor(random() * 6))
    return { type: 'Feature', properties: { id: i, kind: 'field' }, geometry: { type: 'Polygon', coordinates: [ring] } }
  })
  return { type: 'FeatureCollection', features }
}

type Side = { times: number[]; perSecond: number }

async function timed(times: number, call: (i: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = []
  for (let i = 0; i < times; i++) {
    const startedMs = performance.now()
    await call(i)
    taken.push(performance.now() - startedMs)
  }
  return taken
}

async function perSecond(times: number, call: (i: number) => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await Promise.all(Array.from({ length: CALLERS }, () => timed(times, call)))
  return (times * CALLERS * 1000) / (performance.now() - startedMs)
}

const dir = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const env = {
  DATA_DIR: join(dir, 'data'),
  PORT: '0',
  LOG_LEVEL: 'warn',
  TOOL_API_CALLS_PER_MINUTE: '1000000000',
  // joining 10,000 features with 100,000 polygons exceeds the default limit of the result
  TOOL_API_RESULT_MB: '1000',
}
const server = await startServer(['src/main.ts'], env, join(dir, 'log'))
while (!(await fetch(`${server.url}/health/ready`)).ok) await Bun.sleep(50)
const token = readFileSync(join(dir, 'data/operator.token'), 'utf8').trim()
const createResource = <T>(path: string, body: object): Promise<T> => manage<T>(server.url, token, 'POST', path, body)
const postgres = await startPostgres()
const setUp = new Bun.SQL(postgres.url, { max: 1 })
await setUp`CREATE EXTENSION postgis`
// compiling a statement would take longer than running most of these
await setUp.unsafe(`ALTER ROLE ALL SET jit = off`)
await setUp.close()
const sql = new Bun.SQL(postgres.url, { max: CALLERS })

say(`load ${load()}; ${rounds} rounds; for each side: p50 ms, p95 ms, calls/s with ${CALLERS} callers; ratio of p50`)
say('| tool | bound | features | Groundwave p50 | p95 | calls/s | PostGIS p50 | p95 | calls/s | ratio |')
say('|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|')

const { id: owner } = await createResource<{ id: string }>('/enterprises', { name: 'Bench', tier: 'scale' })
await manage(server.url, token, 'PATCH', `/enterprises/${owner}`, { apiRequestsPerDay: 2_000_000_000 })

for (const bound of LAYERS) {
  const features = layerOf(bound)
  const layer = await createResource<{ id: string }>(`/owners/${owner}/layers`, {
    name: `zones ${bound}`,
    geojson: { type: 'FeatureCollection', features },
  })
  const binding = { kind: 'layer', id: layer.id }
  await sql`DROP TABLE IF EXISTS zones`
  await sql`CREATE TABLE zones (i integer PRIMARY KEY, name text, value integer, geom geometry(Polygon, 4326))`
  for (let at = 0; at < features.length; at += 10_000)
    await sql`
      INSERT INTO zones SELECT substr(f ->> 'id', 2)::integer,
        f -> 'properties' ->> 'name', (f -> 'properties' ->> 'value')::integer,
        ST_SetSRID(ST_GeomFromGeoJSON(f ->> 'geometry'), 4326)
      FROM json_array_elements(${JSON.stringify(features.slice(at, at + 10_000))}::text::json) AS f`
  await sql`CREATE INDEX ON zones USING gist (geom)`
  await sql`ANALYZE zones`

  let warm: ((body: string) => Promise<unknown>) | undefined
  for (const [operation, statement] of Object.entries(STATEMENTS) as [Operation, (typeof STATEMENTS)[Operation]][]) {
    const api = await createResource<{ id: string; key: string }>(`/owners/${owner}/tool-apis`, {
      tool: `vector.${operation}`,
      name: operation,
      binding,
      ...(operation === 'inside-check' && { rule: { kind: 'partly' }, referenceFields: ['name'] }),
    })
    const headers = { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' }
    const ours = async (body: string): Promise<string> => {
      const response = await fetch(`${server.url}/tool-apis/${api.id}/run`, { method: 'POST', headers, body })
      const text = await response.text()
      if (!response.ok) throw new Error(`${operation}: ${text.slice(0, 300)}`)
      return text
    }
    const theirs = (collection: string): Promise<unknown> => statement(sql, collection)
    if (operation === 'inside-check') warm = ours
    for (const count of INPUTS) {
      const name = `${operation} ${bound} ${count}`
      if (!filter.test(name)) continue
      const inputs = Array.from({ length: 8 }, (_, seed) => JSON.stringify(inputOf(count, seed + 1)))
      const bodies = inputs.map((input) => `{"input":${input}}`)
      const repeat = REPEATS[count] as number
      const own = (i: number): Promise<unknown> => ours(bodies[i % bodies.length] as string)
      const other = (i: number): Promise<unknown> => theirs(inputs[i % inputs.length] as string)
      await Promise.all([perSecond(1, own), perSecond(1, other)])
      const result: Record<'own' | 'other', Side> = {
        own: { times: [], perSecond: 0 },
        other: { times: [], perSecond: 0 },
      }
      for (let round = 0; round < rounds; round++)
        for (const side of round % 2 === 0 ? (['own', 'other'] as const) : (['other', 'own'] as const))
          result[side].times.push(...(await timed(repeat, side === 'own' ? own : other)))
      result.own.perSecond = await perSecond(repeat, own)
      result.other.perSecond = await perSecond(repeat, other)
      const [a, b] = [result.own, result.other].map(({ times, perSecond }) => ({
        p50: quantile(times, 0.5),
        p95: quantile(times, 0.95),
        perSecond,
      })) as [{ p50: number; p95: number; perSecond: number }, { p50: number; p95: number; perSecond: number }]
      const row = [a, b].flatMap((side) => [ms(side.p50), ms(side.p95), ms(side.perSecond)])
      say(`| ${operation} | ${bound} | ${count} | ${row.join(' | ')} | ${(a.p50 / b.p50).toFixed(2)} |`)
    }
  }
  if (bound === 100_000 && warm !== undefined && filter.test('edit')) {
    const call = warm
    const body = `{"input":${JSON.stringify(inputOf(1, 1))}}`
    for (let i = 0; i < 20; i++) await call(body)
    const before = quantile(await timed(30, () => call(body)), 0.5)
    const after: number[] = []
    for (let i = 0; i < EDITS; i++) {
      const [feature] = features.slice(i * 100)
      await manage(server.url, token, 'PATCH', `/owners/${owner}/layers/${layer.id}/features`, { upsert: [feature] })
      after.push(...(await timed(1, () => call(body))))
      await timed(3, () => call(body))
    }
    say(
      `after an edit of a layer of 100,000: next call ${ms(quantile(after, 0.5))} ms (p95 ${ms(quantile(after, 0.95))}), warm ${ms(before)} ms`,
    )
  }
}
await stopServer(server)
await sql.close()
await postgres.remove()
rmSync(dir, { recursive: true, force: true })
