/** Forecast of a month: a straight line through the usage from its start until now. */

export type Forecast = {
  /** At the end of the month. */
  expected: number
  perDay: number
  /** The day of the month on which the allowance is expected to be used up. */
  reachedOn: number | undefined
}

export type ForecastInput = {
  /** In this month so far. */
  used: number
  /** Since the month began, with the part of today that has passed. */
  daysSoFar: number
  daysInMonth: number
  allowance: number
}

const LEAST_DAYS = 3

/** @returns undefined while there are too few days to say anything */
export function forecastOf({ used, daysSoFar, daysInMonth, allowance }: ForecastInput): Forecast | undefined {
  if (daysSoFar < LEAST_DAYS) return undefined
  const perDay = used / daysSoFar
  // calls are refused once the allowance is used up, so a month never exceeds it
  const expected = Math.min(perDay * daysInMonth, Math.max(used, allowance))
  const fullAfter = used >= allowance ? daysSoFar : allowance / perDay
  return { expected, perDay, reachedOn: fullAfter <= daysInMonth ? Math.ceil(fullAfter) : undefined }
}
