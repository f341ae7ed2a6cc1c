/** The status of a delivery: a colour, a shape and words. */
import { t } from '../../text/text.ts'
import { StateShape } from '../sensors/state.tsx'
import type { Delivery, Status } from './destination-data.ts'

const SHAPES = { pending: 'late', delivered: 'sending', failed: 'refused', replaced: 'off' } as const satisfies Record<
  Status,
  string
>

export function StatusView({ delivery: { status } }: { delivery: Delivery }) {
  const shape = SHAPES[status]
  return (
    <span class="state" data-status={status}>
      <StateShape state={shape} />
      <span class={`state-word state-${shape}`}>{t(`destinations.statuses.${status}`)}</span>
    </span>
  )
}
