/**
 * How much a month will come to, from the days before today. With two whole weeks, each day of the week is expected to
 * be like the same days of these weeks; with less, every day is expected to be like the average.
 */

export type Forecast = {
  /** At the end of the month. */
  expected: number
  /** Four of five months would end between these two, if days go on to vary as they did. */
  low: number
  high: number
  /** Whole days that it is based on. */
  basedOn: number
  byWeekday: boolean
  /** The day of the month on which the allowance is expected to be used up. */
  reachedOn: number | undefined
  /** What each day from today to the end of the month is expected to add. */
  days: number[]
}

export type ForecastInput = {
  /** Whole days up to yesterday, the newest last, beginning with the first day on which anything was used. */
  history: readonly number[]
  /** Used in this month before today, and today so far. */
  usedBefore: number
  usedToday: number
  /** Of today: 1 for the first of the month. */
  dayOfMonth: number
  daysInMonth: number
  /** Undefined where nothing ends the month's use. */
  allowance: number | undefined
}

const LEAST_DAYS = 3
const WEEK = 7
const WEEKS = 2
/** Of a normal distribution: 80 % lie within so many standard deviations. */
const EIGHTY_PERCENT = 1.2816

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const mean = (values: readonly number[]): number => sum(values) / values.length

/** @returns undefined while there are too few days to say anything */
export function forecastOf(input: ForecastInput): Forecast | undefined {
  const byWeekday = input.history.length >= WEEKS * WEEK
  const basis = input.history.slice(byWeekday ? -WEEKS * WEEK : -WEEK)
  if (basis.length < LEAST_DAYS) return undefined
  /** The mean of the days that stand at the same place of their week. @param ahead days after yesterday */
  const expectedOn = (ahead: number): number => {
    if (!byWeekday) return mean(basis)
    const place = (basis.length + ahead) % WEEK
    return mean(basis.filter((_, i) => i % WEEK === place))
  }
  const rest = input.daysInMonth - input.dayOfMonth + 1
  const days = Array.from({ length: rest }, (_, i) => expectedOn(i))
  // today goes on as expected, unless it has brought more already
  days[0] = Math.max(days[0] ?? 0, input.usedToday)
  const known = input.usedBefore + input.usedToday
  const expected = input.usedBefore + sum(days)

  // days vary around what was expected of them, and what is expected is uncertain itself
  const residuals = basis.map((value, i) => value - expectedOn(i - basis.length + (byWeekday ? WEEKS * WEEK : 0)))
  const parameters = byWeekday ? WEEK : 1
  const variance = sum(residuals.map((residual) => residual ** 2)) / (basis.length - parameters)
  const spread = EIGHTY_PERCENT * Math.sqrt(variance * (rest + (rest ** 2 * parameters) / (basis.length * parameters)))
  const most = Math.max(known, input.allowance ?? Number.POSITIVE_INFINITY)
  const within = (value: number): number => Math.min(most, Math.max(known, value))
  return {
    expected: within(expected),
    low: within(expected - spread),
    high: within(expected + spread),
    ...{ basedOn: basis.length, byWeekday, days },
    reachedOn: reachedOn(input, days),
  }
}

/** Calls are refused once the allowance is used up, so a month never comes to more. */
function reachedOn({ usedBefore, dayOfMonth, allowance }: ForecastInput, days: readonly number[]): number | undefined {
  if (allowance === undefined) return undefined
  let total = usedBefore
  for (const [i, day] of days.entries()) {
    total += day
    if (total >= allowance && day > 0) return dayOfMonth + i
  }
  return undefined
}
