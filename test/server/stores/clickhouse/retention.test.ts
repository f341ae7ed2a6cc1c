/**
 * Deletion of rows on chDB: the grace period, restored settings, interruptions, and rollups at the edge of the kept
 * period.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createChanges } from '../../../../src/stores/changes.ts'
import type { ClickHouse } from '../../../../src/stores/clickhouse/client.ts'
import {
  type RetentionKeeper,
  type RetentionRecords,
  startRetention,
} from '../../../../src/stores/clickhouse/maintenance/retention.ts'
import { type Rollups, startRollups } from '../../../../src/stores/clickhouse/maintenance/rollups.ts'
import { seriesBetween } from '../../../../src/stores/clickhouse/queries/series.ts'
import type { RetentionState } from '../../../../src/stores/postgres/sensors/retentions.ts'
import { EMBEDDED_AND_CLUSTER, openReadingStore, type ReadingStore } from '../../../support/stores/reading-stores.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
describe.each(EMBEDDED_AND_CLUSTER)('on %s ClickHouse', (kind) => {
  let opened: ReadingStore
  let clickhouse: ClickHouse
  let rollups: Rollups
  const fail = (error: unknown): void => {
    throw error
  }
  beforeAll(async () => {
    opened = await openReadingStore(kind)
    clickhouse = opened.clickhouse
    rollups = startRollups(clickhouse, fail)
  }, 120_000)
  afterAll(async () => {
    await rollups.stop()
    await opened.remove()
  })

  /** PostgreSQL's record of one enterprise (stores/postgres/sensors/retentions.ts), in memory. */
  function recordsOf(enterprise: number, days: number) {
    const state: RetentionState = {
      enterprise,
      settingDays: days,
      keptDays: days,
      isDeleting: false,
      hasGrown: false,
      setAtS: Date.now() / 1000,
      graceMs: 1,
    }
    const grow = (): void => {
      if (state.isDeleting || state.settingDays <= state.keptDays) return
      Object.assign(state, { keptDays: state.settingDays, hasGrown: true, setAtS: Date.now() / 1000 })
    }
    let failure = ''
    const records: RetentionRecords = {
      list: async () => [{ ...state }],
      async begin(numbers) {
        if (numbers.includes(enterprise) && state.graceMs <= 0)
          Object.assign(state, { keptDays: state.settingDays, isDeleting: true })
      },
      async whileDeleting(work) {
        if (failure !== '') throw new Error(failure)
        await work(state.isDeleting ? new Map([[enterprise, state.keptDays]]) : new Map())
      },
      async end() {
        state.isDeleting = false
        grow()
      },
    }
    return {
      records,
      state,
      set(settingDays: number, graceMs: number): void {
        Object.assign(state, { settingDays, graceMs, setAtS: Date.now() / 1000 })
        grow()
      },
      breakOff(message: string): void {
        failure = message
      },
    }
  }

  async function withKeeper(
    records: RetentionRecords,
    work: (keeper: RetentionKeeper) => Promise<void>,
  ): Promise<void> {
    const keeper = startRetention(records, clickhouse, createChanges(), fail)
    try {
      await work(keeper)
    } finally {
      await keeper.stop()
    }
  }

  async function store(
    enterprise: number,
    sensor: number,
    timesMs: readonly number[],
    keepDays: number,
  ): Promise<void> {
    await clickhouse.write(
      `INSERT INTO readings SELECT {enterprise:UInt32}, {sensor:UInt32}, fromUnixTimestamp64Milli(t, 'UTC'), [1], [1.], 1, 2,
       now64(3), {keep:UInt16} FROM (SELECT arrayJoin({times:Array(Int64)}) AS t)`,
      { enterprise, sensor, times: timesMs, keep: keepDays },
      { max_partitions_per_insert_block: 0 },
    )
  }

  const TABLES = ['readings', 'latest_values', 'latest_positions', 'rollup_hour', 'rollup_day']
  async function rowsOf(enterprise: number): Promise<Record<string, number>> {
    const counts = TABLES.map(
      (table) => `SELECT '${table}' AS name, count() AS rows FROM ${table} FINAL WHERE enterprise = ${enterprise}`,
    )
    const rows = await clickhouse.rows<{ name: string; rows: number }>(counts.join(' UNION ALL '))
    return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]))
  }

  test('rows stay through the grace period and when the setting is restored; later they are deleted everywhere', async () => {
    const now = Date.now()
    await store(1, 1, [now - 60 * DAY_MS, now - 5 * DAY_MS], 90)
    await store(1, 2, [now - 60 * DAY_MS], 90)
    await rollups.refresh()
    const all = { readings: 3, latest_values: 2, latest_positions: 2, rollup_hour: 3, rollup_day: 3 }
    const { records, set } = recordsOf(1, 90)
    await withKeeper(records, async (keeper) => {
      set(30, HOUR_MS)
      await keeper.refresh()
      expect(await rowsOf(1)).toEqual(all)
      set(90, HOUR_MS)
      await keeper.refresh()
      expect(await rowsOf(1)).toEqual(all)
      set(30, 0)
      await keeper.refresh()
      expect(await rowsOf(1)).toEqual({
        readings: 1,
        latest_values: 1,
        latest_positions: 1,
        rollup_hour: 1,
        rollup_day: 1,
      })
    })
  }, 60_000)

  test('a deletion that was interrupted is completed by the next start, even if the setting was restored meanwhile', async () => {
    const now = Date.now()
    await store(2, 21, [now - 60 * DAY_MS, now - 5 * DAY_MS], 90)
    await rollups.refresh()
    const { records, state, set, breakOff } = recordsOf(2, 90)
    await withKeeper(records, async (keeper) => {
      set(30, 0)
      // as if the process were killed after its record and before its first statement
      breakOff('killed')
      await expect(keeper.refresh()).rejects.toThrow('killed')
    })
    expect(state).toMatchObject({ isDeleting: true, keptDays: 30 })
    set(365, 0)
    expect(state).toMatchObject({ isDeleting: true, keptDays: 30 })
    breakOff('')
    await withKeeper(records, async (keeper) => {
      await keeper.refresh()
      expect(state).toMatchObject({ isDeleting: false, keptDays: 365 })
      expect(await rowsOf(2)).toEqual({
        readings: 1,
        latest_values: 1,
        latest_positions: 1,
        rollup_hour: 1,
        rollup_day: 1,
      })
      await keeper.refresh()
    })
    const kept = await clickhouse.rows<{ days: number }>(
      'SELECT DISTINCT keep_days AS days FROM readings WHERE enterprise = 2',
    )
    expect(kept).toEqual([{ days: 365 }])
  }, 60_000)

  test('after a deletion and a longer retention, rollups agree with the remaining and repeated readings', async () => {
    const KEPT_DAYS = 30
    const now = Date.now()
    // ten-minute readings for two days around the edge of thirty days; the edge falls into an hour and a day
    const edgeMs = now - KEPT_DAYS * DAY_MS
    const times = Array.from({ length: 288 }, (_, i) => edgeMs - DAY_MS + i * 600_000)
    await store(3, 31, times, 90)
    // nothing is left of the second sensor's hour, and only later readings of its day
    const hourMs = Math.floor(edgeMs / HOUR_MS) * HOUR_MS
    await store(3, 32, [hourMs, edgeMs + 3 * HOUR_MS], 90)
    await rollups.refresh()
    const seriesOf = async (resolution: 'raw' | 'hour' | 'day', hours: number) => {
      const from = Math.floor((edgeMs - 3 * DAY_MS) / DAY_MS) * DAY_MS
      const members = [31, 32].map((sensor, series) => ({ series, sensor, channel: 1 }))
      const request = {
        fromMs: from,
        toMs: from + 8 * DAY_MS,
        resolution,
        members,
        buckets: { kind: 'seconds' as const, seconds: hours * 3600 },
        aggregates: ['count', 'sum'] as ['count', 'sum'],
      }
      return (await seriesBetween(clickhouse, request, new AbortController().signal)).points
    }
    const expectAgreement = async (counts: number[]): Promise<void> => {
      for (const hours of [1, 24]) {
        const raw = await seriesOf('raw', hours)
        expect(raw.map(({ values }) => values[0]?.reduce<number>((sum, count) => sum + Number(count), 0))).toEqual(
          counts,
        )
        expect(await seriesOf('hour', hours)).toEqual(raw)
        if (hours === 24) expect(await seriesOf('day', hours)).toEqual(raw)
      }
    }
    await expectAgreement([288, 2])
    const { records, set } = recordsOf(3, 90)
    await withKeeper(records, async (keeper) => {
      set(KEPT_DAYS, 0)
      await keeper.refresh()
      set(365, 0)
      const left = times.filter((ms) => ms > now - KEPT_DAYS * DAY_MS + (Date.now() - now)).length
      await keeper.refresh()
      await expectAgreement([left, 1])
      await rollups.refresh()
      await expectAgreement([left, 1])
      await store(3, 31, times, 365)
      await expectAgreement([288, 1])
      await rollups.refresh()
      await expectAgreement([288, 1])
    })
  }, 60_000)
})
