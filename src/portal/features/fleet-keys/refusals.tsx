/** Refusals of a fleet key that belong to no sensor: unknown sensors, broken lines, keys that have ended. */
import { useState } from 'preact/hooks'
import { usePolled } from '../../api/polled.ts'
import { language } from '../../shell/preferences.ts'
import { navigate } from '../../shell/router.ts'
import { enterpriseId, may } from '../../shell/session.ts'
import { formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Button } from '../../ui/button.tsx'
import { addToDraft } from '../../ui/form.ts'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { newSensorDraft } from '../sensors/list/sensor-form.tsx'
import { FLEET_FIXES, type FleetKey, type FleetRefusal, loadFleetRefusals } from './fleet-key-data.ts'

const FRESH_MS = 5_000
/** Rows of a reason that are drawn at first. */
const SHOWN = 20

export function FleetRefusals({ fleetKey }: { fleetKey: FleetKey }) {
  const refusals = usePolled(
    (signal) => loadFleetRefusals(fleetKey.id, signal),
    [fleetKey.id, language.value],
    FRESH_MS,
  )
  return (
    <Loaded resource={refusals}>
      {(items) =>
        items.length === 0 ? (
          <Empty title={t('fleetKeys.nothingRefused')} text={t('fleetKeys.nothingRefusedText')} />
        ) : (
          <ul class="refusals">
            {[...Map.groupBy(items, ({ reason }) => reason)].map(([reason, own]) => (
              <Reason key={reason} reason={reason} items={own} />
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

/** @param items newest first */
function Reason({ reason, items }: { reason: string; items: readonly FleetRefusal[] }) {
  const [isAllShown, setAllShown] = useState(false)
  const [newest] = items
  const fix = FLEET_FIXES[reason]
  const shown = isAllShown ? items : items.slice(0, SHOWN)
  const has = (field: 'name' | 'line' | 'detail') => items.some((one) => one[field] !== null)
  const isUnknown = reason === 'SENSOR_UNKNOWN' && may.value.administer
  return (
    <li>
      <h3>{reason === 'SENSOR_KEY_INVALID' ? t('fleetKeys.endedKey') : newest?.text}</h3>
      <p class="refusal-facts weak">
        <span class="number">
          {t('sensor.refusedTimes', { count: items.reduce((sum, { count }) => sum + count, 0) })}
        </span>
        <span>
          {t('sensor.lastTime')} <Age at={newest?.lastAt} />
        </span>
        <code dir="ltr">{reason}</code>
      </p>
      {fix !== undefined && <p>{t(fix)}</p>}
      <div>
        <PlainTable
          label={newest?.text ?? reason}
          kind={ROWS_ON_PHONE}
          rows={shown}
          keyOf={({ name }) => name ?? ''}
          columns={[
            has('name') && [
              t('fleetKeys.device'),
              ({ name }) => (name === null ? '–' : <bdi>{name}</bdi>),
              { isName: true, kind: 'wraps' },
            ],
            has('detail') && [t('fleetKeys.detail'), (one) => <Detail refusal={one} />, { kind: 'wraps' }],
            has('line') && [
              t('fleetKeys.line'),
              ({ line }) => (line === null ? '–' : formatWhole(line)),
              { kind: 'number number-cell' },
            ],
            [t('fleetKeys.times'), ({ count }) => formatWhole(count), { kind: 'number number-cell' }],
            [t('fleetKeys.firstAt'), ({ firstAt }) => <Age at={firstAt} />],
            [t('fleetKeys.lastAt'), ({ lastAt }) => <Age at={lastAt} />],
            isUnknown && [
              t('keys.actions'),
              ({ name }) => name !== null && <CreateSensor externalId={name} />,
              { isTitleHidden: true, kind: 'key-actions' },
            ],
          ]}
        />
      </div>
      {shown.length < items.length && (
        <Button onClick={() => setAllShown(true)}>{t('fleetKeys.showAll', { count: items.length })}</Button>
      )}
    </li>
  )
}

const ENDS = ['revoked', 'rotated', 'expired'] as const

/** The state and the end of a key that has ended; else the fault of a line. */
function Detail({ refusal: { reason, detail } }: { refusal: FleetRefusal }) {
  if (detail === null) return '–'
  const [state, end] = reason === 'SENSOR_KEY_INVALID' ? detail.split(': ') : []
  const known = ENDS.find((one) => one === state)
  if (known !== undefined) return t(`fleetKeys.ends.${known}`, { end: end ?? '' })
  return <bdi>{detail}</bdi>
}

const CreateSensor = ({ externalId }: { externalId: string }) => (
  <Button
    kind="quiet"
    onClick={() => {
      addToDraft(newSensorDraft(enterpriseId.peek() ?? ''), { name: externalId, externalId })
      navigate('/sensors/new')
    }}
  >
    {t('sensors.create')}
  </Button>
)
