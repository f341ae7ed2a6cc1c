/** The row of a sensor: its state, name, asset, newest values, last day, refusals, and its tags. */
import type { components } from '../../../api/schema.d.ts'
import { now } from '../../../shell/clock.ts'
import { href, place } from '../../../shell/router.ts'
import { formatAge, formatBrief, formatExact, formatValue, formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import { Sparkline } from '../../../ui/chart/sparkline.tsx'
import type { Column } from '../../../ui/table/table-view.ts'
import { State, stateName } from '../state.tsx'

export type SensorRow = components['schemas']['FleetSensor']
type Latest = NonNullable<SensorRow['latest']>[number]

export function sensorColumns(): Column<SensorRow>[] {
  return [
    {
      id: 'state',
      title: t('sensors.columns.state'),
      width: 100,
      sort: { by: 'state', first: 'asc' },
      // the shape shows the state where there is no room for the word
      narrowWidth: 30,
      cell: ({ state }) => state && <State state={state} />,
      csv: ({ state }) => state && stateName(state),
    },
    {
      id: 'name',
      title: t('sensors.columns.name'),
      width: 140,
      narrowWidth: 92,
      grow: 3,
      isMain: true,
      sort: { by: 'name', first: 'asc' },
      cell: ({ id, name }) => (
        <a class="sensor-name cut" dir="auto" href={href('/sensors/:id', { id })} tabIndex={-1} title={name}>
          <bdi>{name}</bdi>
        </a>
      ),
      csv: ({ name }) => name,
    },
    {
      id: 'asset',
      title: t('sensors.columns.asset'),
      width: 96,
      grow: 2,
      isWideOnly: true,
      // the asset of a sensor has the same name until somebody gives it another
      cell: ({ name, assetName }) => (
        <bdi class={name === assetName ? 'cut weak' : 'cut'} title={assetName}>
          {assetName}
        </bdi>
      ),
      csv: ({ assetName }) => assetName,
    },
    {
      id: 'latest',
      title: t('sensors.columns.latest'),
      width: 272,
      narrowWidth: 94,
      grow: 6,
      cell: (row) => <Values row={row} />,
      csv: ({ latest = [] }) =>
        latest
          .filter(({ value }) => value !== null)
          .map(({ channel, value, unit }) => `${channel} ${String(value)}${unit === null ? '' : ` ${unit}`}`)
          .join('; '),
    },
    {
      id: 'lastAt',
      title: t('sensors.columns.lastAt'),
      width: 116,
      narrowWidth: 112,
      sort: { by: 'lastAt', first: 'desc' },
      cell: ({ lastAt }) => <Age at={lastAt} />,
      csv: ({ lastAt }) => lastAt,
    },
    {
      id: 'day',
      title: t('sensors.columns.day'),
      width: 124,
      isWideOnly: true,
      cell: ({ sparkline, channels }) =>
        sparkline === undefined ? (
          <span class="table-missing" />
        ) : sparkline !== null ? (
          <Sparkline
            values={sparkline.values}
            label={sparkline.channel}
            unit={channels.find(({ name }) => name === sparkline.channel)?.unit ?? null}
          />
        ) : (
          <span class="weak">–</span>
        ),
      csv: ({ sparkline }) => sparkline?.values.map((value) => value ?? '').join(' '),
    },
    {
      id: 'refused',
      title: t('sensors.columns.refused'),
      width: 114,
      isNumber: true,
      isWideOnly: true,
      sort: { by: 'refused', first: 'desc' },
      cell: ({ id, refused = 0 }) =>
        refused === 0 ? (
          <span class="weak">{formatWhole(0)}</span>
        ) : (
          <a class="sensor-refused" href={href('/sensors/:id', { id }, { tab: 'refused' })} tabIndex={-1}>
            {formatWhole(refused)}
          </a>
        ),
      csv: ({ refused }) => refused,
    },
    {
      id: 'tags',
      title: t('sensors.columns.tags'),
      width: 124,
      grow: 2,
      isRoomyOnly: true,
      cell: ({ tags }) => <Tags tags={tags} />,
      csv: ({ tags }) => tags.join(', '),
    },
    {
      id: 'id',
      title: t('sensors.columns.id'),
      width: 300,
      isExtra: true,
      sort: { by: 'id', first: 'asc' },
      cell: ({ id }) => <code class="cut">{id}</code>,
      csv: ({ id }) => id,
    },
  ]
}

/** A value much older than the sensor's last reading comes from a channel that stopped sending: its age is shown. */
const OLDER_MS = 60_000

function Values({ row: { latest, lastAt, channels } }: { row: SensorRow }) {
  if (latest === undefined) return <span class="table-missing" />
  if (channels.length === 0) return <span class="weak">{t('sensors.noChannels')}</span>
  const lastMs = lastAt ? Date.parse(lastAt) : 0
  const isOld = ({ at }: Latest): boolean => at !== null && lastMs - Date.parse(at) > OLDER_MS
  return (
    <span class="sensor-values">
      {latest.map((one) => (
        <span
          key={one.channel}
          title={
            one.at === null
              ? one.channel
              : `${one.channel}: ${formatValue(one.value, one.unit)}, ${formatExact(Date.parse(one.at))}`
          }
        >
          <span class="weak cut" dir="auto">
            {one.channel}
          </span>
          <span class="number">{formatBrief(one.value, one.unit)}</span>
          {isOld(one) && <span class="weak">{formatAge(Date.parse(one.at as string), now.value)}</span>}
        </span>
      ))}
    </span>
  )
}

function Tags({ tags }: { tags: readonly string[] }) {
  const query = Object.fromEntries(place.value.query)
  return (
    <span class="tags">
      {tags.map((tag) => (
        <a
          key={tag}
          class="sensor-tag"
          // a tag is cut at its own end
          dir="auto"
          href={href('/sensors', {}, { ...query, tag })}
          tabIndex={-1}
          title={tag}
        >
          {tag}
        </a>
      ))}
    </span>
  )
}
