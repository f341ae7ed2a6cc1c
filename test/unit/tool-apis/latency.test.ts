/** Percentiles of bucketed durations, compared with percentiles of the sorted durations themselves. */
import { expect, test } from 'bun:test'
import { addCounts, bucketOf, countDuration, percentile } from '../../../src/tool-apis/latency.ts'
import { seeded } from '../../support/random.ts'

test('percentiles of merged buckets are near the percentiles of all durations', () => {
  const random = seeded(7)
  for (const spread of [0.2, 1, 3]) {
    const all: number[] = []
    const merged: number[] = []
    for (let instance = 0; instance < 3; instance++) {
      const counts: number[] = []
      for (let i = 0; i < 400; i++) {
        const ms = Math.exp(4 + spread * (random() + random() + random() - 1.5))
        all.push(ms)
        countDuration(counts, ms)
      }
      addCounts(merged, counts)
    }
    all.sort((a, b) => a - b)
    for (const share of [0.5, 0.95]) {
      const exact = all[Math.ceil(all.length * share) - 1] as number
      const found = percentile(merged, share, all.at(-1) as number) as number
      expect(Math.abs(found / exact - 1)).toBeLessThan(0.19)
    }
    expect(percentile(merged, 1, all.at(-1) as number)).toBeLessThanOrEqual(all.at(-1) as number)
  }
})

test('buckets cover every duration, and each bucket has its stated bounds', () => {
  expect(bucketOf(0)).toBe(0)
  expect(bucketOf(0.999)).toBe(0)
  expect(bucketOf(1)).toBe(1)
  expect(bucketOf(16)).toBe(17)
  expect(bucketOf(15.99)).toBe(16)
  expect(bucketOf(1e12)).toBe(84)
  expect(bucketOf(Number.NaN)).toBe(0)
  expect(percentile([], 0.5, 0)).toBeUndefined()
  expect(percentile([0, 0], 0.5, 0)).toBeUndefined()
  const one: number[] = []
  countDuration(one, 20)
  expect(percentile(one, 0.95, 20)).toBe(20)
})
