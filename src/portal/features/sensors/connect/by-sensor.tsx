/** A device that sends with the key of one sensor: a new sensor or one that exists, its key, what to paste, and the wait. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { api, dataOf } from '../../../api/client.ts'
import { loadRecord } from '../../../api/record.ts'
import { useResource } from '../../../api/resource.ts'
import { randomId } from '../../../shell/random-id.ts'
import { addressWith, href, queryValue, setQuery } from '../../../shell/router.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { attempt } from '../../../ui/failure-text.tsx'
import { Field } from '../../../ui/field.tsx'
import { sensorSnippets } from '../../../ui/snippets.ts'
import { Loaded } from '../../../ui/states.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { KeyBox, Snippets } from '../../account/key-box.tsx'
import { useKeyGuard } from '../../account/key-guard.ts'
import { SensorForm } from '../list/sensor-form.tsx'
import { type SensorRecord, sensorPath } from '../one/sensor-data.ts'
import { type Configuration, csvOfSensor, mqttOfSensor } from './configuration.ts'
import { Configured } from './configured.tsx'
import { FirstReading } from './first-reading.tsx'
import type { SensorWay } from './ways.ts'

const SHOWN = 20
const TYPING_MS = 200

/** A key and its sensor, while the page shows it. */
type Secret = { sensorId: string; key: string; isNew: boolean }

export function BySensor({ way }: { way: SensorWay }) {
  const id = queryValue('sensor')
  const isExisting = queryValue('which') === 'existing'
  const [secret, setSecret] = useState<Secret | undefined>(undefined)
  const [isSaved, setSaved] = useState(false)
  useKeyGuard(secret !== undefined && !isSaved)
  if (id !== undefined)
    return (
      <Sensor
        key={id}
        id={id}
        way={way}
        secret={secret?.sensorId === id ? secret : undefined}
        isSaved={isSaved}
        onMade={(key) => {
          setSaved(false)
          setSecret({ sensorId: id, key, isNew: false })
        }}
        onSaved={() => setSaved(true)}
      />
    )
  return (
    <div class="stack">
      <Tabs
        label={t('connect.which')}
        tabs={[
          { id: 'new', label: t('connect.newSensor') },
          { id: 'existing', label: t('connect.existingSensor') },
        ]}
        selected={isExisting ? 'existing' : 'new'}
        onSelect={(which) => setQuery({ which: which === 'existing' ? which : undefined })}
      />
      {isExisting ? (
        <SensorSearch />
      ) : (
        <SensorForm
          onMade={(made) => {
            setSaved(false)
            setSecret({ sensorId: made.id, key: made.key, isNew: true })
            setQuery({ sensor: made.id })
          }}
        />
      )}
    </div>
  )
}

function SensorSearch() {
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const found = useResource(
    async (signal) =>
      dataOf(
        api.GET('/enterprise/v1/assets/sensors', {
          params: { query: { q: asked, limit: SHOWN, sort: 'name', include: 'state' } },
          signal,
        }),
      ),
    [asked],
  )
  return (
    <div class="form">
      <Field label={t('connect.findSensor')}>
        {(attributes) => (
          <input
            {...attributes}
            type="search"
            dir="auto"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        )}
      </Field>
      <Loaded resource={found}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="weak">{t('sensors.noneFound')}</p>
          ) : (
            <ul class="connect-found" aria-label={t('connect.findSensor')}>
              {items.map(({ id, name, assetName }) => (
                <li key={id}>
                  <a href={addressWith({ sensor: id, which: undefined })}>
                    <bdi class="cut">{name}</bdi>
                    <bdi class="cut weak">{assetName}</bdi>
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  )
}

function Sensor(props: {
  id: string
  way: SensorWay
  secret: Secret | undefined
  isSaved: boolean
  onMade: (key: string) => void
  onSaved: () => void
}) {
  const { id, way, secret } = props
  const sensor = useResource((signal) => loadRecord<SensorRecord>(sensorPath(id), signal), [id])
  const openedMs = useMemo(() => Date.now(), [id])
  async function makeKey(): Promise<void> {
    await attempt(async () => {
      const { key } = await dataOf(
        api.POST('/manage/v1/sensors/{id}/keys', {
          params: { path: { id } },
          headers: { 'Idempotency-Key': randomId() },
          body: {},
        }),
      )
      props.onMade(key)
    })
  }
  return (
    <Loaded resource={sensor} record={{ kind: 'sensor', isBelowHead: true }}>
      {({ record }) => {
        const channels = record.channels.filter(({ active }) => active)
        const key = secret === undefined || props.isSaved ? t('connect.keyHere') : secret.key
        const configuration: Configuration =
          way === 'csv'
            ? csvOfSensor(id, key, channels, openedMs)
            : way === 'mqtt'
              ? mqttOfSensor(id, key, channels)
              : {}
        const content =
          way === 'http' ? (
            <Snippets label={t('frame.commands')} snippets={sensorSnippets(id, key, channels)} />
          ) : (
            <Configured {...configuration} />
          )
        return (
          <div class="connect-steps">
            <p>
              {t('connect.sensor')}{' '}
              <a href={href('/sensors/:id', { id })}>
                <bdi>{record.name}</bdi>
              </a>
            </p>
            {secret !== undefined && !props.isSaved ? (
              <KeyBox title={t('sensorForm.keyTitle')} secret={secret.key} onSaved={props.onSaved}>
                {content}
              </KeyBox>
            ) : (
              <section class="connect-configuration" aria-label={t('connect.configuration')}>
                <p>{t(props.isSaved ? 'connect.keySaved' : 'connect.noKey')}</p>
                {!props.isSaved && (
                  <Button icon="key" kind="main" onClick={makeKey}>
                    {t('connect.makeKey')}
                  </Button>
                )}
                {content}
              </section>
            )}
            <h2>{t('connect.wait')}</h2>
            {way === 'csv' && (
              <p>
                <a href={href('/sensors/:id', { id }, { tab: 'upload' })}>{t('connect.uploadInstead')}</a>
              </p>
            )}
            <FirstReading sensor={record} isNew={secret?.isNew === true} />
          </div>
        )
      }}
    </Loaded>
  )
}
