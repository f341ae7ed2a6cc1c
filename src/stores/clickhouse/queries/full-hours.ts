/**
 * Minutes are stored only for hours in which a sensor has many readings. Leaving the other hours out of a statement
 * halves its time, and the answer shows whether there are any: an hour with minutes has points.
 */
import type { Buckets } from './buckets.ts'
import type { Range } from './rollup-coverage.ts'
import type { SeriesPoints } from './series-points.ts'

const HOUR_MS = 3_600_000

/** Whether each bucket lies in one hour, so that its point belongs to that hour. */
export const areWithinHours = (buckets: Buckets): boolean => buckets.kind === 'seconds' && 3_600 % buckets.seconds === 0

/** Whether each sensor has points in all hours of a range of whole hours, by the points of each series. */
export function haveEveryHour(
  points: readonly SeriesPoints[],
  members: readonly { series: number; sensor: number }[],
  { fromMs, toMs }: Range,
): boolean {
  const sensorOf = new Map(members.map(({ series, sensor }) => [series, sensor]))
  // a series of several sensors does not show which of them has points
  if (members.some(({ series, sensor }) => sensorOf.get(series) !== sensor)) return false
  const hours = (toMs - fromMs) / HOUR_MS
  const complete = new Set<number>()
  for (const [series, sensor] of sensorOf)
    if (!complete.has(sensor) && hoursIn(points[series]?.starts ?? [], fromMs, toMs) === hours) complete.add(sensor)
  return members.every(({ sensor }) => complete.has(sensor))
}

/** The number of different hours of times in ascending order. */
function hoursIn(startsMs: readonly number[], fromMs: number, toMs: number): number {
  let count = 0
  let endMs = fromMs
  for (const ms of startsMs) {
    if (ms < endMs || ms >= toMs) continue
    count++
    endMs = (Math.floor(ms / HOUR_MS) + 1) * HOUR_MS
  }
  return count
}
