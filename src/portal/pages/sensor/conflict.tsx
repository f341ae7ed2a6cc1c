/** Somebody else changed the sensor meanwhile: both versions beside each other, and what was typed is kept. */
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { t } from '../../text/text.ts'
import type { SensorChange } from './change.ts'
import type { SensorRecord } from './sensor-data.ts'

export type Conflict = { mine: SensorChange; theirs: SensorRecord }

export function ConflictDialog(props: {
  conflict: Conflict
  onTheirs: () => unknown
  onMine: () => Promise<unknown>
  onClose: () => void
}) {
  const { mine, theirs } = props.conflict
  const fields = (Object.keys(mine) as (keyof SensorChange)[]).filter((field) => mine[field] !== undefined)
  return (
    <Dialog title={t('sensor.conflictTitle')} onClose={props.onClose} isWide>
      <p>{t('sensor.conflict')}</p>
      <div class="plain-table">
        <table>
          <thead>
            <tr>
              <th scope="col">{t('sensor.field')}</th>
              <th scope="col">{t('sensor.theirs')}</th>
              <th scope="col">{t('sensor.mine')}</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field}>
                <th scope="row">{t(`sensor.fields.${field}`)}</th>
                <td>
                  <bdi>{textOf(field, theirs)}</bdi>
                </td>
                <td>
                  <bdi>{textOf(field, mine)}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="dialog-actions">
        <Button onClick={props.onTheirs}>{t('sensor.takeTheirs')}</Button>
        <Button kind="main" onClick={props.onMine}>
          {t('sensor.takeMine')}
        </Button>
      </div>
    </Dialog>
  )
}

function textOf(field: keyof SensorChange, version: SensorChange | SensorRecord): string {
  if (field === 'channels') {
    const channels = (version.channels ?? []).filter((channel) => !('active' in channel) || channel.active)
    return channels.map(({ name, unit }) => (unit ? `${name} (${unit})` : name)).join(', ')
  }
  const value = version[field]
  if (typeof value === 'boolean') return t(value ? 'sensor.yes' : 'sensor.no')
  return Array.isArray(value) ? value.join(', ') : (value ?? '–')
}
