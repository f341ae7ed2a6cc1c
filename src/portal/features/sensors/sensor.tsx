/** A sensor: its charts, refusals, readings, and settings. */
import { useEffect, useRef } from 'preact/hooks'
import { loadRecord } from '../../api/record.ts'
import { useResource } from '../../api/resource.ts'
import { liveStatus, useLive } from '../../live.ts'
import { lostSince } from '../../shell/connection.ts'
import type { PageProps } from '../../shell/page.ts'
import { mayLeave, queryValue, setQuery } from '../../shell/router.ts'
import { chooseOwner, enterpriseId, may } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Loaded } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AlertsTab } from './one/alerts-tab.tsx'
import { ChartsTab } from './one/charts-tab.tsx'
import { SensorHead } from './one/head.tsx'
import { ReadingsTab } from './one/readings-tab.tsx'
import { RefusalsTab } from './one/refusals-tab.tsx'
import { type Activity, loadActivity, loadLatest, merged, type SensorRecord, sensorPath } from './one/sensor-data.ts'
import { SettingsTab } from './one/settings-tab.tsx'
import { UploadTab } from './one/upload-tab.tsx'

const TABS = ['charts', 'alerts', 'refused', 'readings', 'upload', 'settings'] as const
type TabId = (typeof TABS)[number]

export function SensorPage({ parameters }: PageProps) {
  const id = parameters.id ?? ''
  const record = useResource((signal) => loadRecord<SensorRecord>(sensorPath(id), signal), [id])
  const activity = useResource((signal) => loadActivity(id, signal), [id])
  const latest = useResource((signal) => loadLatest(id, signal), [id])
  const activityOf = useRef<() => Activity | undefined>(() => undefined)
  activityOf.current = () => activity.data.peek()

  useLive(
    {
      sensors: [id],
      onReadings: (readings) => {
        latest.data.value = merged(latest.data.peek(), readings)
      },
      onStates: (states) => {
        const own = states.find(({ sensorId }) => sensorId === id)
        const before = activityOf.current()
        if (own !== undefined && before !== undefined)
          activity.data.value = { ...before, ...own, state: own.state as Activity['state'] }
      },
      refresh: () => {
        activity.reload()
        latest.reload()
      },
    },
    [id],
  )

  // a link shared by somebody who works in another enterprise
  const owner = record.data.value?.record.enterpriseId
  useEffect(() => {
    if (owner !== undefined && owner !== enterpriseId.peek()) chooseOwner(owner)
  }, [owner])

  const tabs = TABS.filter((tab) => may.value.administer || (tab !== 'upload' && tab !== 'settings'))
  const tab = tabs.find((one) => one === queryValue('tab')) ?? 'charts'
  return (
    <Loaded resource={record} record={{ kind: 'sensor' }}>
      {(version) => (
        <>
          <SensorHead
            version={version}
            activity={activity.data.value}
            latest={latest.data.value}
            onChange={(next) => {
              record.data.value = next
            }}
            onFavourite={(favourite) => {
              const before = activity.data.peek()
              if (before !== undefined) activity.data.value = { ...before, favourite }
            }}
          />
          <div class="sensor-tabs">
            <Tabs
              label={t('sensor.sections')}
              tabs={tabs.map((one) => ({
                id: one,
                label: t(`sensor.tabs.${one}`),
                ...(one === 'refused' && (activity.data.value?.refused ?? 0) > 0
                  ? { count: activity.data.value?.refused ?? 0 }
                  : {}),
              }))}
              selected={tab}
              onSelect={(next) => {
                if (mayLeave()) setQuery({ tab: next === 'charts' ? undefined : (next as TabId) })
              }}
            />
            {liveStatus.value !== 'idle' && (
              <span class={`live-note live-${liveStatus.value}`} role="status">
                {t(`sensor.live.${lostSince.value === undefined ? liveStatus.value : 'connecting'}`)}
              </span>
            )}
          </div>
          {tab === 'charts' && (
            <ChartsTab sensor={version.record} activity={activity.data.value} latest={latest.data.value} />
          )}
          {tab === 'alerts' && <AlertsTab sensorId={version.record.id} />}
          {tab === 'refused' && <RefusalsTab sensor={version.record} />}
          {tab === 'readings' && <ReadingsTab sensor={version.record} />}
          {tab === 'upload' && <UploadTab sensor={version.record} />}
          {tab === 'settings' && (
            <SettingsTab
              version={version}
              onChange={(next) => {
                record.data.value = next
              }}
            />
          )}
        </>
      )}
    </Loaded>
  )
}
