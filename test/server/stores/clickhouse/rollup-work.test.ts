/** When and how often hours are aggregated, query results meanwhile, and kills in the middle of the work. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClickHouse } from '../../../../src/stores/clickhouse/client.ts'
import { openEmbeddedClickHouse } from '../../../../src/stores/clickhouse/embedded.ts'
import { type RollupOptions, startRollups } from '../../../../src/stores/clickhouse/maintenance/rollups.ts'
import { migrateClickHouse } from '../../../../src/stores/clickhouse/migrate.ts'
import { type Resolution, seriesBetween } from '../../../../src/stores/clickhouse/queries/series.ts'
import { processesIn, ROOT } from '../../../support/processes.ts'
import { killRandom, whole } from '../../../support/random.ts'
import { rounds } from '../../../support/rounds.ts'
import { until } from '../../../support/until.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const START = Date.UTC(2026, 0, 1)

let dir = ''
let clickhouse: ClickHouse
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'groundwave-rollups-'))
  clickhouse = await openEmbeddedClickHouse(join(dir, 'clickhouse'))
  await migrateClickHouse(clickhouse, join(ROOT, 'sql/clickhouse'))
  await clickhouse.write(
    "INSERT INTO sensors SELECT number, 'sen_' || number, 1, 'ent', 'ass', 'Pump', 1 FROM numbers(100)",
  )
  await clickhouse.write("INSERT INTO channels SELECT 1, number, 1, 'a', 'number', '', 1 FROM numbers(100)")
}, 120_000)
afterAll(async () => {
  await clickhouse.close()
  rmSync(dir, { recursive: true })
})

type Reading = [sensor: number, ms: number, value: number]

const store = (readings: readonly Reading[]): Promise<void> =>
  clickhouse.write(
    `INSERT INTO readings SELECT 1, t.1, fromUnixTimestamp64Milli(t.2, 'UTC'), [1], [t.3], NaN, NaN, now64(3), 3650
     FROM (SELECT arrayJoin(arrayZip({sensors:Array(UInt32)}, {times:Array(Int64)}, {values:Array(Float64)})) AS t)`,
    {
      sensors: readings.map(([sensor]) => sensor),
      times: readings.map(([, ms]) => ms),
      values: readings.map(([, , value]) => value),
    },
    { max_partitions_per_insert_block: 0 },
  )

const rollupsWith = (options: Partial<RollupOptions>, onError = (error: unknown): void => void Promise.reject(error)) =>
  startRollups(clickhouse, onError, { intervalMs: 50, overMs: 0, settledMs: 0, settledAgainMs: 0, ...options })

/** Sums and counts of one sensor, as a query answers. */
async function asked(sensor: number, resolution: Resolution, stepMs: number, fromMs: number, toMs: number) {
  const members = [{ series: 0, sensor, channel: 1 }]
  const buckets = { kind: 'seconds', seconds: stepMs / 1000 } as const
  const request = { resolution, fromMs, toMs, buckets, aggregates: ['sum', 'count'] as const, members }
  const found = await seriesBetween(clickhouse, request, new AbortController().signal)
  const { starts, values } = found.points[0] as (typeof found.points)[number]
  return { resolution: found.resolution, rows: starts.map((ms, i) => [ms, values[0]?.[i], values[1]?.[i]]) }
}

/** The same from a list of readings. */
function expectedOf(readings: readonly Reading[], stepMs: number, fromMs: number, toMs: number) {
  const inRange = readings.filter(([, ms]) => ms >= fromMs && ms < toMs).sort(([, a], [, b]) => a - b)
  return [...Map.groupBy(inRange, ([, ms]) => Math.floor(ms / stepMs) * stepMs)].map(([start, own]) => [
    start,
    own.reduce((sum, [, , value]) => sum + value, 0),
    own.length,
  ])
}

test('a late reading is in the next answer of every resolution, and in the views, before it is aggregated', async () => {
  const sensor = 1
  const readings: Reading[] = []
  for (let hour = 0; hour < 72; hour++)
    for (let i = 0; i < 700; i++) readings.push([sensor, START + hour * HOUR_MS + i * 5_000, i % 7])
  await store(readings)
  const rollups = rollupsWith({})
  await until(async () => !(await rollups.refresh()))
  await rollups.stop()
  const late: Reading[] = [
    [sensor, START + 30 * HOUR_MS + 1, 1_000],
    [sensor, START + 31 * HOUR_MS + 1, 2_000],
    [sensor, START + 55 * HOUR_MS + 1, 4_000],
  ]
  await store(late)
  const all = [...readings, ...late]
  for (const [resolution, stepMs] of [
    ['minute', 5 * 60_000],
    ['hour', HOUR_MS],
    ['day', DAY_MS],
  ] as const)
    for (const [fromMs, toMs] of [
      [START, START + 72 * HOUR_MS],
      [START + 17 * 60_000, START + 70 * HOUR_MS + 1],
    ] as const) {
      const found = await asked(sensor, resolution, stepMs, fromMs, toMs)
      expect(found).toEqual({ resolution, rows: expectedOf(all, stepMs, fromMs, toMs) as never })
    }
  for (const [view, bucket, ms] of [
    ['readings_by_hour', 'hour', HOUR_MS],
    ['readings_by_day', 'day', DAY_MS],
  ] as const) {
    const rows = await clickhouse.rows<{ start: number; sum: number; count: number }>(
      `SELECT toUnixTimestamp(${bucket}) * 1000 AS start, sum, count FROM ${view} WHERE sensor_id = 'sen_1' ORDER BY start`,
    )
    expect(rows.map(({ start, sum, count }) => [start, sum, count])).toEqual(
      expectedOf(all, ms, START, START + 72 * HOUR_MS) as never,
    )
  }
}, 60_000)

/** How often the hour was aggregated: its rows, when none were merged. */
async function timesMade(sensor: number): Promise<number> {
  const [row] = await clickhouse.rows<{ made: number }>(
    'SELECT uniqExact(made_at) AS made FROM rollup_hour WHERE sensor = {sensor:UInt32}',
    { sensor },
  )
  return Number(row?.made)
}

test('an hour is aggregated once, when it is over and its readings have stopped arriving', async () => {
  await clickhouse.write('SYSTEM STOP MERGES rollup_hour')
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const [over, open, marker] = [10, 11, 12]
  const rollups = rollupsWith({ settledMs: 1_500, settledAgainMs: 1_500 })
  await store([[open, hour, 1]])
  for (let i = 0; i < 20; i++) {
    await store([[over, hour - HOUR_MS + i * 1000, i]])
    await Bun.sleep(100)
  }
  expect(await timesMade(over)).toBe(0)
  await until(async () => (await timesMade(over)) > 0)
  // another hour that is stored now is aggregated later than any earlier one
  await store([[marker, hour - HOUR_MS, 1]])
  await until(async () => (await timesMade(marker)) > 0)
  await rollups.stop()
  expect([await timesMade(over), await timesMade(open)]).toEqual([1, 0])
  const [made] = await clickhouse.rows<{ count: number }>('SELECT count FROM rollup_hour WHERE sensor = 10')
  expect(Number(made?.count)).toBe(20)
  await clickhouse.write('SYSTEM START MERGES rollup_hour')
}, 60_000)

test('while ingestion is busy, the work is still done, with pauses', async () => {
  await store(Array.from({ length: 40 }, (_, i): Reading => [20, START + i * HOUR_MS, i]))
  const rollups = rollupsWith({ isBusy: () => true, batchReadings: 10 })
  await until(async () => (await asked(20, 'hour', HOUR_MS, START, START + 40 * HOUR_MS)).resolution === 'hour')
  await until(async () => (await clickhouse.rows('SELECT 1 FROM rollup_hour WHERE sensor = 20')).length >= 40)
  await rollups.stop()
}, 60_000)

const KILLS = rounds(3, 8)
/** Number of kills that must happen before the work is done. On a fast machine more of them come too late. */
const INTERRUPTED = rounds(1, 3)
const MOST_KILLS = 40

test(`after at least ${KILLS} kills in the middle of the work every row of the rollups equals the readings`, async () => {
  const random = killRandom('rollup-work.test.ts')('kills')
  const stored = new Map<string, Reading>()
  const rollups = rollupsWith({ batchReadings: 3_000, intervalMs: 3_600_000 })
  /** Repeats the work until ClickHouse does it: it restarts after a kill. */
  async function untilDone<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work()
      } catch {
        await Bun.sleep(20)
      }
    }
  }
  let interrupted = 0
  for (let kill = 0; kill < KILLS || (interrupted < INTERRUPTED && kill < MOST_KILLS); kill++) {
    const fresh = Array.from({ length: 8 }, () => {
      const [sensor, hour] = [30 + whole(random, 12), whole(random, 60)]
      // full hours and sparse ones
      const count = random() < 0.4 ? 650 : 1 + whole(random, 40)
      return Array.from(
        { length: count },
        (): Reading => [sensor, START + hour * HOUR_MS + whole(random, HOUR_MS), whole(random, 1e6) / 8],
      )
    })
      .flat()
      .filter(([sensor, ms]) => !stored.has(`${sensor} ${ms}`))
    for (const one of fresh) stored.set(`${one[0]} ${one[1]}`, one)
    const unique = [
      ...new Map(fresh.map((one) => [`${one[0]} ${one[1]}`, stored.get(`${one[0]} ${one[1]}`) as Reading])).values(),
    ]
    // an insert whose acknowledgement is lost is repeated
    await untilDone(() => store(unique))
    if (random() < 0.3) await untilDone(() => store(unique))
    const [chdb] = processesIn(join(dir, 'clickhouse'))
    const working = rollups.refresh().catch(() => {
      interrupted++
    })
    await Bun.sleep(random() * 250)
    if (chdb !== undefined) process.kill(chdb, 'SIGKILL')
    await working
  }
  expect(interrupted).toBeGreaterThanOrEqual(INTERRUPTED)
  while (await untilDone(() => rollups.refresh()));
  await rollups.stop()

  const readings = [...stored.values()].sort(([, a], [, b]) => a - b)
  const countsOfHours = Map.groupBy(readings, ([sensor, ms]) => `${sensor} ${Math.floor(ms / HOUR_MS)}`)
  for (const [table, ms] of [
    ['rollup_minute', 60_000],
    ['rollup_hour', HOUR_MS],
    ['rollup_day', DAY_MS],
  ] as const) {
    const rows = await clickhouse.rows<Record<string, number>>(
      `SELECT sensor, toUnixTimestamp(bucket) * 1000 AS start, count, sum, min, max, toUnixTimestamp64Milli(first_at) AS firstAt,
         first, toUnixTimestamp64Milli(last_at) AS lastAt, last
       FROM ${table} FINAL WHERE sensor >= 30 AND sensor < 50 ORDER BY sensor, bucket`,
    )
    const groups = Map.groupBy(readings, ([sensor, at]) => sensor * 1e14 + Math.floor(at / ms) * ms)
    const expected = [...groups]
      .filter(([key]) => {
        const hour = countsOfHours.get(`${Math.floor(key / 1e14)} ${Math.floor((key % 1e14) / HOUR_MS)}`)
        return ms !== 60_000 || (hour?.length ?? 0) >= 600
      })
      .sort(([a], [b]) => a - b)
      .map(([key, own]) => {
        const values = own.map(([, , value]) => value)
        const [first, last] = [own[0] as Reading, own.at(-1) as Reading]
        return {
          sensor: Math.floor(key / 1e14),
          start: key % 1e14,
          count: own.length,
          sum: values.reduce((a, b) => a + b, 0),
          min: Math.min(...values),
          max: Math.max(...values),
          firstAt: first[1],
          first: first[2],
          lastAt: last[1],
          last: last[2],
        }
      })
    // hours that only repeats made full may have minutes too; queries do not use them
    const found =
      ms === 60_000 ? rows.filter(({ sensor, start }) => groups.has(Number(sensor) * 1e14 + Number(start))) : rows
    const keyOf = (row: Record<string, number>): string => `${row.sensor} ${row.start}`
    const foundBy = new Map(found.map((row) => [keyOf(row), row]))
    for (const row of expected) expect(foundBy.get(keyOf(row))).toEqual(row)
    if (ms !== 60_000) expect(found.length).toBe(expected.length)
    expect(expected.length).toBeGreaterThan(10)
  }
}, 240_000)
