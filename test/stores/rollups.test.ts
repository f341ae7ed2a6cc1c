/** Rollups on chDB, held against plain loops over what is stored, after repeated, late and expired readings. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClickHouse } from '../../src/stores/clickhouse/client.ts'
import { openEmbeddedClickHouse } from '../../src/stores/clickhouse/embedded.ts'
import { migrateClickHouse } from '../../src/stores/clickhouse/migrate.ts'
import { keepRollups, type Rollups } from '../../src/stores/clickhouse/rollups.ts'
import { type Aggregate, type Buckets, seriesBetween } from '../../src/stores/clickhouse/series.ts'
import { seeded } from '../support/geometries.ts'
import { ROOT } from '../support/processes.ts'

let dir = ''
let clickhouse: ClickHouse
let rollups: Rollups
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'groundwave-rollups-'))
  clickhouse = await openEmbeddedClickHouse(join(dir, 'clickhouse'))
  await migrateClickHouse(clickhouse, join(ROOT, 'sql/clickhouse'))
  rollups = keepRollups(clickhouse, (error) => {
    throw error
  })
}, 60_000)
afterAll(async () => {
  await rollups.stop()
  await clickhouse.close()
  rmSync(dir, { recursive: true })
})

type Reading = { sensor: number; ms: number; values: [channel: number, value: number][]; keepDays?: number }
const keyOf = ({ sensor, ms }: Reading): string => `${sensor} ${ms}`

async function store(readings: readonly Reading[]): Promise<void> {
  await clickhouse.write(
    `INSERT INTO readings SELECT 1, t.1, fromUnixTimestamp64Milli(t.2, 'UTC'), t.3, t.4, NaN, NaN, now64(3), t.5
     FROM (SELECT arrayJoin(arrayZip({sensors:Array(UInt32)}, {times:Array(Int64)}, {channels:Array(Array(UInt16))},
       {values:Array(Array(Float64))}, {keep:Array(UInt16)})) AS t)`,
    {
      sensors: readings.map(({ sensor }) => sensor),
      times: readings.map(({ ms }) => ms),
      channels: readings.map(({ values }) => values.map(([channel]) => channel)),
      values: readings.map(({ values }) => values.map(([, value]) => value)),
      keep: readings.map(({ keepDays = 3650 }) => keepDays),
    },
    { max_partitions_per_insert_block: 0 },
  )
}

const AGGREGATES: Record<string, (values: number[]) => number> = {
  avg: (values) => values.reduce((a, b) => a + b, 0) / values.length,
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  sum: (values) => values.reduce((a, b) => a + b, 0),
  count: (values) => values.length,
  first: (values) => values[0] as number,
  last: (values) => values.at(-1) as number,
}
const NAMES = Object.keys(AGGREGATES) as Aggregate[]
const HOUR_MS = 3_600_000
const START = Date.UTC(2026, 0, 1)
const SPAN_MS = 40 * 24 * HOUR_MS

const MEMBERS = [1, 2, 3].flatMap((sensor) =>
  [1, 2].map((channel) => ({ series: sensor * 10 + channel, sensor, channel })),
)

/** What a resolution answers, and what a loop over the readings does. */
async function compare(
  stored: Map<string, Reading>,
  fromMs: number,
  toMs: number,
  stepMs: number,
  resolution: 'hour' | 'day',
) {
  const buckets: Buckets = { kind: 'seconds', seconds: stepMs / 1000 }
  const wanted = { fromMs, toMs, buckets, aggregates: NAMES, members: MEMBERS, resolution }
  const rows = await seriesBetween(clickhouse, wanted, new AbortController().signal)
  const readings = [...stored.values()].filter(({ ms }) => ms >= fromMs && ms < toMs).sort((a, b) => a.ms - b.ms)
  const expected = MEMBERS.flatMap(({ series, sensor, channel }) => {
    const values = readings
      .filter((reading) => reading.sensor === sensor)
      .flatMap(({ ms, values }) => values.filter(([number]) => number === channel).map(([, value]) => ({ ms, value })))
    return [...Map.groupBy(values, ({ ms }) => Math.floor(ms / stepMs) * stepMs)].map(([start, group]) => [
      ...[series, start],
      ...NAMES.map((name) => (AGGREGATES[name] as (values: number[]) => number)(group.map(({ value }) => value))),
    ])
  })
  expect(rows.map(([series, start]) => [series, start])).toEqual(
    expected.map(([series, start]) => [series, start]) as never,
  )
  for (const [i, row] of rows.entries())
    for (const [k, value] of row.entries()) expect(value).toBeCloseTo(expected[i]?.[k] as number, 6)
}

test('random readings, late and repeated ones, in random ranges: always what the readings say', async () => {
  const random = seeded(31)
  const stored = new Map<string, Reading>()
  const any = (n: number): number => Math.floor(random() * n)
  for (let round = 0; round < 6; round++) {
    const batch = Array.from(
      { length: 800 },
      (): Reading => ({
        sensor: 1 + any(4),
        ms: START + any(SPAN_MS / 1000) * 1000 + any(3),
        values: [[1, Math.round(random() * 1e6) / 1e3] as [number, number], [2, any(100)] as [number, number]].slice(
          any(2),
          1 + any(2),
        ),
      }),
    ).filter(({ values }) => values.length > 0)
    // of a sensor and a time there is one reading; a segment that comes again says the same
    const fresh = batch.filter((reading) => !stored.has(keyOf(reading)))
    for (const reading of fresh) stored.set(keyOf(reading), reading)
    const unique = [
      ...new Map(fresh.map((reading) => [keyOf(reading), stored.get(keyOf(reading)) as Reading])).values(),
    ]
    await store(unique)
    if (round % 2 === 1) await store(unique.filter(() => random() < 0.5))
    if (round !== 3) expect(await rollups.refresh()).toBe(true)
    else continue
    for (let i = 0; i < 6; i++) {
      const [a, b] = [any(SPAN_MS), any(SPAN_MS)].sort((x, y) => x - y) as [number, number]
      await compare(stored, START + a, START + b, HOUR_MS * (1 + any(30)), 'hour')
      await compare(stored, START + a, START + b, HOUR_MS * 24 * (1 + any(5)), 'day')
    }
  }
  // nothing is there twice once parts are merged either
  await clickhouse.write('OPTIMIZE TABLE rollup_hour FINAL')
  await compare(stored, START, START + SPAN_MS, HOUR_MS * 24, 'hour')
}, 120_000)

test('what is newer than the rollup is told out of the readings', async () => {
  const nowMs = Date.now()
  const reading: Reading = { sensor: 1, ms: nowMs, values: [[1, 5]] }
  await store([reading])
  await compare(new Map([[keyOf(reading), reading]]), nowMs - HOUR_MS * 100, nowMs + 1, HOUR_MS, 'hour')
})

test('rollups go when the readings do', async () => {
  const old = START - 400 * 24 * HOUR_MS
  await store([
    { sensor: 50, ms: old, values: [[1, 1]], keepDays: 30 },
    { sensor: 50, ms: old + 1000, values: [[1, 2]], keepDays: 3650 },
    { sensor: 51, ms: old, values: [[1, 1]], keepDays: 30 },
  ])
  await rollups.refresh()
  for (const table of ['readings', 'rollup_hour', 'rollup_day']) await clickhouse.write(`OPTIMIZE TABLE ${table} FINAL`)
  const left = async (table: string) =>
    (
      await clickhouse.rows<{ sensor: number }>(
        `SELECT DISTINCT sensor FROM ${table} WHERE sensor >= 50 ORDER BY sensor`,
      )
    ).map(({ sensor }) => sensor)
  expect(await left('readings')).toEqual([50])
  expect(await left('rollup_hour')).toEqual([50])
  expect(await left('rollup_day')).toEqual([50])
})
