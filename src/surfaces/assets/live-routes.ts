/** Routes about what happens now: live positions, streams, events of all zone rules. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { STAFF } from '../../access/authorization.ts'
import { eventNames } from '../../analytics/event-names.ts'
import type { FleetRow } from '../../analytics/fleet/fleet-index.ts'
import { ofAssetsWith } from '../../analytics/fleet/fleet-tags.ts'
import type { SensorIndexes } from '../../analytics/fleet/sensor-index.ts'
import { boxOf, featuresText, livePositions } from '../../analytics/live.ts'
import { columnsText } from '../../analytics/live-columns.ts'
import { valuesText } from '../../analytics/live-values.ts'
import type { LiveStreams } from '../../analytics/stream/live-stream.ts'
import { STREAM_TOPICS, type StreamTopic } from '../../analytics/stream/stream-watcher.ts'
import { clampToRetention } from '../../analytics/time-range.ts'
import { allEventsPage } from '../../analytics/zone-events.ts'
import { AppError, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { succeed } from '../../http/envelope.ts'
import {
  dateTime,
  integer,
  list,
  number,
  object,
  oneOf,
  page,
  position,
  ref,
  string,
} from '../../http/openapi/openapi-schemas.ts'
import { findSensors, type Sensor } from '../../stores/postgres/sensors/sensors.ts'
import { answerEvents, answerLongText, answerText } from './answers.ts'
import { favouriteFilter, wantedFavourites } from './favourites.ts'
import type { FleetRoutesDeps } from './fleet-routes.ts'
import { nameList, namesIn } from './name-list.ts'
import { operation } from './operation.ts'
import { closed, fleetCursor, from, limit, to } from './request-schemas.ts'

const bbox = Type.Optional(
  Type.String({ description: 'Bounding box as west,south,east,north in degrees', maxLength: 200 }),
)
const liveQuery = Type.Object(
  {
    bbox,
    tag: Type.Optional(Type.String({ maxLength: 50, description: 'Only assets with a sensor that has this tag' })),
    favourite: favouriteFilter,
    format: Type.Optional(
      Type.Union([Type.Literal('geojson'), Type.Literal('columns')], {
        description: 'geojson (default), or columns: a list for each property, for maps of very many assets',
      }),
    ),
  },
  closed,
)
const valuesQuery = Type.Object(
  { channel: Type.String({ minLength: 1, maxLength: 200, description: 'Name of an active channel' }) },
  closed,
)
const liveStreamQuery = Type.Object({ bbox }, closed)

/** Most sensors whose readings one stream sends. */
const MAX_STREAM_SENSORS = 100
const streamQuery = Type.Object(
  {
    bbox,
    snapshot: Type.Optional(
      Type.Union([Type.Literal('yes'), Type.Literal('no')], {
        description: 'no for a reader that loads the positions with `/live` after the stream has begun; yes by default',
      }),
    ),
    topics: nameList(STREAM_TOPICS, 'What to send; all by default'),
    sensors: Type.Optional(
      Type.String({
        description: `Ids of up to ${MAX_STREAM_SENSORS} sensors whose readings are sent, separated by commas`,
        maxLength: 10_000,
      }),
    ),
  },
  closed,
)
const eventsQuery = Type.Object(
  {
    from,
    to,
    rule: Type.Optional(Type.String({ description: 'Return only events of this rule', maxLength: 64 })),
    sensor: Type.Optional(Type.String({ description: 'Return only events of this sensor', maxLength: 64 })),
    limit,
    cursor: fleetCursor,
  },
  closed,
)

export type LiveRoutesDeps = FleetRoutesDeps & { sensorIndexes: SensorIndexes; liveStreams: LiveStreams }

export function liveRoutes(deps: LiveRoutesDeps) {
  const { db, clickhouse, fleets, sensorIndexes, liveStreams, callers, inTurn, sensorOf } = deps
  /** The sensors whose readings a stream sends. @throws AppError VALIDATION_FAILED, NOT_FOUND */
  async function streamSensors(enterpriseId: string, text: string | undefined): Promise<Sensor[]> {
    if (text === undefined) return []
    const ids = [...new Set(text.split(',').map((id) => id.trim()))]
    const most = MAX_STREAM_SENSORS
    if (ids.length > most) throw invalidField('query.sensors', 'maxItems', fieldText('sensorsAtMost', { most }))
    const found = await findSensors(db, enterpriseId, ids, ids.length)
    if (found.length < ids.length) throw new AppError('NOT_FOUND', { message: fieldText('sensorInQuery') })
    return found
  }

  return new Elysia({ name: 'live' })
    .get(
      '/live',
      async ({ request, query }) => {
        const { enterprise, caller } = await callers.of(request)
        const { tag, format } = query
        const box = boxOf(query.bbox)
        const favourites = await wantedFavourites(db, caller, query.favourite)
        const isWanted = ({ id, tags }: FleetRow): boolean =>
          (tag === undefined || tags.includes(tag)) && favourites?.has(id) !== false
        const isLimited = tag !== undefined || favourites !== undefined
        return inTurn(request, async () => {
          const sensorIndex = await sensorIndexes.of(enterprise.id)
          const all = await livePositions(clickhouse, enterprise, sensorIndex, box, request.signal)
          const positions = isLimited ? await ofAssetsWith(all, await fleets.of(enterprise), isWanted) : all
          if (format !== 'columns') return answerText(request, await featuresText(positions))
          return answerLongText(request, await columnsText(positions, await fleets.of(enterprise)))
        })
      },
      operation({
        summary: 'Get the current positions of assets',
        description:
          "Returns a GeoJSON FeatureCollection with one point for each asset: the newest location of the asset's sensors. With `format=columns`, the answer has a list for each property instead: item n of each list belongs to the same asset, `state` has indexes of `states` for the worst sensor of the asset, and `at` seconds after `base`, which is in seconds since 1970.",
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: liveQuery,
        result: {
          anyOf: [
            object({
              type: { const: 'FeatureCollection' },
              features: list(
                object({
                  type: { const: 'Feature' },
                  id: string,
                  properties: object({ assetName: string, sensorId: string, at: dateTime }),
                  geometry: object({ type: { const: 'Point' }, coordinates: position }),
                }),
              ),
            }),
            object({
              states: list(string),
              base: integer,
              ids: list(string),
              sensorIds: list(string),
              names: list(string),
              lon: list(number),
              lat: list(number),
              state: list(integer),
              at: list(integer),
            }),
          ],
        },
      }),
    )
    .get(
      '/live/values',
      async ({ request, query }) => {
        const { enterprise } = await callers.of(request)
        return inTurn(request, async () => {
          const fleet = await fleets.of(enterprise)
          return answerLongText(request, await valuesText(clickhouse, enterprise, fleet, query.channel, request.signal))
        })
      },
      operation({
        summary: 'Get the newest values of a channel by asset',
        description:
          'Returns the newest value of a channel among the sensors of each asset, as a list for each property: item n of each list belongs to the same asset. `lateIn` has the seconds until the value is older than three times the usual interval of its sensor; negative numbers are late already. Booleans are 0 and 1. Assets without a value are left out.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: valuesQuery,
        result: object({
          measurements: list(oneOf('number', 'whole', 'boolean')),
          units: list(string),
          ids: list(string),
          values: list(number),
          lateIn: list(integer),
        }),
      }),
    )
    .get(
      '/live/stream',
      async ({ request, query }) => {
        const { enterprise, caller } = await callers.of(request)
        const topics = new Set<StreamTopic>(['positions'])
        const watch = { topics, box: boxOf(query.bbox), sensors: [], callerId: caller.id }
        return answerEvents(request, await liveStreams.watch(enterprise, { ...watch, signal: request.signal }))
      },
      operation({
        summary: 'Stream positions of assets',
        description:
          'Sends server-sent events. The first event, `snapshot`, contains the current positions. Each `positions` event that follows contains the changed `features` and, in `removed`, the ids of assets that left the bounding box. A slow reader gets the newest positions and skips older ones.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: liveStreamQuery,
        result: 'file',
      }),
    )
    .get(
      '/stream',
      async ({ request, query }) => {
        const { enterprise, caller } = await callers.of(request)
        const asked = namesIn('topics', query.topics, STREAM_TOPICS)
        const topics = asked.size === 0 ? new Set(STREAM_TOPICS) : asked
        const sensors = await streamSensors(enterprise.id, query.sensors)
        const withSnapshot = query.snapshot !== 'no'
        const watch = { topics, box: boxOf(query.bbox), withSnapshot, sensors, callerId: caller.id }
        return answerEvents(request, await liveStreams.watch(enterprise, { ...watch, signal: request.signal }))
      },
      operation({
        summary: 'Stream what happens',
        description:
          'Sends server-sent events of the chosen topics over one connection. `snapshot` and `positions` are the same as in `/live/stream`. `states` has `items`, the sensors that changed their state, and `counts` of all sensors; the first one has only counts. `readings` has `items`, new readings of the named sensors. `events` has `items`, new events of zone rules with the names of rule, sensor and layer. A slow reader gets the newest of each.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: streamQuery,
        result: 'file',
      }),
    )
    .get(
      '/events',
      async ({ request, query }) => {
        const { enterprise } = await callers.of(request)
        const names = await eventNames(db, fleets, enterprise)
        if (query.rule !== undefined && !names.rules.has(query.rule))
          throw new AppError('NOT_FOUND', { message: fieldText('noSuchRule') })
        const sensor = query.sensor === undefined ? undefined : (await sensorOf(request, query.sensor)).sensor.number
        const range = clampToRetention(enterprise, query)
        const { rule, cursor, limit = 100 } = query
        const wanted = { range, rule, sensor, limit, cursor }
        return succeed(
          request,
          await inTurn(request, () => allEventsPage(clickhouse, enterprise.number, names, wanted, request.signal)),
        )
      },
      operation({
        summary: 'List events of all zone rules',
        description:
          'Returns events newest first, with the names of rule, sensor and layer; filtered by time, rule and sensor.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: eventsQuery,
        result: page(ref('NamedZoneEvent')),
      }),
    )
}
