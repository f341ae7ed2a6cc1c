/** Request schemas of routes about a whole fleet: lists with states, live positions, streams. */
import { Type } from '@sinclair/typebox'
import { FLEET_SORTS } from '../../analytics/fleet/fleet-list.ts'
import { FLEET_PARTS } from '../../analytics/fleet/fleet-rows.ts'
import { SENSOR_STATES } from '../../analytics/fleet/sensor-state.ts'
import { STREAM_TOPICS } from '../../analytics/stream/stream-watcher.ts'

const closed = { additionalProperties: false }
const from = Type.Optional(Type.String({ description: 'Start of the range, inclusive (RFC 3339)', maxLength: 40 }))
const to = Type.Optional(Type.String({ description: 'End of the range, exclusive (RFC 3339)', maxLength: 40 }))
// a number with multipleOf instead of an integer: Elysia converts query text to numbers only
const limit = Type.Optional(Type.Number({ minimum: 1, maximum: 1000, multipleOf: 1, default: 100 }))
const cursor = Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 200 }))
const list = (names: readonly string[], text: string) =>
  Type.Optional(Type.String({ description: `${text}, separated by commas: ${names.join(', ')}`, maxLength: 200 }))

export const sensorsQuery = Type.Object(
  {
    limit,
    cursor,
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
        description: "Part of the sensor's name, its asset's name or its id, in any case",
      }),
    ),
    tag: Type.Optional(Type.String({ maxLength: 50, description: 'Only sensors with this tag' })),
    state: list(SENSOR_STATES, 'Only sensors in one of these states'),
    sort: Type.Optional(
      Type.Union(
        FLEET_SORTS.map((sort) => Type.Literal(sort)),
        {
          description:
            'id (default), name, state (worst first), lastAt (newest first) or refused (most first); equal ones are in the order of names',
        },
      ),
    ),
    order: Type.Optional(
      Type.Union([Type.Literal('asc'), Type.Literal('desc')], {
        description: 'asc for id, name and state by default, desc for lastAt and refused',
      }),
    ),
    include: list(FLEET_PARTS, 'What each sensor has besides its record'),
  },
  closed,
)

export const tagsQuery = Type.Object(
  {
    q: Type.Optional(Type.String({ maxLength: 50, description: 'Only tags that contain this text, in any case' })),
    limit,
    cursor,
  },
  closed,
)

const bbox = Type.Optional(
  Type.String({ description: 'Bounding box as west,south,east,north in degrees', maxLength: 200 }),
)
export const liveQuery = Type.Object(
  {
    bbox,
    tag: Type.Optional(Type.String({ maxLength: 50, description: 'Only assets with a sensor that has this tag' })),
    format: Type.Optional(
      Type.Union([Type.Literal('geojson'), Type.Literal('columns')], {
        description: 'geojson (default), or columns: a list for each property, for maps of very many assets',
      }),
    ),
  },
  closed,
)
export const liveStreamQuery = Type.Object({ bbox }, closed)

/** Most sensors whose readings one stream sends. */
export const MAX_STREAM_SENSORS = 100
export const streamQuery = Type.Object(
  {
    bbox,
    snapshot: Type.Optional(
      Type.Union([Type.Literal('yes'), Type.Literal('no')], {
        description: 'no for a reader that loads the positions with `/live` after the stream has begun; yes by default',
      }),
    ),
    topics: list(STREAM_TOPICS, 'What to send; all by default'),
    sensors: Type.Optional(
      Type.String({
        description: `Ids of up to ${MAX_STREAM_SENSORS} sensors whose readings are sent, separated by commas`,
        maxLength: 10_000,
      }),
    ),
  },
  closed,
)

export const eventsQuery = Type.Object(
  {
    from,
    to,
    rule: Type.Optional(Type.String({ description: 'Return only events of this rule', maxLength: 64 })),
    sensor: Type.Optional(Type.String({ description: 'Return only events of this sensor', maxLength: 64 })),
    limit,
    cursor,
  },
  closed,
)

export const insideInput = Type.Object(
  {
    layerId: Type.Optional(
      Type.String({ maxLength: 64, description: 'Id of a layer of the enterprise that contains polygons only' }),
    ),
    polygon: Type.Optional(
      Type.Unknown({
        description: 'GeoJSON: a Polygon, a MultiPolygon, a Feature or a FeatureCollection of them',
      }),
    ),
  },
  closed,
)
