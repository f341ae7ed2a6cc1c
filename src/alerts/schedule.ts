/**
 * Weekly schedules. An instant is inside when the zone's clock shows a time of one of the windows, so an hour that is
 * shown twice at the end of summer time counts twice, and one that is left out does not count.
 */
import { type Schedule, WEEKDAYS, type Weekday, type Window } from './rule.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440
const WEEK_MINUTES = 7 * DAY_MINUTES
/** Clocks change at quarters of an hour of UTC. */
const QUARTER_MS = 15 * MINUTE_MS
/** A schedule opens within a week, or within two when its only window is left out by a change of clocks. */
const LONGEST_WAIT_MS = 15 * DAY_MINUTES * MINUTE_MS

/** A zone's clock, and what it showed at the beginning of quarters of an hour: asking it takes microseconds. */
type Clock = { format: Intl.DateTimeFormat; minutes: Map<number, number> }

const MAX_QUARTERS = 10_000
const clocks = new Map<string, Clock>()

function clockOf(tz: string): Clock {
  let clock = clocks.get(tz)
  if (clock === undefined) {
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone: tz,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
    clock = { format, minutes: new Map() }
    clocks.set(tz, clock)
  }
  return clock
}

/** Minutes since the beginning of Monday, as the zone's clock shows them. */
function minuteOfWeek(tz: string, atMs: number): number {
  const { format, minutes } = clockOf(tz)
  const quarterMs = Math.floor(atMs / QUARTER_MS) * QUARTER_MS
  let minute = minutes.get(quarterMs)
  if (minute === undefined) {
    const parts = Object.fromEntries(format.formatToParts(quarterMs).map(({ type, value }) => [type, value]))
    const day = WEEKDAYS.indexOf((parts.weekday as string).toLowerCase() as Weekday)
    minute = day * DAY_MINUTES + Number(parts.hour) * 60 + Number(parts.minute)
    if (minutes.size === MAX_QUARTERS) minutes.clear()
    minutes.set(quarterMs, minute)
  }
  return (minute + Math.floor((atMs - quarterMs) / MINUTE_MS)) % WEEK_MINUTES
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
