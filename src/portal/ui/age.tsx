/** A time as its age, ticking, with the exact moment and zone on hover. */
import { now } from '../shell/clock.ts'
import { formatAge, formatExact } from '../text/format.ts'
import { t } from '../text/text.ts'

/** @param at RFC 3339 text or milliseconds; undefined for an event that never happened */
export function Age({ at }: { at: string | number | null | undefined }) {
  if (at === null || at === undefined) return <span class="weak">{t('frame.never')}</span>
  const ms = typeof at === 'number' ? at : Date.parse(at)
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatExact(ms)}>
      {formatAge(ms, now.value)}
    </time>
  )
}
