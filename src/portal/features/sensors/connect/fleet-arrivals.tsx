/** Waits for what comes with a fleet key: devices to approve, readings of sensors, and refusals that belong to no sensor. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../../api/client.ts'
import { usePolled } from '../../../api/polled.ts'
import { loadRecord } from '../../../api/record.ts'
import { useResource } from '../../../api/resource.ts'
import { language } from '../../../shell/preferences.ts'
import { randomId } from '../../../shell/random-id.ts'
import { href } from '../../../shell/router.ts'
import { enterpriseId } from '../../../shell/session.ts'
import { formatValue } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import { Button } from '../../../ui/button.tsx'
import { attempt } from '../../../ui/failure-text.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { notify } from '../../../ui/toasts.tsx'
import {
  approveDevices,
  FLEET_FIXES,
  type FleetKey,
  type FleetRefusal,
  loadFleetRefusals,
  type PendingDevice,
} from '../../fleet-keys/fleet-key-data.ts'
import { loadRefusals } from '../one/refusal-data.ts'
import { type SensorRecord, sensorPath } from '../one/sensor-data.ts'
import { FirstReading } from './first-reading.tsx'

const POLL_MS = 2_000
const SHOWN = 5
/** Sensors whose readings are drawn. */
const DRAWN = 3

/** The second before the key was made: many devices send whole seconds. */
const sinceOf = (createdAt: string): number => Math.floor(Date.parse(createdAt) / 1000) * 1000 - 1

async function load({ id, tags, createdAt }: FleetKey, signal: AbortSignal) {
  const path = { id }
  const [key, refusals, pending] = await Promise.all([
    dataOf(api.GET('/manage/v1/fleet-keys/{id}', { params: { path }, signal })),
    loadFleetRefusals(id, signal, SHOWN),
    dataOf(
      api.GET('/manage/v1/enterprises/{id}/pending-sensors', {
        params: { path: { id: enterpriseId.peek() ?? '' }, query: { fleetKeyId: id, limit: SHOWN } },
        signal,
      }),
    ),
  ])
  // the list has a filter for one tag
  const [tag] = tags.length === 1 ? tags : []
  const list = (query: { sort: 'lastAt'; order: 'desc'; state?: string }) =>
    dataOf(
      api.GET('/enterprise/v1/assets/sensors', {
        params: { query: { ...query, limit: DRAWN, include: 'state,refused', ...(tag !== undefined && { tag }) } },
        signal,
      }),
    )
  // the server does not keep which sensor a key sent for: those with news since the key was made may be its own
  const [sending, refused] =
    key.calls === 0
      ? []
      : await Promise.all([
          list({ sort: 'lastAt', order: 'desc' }),
          list({ sort: 'lastAt', order: 'desc', state: 'refused' }),
        ])
  const isNews = (at: string | null | undefined): boolean => Date.parse(at ?? '') > sinceOf(createdAt)
  const refusedNow = await Promise.all(
    (refused?.items ?? []).map(async (sensor) => {
      const items = await loadRefusals(sensor.id, signal)
      return items.some(({ lastAt }) => isNews(lastAt)) ? [sensor] : []
    }),
  )
  const ids = [...(sending?.items ?? []).filter(({ lastAt }) => isNews(lastAt)), ...refusedNow.flat()].map(
    (sensor) => sensor.id,
  )
  return { calls: key.calls, refusals, pending: pending.items, sensorIds: [...new Set(ids)] }
}

export function FleetArrivals({ fleetKey }: { fleetKey: FleetKey }) {
  const arrivals = usePolled((signal) => load(fleetKey, signal), [fleetKey.id, language.value], POLL_MS)
  const [approved, setApproved] = useState<readonly string[]>([])
  const page = href('/settings/fleet-keys/:id', { id: fleetKey.id })

  async function approve({ externalId }: PendingDevice): Promise<void> {
    await attempt(async () => {
      const { approved: made } = await approveDevices(fleetKey, [externalId], undefined, randomId())
      if (made.length === 0) notify(t('connect.notApproved', { name: externalId }), { isError: true })
      setApproved((before) => [...before, ...made.map(({ sensorId }) => sensorId)])
      arrivals.reload()
    })
  }

  return (
    <Loaded resource={arrivals} lines={2}>
      {({ calls, refusals, pending, sensorIds }) => {
        // a device that waits is shown as such
        const shown = refusals.filter(({ reason }) => reason !== 'SENSOR_PENDING')
        const others = sensorIds.filter((id) => !approved.includes(id)).slice(0, DRAWN)
        const isQuiet = shown.length + pending.length + approved.length + others.length === 0
        return (
          <>
            {isQuiet && (
              <p class="first-reading" role="status">
                {t(calls === 0 ? 'connect.waitingForKey' : 'connect.called', { count: calls })}
              </p>
            )}
            {shown.map((refusal) => (
              <Refused key={`${refusal.reason} ${refusal.name}`} refusal={refusal} />
            ))}
            {pending.map((device) => (
              <Waiting key={device.id} device={device} onApprove={() => approve(device)} />
            ))}
            {approved.map((id) => (
              <Arrived key={id} id={id} isNew />
            ))}
            {others.length > 0 && (
              <>
                <p class="weak">{t('connect.withNews')}</p>
                {others.map((id) => (
                  <Arrived key={id} id={id} afterMs={sinceOf(fleetKey.createdAt)} />
                ))}
              </>
            )}
            <p>{t(`connect.pendingWhere.${fleetKey.autoCreate}`)}</p>
            <p>
              <a href={page}>{t('connect.toFleetKey')}</a>
            </p>
          </>
        )
      }}
    </Loaded>
  )
}

function Waiting({ device, onApprove }: { device: PendingDevice; onApprove: () => Promise<void> }) {
  const { values = {} } = (device.sent ?? {}) as { values?: Record<string, unknown> }
  return (
    <div class="first-reading" role="status">
      <Icon name="sensor" />
      <span>{t('connect.wantsIn', { name: device.externalId })}</span>
      <Age at={device.lastAt} />
      <span class="connect-sent">
        {Object.entries(values).map(([name, value]) => (
          <span key={name}>
            <bdi class="weak">{name}</bdi>{' '}
            {typeof value === 'number' || typeof value === 'boolean' ? (
              formatValue(value, null)
            ) : (
              <bdi>{String(value)}</bdi>
            )}
          </span>
        ))}
      </span>
      <Button kind="main" icon="check" onClick={onApprove}>
        {t('connect.approve')}
      </Button>
    </div>
  )
}

function Refused({ refusal: { reason, text, name, line, detail, lastAt } }: { refusal: FleetRefusal }) {
  const fix = FLEET_FIXES[reason]
  return (
    <div class="first-reading first-reading-refused" role="status">
      <Icon name="alert" />
      <strong>{t('sensorForm.refused')}</strong>
      <div class="first-reading-reason">
        <p>{text}</p>
        <p class="refusal-facts weak">
          {name !== null && <bdi>{name}</bdi>}
          {line !== null && <span>{t('connect.line', { number: line })}</span>}
          {detail !== null && <bdi>{detail}</bdi>}
          <Age at={lastAt} />
          <code dir="ltr">{reason}</code>
        </p>
        {fix !== undefined && <p>{t(fix)}</p>}
      </div>
    </div>
  )
}

function Arrived({ id, ...since }: { id: string; isNew?: boolean; afterMs?: number }) {
  const sensor = useResource((signal) => loadRecord<SensorRecord>(sensorPath(id), signal), [id])
  return (
    <Loaded resource={sensor} lines={2}>
      {({ record }) => (
        <section class="connect-arrived" aria-label={record.name}>
          <h3>
            <bdi>{record.name}</bdi>
          </h3>
          <FirstReading sensor={record} {...since} />
        </section>
      )}
    </Loaded>
  )
}
