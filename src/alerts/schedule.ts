/**
 * Weekly schedules. An instant is inside when the zone's clock shows a time of one of the windows, so an hour that is
 * shown twice at the end of summer time counts twice, and one that is left out does not count.
 */
import { type Schedule, WEEKDAYS, type Weekday, type Window } from './rule.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440
/** Clocks change at quarters of an hour of UTC. */
const QUARTER_MS = 15 * MINUTE_MS
/** A schedule opens within a week, or within two when its only window is left out by a change of clocks. */
const LONGEST_WAIT_MS = 15 * DAY_MINUTES * MINUTE_MS

const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(tz: string): Intl.DateTimeFormat {
  let clock = clocks.get(tz)
  if (clock === undefined) {
    clock = new Intl.DateTimeFormat('en-GB', {
      timeZone: tz,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
    clocks.set(tz, clock)
  }
  return clock
}

/** Minutes since the beginning of Monday, as the zone's clock shows them. */
function minuteOfWeek(tz: string, atMs: number): number {
  const parts = Object.fromEntries(
    clockOf(tz)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  )
  const day = WEEKDAYS.indexOf((parts.weekday as string).toLowerCase() as Weekday)
  return day * DAY_MINUTES + Number(parts.hour) * 60 + Number(parts.minute)
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** Minutes of the week in which the window is open: [first, end) of each of its days, possibly beyond Sunday. */
function spansOf({ days, from, to }: Window): [number, number][] {
  const [first, end] = [minutesOf(from), minutesOf(to)]
  const length = end > first ? end - first : end + DAY_MINUTES - first
  return days.map((day) => {
    const start = WEEKDAYS.indexOf(day) * DAY_MINUTES + first
    return [start, start + length]
  })
}

const WEEK_MINUTES = 7 * DAY_MINUTES
const isOpenAt = (spans: readonly [number, number][], minute: number): boolean =>
  spans.some(([first, end]) => (minute >= first && minute < end) || minute + WEEK_MINUTES < end)

export function isInSchedule({ tz, weekly }: Schedule, atMs: number): boolean {
  return isOpenAt(weekly.flatMap(spansOf), minuteOfWeek(tz, atMs))
}

/** @returns the first instant from `fromMs` on that is in the schedule; undefined when it does not open */
export function nextOpening({ tz, weekly }: Schedule, fromMs: number): number | undefined {
  const spans = weekly.flatMap(spansOf)
  for (let ms = fromMs; ms < fromMs + LONGEST_WAIT_MS; ) {
    // the clock runs evenly until the next quarter of an hour
    const quarterEnd = (Math.floor(ms / QUARTER_MS) + 1) * QUARTER_MS
    const minute = minuteOfWeek(tz, ms)
    for (let at = ms, i = 0; at < quarterEnd; at = (Math.floor(at / MINUTE_MS) + 1) * MINUTE_MS, i++)
      if (isOpenAt(spans, (minute + i) % WEEK_MINUTES)) return at
    ms = quarterEnd
  }
  return undefined
}
