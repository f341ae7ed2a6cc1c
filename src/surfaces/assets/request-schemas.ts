import { Type } from '@sinclair/typebox'
import { ORGANIZATION_SECURITY, plainOperationsOf } from '../../http/openapi/openapi-schemas.ts'
import type { ZoneEventKind } from '../../stores/postgres/sensors/zone-rules.ts'

export const operation = plainOperationsOf((summary, description) => ({
  tags: ['Assets'],
  summary,
  description,
  security: ORGANIZATION_SECURITY,
}))

// a number with multipleOf instead of an integer: Elysia converts query text to numbers only
const pageLimit = Type.Optional(Type.Number({ minimum: 1, maximum: 1000, multipleOf: 1, default: 100 }))

/** An RFC 3339 date-time with an offset. */
const dateTime = (description: string) => Type.String({ description, maxLength: 40 })

const channelText = { type: 'string', minLength: 1, maxLength: 4000 }
/**
 * Read and checked by channel-names.ts, because Elysia's query contains only the last of repeated parameters, or splits
 * each at its commas.
 */
const channel = Type.Any({
  anyOf: [channelText, { type: 'array', items: channelText }],
  description:
    'Channel names, separated by commas. Repeat the parameter for names that contain commas: each parameter is one name then.',
})

export const readingsQuery = Type.Object(
  {
    from: Type.Optional(dateTime('Start of the range, inclusive (RFC 3339); by default the oldest reading')),
    to: Type.Optional(dateTime('End of the range, exclusive (RFC 3339); by default no end')),
    channel: Type.Optional(channel),
    limit: pageLimit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
    order: Type.Optional(
      Type.Union([Type.Literal('asc'), Type.Literal('desc')], {
        description: 'asc (default): oldest first; desc: newest first',
      }),
    ),
  },
  { additionalProperties: false },
)

const closed = { additionalProperties: false }
const from = Type.Optional(dateTime('Start of the range, inclusive (RFC 3339)'))
const to = Type.Optional(dateTime('End of the range, exclusive (RFC 3339)'))
const names = (description: string) => Type.String({ description, minLength: 1, maxLength: 4000 })
const sensors = Type.Optional(
  Type.String({ description: 'Sensor ids, separated by commas, or all', minLength: 1, maxLength: 60_000 }),
)

const series = {
  channel,
  from,
  to,
  step: Type.Optional(
    Type.String({
      description:
        'Length of a bucket: for example 10s, 5m, 1h, 1d, 1w, 1mo or 1y, or an ISO 8601 duration; auto (default) chooses a round one that fits the range and points',
      maxLength: 40,
    }),
  ),
  points: Type.Optional(
    Type.Number({
      minimum: 2,
      maximum: 11_000,
      multipleOf: 1,
      description:
        'Most buckets of a step that is chosen, such as the width of a chart in pixels; about 500 by default',
    }),
  ),
  agg: Type.Optional(
    names('Aggregates, separated by commas: avg (default), min, max, sum, count, first, last, p50, p95, p99'),
  ),
  gaps: Type.Optional(
    Type.Union([Type.Literal('null'), Type.Literal('none')], {
      description: 'null returns buckets without readings with the value null; none (default) leaves them out',
    }),
  ),
  tz: Type.Optional(
    Type.String({
      description: 'IANA time zone by whose clock buckets are aligned, such as six hours from midnight; UTC by default',
      maxLength: 64,
    }),
  ),
}
export const seriesQuery = Type.Object(series, closed)
export const manySeriesQuery = Type.Object({ ...series, sensors }, closed)

export const latestQuery = Type.Object({ sensors }, closed)

export const trackQuery = Type.Object(
  {
    from,
    to,
    limit: Type.Optional(Type.Number({ minimum: 1, maximum: 100_000, multipleOf: 1, default: 1000 })),
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
  },
  closed,
)

export const exportQuery = Type.Object(
  {
    escapeFormulas: Type.Optional(
      Type.Union([Type.Literal('true'), Type.Literal('false')], {
        description:
          'With format=csv: true puts a quote in front of channel names that a spreadsheet would run as a formula; false by default',
      }),
    ),
    layout: Type.Optional(
      Type.Union([Type.Literal('long'), Type.Literal('wide')], {
        description:
          'long (default) has a row for each value; wide has a row for each reading and a column for each channel',
      }),
    ),
    format: Type.Union([Type.Literal('csv'), Type.Literal('jsonl'), Type.Literal('parquet'), Type.Literal('arrow')]),
    enterprise: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'With a session: the enterprise, instead of `X-Enterprise`, for links on pages of this server',
      }),
    ),
    from,
    to,
    channel: Type.Optional(channel),
    sensors,
  },
  closed,
)

export const pageQuery = Type.Object(
  {
    limit: pageLimit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
  },
  { additionalProperties: false },
)

/** Maximum number of sensors in one rule. */
export const MAX_RULE_SENSORS = 1_000
const ruleFields = {
  name: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '\\S',
    description: 'Name of the rule; must not consist of spaces only',
  }),
  layerId: Type.String({ maxLength: 64, description: 'Id of a layer of the enterprise that contains polygons only' }),
  when: Type.Union(
    ['enter', 'leave', 'inside', 'outside'].map((event) => Type.Literal(event as ZoneEventKind)),
    {
      description: 'What creates an event: the sensor enters a polygon, leaves one, is inside one, or is outside all',
    },
  ),
  sensorIds: Type.Union(
    [
      Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: MAX_RULE_SENSORS, uniqueItems: true }),
      Type.Literal('all'),
    ],
    { description: 'Sensor ids without repetition, or "all"' },
  ),
  all: Type.Literal(true, { description: 'Same as sensorIds: "all"' }),
  enabled: Type.Boolean({ default: true }),
}
export const ruleInput = Type.Object(
  {
    layerId: ruleFields.layerId,
    when: ruleFields.when,
    ...Type.Partial(Type.Pick(Type.Object(ruleFields), ['name', 'sensorIds', 'all', 'enabled'])).properties,
  },
  closed,
)
export const ruleChange = Type.Partial(Type.Object(ruleFields), closed)

export const ruleEventsQuery = Type.Object(
  {
    from,
    to,
    sensorId: Type.Optional(Type.String({ description: 'Return only events of this sensor', maxLength: 64 })),
    limit: pageLimit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
  },
  closed,
)
