/** Pauses between attempts, against the table of the design. */
import { expect, test } from 'bun:test'
import { nextAttemptAt } from '../../../src/destinations/retry.ts'
import { seeded, testSeed } from '../../support/random.ts'

const SECOND = 1000
const HOUR = 3_600 * SECOND
const START = new Date('2026-03-01T00:00:00Z')
const TABLE = [5 * SECOND, 30 * SECOND, 120 * SECOND, 600 * SECOND, HOUR, 3 * HOUR, 6 * HOUR, 6 * HOUR, 6 * HOUR]
const after = (ms: number): Date => new Date(START.getTime() + ms)

/** The pause after a failed attempt, in ms. */
function pause(
  count: number,
  {
    at = START,
    retryAfterMs,
    scale = 1,
    draw = 0.5,
  }: Partial<{ at: Date; retryAfterMs: number; scale: number; draw: number }> = {},
) {
  const next = nextAttemptAt({ count, firstAt: START, lastAt: at, retryAfterMs }, scale, () => draw)
  return next === undefined ? undefined : next.getTime() - at.getTime()
}

test('pauses grow as in the table, 20 % less to 20 % more', () => {
  expect(TABLE.map((_, i) => pause(i + 1))).toEqual(TABLE)
  expect(pause(1, { draw: 0 })).toBe(4 * SECOND)
  expect(pause(1, { draw: 1 })).toBe(6 * SECOND)
  const random = seeded(testSeed)
  const drawn = Array.from({ length: 2_000 }, () => pause(7, { draw: random() })! / HOUR)
  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(4.8)
  expect(Math.min(...drawn)).toBeLessThan(4.9)
  expect(Math.max(...drawn)).toBeGreaterThan(7.1)
  expect(Math.max(...drawn)).toBeLessThanOrEqual(7.2)
})

test('a receiver can lengthen a pause to six hours, and never shorten it', () => {
  expect(pause(1, { retryAfterMs: 60 * SECOND })).toBe(60 * SECOND)
  expect(pause(1, { retryAfterMs: SECOND })).toBe(5 * SECOND)
  expect(pause(1, { retryAfterMs: 100 * HOUR })).toBe(6 * HOUR)
  expect(pause(8, { retryAfterMs: 100 * HOUR, draw: 1 })).toBe(7.2 * HOUR)
})

test('DELIVERY_TIME_SCALE divides the pauses and the three days, not what a receiver asks for', () => {
  expect(pause(1, { scale: 1000 })).toBe(5)
  expect(pause(1, { scale: 1000, retryAfterMs: 60 * SECOND })).toBe(60 * SECOND)
  expect(pause(9, { scale: 1000, at: after((72 * HOUR) / 1000 - 1) })).toBe((6 * HOUR) / 1000)
  expect(pause(9, { scale: 1000, at: after((72 * HOUR) / 1000) })).toBeUndefined()
})

test('attempts end with the first one that is three days after the first', () => {
  for (const draw of [0, 0.5, 1]) {
    let at: Date | undefined = START
    let last = START
    let count = 0
    while (at !== undefined) {
      last = at
      count += 1
      at = nextAttemptAt({ count, firstAt: START, lastAt: at }, 1, () => draw)
    }
    const hours = (last.getTime() - START.getTime()) / HOUR
    expect(hours).toBeGreaterThanOrEqual(72)
    expect(hours).toBeLessThan(72 + 7.2)
    expect(count).toBeGreaterThan(15)
  }
})
