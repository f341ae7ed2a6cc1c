/** A line above the fleet while devices wait for approval. */
import { usePolled } from '../../api/polled.ts'
import { href } from '../../shell/router.ts'
import { enterpriseId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { loadFleetKeys } from './fleet-key-data.ts'

const FRESH_MS = 30_000

export function WaitingDevices() {
  const keys = usePolled(loadFleetKeys, [enterpriseId.value], FRESH_MS)
  // a failure is not shown here: the page of fleet keys reports it
  const [first, ...others] = (keys.data.value ?? []).filter(({ pending }) => pending > 0)
  if (first === undefined) return null
  const count = others.reduce((sum, { pending }) => sum + pending, first.pending)
  const address =
    others.length === 0 ? href('/settings/fleet-keys/:id', { id: first.id }) : href('/settings/fleet-keys')
  return (
    <p class="waiting-devices">
      <Icon name="sensor" />
      <a href={address}>{t('fleetKeys.wantIn', { count })}</a>
    </p>
  )
}
