/** Deletions of readings on chDB, with rollups before, between and after them, compared with a model. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ClickHouse } from '../../../../src/stores/clickhouse/client.ts'
import { countToDelete, deleteRange, purge } from '../../../../src/stores/clickhouse/maintenance/deletion-statements.ts'
import { type Rollups, startRollups } from '../../../../src/stores/clickhouse/maintenance/rollups.ts'
import { type Resolution, seriesBetween } from '../../../../src/stores/clickhouse/queries/series.ts'
import { newestTimes, storedTimesBetween } from '../../../../src/stores/clickhouse/readings.ts'
import { seeded, testSeed, whole } from '../../../support/random.ts'
import { EMBEDDED_AND_CLUSTER, openReadingStore, type ReadingStore } from '../../../support/stores/reading-stores.ts'

describe.each(EMBEDDED_AND_CLUSTER)('on %s ClickHouse', (kind) => {
  let opened: ReadingStore
  let clickhouse: ClickHouse
  let rollups: Rollups
  beforeAll(async () => {
    opened = await openReadingStore(kind)
    clickhouse = opened.clickhouse
    rollups = startRollups(clickhouse, (error) => {
      throw error
    })
  }, 120_000)
  afterAll(async () => {
    await rollups.stop()
    await opened.remove()
  })

  const HOUR_MS = 3_600_000
  const DAY_MS = 24 * HOUR_MS
  const START = Date.UTC(2026, 0, 1)
  const DAYS = 6
  const ENTERPRISE = 1

  type Reading = { sensor: number; ms: number; values: Map<number, number>; longitude: number }
  /** By sensor and time. */
  type Model = Map<string, Reading>

  async function store(readings: readonly Reading[]): Promise<void> {
    await clickhouse.write(
      `INSERT INTO readings SELECT ${ENTERPRISE}, t.1, fromUnixTimestamp64Milli(t.2, 'UTC'), t.3, t.4, if(t.5 < 0, nan, t.5) AS x, x, now64(3), 3650
     FROM (SELECT arrayJoin(arrayZip({sensors:Array(UInt32)}, {times:Array(Int64)}, {channels:Array(Array(UInt16))},
       {values:Array(Array(Float64))}, {longitudes:Array(Float64)})) AS t)`,
      {
        sensors: readings.map(({ sensor }) => sensor),
        times: readings.map(({ ms }) => ms),
        channels: readings.map(({ values }) => [...values.keys()]),
        values: readings.map(({ values }) => [...values.values()]),
        // parameters cannot be NaN
        longitudes: readings.map(({ longitude }) => (Number.isNaN(longitude) ? -1 : longitude)),
      },
    )
  }

  const randomReadings = (random: () => number, sensor: number, count: number): Reading[] =>
    Array.from({ length: count }, () => {
      const has = [random() < 0.7, random() < 0.5]
      const values = new Map([1, 2].filter((_, i) => has[i]).map((channel) => [channel, whole(random, 1000) / 8]))
      return {
        sensor,
        ms: START + whole(random, DAYS * 86_400) * 1000,
        values,
        longitude: values.size === 0 || random() < 0.3 ? whole(random, 180) : Number.NaN,
      }
    })

  /** Sums by hour and day at every resolution, and the newest rows, against the model. */
  async function expectModel(model: Model, sensor: number): Promise<void> {
    const own = [...model.values()].filter((reading) => reading.sensor === sensor).sort((a, b) => a.ms - b.ms)
    const members = [1, 2].map((channel) => ({ series: channel, sensor, channel }))
    for (const [resolution, stepMs] of [
      ['raw', HOUR_MS],
      ['minute', HOUR_MS],
      ['hour', HOUR_MS],
      ['day', DAY_MS],
    ] as [Resolution, number][]) {
      const buckets = { kind: 'seconds' as const, seconds: stepMs / 1000 }
      const range = { fromMs: START, toMs: START + DAYS * DAY_MS }
      const aggregates = ['sum' as const, 'count' as const]
      const wanted = { ...range, buckets, aggregates, members, resolution }
      const { points } = await seriesBetween(clickhouse, wanted, new AbortController().signal)
      for (const { series, channel } of members) {
        const having = own.filter(({ values }) => values.has(channel))
        const expected = [...Map.groupBy(having, ({ ms }) => Math.floor(ms / stepMs) * stepMs)].map(([start, some]) => [
          start,
          some.reduce((sum, { values }) => sum + (values.get(channel) as number), 0),
          some.length,
        ])
        const found = points[series]
        const rows = (found?.starts ?? []).map((start, k) => [start, found?.values[0]?.[k], found?.values[1]?.[k]])
        // eighths: sums are exact
        expect([resolution, channel, rows]).toEqual([resolution, channel, expected])
      }
    }
    const newest = await clickhouse.rows<{ channel: number; ms: number; value: number }>(
      `SELECT channel, toUnixTimestamp64Milli(at) AS ms, value FROM latest_values FINAL WHERE sensor = ${sensor}
     UNION ALL SELECT 0, toUnixTimestamp64Milli(at), longitude FROM latest_positions FINAL WHERE sensor = ${sensor}`,
    )
    const lastOf = (channel: number): [number, number, number][] => {
      const newestIn = (reading: Reading) =>
        channel === 0 ? (Number.isNaN(reading.longitude) ? undefined : reading.longitude) : reading.values.get(channel)
      const last = own.findLast((reading) => newestIn(reading) !== undefined)
      return last === undefined ? [] : [[channel, last.ms, newestIn(last) as number]]
    }
    const found = newest.map(({ channel, ms, value }) => [Number(channel), Number(ms), value] as const)
    expect(found.toSorted(([a], [b]) => a - b)).toEqual([0, 1, 2].flatMap((channel) => lastOf(channel)))
  }

  const NOT_STOPPED = { isStopped: () => false }

  test('random deletions leave the rows of a model, and keep the times', async () => {
    process.stderr.write(`deletions: replay with TEST_SEED=${testSeed}\n`)
    const random = seeded(testSeed)
    const model: Model = new Map()
    const sent = new Map<number, Set<number>>([1, 2].map((sensor) => [sensor, new Set()]))
    for (let round = 0; round < 5; round++) {
      for (const sensor of [1, 2]) {
        const fresh = randomReadings(random, sensor, 150).filter(({ ms }) => !sent.get(sensor)?.has(ms))
        const unique = new Map(fresh.map((reading) => [`${sensor} ${reading.ms}`, reading]))
        await store([...unique.values()])
        for (const [key, reading] of unique) {
          model.set(key, reading)
          sent.get(sensor)?.add(reading.ms)
        }
      }
      if (random() < 0.6) await rollups.refresh()
      const fromMs = START + whole(random, DAYS * 24 * 60) * 60_000
      const toMs = fromMs + (1 + whole(random, 36 * 60)) * 60_000
      const channels = [undefined, [1], [2], [1, 2]][whole(random, 4)]
      const isInside = ({ sensor, ms }: Reading) => sensor === 1 && ms >= fromMs && ms < toMs
      const affected = [...model].filter(
        ([, reading]) =>
          isInside(reading) && (channels === undefined || channels.some((channel) => reading.values.has(channel))),
      )
      const range = { sensor: 1, fromMs, toMs, channels, isRefill: false }
      expect(await countToDelete(clickhouse, range)).toBe(affected.length)
      await deleteRange(clickhouse, range, { id: `del_${round}`, ...NOT_STOPPED })
      for (const [key, reading] of affected) {
        for (const channel of channels ?? [1, 2]) reading.values.delete(channel)
        if (channels === undefined) reading.longitude = Number.NaN
        if (reading.values.size === 0 && Number.isNaN(reading.longitude)) model.delete(key)
      }
      await expectModel(model, 1)
      if (random() < 0.5) {
        await rollups.refresh()
        await expectModel(model, 1)
      }
      await expectModel(model, 2)
    }
    // deleted readings are still known as sent
    for (const [sensor, times] of sent) {
      const owner = { sensor, retentionDays: 3650 }
      const known = await storedTimesBetween(clickhouse, owner, START, START + DAYS * DAY_MS)
      expect(known.toSorted()).toEqual([...times].toSorted())
      expect((await newestTimes(clickhouse, [sensor])).get(sensor)).toBe(Math.max(...times))
    }
  }, 240_000)

  test('a deletion that is repeated from any step ends in the same state', async () => {
    const random = seeded(5)
    const unique = new Map(randomReadings(random, 3, 400).map((reading) => [`3 ${reading.ms}`, reading]))
    await store([...unique.values()])
    await rollups.refresh()
    const range = { sensor: 3, fromMs: START + DAY_MS, toMs: START + 3 * DAY_MS, channels: undefined, isRefill: true }
    for (let steps = 0; steps < 8; steps++) {
      let left = steps
      // stops after some of its waits
      await deleteRange(clickhouse, range, { id: `del_repeat_${steps}`, isStopped: () => left-- <= 0 })
    }
    await deleteRange(clickhouse, range, { id: 'del_repeat', ...NOT_STOPPED })
    const isLeft = ({ ms }: Reading): boolean => ms < range.fromMs || ms >= range.toMs
    await expectModel(new Map([...unique].filter(([, reading]) => isLeft(reading))), 3)
    const known = await storedTimesBetween(clickhouse, { sensor: 3, retentionDays: 3650 }, range.fromMs, range.toMs)
    expect(known).toEqual([])
  }, 240_000)

  test('a purge leaves nothing of a sensor, and everything of others', async () => {
    await store(randomReadings(seeded(9), 4, 200))
    await rollups.refresh()
    const tables = await clickhouse.rows<{ table: string }>(
      "SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'sensor' AND table IN (SELECT name FROM system.tables WHERE engine LIKE '%MergeTree' OR engine = 'Distributed')",
    )
    expect(tables.length).toBeGreaterThan(10)
    const rowsOf = async (sensor: number) => {
      const counts = tables.map(({ table }) =>
        clickhouse.rows<{ n: number }>(`SELECT count() AS n FROM ${table} WHERE sensor = ${sensor}`),
      )
      return (await Promise.all(counts)).reduce((sum, [row]) => sum + Number(row?.n), 0)
    }
    // ClickHouse may merge rows of the same key at any time, so other sensors' rows are counted by distinct time, in
    // all tables
    const heldOf = async (sensor: number) => {
      const held = tables.map(async ({ table }) => {
        const [row] = await clickhouse.rows<{ n: number }>(`SELECT count() AS n FROM ${table} WHERE sensor = ${sensor}`)
        return [table, Number(row?.n) > 0]
      })
      const [times] = await clickhouse.rows<{ n: number }>(
        `SELECT uniqExact(at) AS n FROM readings WHERE sensor = ${sensor}`,
      )
      return { tables: Object.fromEntries(await Promise.all(held)), times: Number(times?.n) }
    }
    const [before, other] = [await rowsOf(4), await heldOf(2)]
    expect(other.times).toBeGreaterThan(100)
    expect(before).toBeGreaterThan(200)
    await purge(clickhouse, { enterprise: ENTERPRISE, sensor: 4 }, { id: 'del_purge', ...NOT_STOPPED })
    expect([await rowsOf(4), await heldOf(2)]).toEqual([0, other])
    await purge(clickhouse, { enterprise: ENTERPRISE, sensor: undefined }, { id: 'del_all', ...NOT_STOPPED })
    expect(await rowsOf(2)).toBe(0)
  }, 120_000)
})
