/** The row of a sensor: its state, name, asset, newest values, last day, refusals, and its tags. */
import { now } from '../../../shell/clock.ts'
import { href, place } from '../../../shell/router.ts'
import { formatAge, formatBrief, formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import { Sparkline } from '../../../ui/chart/sparkline.tsx'
import type { Column } from '../../../ui/table/table-view.ts'
import { FavouriteStar } from '../favourite.tsx'
import { State, stateName } from '../state.tsx'
import { type SensorRow, valueTitle } from './channels.tsx'

type Latest = NonNullable<SensorRow['latest']>[number]

/** Newest values that the row shows beside each other. */
const VALUES = 3

/**
 * @param channels columns of channels
 * @param onChannel shows a channel as a column, sorted by it
 * @param onFavourite marks a sensor in the list
 */
export function sensorColumns(
  channels: Column<SensorRow>[],
  onChannel: (channel: string) => void,
  onFavourite: (id: string, favourite: boolean) => void,
): Column<SensorRow>[] {
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
      cell: ({ id, name, favourite }) => (
        <>
          <FavouriteStar id={id} name={name} favourite={favourite} onChange={(next) => onFavourite(id, next)} isInRow />
          <a class="sensor-name cut" dir="auto" href={href('/sensors/:id', { id })} tabIndex={-1} title={name}>
            <bdi>{name}</bdi>
          </a>
        </>
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
      cell: ({ name, assetName }) =>
        name !== assetName && (
          <bdi class="cut" title={assetName}>
            {assetName}
          </bdi>
        ),
      csv: ({ assetName }) => assetName,
    },
    ...channels,
    {
      id: 'latest',
      title: t('sensors.columns.latest'),
      width: 270,
      narrowWidth: 94,
      grow: 6,
      cell: (row) => <Values row={row} onChannel={onChannel} />,
      csv: ({ latest = [] }) =>
        latest
          .slice(0, VALUES)
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
      id: 'externalId',
      title: t('sensor.fields.externalId'),
      width: 180,
      isExtra: true,
      cell: ({ externalId }) =>
        externalId !== null && (
          <bdi class="cut" title={externalId}>
            {externalId}
          </bdi>
        ),
      csv: ({ externalId }) => externalId,
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

function Values({ row, onChannel }: { row: SensorRow; onChannel: (channel: string) => void }) {
  const { latest, lastAt, channels } = row
  if (latest === undefined) return <span class="table-missing" />
  if (channels.length === 0) return <span class="weak">{t('sensors.noChannels')}</span>
  const lastMs = lastAt ? Date.parse(lastAt) : 0
  const isOld = ({ at }: Latest): boolean => at !== null && lastMs - Date.parse(at) > OLDER_MS
  const shown = latest.slice(0, VALUES)
  return (
    <span class="sensor-values" title={shown.map(valueTitle).join('\n')}>
      {shown.map((one) => (
        <span key={one.channel}>
          <button
            type="button"
            class="sensor-channel weak cut"
            dir="auto"
            tabIndex={-1}
            title={t('sensors.values.sortBy', { channel: one.channel })}
            onClick={() => onChannel(one.channel)}
          >
            {one.channel}
          </button>
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
