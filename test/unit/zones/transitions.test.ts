/** Which steps between positions are zone events. */
import { expect, test } from 'bun:test'
import type { Schedule } from '../../../src/alerts/rule.ts'
import { findZoneTransitions } from '../../../src/zones/transitions.ts'

/** One zone: longitudes from 0. Positions every two hours from 06:00 UTC on a Monday. */
function crossingsOf(
  event: 'enter' | 'leave',
  schedule: Schedule | undefined,
  longitudes: readonly number[],
): number[] {
  const list = longitudes.map((longitude, i) => ({
    ms: Date.UTC(2026, 10, 23, 6 + 2 * i),
    longitude,
    latitude: 0,
    own: { receivedAtMs: 1, retentionDays: 90 },
  }))
  const rule = { id: 'rule', enterprise: 1, event, sinceMs: 0, sensors: null, schedule }
  const set = { holding: (longitude: number, _: number, slots: number[]) => void (longitude >= 0 && slots.push(0)) }
  const found: number[] = []
  findZoneTransitions({ enterprise: 1, sensor: 1, list, isLate: false }, [rule], { set, idOf: () => 'zone' }, (one) =>
    found.push(new Date(one.position.ms).getUTCHours()),
  )
  return found
}

test('a crossing outside of the schedule is no event', () => {
  const track = [-1, 1, -1, 1, -1]
  expect(crossingsOf('enter', undefined, track)).toEqual([8, 12])
  // 12:00 in Cairo is 10:00 UTC
  const schedule: Schedule = { tz: 'Africa/Cairo', weekly: [{ days: ['mon'], from: '12:00', to: '15:00' }] }
  expect(crossingsOf('enter', schedule, track)).toEqual([12])
  expect(crossingsOf('leave', schedule, track)).toEqual([10])
  expect(crossingsOf('leave', { ...schedule, tz: 'UTC' }, track)).toEqual([14])
})
