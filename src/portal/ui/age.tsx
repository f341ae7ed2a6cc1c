/** A time as its age, ticking, with the exact moment and zone on hover. */
import { now } from '../shell/clock.ts'
import { formatAge, formatExact, formatUntil } from '../text/format.ts'
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

/** A moment in the future, as the time until then. @param at null for a moment that does not come */
export function Until({ at }: { at: string | null }) {
  if (at === null) return <span class="weak">–</span>
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={formatExact(ms)}>
      {formatUntil(ms, now.value)}
    </time>
  )
}

const PERIODS = { hour: 3_600_000, day: 86_400_000 } as const

/**
 * The last use of a key or a session. A use is recorded once in a period, so later uses in the period are unknown.
 * @param at undefined if there is no record
 */
export function LastUse(props: { at: string | null | undefined; recordedEvery: keyof typeof PERIODS; none?: string }) {
  const { at, recordedEvery, none = t('frame.never') } = props
  if (at === null || at === undefined) return <span class="weak">{none}</span>
  const ms = Date.parse(at)
  const isRecent = now.value - ms < PERIODS[recordedEvery]
  return (
    <time dateTime={at} title={t(`frame.used.recorded.${recordedEvery}`, { at: formatExact(ms) })}>
      {isRecent ? t(`frame.used.${recordedEvery}`) : t('frame.used.atMost', { age: formatAge(ms, now.value) })}
    </time>
  )
}
