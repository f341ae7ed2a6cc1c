/** A range of whole days, in the address as `from` and `to`, in the person's zone. */
import { zone } from '../../shell/preferences.ts'
import { queryValue, setQuery } from '../../shell/router.ts'
import { t } from '../../text/text.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const DAY_MS = 86_400_000

/** The start of a day, or of one some days later. @returns undefined for a text that is no day */
function startOf(day: string | undefined, later = 0): string | undefined {
  if (day === undefined || !DAY.test(day)) return undefined
  const ms = Date.parse(zone.value === 'utc' ? `${day}T00:00:00Z` : `${day}T00:00:00`)
  if (Number.isNaN(ms)) return undefined
  if (later === 0) return new Date(ms).toISOString()
  // a day with a change of the clock does not have 24 hours
  const next = new Date(ms)
  if (zone.value === 'utc') return new Date(ms + later * DAY_MS).toISOString()
  next.setDate(next.getDate() + later)
  return next.toISOString()
}

/** From the start of the first day until the end of the last one; invalid values are ignored. */
export const daysInAddress = (): { from: string | undefined; to: string | undefined } => ({
  from: startOf(queryValue('from')),
  to: startOf(queryValue('to'), 1),
})

const SIDES = ['from', 'to'] as const

export function DayRange() {
  function choose(side: (typeof SIDES)[number], day: string): void {
    const other = side === 'from' ? 'to' : 'from'
    const [from, to] = side === 'from' ? [day, queryValue(other)] : [queryValue(other), day]
    const isTurned = from !== undefined && from !== '' && to !== undefined && to !== '' && from > to
    setQuery({ [side]: day, ...(isTurned && { [other]: day }) })
  }
  return (
    <>
      {SIDES.map((side) => (
        <label key={side} class="day-range">
          <span>{t(`table.days.${side}`)}</span>
          <input
            type="date"
            dir="ltr"
            value={queryValue(side) ?? ''}
            onChange={(event) => choose(side, event.currentTarget.value)}
          />
        </label>
      ))}
    </>
  )
}
