/** Routes about a whole fleet: sensors with their states, refusals, live positions, streams. */
import { Elysia } from 'elysia'
import type { Organization } from '../../access/organization.ts'
import { eventNames } from '../../analytics/event-names.ts'
import type { FleetIndexes } from '../../analytics/fleet/fleet-index.ts'
import { listFleet } from '../../analytics/fleet/fleet-list.ts'
import { fleetOverview } from '../../analytics/fleet/fleet-overview.ts'
import { FLEET_PARTS, type FleetPart, fleetParts } from '../../analytics/fleet/fleet-rows.ts'
import { listTags, tagged } from '../../analytics/fleet/fleet-tags.ts'
import { refusalsOfLastHour } from '../../analytics/fleet/refusals.ts'
import type { SensorIndexes } from '../../analytics/fleet/sensor-index.ts'
import { createSparklines } from '../../analytics/fleet/sparklines.ts'
import { boxOf, featuresText, livePositions } from '../../analytics/live.ts'
import { columnsText } from '../../analytics/live-columns.ts'
import type { LiveStreams } from '../../analytics/stream/live-stream.ts'
import { STREAM_TOPICS, type StreamTopic } from '../../analytics/stream/stream-watcher.ts'
import { clampToRetention } from '../../analytics/time-range.ts'
import { allEventsPage } from '../../analytics/zone-events.ts'
import { AppError, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { Callers } from '../../http/callers.ts'
import { succeed } from '../../http/envelope.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { findSensors, listSensors, type Sensor } from '../../stores/postgres/sensors/sensors.ts'
import { answerEvents, answerLongText, answerText } from './answers.ts'
import * as model from './fleet-model.ts'
import { operation } from './model.ts'

export type FleetRoutesDeps = {
  db: Database
  clickhouse: ClickHouse
  fleets: FleetIndexes
  sensorIndexes: SensorIndexes
  liveStreams: LiveStreams
  callers: Callers<Organization>
  /** Runs a query of readings in the application's turn. */
  inTurn<T>(request: Request, query: () => Promise<T>): Promise<T>
  sensorOf(request: Request, id: string): Promise<{ enterprise: Organization['enterprise']; sensor: Sensor }>
}

/** A sensor without its keys. */
function sensorToJson(sensor: Sensor) {
  return {
    id: sensor.id,
    name: sensor.name,
    assetId: sensor.assetId,
    assetName: sensor.assetName,
    tags: sensor.tags,
    enabled: sensor.enabled,
    held: sensor.held,
    channels: sensor.channels
      .filter(({ active }) => active)
      .map(({ name, measurement, unit }) => ({ name, measurement, unit })),
  }
}

/** A list of names separated by commas. @throws AppError VALIDATION_FAILED */
function namesIn<T extends string>(field: string, text: string | undefined, allowed: readonly T[]): Set<T> {
  const names = (text ?? '').split(',').map((name) => name.trim()) as T[]
  if (text !== undefined && names.some((name) => !allowed.includes(name)))
    throw invalidField(`query.${field}`, 'enum', fieldText('listOf', { values: allowed.join(', ') }))
  return new Set(text === undefined ? [] : names)
}

export function fleetRoutes(deps: FleetRoutesDeps) {
  const { db, clickhouse, fleets, sensorIndexes, liveStreams, callers, inTurn, sensorOf } = deps
  const sparklines = createSparklines(clickhouse)

  async function listWithParts(
    request: Request,
    { include, limit = 100, ...query }: typeof model.sensorsQuery.static,
    parts: ReadonlySet<FleetPart>,
  ) {
    const { enterprise } = await callers.of(request)
    const page = await listFleet(await fleets.of(enterprise), { ...query, limit })
    const ids = page.items.map(({ row }) => row.id)
    const found = ids.length === 0 ? [] : await findSensors(db, enterprise.id, ids, ids.length)
    const records = new Map(found.map((sensor) => [sensor.id, sensor]))
    const own = await fleetParts({ clickhouse, sparklines }, enterprise, page.items, records, parts, request.signal)
    const items = page.items.flatMap(({ row }, i) => {
      const sensor = records.get(row.id)
      return sensor === undefined ? [] : [{ ...sensorToJson(sensor), ...own[i] }]
    })
    return { ...page, items }
  }

  /** The sensors whose readings a stream sends. @throws AppError VALIDATION_FAILED, NOT_FOUND */
  async function streamSensors(enterpriseId: string, text: string | undefined): Promise<Sensor[]> {
    if (text === undefined) return []
    const ids = [...new Set(text.split(',').map((id) => id.trim()))]
    const most = model.MAX_STREAM_SENSORS
    if (ids.length > most) throw invalidField('query.sensors', 'maxItems', fieldText('sensorsAtMost', { most }))
    const found = await findSensors(db, enterpriseId, ids, ids.length)
    if (found.length < ids.length)
      throw new AppError('NOT_FOUND', { message: 'A sensor in query.sensors does not exist.' })
    return found
  }

  return new Elysia({ name: 'fleet' })
    .get(
      '/sensors',
      async ({ request, query }) => {
        const { include, state, sort, order, offset, q, tag, limit = 100, cursor } = query
        const parts = namesIn('include', include, FLEET_PARTS)
        const isPlain = parts.size === 0 && [state, sort, order, offset].every((one) => one === undefined)
        if (!isPlain) return succeed(request, await inTurn(request, () => listWithParts(request, query, parts)))
        const { enterprise } = await callers.of(request)
        const page = await listSensors(db, enterprise.id, { limit, cursor, q, tag })
        return succeed(request, { items: page.items.map(sensorToJson), nextCursor: page.nextCursor })
      },
      operation(
        'List sensors',
        'Returns the sensors of the enterprise with their assets and active channels. With `state`, `sort`, `order`, `offset` or `include`, the answer also has `total`, the number of matching sensors, and `states`, the number of sensors in each state that match `q` and `tag`. States and positions in such a list follow new readings: a sensor may move to another page meanwhile.',
        { query: model.sensorsQuery },
      ),
    )
    .get(
      '/sensors/states',
      async ({ request }) => {
        const { enterprise } = await callers.of(request)
        return succeed(
          request,
          await inTurn(request, async () =>
            fleetOverview(clickhouse, enterprise, await fleets.of(enterprise), request.signal),
          ),
        )
      },
      operation(
        'Count sensors by state',
        'Returns how many sensors are in each state, the readings accepted in the last whole minute, and the readings and calls refused in the last hour.',
      ),
    )
    .get(
      '/tags',
      async ({ request, query: { q, limit = 100, cursor } }) => {
        const { enterprise } = await callers.of(request)
        return succeed(
          request,
          await inTurn(request, async () => listTags(await fleets.named(enterprise), { q, limit, cursor })),
        )
      },
      operation(
        'List tags of sensors',
        'Returns the tags of the enterprise with the number of sensors that have each, the most used first.',
        { query: model.tagsQuery },
      ),
    )
    .get(
      '/sensors/:id/refusals',
      async ({ request, params }) => {
        const { enterprise, sensor } = await sensorOf(request, params.id)
        const sender = { enterprise: enterprise.number, sensor: sensor.number }
        return succeed(request, {
          items: await inTurn(request, () => refusalsOfLastHour(clickhouse, sender, request.signal)),
        })
      },
      operation(
        'List what was refused of a sensor',
        'Returns the readings and calls of the last hour that were refused, by reason, newest first, with an example of the sent text (at most 1 kB) and advice. Refusals appear here after two seconds.',
      ),
    )
    .get(
      '/live',
      async ({ request, query }) => {
        const { enterprise } = await callers.of(request)
        const box = boxOf(query.bbox)
        return inTurn(request, async () => {
          const sensorIndex = await sensorIndexes.of(enterprise.id)
          const all = await livePositions(clickhouse, enterprise, sensorIndex, box, request.signal)
          const positions = query.tag === undefined ? all : await tagged(all, await fleets.of(enterprise), query.tag)
          if (query.format !== 'columns') return answerText(request, await featuresText(positions))
          return answerLongText(request, await columnsText(positions, await fleets.of(enterprise)))
        })
      },
      operation(
        'Get the current positions of assets',
        "Returns a GeoJSON FeatureCollection with one point for each asset: the newest location of the asset's sensors. With `format=columns`, the answer has a list for each property instead: item n of each list belongs to the same asset, `state` has indexes of `states`, and `at` seconds after `base`, which is in seconds since 1970.",
        { query: model.liveQuery },
      ),
    )
    .get(
      '/live/stream',
      async ({ request, query }) => {
        const { enterprise, caller } = await callers.of(request)
        const topics = new Set<StreamTopic>(['positions'])
        const watch = { topics, box: boxOf(query.bbox), sensors: [], callerId: caller.id }
        return answerEvents(request, await liveStreams.watch(enterprise, { ...watch, signal: request.signal }))
      },
      operation(
        'Stream positions of assets',
        'Sends server-sent events. The first event, `snapshot`, contains the current positions. Each `positions` event that follows contains the changed `features` and, in `removed`, the ids of assets that left the bounding box. A slow reader gets the newest positions and skips older ones.',
        { query: model.liveStreamQuery },
      ),
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
      operation(
        'Stream what happens',
        'Sends server-sent events of the chosen topics over one connection. `snapshot` and `positions` are the same as in `/live/stream`. `states` has `items`, the sensors that changed their state, and `counts` of all sensors; the first one has only counts. `readings` has `items`, new readings of the named sensors. `events` has `items`, new events of zone rules with the names of rule, sensor and layer. A slow reader gets the newest of each.',
        { query: model.streamQuery },
      ),
    )
    .get(
      '/events',
      async ({ request, query }) => {
        const { enterprise } = await callers.of(request)
        const names = await eventNames(db, fleets, enterprise)
        if (query.rule !== undefined && !names.rules.has(query.rule))
          throw new AppError('NOT_FOUND', { message: 'There is no such rule.' })
        const sensor = query.sensor === undefined ? undefined : (await sensorOf(request, query.sensor)).sensor.number
        const range = clampToRetention(enterprise, query)
        const { rule, cursor, limit = 100 } = query
        const wanted = { range, rule, sensor, limit, cursor }
        return succeed(
          request,
          await inTurn(request, () => allEventsPage(clickhouse, enterprise.number, names, wanted, request.signal)),
        )
      },
      operation(
        'List events of all zone rules',
        'Returns events newest first, with the names of rule, sensor and layer; filtered by time, rule and sensor.',
        { query: model.eventsQuery },
      ),
    )
}
