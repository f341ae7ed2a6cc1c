/** Marked readings do not change the newest values, positions and waiting hours of a sensor. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { appendReading, createBatch, resetBatch, sensorProfile } from '../../../src/ingest/batch.ts'
import { eachLocatedRow } from '../../../src/ingest/row.ts'
import { markSuperseded } from '../../../src/ingest/superseded.ts'
import { readInt64 } from '../../../src/stores/clickhouse/row-binary.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 4, 1)
const profile = sensorProfile(3, 7, 365, [])

type Given = { atMs: number; values: Record<number, number>; location: [number, number] | undefined }

function batchOf(readings: readonly Given[]) {
  const batch = createBatch()
  resetBatch(batch, NOW_MS)
  for (const { atMs, values, location } of readings) {
    const channels = Object.entries(values)
    for (const [i, [channel, value]] of channels.entries()) {
      batch.channelNumbers[i] = Number(channel)
      batch.values[i] = value
    }
    appendReading(batch, profile, atMs, channels.length, ...(location ?? ([Number.NaN, Number.NaN] as const)))
  }
  return batch
}

function marked(readings: readonly Given[]): boolean[] {
  const batch = batchOf(readings)
  markSuperseded(batch, 0, readings.length - 1)
  return readings.map((_, i) => readInt64(batch.view, (batch.rowEnds[i + 1] as number) - 10) === -NOW_MS)
}

/** The views of ClickHouse in plain code: the newest value of each channel, the newest position, the hours. */
function summaryOf(readings: readonly Given[]) {
  const newest = new Map<string, { atMs: number; value: unknown }>()
  const note = (key: string, atMs: number, value: unknown): void => {
    if (atMs > (newest.get(key)?.atMs ?? Number.NEGATIVE_INFINITY)) newest.set(key, { atMs, value })
  }
  const hours = new Set<number>()
  for (const { atMs, values, location } of readings) {
    for (const [channel, value] of Object.entries(values)) note(channel, atMs, value)
    if (location !== undefined) note('location', atMs, location)
    hours.add(Math.floor(atMs / HOUR_MS))
  }
  return { newest: Object.fromEntries([...newest].sort()), hours: [...hours].sort() }
}

const location = fc.tuple(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.double({ min: -90, max: 90, noNaN: true }),
)
const reading: fc.Arbitrary<Given> = fc.record({
  atMs: fc.integer({ min: NOW_MS - 3 * HOUR_MS, max: NOW_MS }),
  values: fc.dictionary(fc.integer({ min: 0, max: 3 }).map(String), fc.double({ noNaN: true })),
  location: fc.option(location, { nil: undefined }),
})
const readings = fc.oneof(
  fc.uniqueArray(reading, { selector: ({ atMs }) => atMs, minLength: 1, maxLength: 30 }),
  fc
    .uniqueArray(reading, { selector: ({ atMs }) => atMs, minLength: 1, maxLength: 30 })
    .map((all) => all.toSorted((a, b) => a.atMs - b.atMs)),
)

test('readings without the marked ones have the same newest values, position and hours', () => {
  fc.assert(
    fc.property(readings, (all) => {
      const marks = marked(all)
      expect(summaryOf(all.filter((_, i) => marks[i] !== true))).toEqual(summaryOf(all))
    }),
    { numRuns: 2_000 },
  )
})

const usual = (atMs: number, more: Partial<Given> = {}): Given => ({
  atMs,
  values: { 1: 20.5, 2: 51 },
  location: [46.6, 24.7],
  ...more,
})
const SECONDS = [0, 1, 2, 3].map((second) => NOW_MS - HOUR_MS + second * 1000)

test('in a usual call only the last reading stays unmarked', () => {
  expect(marked(SECONDS.map((atMs) => usual(atMs)))).toEqual([true, true, true, false])
})

test('a reading before another hour, other channels, a missing location or an earlier time stays unmarked', () => {
  const next = (second: Given): boolean[] => marked([usual(SECONDS[0] as number), second])
  const laterMs = SECONDS[1] as number
  expect(next(usual(laterMs))).toEqual([true, false])
  expect(next(usual(NOW_MS))).toEqual([false, false])
  expect(next(usual(laterMs, { values: { 1: 20.5, 3: 51 } }))).toEqual([false, false])
  expect(next(usual(laterMs, { values: { 1: 20.5 } }))).toEqual([false, false])
  expect(next(usual(laterMs, { location: undefined }))).toEqual([false, false])
  expect(next(usual((SECONDS[0] as number) - 1))).toEqual([false, false])
})

test('a mark does not change the time of receipt that zone rules read', () => {
  const batch = batchOf(SECONDS.map((atMs) => usual(atMs)))
  markSuperseded(batch, 0, SECONDS.length - 1)
  const seen: number[] = []
  eachLocatedRow(batch.rows.subarray(0, batch.rowEnds[SECONDS.length]), (row) => seen.push(row.receivedAtMs))
  expect(seen).toEqual(SECONDS.map(() => NOW_MS))
})
