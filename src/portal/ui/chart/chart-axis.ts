/** Labels of the axes in the person's language, digits and zone. */
import { besideUnit, timeZone } from '../../text/format.ts'
import { locale } from '../../text/text.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MONTH_MS = 27 * DAY_MS

/** @param distanceMs between two labels. The day stands below the first label and below the first of each day. */
export function timeLabels(splits: readonly number[], distanceMs: number): string[] {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale.value, { timeZone: timeZone.value, hourCycle: 'h23', ...options })
  if (distanceMs >= MONTH_MS) {
    const month = format({ month: 'short', year: 'numeric' })
    return splits.map((ms) => besideUnit(month.format(ms)))
  }
  const day = format({ day: 'numeric', month: 'short' })
  const dateAt = (ms: number): string => besideUnit(day.format(ms))
  if (distanceMs >= DAY_MS) return splits.map(dateAt)
  const time = format({
    hour: '2-digit',
    minute: '2-digit',
    ...(distanceMs < MINUTE_MS && { second: '2-digit' }),
  })
  let before = ''
  return splits.map((ms) => {
    const date = dateAt(ms)
    const isNew = date !== before
    before = date
    return isNew ? `${time.format(ms)}\n${date}` : time.format(ms)
  })
}

/** @param distance between two labels, which determines the digits */
export function valueLabels(splits: readonly (number | null)[], distance: number): string[] {
  const digits = digitsOf(distance)
  const isLarge = splits.some((value) => Math.abs(value ?? 0) >= 100_000)
  const format = new Intl.NumberFormat(
    locale.value,
    isLarge
      ? { notation: 'compact', maximumSignificantDigits: 5 }
      : { minimumFractionDigits: digits, maximumFractionDigits: digits },
  )
  return splits.map((value) => (value === null ? '' : format.format(value)))
}

/** As many decimals as the distance has: 0.025 needs three, or two labels would be rounded to one number. */
function digitsOf(distance: number): number {
  for (let digits = 0; digits < 9; digits++) {
    const scaled = distance * 10 ** digits
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return digits
  }
  return 9
}

/** The end of an axis, with all of its digits. */
export const axisEnd = (value: number): string =>
  new Intl.NumberFormat(locale.value, { maximumSignificantDigits: 15 }).format(value)
