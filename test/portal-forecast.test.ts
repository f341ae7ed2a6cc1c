/** The forecast of a month, compared with closed forms. */
import { expect, test } from 'bun:test'
import { type ForecastInput, forecastOf } from '../src/portal/pages/usage/forecast.ts'
import { seeded } from './support/random.ts'

const base: ForecastInput = {
  ...{ history: [], usedBefore: 0, usedToday: 0, dayOfMonth: 11, daysInMonth: 30, allowance: undefined },
}
const repeat = (count: number, value: (i: number) => number): number[] =>
  Array.from({ length: count }, (_, i) => value(i))

test('a constant rate c on day d of n comes to used + c · (n − d + 1), with no range', () => {
  for (const c of [1, 2.5, 400])
    for (const days of [3, 7, 13, 14, 40]) {
      const found = forecastOf({ ...base, history: repeat(days, () => c), usedBefore: 10 * c })
      expect(found?.expected).toBeCloseTo(10 * c + 20 * c, 9)
      expect(found?.low).toBeCloseTo(found?.expected as number, 9)
      expect(found?.high).toBeCloseTo(found?.expected as number, 9)
      expect(found).toMatchObject({ basedOn: days >= 14 ? 14 : Math.min(7, days), byWeekday: days >= 14 })
    }
})

test('a weekly pattern goes on exactly', () => {
  const week = [5, 5, 5, 5, 5, 0, 1]
  for (let dayOfMonth = 1; dayOfMonth <= 30; dayOfMonth++) {
    const history = repeat(28, (i) => week[(dayOfMonth + i) % 7] as number)
    const expected = repeat(30 - dayOfMonth + 1, (i) => week[(dayOfMonth + 28 + i) % 7] as number)
    const found = forecastOf({ ...base, history, dayOfMonth, usedBefore: 100 })
    expect(found?.days).toEqual(expected)
    expect(found?.expected).toBe(100 + expected.reduce((a, b) => a + b, 0))
    expect(found?.high).toBe(found?.expected as number)
  }
})

test('too few days say nothing, and zeros come to what was used', () => {
  expect(forecastOf({ ...base, history: [4, 9] })).toBeUndefined()
  expect(forecastOf({ ...base, history: [0, 0, 0, 0, 0, 0, 0], usedBefore: 12 })).toMatchObject({
    ...{ expected: 12, low: 12, high: 12, reachedOn: undefined },
  })
})

test('a day that has brought more than expected already counts as it is', () => {
  const found = forecastOf({ ...base, history: repeat(7, () => 10), dayOfMonth: 30, usedBefore: 290, usedToday: 50 })
  expect(found).toMatchObject({ expected: 340, days: [50] })
  const quiet = forecastOf({ ...base, history: repeat(7, () => 10), dayOfMonth: 30, usedBefore: 290, usedToday: 4 })
  expect(quiet).toMatchObject({ expected: 300, days: [10] })
})

test('the month never comes to more than the allowance, and the day is named on which it is used up', () => {
  const input = { ...base, history: repeat(14, () => 10), usedBefore: 100, allowance: 150 }
  const found = forecastOf(input)
  expect(found).toMatchObject({ expected: 150, high: 150, reachedOn: 15 })
  expect(forecastOf({ ...input, allowance: 301 })?.reachedOn).toBeUndefined()
  expect(forecastOf({ ...input, allowance: 300 })?.reachedOn).toBe(30)
  // more was used than is allowed now, because the operator took the allowance back
  expect(forecastOf({ ...input, allowance: 50 })).toMatchObject({ expected: 100, low: 100, high: 100, reachedOn: 11 })
})

test('the range is that of the mean of normal days, and holds four of five months', () => {
  // two values a apart around their mean: variance a² · n / (n − 1)
  const [a, rest, n] = [3, 20, 6]
  const found = forecastOf({ ...base, history: repeat(n, (i) => 50 + (i % 2 === 0 ? a : -a)) })
  const spread = 1.2816 * Math.sqrt(((a ** 2 * n) / (n - 1)) * (rest + rest ** 2 / n))
  expect(found?.high).toBeCloseTo(rest * 50 + spread, 6)
  expect(found?.low).toBeCloseTo(rest * 50 - spread, 6)

  const random = seeded(7)
  const normal = (): number => 100 + 15 * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  let inside = 0
  const MONTHS = 4_000
  for (let i = 0; i < MONTHS; i++) {
    const week = forecastOf({ ...base, history: repeat(14, normal) })
    const actual = repeat(20, normal).reduce((sum, value) => sum + value, 0)
    if (week !== undefined && actual >= week.low && actual <= week.high) inside++
  }
  // fourteen days are few: a little less than 80 %
  expect(inside / MONTHS).toBeGreaterThan(0.72)
  expect(inside / MONTHS).toBeLessThan(0.88)
})
