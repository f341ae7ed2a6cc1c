/** Filters by the status of enterprises or people. */
import type { ComponentChildren } from 'preact'
import { href, path, place } from '../../shell/router.ts'
import { t } from '../../text/text.ts'
import { Chips } from '../../ui/chips.tsx'
import { HeldMark, StatusMark, type StatusOwner } from './mark.tsx'

export function StatusChips({ of }: { of: StatusOwner }) {
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
        chip('active', <StatusMark of={of} status="active" />, 'status', 'active'),
        chip('suspended', <StatusMark of={of} status="suspended" />, 'status', 'suspended'),
        ...(of === 'enterprise' ? [chip('held', <HeldMark />, 'held', 'true')] : []),
      ]}
    />
  )
}

/** Undefined for anything else in the address. */
export const statusOf = (text: string | undefined): 'active' | 'suspended' | undefined =>
  text === 'active' || text === 'suspended' ? text : undefined
