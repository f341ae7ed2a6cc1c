/** Zone events as a table: when, which sensor, what happened, at which polygon, by which rule, and the place on a map. */
import { ApiError } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import type { components } from '../../api/schema.d.ts'
import { now } from '../../shell/clock.ts'
import { href, navigate, setQuery } from '../../shell/router.ts'
import { enterpriseId } from '../../shell/session.ts'
import { formatAge, formatExact, formatList, formatMoment } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { IconButton } from '../../ui/button.tsx'
import { TableRows } from '../../ui/plain-table.tsx'
import { trackAround } from '../map/track/track-ranges.ts'
import { loadZones, zoneName } from './zone-data.ts'

export type ZoneEvent = Pick<
  components['schemas']['NamedZoneEvent'],
  | 'id'
  | 'ruleId'
  | 'when'
  | 'sensorId'
  | 'assetId'
  | 'at'
  | 'location'
  | 'layerId'
  | 'featureIds'
  | 'ruleName'
  | 'sensorName'
  | 'layerName'
>

const MAP_ZOOM = 15

export function EventTable(props: {
  events: ZoneEvent[]
  isOneRule: boolean
  selected: string | undefined
  /** Shows an event on the map of the page; without it the page of the map is opened. */
  onSelect: ((event: ZoneEvent) => void) | undefined
}) {
  const zonesOf = useZoneNames(props.events)
  return (
    <div class="event-table">
      <table aria-label={t('zones.events.title')}>
        <TableRows
          rows={props.events}
          keyOf={({ id }) => id}
          attributesOf={({ id }) => ({ class: id === props.selected ? 'event event-selected' : 'event' })}
          columns={[
            [t('zones.events.columns.time'), ({ at }) => <Moment at={at} />, { kind: 'event-time number' }],
            [
              t('zones.events.columns.sensor'),
              ({ sensorId, sensorName }) =>
                sensorId === null ? (
                  t('zones.events.deletedSensor')
                ) : (
                  <a href={href('/sensors/:id', { id: sensorId })}>
                    <bdi>{sensorName ?? sensorId}</bdi>
                  </a>
                ),
            ],
            [t('zones.events.columns.what'), ({ when }) => t(`zones.happened.${when as Kind}`), { kind: 'event-what' }],
            [
              t('zones.zone'),
              (event) => (
                <>
                  <bdi>{zonesOf(event)}</bdi>{' '}
                  {event.layerName !== null && event.layerName !== zonesOf(event) && (
                    <bdi class="weak event-layer">{event.layerName}</bdi>
                  )}
                </>
              ),
            ],
            !props.isOneRule && [
              t('zones.events.rule'),
              ({ ruleId, ruleName }) =>
                ruleName !== null && (
                  <a href={href('/zones/:id', { id: ruleId })}>
                    <bdi>{ruleName}</bdi>
                  </a>
                ),
              { kind: 'event-rule' },
            ],
            [
              t('zones.actions'),
              (event) => (
                <>
                  <IconButton
                    icon="map"
                    label={t('zones.events.show')}
                    onClick={() => (props.onSelect ? props.onSelect(event) : navigate(mapAddress(event)))}
                  />
                  {event.sensorId !== null && (
                    <IconButton
                      icon="filter"
                      label={t('zones.events.onlySensor')}
                      onClick={() => setQuery({ sensor: event.sensorId ?? undefined })}
                    />
                  )}
                </>
              ),
              { isTitleHidden: true, kind: 'event-actions' },
            ],
          ]}
        />
      </table>
    </div>
  )
}

type Kind = 'enter' | 'leave' | 'inside' | 'outside'

function Moment({ at }: { at: string }) {
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={`${formatExact(ms)}, ${formatAge(ms, now.value)}`}>
      {formatMoment(ms)}
    </time>
  )
}

/** The page of the map at the place of an event, with the track of the asset at that moment. */
function mapAddress({ assetId, at, location: [longitude = 0, latitude = 0] }: ZoneEvent): string {
  const query = new URLSearchParams({ at: `${latitude.toFixed(5)},${longitude.toFixed(5)},${MAP_ZOOM}` })
  const ms = Date.parse(at)
  const track = trackAround(ms)
  if (assetId !== null) query.set('asset', assetId)
  if (assetId !== null && track !== undefined) {
    query.set('track', track)
    query.set('time', String(ms))
  }
  return `/map?${query}`
}

/** The names of the polygons of an event; ids for polygons that the layer has no longer. */
function useZoneNames(events: readonly ZoneEvent[]): (event: ZoneEvent) => string {
  const owner = enterpriseId.value as string
  const layers = [...new Set(events.map(({ layerId }) => layerId))].sort()
  const features = useResource(
    async (signal) =>
      new Map(await Promise.all(layers.map(async (id) => [id, await featuresOf(owner, id, signal)] as const))),
    [owner, layers.join()],
  ).data.value
  return ({ layerId, featureIds, layerName }) => {
    const own = features?.get(layerId)
    const layer = layerName ?? t('zones.events.deletedLayer')
    // outside all polygons
    if (own === undefined || featureIds.length === 0) return layer
    const names = featureIds.map((id) => {
      const feature = own.find((one) => String(one.id) === id)
      return feature === undefined ? id : zoneName(feature, layer, own.length === 1)
    })
    return formatList(names)
  }
}

async function featuresOf(owner: string, layerId: string, signal: AbortSignal) {
  try {
    return (await loadZones(owner, layerId, signal)).features
  } catch (error) {
    // the layer was deleted
    if (error instanceof ApiError && error.status === 404) return []
    throw error
  }
}
