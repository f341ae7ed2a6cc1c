/** Routes about a whole fleet: sensors with their states, tags, refusals. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { STAFF } from '../../access/authorization.ts'
import type { Organization } from '../../access/organization.ts'
import { channelParameters } from '../../analytics/channel-names.ts'
import { knownChannels, listChannels } from '../../analytics/fleet/fleet-channels.ts'
import type { FleetIndexes } from '../../analytics/fleet/fleet-index.ts'
import { FLEET_SORTS, fleetOrder, listFleet } from '../../analytics/fleet/fleet-list.ts'
import { fleetOverview, readingRates } from '../../analytics/fleet/fleet-overview.ts'
import { FLEET_PARTS, type FleetPart, fleetParts } from '../../analytics/fleet/fleet-rows.ts'
import { listTags } from '../../analytics/fleet/fleet-tags.ts'
import { fleetValues } from '../../analytics/fleet/fleet-values.ts'
import { refusalsOfLastHour } from '../../analytics/fleet/refusals.ts'
import { SENSOR_STATES } from '../../analytics/fleet/sensor-state.ts'
import { createSparklines } from '../../analytics/fleet/sparklines.ts'
import type { Callers } from '../../http/callers.ts'
import { succeed } from '../../http/envelope.ts'
import {
  dateTime,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  page,
  ref,
  string,
} from '../../http/openapi/openapi-schemas.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { findSensors, listSensors, type Sensor } from '../../stores/postgres/sensors/sensors.ts'
import { favouriteFilter, wantedFavourites, withFavourites } from './favourites.ts'
import { nameList, namesIn } from './name-list.ts'
import { operation } from './operation.ts'
import { closed, fleetCursor, limit } from './request-schemas.ts'

const channelText = { type: 'string', minLength: 1, maxLength: 4000 }
const sensorsQuery = Type.Object(
  {
    limit,
    cursor: fleetCursor,
    offset: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 10_000_000,
        multipleOf: 1,
        description: 'How many sensors to skip, instead of a cursor',
      }),
    ),
    q: Type.Optional(
      Type.String({
        maxLength: 200,
        description: "Part of the sensor's name, its asset's name, its id or its external id, in any case",
      }),
    ),
    tag: Type.Optional(Type.String({ maxLength: 50, description: 'Only sensors with this tag' })),
    state: nameList(SENSOR_STATES, 'Only sensors in one of these states'),
    favourite: favouriteFilter,
    where: Type.Optional(
      Type.String({
        maxLength: 4000,
        description:
          'Up to 10 conditions on newest values of channels, joined by and: the name of a channel, one of > >= < <= = !=, and a number, true or false, for example temperature>30 and open=true. Sensors without a value are left out. A name with one of < > = ! " stands in double quotes, in which two quotes are one.',
      }),
    ),
    sort: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 250,
        description: `${FLEET_SORTS.join(', ')} or a channel; id by default. state has the worst first, a channel is sorted by its newest values, with sensors without a value last. Equal ones are in the order of names. A minus before it reverses the order: -temperature has the highest first. A channel that is named like one of these or begins with a minus or a double quote stands in double quotes.`,
      }),
    ),
    order: Type.Optional(
      Type.Union([Type.Literal('asc'), Type.Literal('desc')], {
        description: 'asc by default, desc for lastAt and refused',
      }),
    ),
    channel: Type.Optional(
      Type.Any({
        anyOf: [channelText, { type: 'array', items: channelText }],
        description:
          'Channels that `latest` has besides the first three: names separated by commas. Repeat the parameter for names that contain commas: each parameter is one name then.',
      }),
    ),
    include: nameList(FLEET_PARTS, 'What each sensor has besides its record'),
  },
  closed,
)
const tagsQuery = Type.Object(
  {
    q: Type.Optional(Type.String({ maxLength: 50, description: 'Only tags that contain this text, in any case' })),
    limit,
    cursor: fleetCursor,
  },
  closed,
)
const channelsQuery = Type.Object(
  {
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Only channels that contain this text, in any case' })),
    limit,
    cursor: fleetCursor,
  },
  closed,
)

export type FleetRoutesDeps = {
  db: Database
  clickhouse: ClickHouse
  fleets: FleetIndexes
  callers: Callers<Organization>
  /** Runs a query of readings in the application's turn. */
  inTurn<T>(request: Request, query: () => Promise<T>): Promise<T>
  sensorOf(request: Request, id: string): Promise<{ enterprise: Organization['enterprise']; sensor: Sensor }>
}

/** A sensor without its keys. */
function sensorToJson(sensor: Sensor) {
  return {
    id: sensor.id,
    externalId: sensor.externalId,
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

export function fleetRoutes(deps: FleetRoutesDeps) {
  const { db, clickhouse, fleets, callers, inTurn, sensorOf } = deps
  const sparklines = createSparklines(clickhouse)

  async function listWithParts(
    request: Request,
    { limit = 100, where, sort, order, q, tag, state, favourite, cursor, offset }: typeof sensorsQuery.static,
    parts: ReadonlySet<FleetPart>,
  ) {
    const { enterprise, caller } = await callers.of(request)
    const { url, signal } = request
    const texts = channelParameters(url)
    const wanted = fleetOrder(sort, order)
    const [fleet, favourites, values] = await Promise.all([
      fleets.of(enterprise),
      wantedFavourites(db, caller, favourite),
      fleetValues(clickhouse, enterprise, () => fleets.named(enterprise), { where, sort: wanted.channel }, signal),
    ])
    const channels = texts.length === 0 ? [] : await knownChannels(fleet, texts)
    const page = await listFleet(fleet, { q, tag, state, favourites, cursor, offset, limit, order: wanted, values })
    const ids = page.items.map(({ row }) => row.id)
    const found = ids.length === 0 ? [] : await findSensors(db, enterprise.id, ids, ids.length)
    const records = new Map(found.map((sensor) => [sensor.id, sensor]))
    const own = await fleetParts(
      { clickhouse, sparklines },
      enterprise,
      page.items,
      records,
      { parts, channels },
      signal,
    )
    const items = page.items.flatMap(({ row }, i) => {
      const sensor = records.get(row.id)
      return sensor === undefined ? [] : [{ ...sensorToJson(sensor), ...own[i] }]
    })
    return { ...page, items: await withFavourites(db, caller, items) }
  }

  return new Elysia({ name: 'fleet' })
    .get(
      '/sensors',
      async ({ request, query }) => {
        const { include, state, favourite, sort, order, offset, where, channel, q, tag, limit = 100, cursor } = query
        const parts = namesIn('include', include, FLEET_PARTS)
        const others = [state, favourite, sort, order, offset, where, channel]
        const isPlain = parts.size === 0 && others.every((one) => one === undefined)
        if (!isPlain) return succeed(request, await inTurn(request, () => listWithParts(request, query, parts)))
        const { enterprise, caller } = await callers.of(request)
        const page = await listSensors(db, enterprise.id, { limit, cursor, q, tag })
        return succeed(request, {
          items: await withFavourites(db, caller, page.items.map(sensorToJson)),
          nextCursor: page.nextCursor,
        })
      },
      operation({
        summary: 'List sensors',
        description:
          'Returns the sensors of the enterprise with their assets and active channels. With any other parameter than `q`, `tag`, `limit` and `cursor`, the answer also has `total`, the number of matching sensors, and `states`, the number of sensors in each state that match `q`, `tag`, `where` and `favourite`. `favourite` of a sensor is for signed-in members only. Such a list follows new readings. The next page begins after the last sensor of the page before, with the value that it had there, so that a sensor is left out or repeated only if its own place changes meanwhile.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: sensorsQuery,
        result: object(
          {
            items: list(ref('FleetSensor')),
            nextCursor: nullable(string),
            total: integer,
            states: ref('StateCounts'),
          },
          ['items', 'nextCursor'],
        ),
      }),
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
      operation({
        summary: 'Count sensors by state',
        description:
          'Returns how many sensors are in each state, the readings accepted in the last whole minute, and the readings and calls refused in the last hour.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        result: object({
          total: integer,
          states: ref('StateCounts'),
          readingsPerMinute: integer,
          refusedLastHour: integer,
        }),
      }),
    )
    .get(
      '/sensors/rates',
      async ({ request }) => {
        const { enterprise } = await callers.of(request)
        return succeed(request, await inTurn(request, () => readingRates(clickhouse, enterprise, request.signal)))
      },
      operation({
        summary: 'Get the readings a minute of two days',
        description:
          'Returns the readings a minute that arrived in each 10 minutes of the last 24 hours, up to the last complete step, and of the 24 hours before.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        result: object({ from: dateTime, stepSeconds: integer, today: list(number), yesterday: list(number) }),
      }),
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
      operation({
        summary: 'List tags of sensors',
        description:
          'Returns the tags of the enterprise with the number of sensors that have each, the most used first.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: tagsQuery,
        result: page(object({ tag: string, count: integer })),
      }),
    )
    .get(
      '/channels',
      async ({ request, query: { q, limit = 100, cursor } }) => {
        const { enterprise } = await callers.of(request)
        return succeed(
          request,
          await inTurn(request, async () => listChannels(await fleets.named(enterprise), { q, limit, cursor })),
        )
      },
      operation({
        summary: 'List channels of sensors',
        description:
          'Returns the names of active channels of the enterprise with the number of sensors that have each, the most frequent first, and the measurements and units that it has there.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: channelsQuery,
        result: page(
          object({
            channel: string,
            count: integer,
            measurements: list(oneOf('number', 'whole', 'boolean')),
            units: list(string),
          }),
        ),
      }),
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
      operation({
        summary: 'List what was refused of a sensor',
        description:
          'Returns the readings and calls of the last hour that were refused, by reason, newest first, with an example of the sent text (at most 1 kB) and advice. Refusals appear here after two seconds.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        result: object({
          items: list(
            object({
              reason: string,
              count: integer,
              lastAt: dateTime,
              example: nullable(string),
              message: string,
              messageAr: string,
            }),
          ),
        }),
      }),
    )
}
