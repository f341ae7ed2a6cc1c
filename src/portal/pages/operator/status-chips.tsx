/** Filters by the status of enterprises or people. */
import type { ComponentChildren } from 'preact'
import { Chips } from '../../parts/chips.tsx'
import { href, path, place } from '../../router.ts'
import { t } from '../../text/text.ts'
import { HeldMark, StatusMark } from './mark.tsx'

export function StatusChips({ withHeld = false }: { withHeld?: boolean }) {
  const query = Object.fromEntries(place.value.query)
  const chip = (id: string, label: ComponentChildren, name: string, value: string) => {
    const { [name]: now, ...others } = query
    const isOn = now === value
    return { id, label, isOn, href: href(path.value, {}, isOn ? others : { ...others, [name]: value }) }
  }
  return (
    <Chips
      label={t('operator.enterprises.byStatus')}
      chips={[
        chip('active', <StatusMark status="active" />, 'status', 'active'),
        chip('suspended', <StatusMark status="suspended" />, 'status', 'suspended'),
        ...(withHeld ? [chip('held', <HeldMark />, 'held', 'true')] : []),
      ]}
    />
  )
}

/** Undefined for anything else in the address. */
export const statusOf = (text: string | undefined): 'active' | 'suspended' | undefined =>
  text === 'active' || text === 'suspended' ? text : undefined
