/** Rollups on chDB compared with plain loops over the stored readings, after repeated, late and expired readings. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { oldestOf } from '../../../../src/ingest/segments.ts'
import type { ClickHouse } from '../../../../src/stores/clickhouse/client.ts'
import { type Rollups, startRollups } from '../../../../src/stores/clickhouse/maintenance/rollups.ts'
import type { Buckets } from '../../../../src/stores/clickhouse/queries/buckets.ts'
import { createRolledHours } from '../../../../src/stores/clickhouse/queries/rolled-hours.ts'
import { type Aggregate, type Resolution, seriesBetween } from '../../../../src/stores/clickhouse/queries/series.ts'
import { seeded } from '../../../support/random.ts'
import { EMBEDDED_AND_CLUSTER, openReadingStore, type ReadingStore } from '../../../support/stores/reading-stores.ts'

describe.each(EMBEDDED_AND_CLUSTER)('on %s ClickHouse', (kind) => {
  let opened: ReadingStore
  let clickhouse: ClickHouse
  let rollups: Rollups
  beforeAll(async () => {
    opened = await openReadingStore(kind)
    // on a cluster other instances change readings too
    clickhouse = kind === 'embedded' ? { ...opened.clickhouse, rolledHours: createRolledHours() } : opened.clickhouse
    rollups = startRollups(clickhouse, (error) => {
      throw error
    })
  }, 240_000)
  afterAll(async () => {
    await rollups.stop()
    await opened.remove()
  })

  type Reading = { sensor: number; ms: number; values: [channel: number, value: number][]; retentionDays?: number }
  const keyOf = ({ sensor, ms }: Reading): string => `${sensor} ${ms}`

  async function store(readings: readonly Reading[]): Promise<void> {
    const oldest = oldestOf(readings.map(({ sensor, ms }) => ({ sensor, oldestMs: ms })))
    await (clickhouse.rolledHours?.during(oldest, () => insert(readings)) ?? insert(readings))
  }

  async function insert(readings: readonly Reading[]): Promise<void> {
    await clickhouse.write(
      `INSERT INTO readings SELECT 1, t.1, fromUnixTimestamp64Milli(t.2, 'UTC'), t.3, t.4, NaN, NaN, now64(3), t.5
     FROM (SELECT arrayJoin(arrayZip({sensors:Array(UInt32)}, {times:Array(Int64)}, {channels:Array(Array(UInt16))},
       {values:Array(Array(Float64))}, {keep:Array(UInt16)})) AS t)`,
      {
        sensors: readings.map(({ sensor }) => sensor),
        times: readings.map(({ ms }) => ms),
        channels: readings.map(({ values }) => values.map(([channel]) => channel)),
        values: readings.map(({ values }) => values.map(([, value]) => value)),
        keep: readings.map(({ retentionDays = 3650 }) => retentionDays),
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

  /** The result at a resolution, and the result of a loop over the readings. */
  async function compare(
    stored: Map<string, Reading>,
    fromMs: number,
    toMs: number,
    stepMs: number,
    resolution: Resolution,
    members = MEMBERS,
  ): Promise<Resolution> {
    const buckets: Buckets = { kind: 'seconds', seconds: stepMs / 1000 }
    const wanted = { fromMs, toMs, buckets, aggregates: NAMES, members, resolution }
    const found = await seriesBetween(clickhouse, wanted, new AbortController().signal)
    const rows = found.points.flatMap(({ starts, values }, series) =>
      starts.map((start, i) => [series, start, ...values.map((column) => column[i] as number)]),
    )
    const readings = [...stored.values()].filter(({ ms }) => ms >= fromMs && ms < toMs).sort((a, b) => a.ms - b.ms)
    const expected = members.flatMap(({ series, sensor, channel }) => {
      const values = readings
        .filter((reading) => reading.sensor === sensor)
        .flatMap(({ ms, values }) =>
          values.filter(([number]) => number === channel).map(([, value]) => ({ ms, value })),
        )
      return [...Map.groupBy(values, ({ ms }) => Math.floor(ms / stepMs) * stepMs)].map(([start, group]) => [
        series,
        start,
        ...NAMES.map((name) => (AGGREGATES[name] as (values: number[]) => number)(group.map(({ value }) => value))),
      ])
    })
    expect(rows.map(([series, start]) => [series, start])).toEqual(
      expected.map(([series, start]) => [series, start]) as never,
    )
    for (const [i, row] of rows.entries())
      for (const [k, value] of row.entries()) expect(value).toBeCloseTo(expected[i]?.[k] as number, 6)
    return found.resolution
  }

  test('minutes of an hour are computed once it is over, even if its readings were processed before', async () => {
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS
    await store(
      Array.from({ length: 700 }, (_, i): Reading => ({ sensor: 80, ms: hour + i * 5_000, values: [[1, i]] })),
    )
    // as if they had arrived at minute 49 and been aggregated at minute 50
    await clickhouse.write('TRUNCATE TABLE rollup_waiting')
    const at = (minute: number): string => `fromUnixTimestamp64Milli(toInt64(${hour + minute * 60_000}))`
    await clickhouse.write(`INSERT INTO rollup_waiting SELECT 80, toDateTime(${at(0)}), ${at(49)}`)
    await clickhouse.write(`INSERT INTO rollup_done SELECT ${at(50)}`)
    await store([{ sensor: 81, ms: START, values: [[1, 1]] }])
    expect(await rollups.refresh()).toBe(true)
    const made = await clickhouse.rows<{ minute: number; count: number }>(
      'SELECT toUnixTimestamp(bucket) AS minute, count FROM rollup_minute FINAL WHERE sensor = 80 ORDER BY minute',
    )
    const expected = Map.groupBy(
      Array.from({ length: 700 }, (_, i) => Math.floor((i * 5_000) / 60_000)),
      (minute) => minute,
    )
    expect(made.map(({ minute, count }) => [minute * 1000, Number(count)])).toEqual(
      [...expected].map(([minute, all]) => [hour + minute * 60_000, all.length]),
    )
  })

  test('random readings, also late and repeated ones, in random ranges give the same result as the readings', async () => {
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
      // there is one reading per sensor and time; a repeated segment has the same values
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
    // after merging there are no duplicates either
    await clickhouse.write('OPTIMIZE TABLE rollup_hour FINAL')
    await compare(stored, START, START + SPAN_MS, HOUR_MS * 24, 'hour')
  }, 240_000)

  test('a range without waiting hours takes one statement, and a late reading still counts', async () => {
    const from = START + 200 * 24 * HOUR_MS
    const readings = Array.from(
      { length: 50 },
      (_, i): Reading => ({ sensor: 3, ms: from + i * HOUR_MS, values: [[1, i]] }),
    )
    await store(readings)
    await rollups.refresh()
    const stored = new Map(readings.map((reading) => [keyOf(reading), reading]))
    const statements = spyOn(clickhouse, 'askNumbers')
    const members = [{ series: 0, sensor: 3, channel: 1 }]
    const range = [from - 1, from + 50 * HOUR_MS + 1, HOUR_MS * 5, 'hour', members] as const
    await compare(stored, ...range)
    expect(statements).toHaveBeenCalledTimes(1)
    const late: Reading = { sensor: 3, ms: from + 10 * HOUR_MS + 5, values: [[1, 1000]] }
    await store([late])
    stored.set(keyOf(late), late)
    await compare(stored, ...range)
    expect(statements).toHaveBeenCalledTimes(4)
    statements.mockRestore()
  })

  test('times after the rollup are computed from the readings', async () => {
    const nowMs = Date.now()
    const reading: Reading = { sensor: 1, ms: nowMs, values: [[1, 5]] }
    await store([reading])
    await compare(new Map([[keyOf(reading), reading]]), nowMs - HOUR_MS * 100, nowMs + 1, HOUR_MS, 'hour')
  })

  test('minutes are stored for busy hours, also for those that become busy late; other hours are computed from readings', async () => {
    const random = seeded(32)
    const stored = new Map<string, Reading>()
    const put = async (readings: Reading[]): Promise<void> => {
      const fresh = readings.filter((reading) => !stored.has(keyOf(reading)))
      for (const reading of fresh) stored.set(keyOf(reading), reading)
      await store(fresh)
    }
    /** `count` readings at random times of an hour. */
    const hourOf = (sensor: number, hour: number, count: number): Reading[] => {
      const times = new Set<number>()
      while (times.size < count) times.add(START + hour * HOUR_MS + Math.floor(random() * HOUR_MS))
      return [...times].map((ms) => ({ sensor, ms, values: [[1, Math.round(random() * 1e6) / 1e3]] }))
    }
    for (let hour = 0; hour < 50; hour++) {
      await put(hourOf(70, hour, 600 + Math.floor(random() * 200)))
      await put(hourOf(71, hour, hour === 20 ? 400 : 650))
    }
    await rollups.refresh()
    const member = (sensor: number) => [{ series: 0, sensor, channel: 1 }]
    const any = async (sensor: number): Promise<Resolution[]> => {
      const used: Resolution[] = []
      for (let i = 0; i < 4; i++) {
        const [from, to] = [random() * 15, 25 + random() * 25].map((hour) => START + Math.floor(hour * HOUR_MS))
        const stepMs = 60_000 * ([1, 5, 7, 90][i] as number)
        used.push(await compare(stored, from as number, to as number, stepMs, 'minute', member(sensor)))
      }
      return [...new Set(used)]
    }
    expect(await any(70)).toEqual(['minute'])
    // one hour in the middle has no minutes
    expect(await any(71)).toEqual(['minute'])
    await put(hourOf(71, 20, 300))
    await put(hourOf(70, 30, 300))
    await rollups.refresh()
    expect(await any(71)).toEqual(['minute'])
    expect(await any(70)).toEqual(['minute'])
    const [minutes] = await clickhouse.rows<{ hours: number }>(
      'SELECT uniqExact(sensor, toStartOfHour(bucket)) AS hours FROM rollup_minute WHERE sensor NOT IN (70, 71, 80)',
    )
    expect(minutes?.hours).toBe(0)
  }, 240_000)

  test('rollups are deleted with the readings', async () => {
    const old = START - 400 * 24 * HOUR_MS
    await store([
      { sensor: 50, ms: old, values: [[1, 1]], retentionDays: 30 },
      { sensor: 50, ms: old + 1000, values: [[1, 2]], retentionDays: 3650 },
      { sensor: 51, ms: old, values: [[1, 1]], retentionDays: 30 },
    ])
    await rollups.refresh()
    for (const table of ['readings', 'rollup_hour', 'rollup_day'])
      await clickhouse.write(`OPTIMIZE TABLE ${table} FINAL`)
    const left = async (table: string) =>
      (
        await clickhouse.rows<{ sensor: number }>(
          `SELECT DISTINCT sensor FROM ${table} WHERE sensor IN (50, 51) ORDER BY sensor`,
        )
      ).map(({ sensor }) => sensor)
    expect(await left('readings')).toEqual([50])
    expect(await left('rollup_hour')).toEqual([50])
    expect(await left('rollup_day')).toEqual([50])
  })
})
