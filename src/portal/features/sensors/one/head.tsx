/** Name, state, asset and tags of a sensor, and its newest values with their age. */
import { useState } from 'preact/hooks'
import { href } from '../../../shell/router.ts'
import { may } from '../../../shell/session.ts'
import { formatDuration, formatValue } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import { CopyButton } from '../../../ui/button.tsx'
import { EditableName } from '../../../ui/editable-name.tsx'
import { PageHead } from '../../../ui/page-head.tsx'
import { FavouriteStar } from '../favourite.tsx'
import { State } from '../state.tsx'
import { useSensorChanges } from './changes.ts'
import { Neighbours } from './neighbours.tsx'
import type { Activity, Latest, SensorRecord, SensorVersion } from './sensor-data.ts'

export function SensorHead(props: {
  version: SensorVersion
  activity: Activity | undefined
  latest: Latest | undefined
  onChange: (next: SensorVersion) => void
  onFavourite: (favourite: boolean) => void
}) {
  const { version, activity, latest } = props
  const { record: sensor } = version
  // a new number resets the typed values
  const [edit, setEdit] = useState(0)
  const changes = useSensorChanges(version, props.onChange, () => setEdit((count) => count + 1))
  const state = !sensor.enabled ? 'off' : sensor.held ? 'held' : activity?.state
  return (
    <>
      <PageHead
        title={sensor.name}
        isName
        parent={{ href: href('/sensors'), label: t('sensor.list') }}
        heading={
          may.value.administer ? (
            <EditableName
              key={edit}
              value={sensor.name}
              label={t('sensor.name')}
              action={t('sensor.rename')}
              onSave={async (name) => (await changes.save({ name })) !== undefined}
              error={changes.error?.faults[0]?.message}
            />
          ) : undefined
        }
        beside={
          <>
            <FavouriteStar
              id={sensor.id}
              name={sensor.name}
              favourite={activity?.favourite}
              onChange={props.onFavourite}
            />
            {state !== undefined && <State state={state} />}
          </>
        }
      >
        <Neighbours id={sensor.id} />
      </PageHead>
      {sensor.held && (
        <p class="sensor-held" role="status">
          {t('sensor.isHeld')} {sensor.heldReason !== null && <bdi>{sensor.heldReason}</bdi>}
        </p>
      )}
      <dl class="sensor-facts">
        {sensor.assetName !== null && (
          <div>
            <dt>{t('sensor.asset')}</dt>
            <dd>
              <bdi title={sensor.assetName}>{sensor.assetName}</bdi>
            </dd>
          </div>
        )}
        <div>
          <dt>{t('sensor.lastReading')}</dt>
          <dd>
            <Age at={latest?.at ?? activity?.lastAt} />
          </dd>
        </div>
        {activity?.intervalMs != null && activity.intervalMs > 0 && (
          <div>
            <dt>{t('sensor.interval')}</dt>
            <dd>{formatDuration(activity.intervalMs)}</dd>
          </div>
        )}
        <div class="sensor-id">
          <dt>{t('sensor.id')}</dt>
          <dd>
            <code dir="ltr">{sensor.id}</code> <CopyButton text={sensor.id} isSmall />
          </dd>
        </div>
        {sensor.externalId !== null && (
          <div class="sensor-id">
            <dt>{t('sensor.fields.externalId')}</dt>
            <dd>
              <bdi>{sensor.externalId}</bdi> <CopyButton text={sensor.externalId} isSmall />
            </dd>
          </div>
        )}
        {sensor.tags.length > 0 && (
          <div>
            <dt class="visually-hidden">{t('sensor.tags')}</dt>
            <dd class="row">
              {sensor.tags.map((tag) => (
                <a key={tag} class="tag" dir="auto" href={href('/sensors', {}, { tag })}>
                  {tag}
                </a>
              ))}
            </dd>
          </div>
        )}
      </dl>
      <Values sensor={sensor} latest={latest} />
      {changes.question}
    </>
  )
}

/** As on an instrument: the value is large, its name and age small. */
function Values({ sensor, latest }: { sensor: SensorRecord; latest: Latest | undefined }) {
  const channels = sensor.channels.filter(({ active }) => active)
  return (
    <ul class="values">
      {channels.map(({ name, unit, measurement }) => {
        const newest = latest?.values[name]
        return (
          <li key={name}>
            <span class="values-name cut" dir="auto" title={name}>
              <bdi>{name}</bdi>
            </span>
            <span class="values-number number">
              {newest === undefined
                ? '–'
                : measurement === 'boolean'
                  ? t(newest.value === true ? 'chart.on' : 'chart.off')
                  : formatValue(newest.value, unit)}
            </span>
            <span class="values-age weak">{newest === undefined ? '' : <Age at={newest.at} />}</span>
          </li>
        )
      })}
    </ul>
  )
}
