/** The forecast of a month, compared with closed forms. */
import { expect, test } from 'bun:test'
import { forecastOf } from '../../../src/portal/features/console/usage/forecast.ts'

const base = { used: 0, daysSoFar: 10, daysInMonth: 30, allowance: 1_000_000 }

test('a constant rate c over d of n days comes to c · n', () => {
  for (const c of [1, 2.5, 400])
    for (const daysSoFar of [3, 7.25, 13, 30]) {
      const found = forecastOf({ ...base, used: c * daysSoFar, daysSoFar })
      expect(found?.expected).toBeCloseTo(c * 30, 9)
      expect(found?.perDay).toBeCloseTo(c, 9)
      expect(found?.reachedOn).toBeUndefined()
    }
})

test('too few days give no forecast, and no usage gives zero', () => {
  expect(forecastOf({ ...base, used: 40, daysSoFar: 2.9 })).toBeUndefined()
  expect(forecastOf(base)).toEqual({ expected: 0, perDay: 0, reachedOn: undefined })
})

test('the forecast never exceeds the allowance, and names the day on which it is used up', () => {
  // 10 a day: 150 are used up at the end of the 15th day, 151 during the 16th
  const input = { ...base, used: 100 }
  expect(forecastOf({ ...input, allowance: 150 })).toEqual({ expected: 150, perDay: 10, reachedOn: 15 })
  expect(forecastOf({ ...input, allowance: 151 })?.reachedOn).toBe(16)
  expect(forecastOf({ ...input, allowance: 300 })?.reachedOn).toBe(30)
  expect(forecastOf({ ...input, allowance: 301 })).toEqual({ expected: 300, perDay: 10, reachedOn: undefined })
  // more was used than is allowed now, because the operator reduced the allowance
  expect(forecastOf({ ...input, daysSoFar: 10.5, allowance: 50 })).toMatchObject({ expected: 100, reachedOn: 11 })
  expect(forecastOf({ ...base, allowance: 0 })).toMatchObject({ expected: 0, reachedOn: 10 })
})
