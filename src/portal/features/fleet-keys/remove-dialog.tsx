/** Takes waiting devices off the lists, such as invented ones that came with a stolen key. */
import { t } from '../../text/text.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { notify } from '../../ui/toasts.tsx'
import { dismissDevices, type FleetKey, namedDevices } from './fleet-key-data.ts'

export function RemoveDialog(props: {
  fleetKey: FleetKey
  externalIds: string[]
  onClose: () => void
  onRemoved: () => void
}) {
  const { fleetKey, externalIds } = props
  async function remove(): Promise<void> {
    const isDone = await attempt(async () => {
      const { dismissed } = await dismissDevices(fleetKey, externalIds)
      notify(t('fleetKeys.removed', { count: dismissed.length }))
    })
    if (isDone) props.onRemoved()
  }
  return (
    <Confirm
      title={t('fleetKeys.removeTitle', { count: externalIds.length })}
      onConfirm={remove}
      onClose={props.onClose}
    >
      <p>{namedDevices(externalIds)}</p>
      <p>{t('fleetKeys.removeText')}</p>
    </Confirm>
  )
}
