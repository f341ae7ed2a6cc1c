/** Readings a minute of two days, from counts of periods of 10 seconds. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readingRates } from '../../../../src/analytics/fleet/fleet-overview.ts'
import {
  ACCEPTED,
  type ActivityRow,
  NO_SENSOR,
  writeActivity,
} from '../../../../src/stores/clickhouse/sensor-activity.ts'
import { openReadingStore, type ReadingStore } from '../../../support/stores/reading-stores.ts'

const STEP_MS = 600_000
const DAY_MS = 86_400_000
let store: ReadingStore
beforeAll(async () => {
  store = await openReadingStore('embedded')
}, 240_000)
afterAll(() => store.remove())

const row = (enterprise: number, ms: number, count: number): ActivityRow => ({
  enterprise,
  sensor: NO_SENSOR,
  outcome: ACCEPTED,
  period: Math.floor(ms / 10_000) * 10,
  count,
  lastMs: ms,
  callMs: 0,
  example: '',
})

test('each step has the readings that arrived in it, and counts of two days are kept', async () => {
  const rates = () => readingRates(store.clickhouse, { number: 1, retentionDays: 30 }, new AbortController().signal)
  const { from, stepSeconds, today, yesterday } = await rates()
  expect([stepSeconds, today.length, yesterday.length]).toEqual([600, 144, 144])
  const fromMs = Date.parse(from)
  const toMs = fromMs + DAY_MS
  expect(toMs % STEP_MS).toBe(0)
  expect([...today, ...yesterday].every((rate) => rate === 0)).toBe(true)
  await writeActivity(store.clickhouse, [
    row(1, toMs - 10_000, 400),
    row(1, toMs - 20_000, 200),
    row(1, fromMs, 1_200),
    row(1, fromMs - 10_000, 1_800),
    // before both days, after the last complete step, and of another enterprise
    row(1, fromMs - DAY_MS - 10_000, 5),
    row(1, toMs, 7),
    row(2, fromMs, 9),
  ])
  // removes rows that are kept too short
  await store.clickhouse.work('OPTIMIZE TABLE sensor_activity FINAL', {}, {})
  const then = await rates()
  // another step may have been completed meanwhile
  const shift = (Date.parse(then.from) - fromMs) / STEP_MS
  const all = [...then.yesterday, ...then.today]
  const at = (ms: number): number | undefined => all[(ms - fromMs + DAY_MS) / STEP_MS - shift]
  expect([at(toMs - STEP_MS), at(fromMs), at(fromMs - STEP_MS)]).toEqual([60, 120, 180])
  expect(all.reduce((sum, rate) => sum + rate, 0)).toBeCloseTo(360 + shift * 0.7, 6)
}, 60_000)
