/**
 * Buckets by the clock of a time zone. A bucket starts whenever that clock shows a multiple of the step, counted from
 * midnight (or from 1970-01-01T00:00 if the step does not divide a day), or skips one. So a bucket is shorter or longer
 * when clocks change, and an hour that the clock shows twice gives two buckets of an hour, or one bucket of seven hours
 * with a step of six.
 *
 * Between two changes of the clock this is a division. A bucket that a change falls into is the exception, so each
 * period between changes carries the start of the bucket that it begins in.
 */

export type ClockPeriod = {
  /** When the clock changed to this offset. */
  sinceMs: number
  /** How far the clock is ahead of UTC. */
  offsetMs: number
  /** Start of the bucket that contains `sinceMs`. */
  bucketMs: number
}

const floorTo = (ms: number, stepMs: number): number => Math.floor(ms / stepMs) * stepMs

function startIn(period: ClockPeriod, ms: number, stepMs: number): number {
  const startMs = floorTo(ms + period.offsetMs, stepMs) - period.offsetMs
  return startMs < period.sinceMs ? period.bucketMs : startMs
}

/** The periods needed for buckets from `fromMs` until `toMs`. */
export function clockPeriods(timeZone: string, stepMs: number, fromMs: number, toMs: number): ClockPeriod[] {
  const first = Temporal.Instant.fromEpochMilliseconds(fromMs - 2 * stepMs).toZonedDateTimeISO(timeZone)
  const periods: ClockPeriod[] = [
    { sinceMs: Number.MIN_SAFE_INTEGER, offsetMs: first.offsetNanoseconds / 1e6, bucketMs: Number.MIN_SAFE_INTEGER },
  ]
  for (let change = first.getTimeZoneTransition('next'); change !== null; ) {
    const sinceMs = change.epochMilliseconds
    if (sinceMs >= toMs) break
    const before = periods.at(-1) as ClockPeriod
    const offsetMs = change.offsetNanoseconds / 1e6
    const shown = floorTo(sinceMs + offsetMs, stepMs)
    const startsHere = shown >= sinceMs + Math.min(before.offsetMs, offsetMs)
    periods.push({ sinceMs, offsetMs, bucketMs: startsHere ? sinceMs : startIn(before, sinceMs - 1, stepMs) })
    change = change.getTimeZoneTransition('next')
  }
  return periods
}

/** Starts of all buckets that overlap a range. */
export function clockStarts(periods: readonly ClockPeriod[], stepMs: number, fromMs: number, toMs: number): number[] {
  const starts = new Set<number>()
  for (const [i, period] of periods.entries()) {
    const endMs = Math.min(periods[i + 1]?.sinceMs ?? toMs, toMs)
    const beginMs = Math.max(period.sinceMs, fromMs)
    if (beginMs >= endMs) continue
    const firstMs = startIn(period, beginMs, stepMs)
    starts.add(firstMs)
    const nextMs = floorTo(beginMs + period.offsetMs, stepMs) - period.offsetMs + stepMs
    for (let ms = nextMs; ms < endMs; ms += stepMs) starts.add(ms)
  }
  return [...starts]
}

/** The longest of an hour, a minute and a millisecond that divides all starts of buckets. */
export function clockUnitMs(periods: readonly ClockPeriod[], stepMs: number): number {
  const times = periods.flatMap(({ sinceMs, offsetMs, bucketMs }, i) =>
    i === 0 ? [offsetMs] : [sinceMs, offsetMs, bucketMs],
  )
  return [3_600_000, 60_000].find((unit) => [stepMs, ...times].every((ms) => ms % unit === 0)) ?? 1
}
