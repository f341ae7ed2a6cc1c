/** Buckets by a local clock, compared with the clock that Intl shows, minute by minute. */
import { describe, expect, test } from 'bun:test'
import { clockPeriods, clockStarts } from '../../../src/analytics/local-clock.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Minutes since midnight that the clock shows. */
function clockOf(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', hour: 'numeric', minute: 'numeric' })
  return (ms) => {
    const parts = format.formatToParts(ms)
    const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value)
    return part('hour') * 60 + part('minute')
  }
}

/** Reads the clock minute by minute: a bucket starts at a multiple of the step, or where the clock jumps over one. */
function startsByReading(timeZone: string, stepMinutes: number, fromMs: number, toMs: number): number[] {
  const clock = clockOf(timeZone)
  const starts: number[] = []
  for (let ms = fromMs - 2 * 24 * HOUR_MS, before = clock(ms); ms < toMs; ms += MINUTE_MS) {
    const now = clock(ms)
    const jumped = (now - before + 1440) % 1440
    const isForward = jumped > 1 && jumped < 720
    const skipped = isForward && Math.floor(now / stepMinutes) !== Math.floor((before + 1 - 1e-9) / stepMinutes)
    if (now % stepMinutes === 0 || skipped) starts.push(ms)
    before = now
  }
  const first = starts.findLastIndex((ms) => ms <= fromMs)
  return starts.slice(Math.max(first, 0))
}

const ZONES: [string, string][] = [
  ['Europe/Berlin', '2026-03-28T05:00:00Z'],
  ['Europe/Berlin', '2026-10-24T05:00:00Z'],
  ['America/St_Johns', '2026-03-07T05:00:00Z'],
  ['America/St_Johns', '2026-10-31T05:00:00Z'],
  // half an hour forward and back
  ['Australia/Lord_Howe', '2026-10-03T05:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T05:00:00Z'],
  ['Asia/Kolkata', '2026-03-28T05:17:00Z'],
  ['Asia/Kathmandu', '2026-03-28T05:17:00Z'],
  // midnight did not exist on the day that clocks went forward
  ['America/Havana', '2026-03-07T12:00:00Z'],
  ['Asia/Beirut', '2026-10-24T05:00:00Z'],
]
describe.each(ZONES)('%s from %s', (zone, from) => {
  const fromMs = Date.parse(from)
  const toMs = fromMs + 60 * HOUR_MS
  test.each([10, 20, 30, 60, 120, 180, 240, 360, 480, 720])('buckets of %d minutes', (step) => {
    const stepMs = step * MINUTE_MS
    const periods = clockPeriods(zone, stepMs, fromMs, toMs)
    const wanted = startsByReading(zone, step, fromMs, toMs)
    expect(clockStarts(periods, stepMs, fromMs, toMs).map((ms) => new Date(ms).toISOString())).toEqual(
      wanted.map((ms) => new Date(ms).toISOString()),
    )
  })
})

test('days of six-hour buckets when clocks change in Berlin', () => {
  const starts = (from: string, to: string): string[] => {
    const [fromMs, toMs] = [Date.parse(from), Date.parse(to)]
    const periods = clockPeriods('Europe/Berlin', 6 * HOUR_MS, fromMs, toMs)
    return clockStarts(periods, 6 * HOUR_MS, fromMs, toMs).map((ms) => new Date(ms).toISOString().slice(5, 16))
  }
  // clocks go forward on 29 March 2026 at 01:00 UTC, and back on 25 October at 01:00 UTC
  expect(starts('2026-03-28T23:00:00+00:00', '2026-03-29T22:00:00Z')).toEqual([
    '03-28T23:00',
    '03-29T04:00',
    '03-29T10:00',
    '03-29T16:00',
  ])
  expect(starts('2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z')).toEqual([
    '10-24T22:00',
    '10-25T05:00',
    '10-25T11:00',
    '10-25T17:00',
  ])
})
