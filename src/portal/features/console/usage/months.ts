/** Calendar months in UTC, in which credits are counted. */

const DAY_MS = 86_400_000
/** Number of months, limited by the range of days that the API returns at once. */
const MONTHS = 13

export type Month = {
  /** As `2026-11`. */
  month: string
  isCurrent: boolean
  /** Its first day, and its last or today. */
  from: string
  to: string
  /** Every day, including future days. */
  days: string[]
  today: string
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The current month first. */
export function monthsUntil(nowMs: number): string[] {
  const now = new Date(nowMs)
  return Array.from({ length: MONTHS }, (_, i) =>
    dayOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - i)).slice(0, 7),
  )
}

/** @param text from the address; anything that is not one of the months is the current one */
export function monthOf(text: string | undefined, nowMs: number): Month {
  const months = monthsUntil(nowMs)
  const month = months.find((one) => one === text) ?? (months[0] as string)
  const firstMs = Date.parse(`${month}-01`)
  const first = new Date(firstMs)
  const count = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  const days = Array.from({ length: count }, (_, i) => dayOf(firstMs + i * DAY_MS))
  const today = dayOf(nowMs)
  const isCurrent = month === months[0]
  return {
    month,
    isCurrent,
    from: days[0] as string,
    to: isCurrent ? today : (days.at(-1) as string),
    days,
    today,
  }
}
