/** A moment with its date; its age on hover. */
import { now } from '../../shell/clock.ts'
import { formatAge, formatExact, formatMoment } from '../../text/format.ts'

export function Moment({ at }: { at: string }) {
  const ms = Date.parse(at)
  return (
    <time class="number" dateTime={at} title={`${formatExact(ms)}, ${formatAge(ms, now.value)}`}>
      {formatMoment(ms)}
    </time>
  )
}
