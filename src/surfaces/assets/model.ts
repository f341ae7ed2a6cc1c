import { Type } from '@sinclair/typebox'
import type { ZoneEventKind } from '../../stores/postgres/zone-rules.ts'

// multipleOf and not an integer: only a number is read from the text of a query
const pageLimit = Type.Optional(Type.Number({ minimum: 1, maximum: 1000, multipleOf: 1, default: 100 }))

/** A moment as RFC 3339 has it, with an offset. */
const dateTime = (description: string) => Type.String({ description, minLength: 20, maxLength: 40 })

export const readingsQuery = Type.Object(
  {
    from: Type.Optional(dateTime('First moment wanted (RFC 3339); as far back as readings go when left out')),
    to: Type.Optional(dateTime('First moment no longer wanted (RFC 3339); no end when left out')),
    channel: Type.Optional(
      Type.String({ description: 'One channel name, or several separated by commas', minLength: 1, maxLength: 4000 }),
    ),
    limit: pageLimit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the page before', maxLength: 64 })),
  },
  { additionalProperties: false },
)

const closed = { additionalProperties: false }
const from = Type.Optional(dateTime('First moment wanted (RFC 3339)'))
const to = Type.Optional(dateTime('First moment no longer wanted (RFC 3339)'))
const names = (description: string) => Type.String({ description, minLength: 1, maxLength: 4000 })
const sensors = Type.Optional(
  Type.String({ description: 'Ids of sensors separated by commas, or all', minLength: 1, maxLength: 60_000 }),
)

const series = {
  channel: names('One channel name, or several separated by commas'),
  from,
  to,
  step: Type.Optional(
    Type.String({
      description: 'Length of a bucket: 10s, 5m, 1h, 1d, 1w, 1mo, 1y or an ISO 8601 duration',
      maxLength: 40,
    }),
  ),
  agg: Type.Optional(names('Out of avg, min, max, sum, count, first, last, p50, p95, p99, separated by commas')),
  gaps: Type.Optional(
    Type.Union([Type.Literal('null'), Type.Literal('none')], { description: 'null: buckets without readings too' }),
  ),
  tz: Type.Optional(Type.String({ description: 'Time zone of days, weeks, months and years', maxLength: 64 })),
}
export const seriesQuery = Type.Object(series, closed)
export const manySeriesQuery = Type.Object({ ...series, sensors }, closed)

export const latestQuery = Type.Object({ sensors }, closed)

export const liveQuery = Type.Object(
  { bbox: Type.Optional(Type.String({ description: 'west,south,east,north in degrees', maxLength: 200 })) },
  closed,
)

export const trackQuery = Type.Object(
  {
    from,
    to,
    limit: Type.Optional(Type.Number({ minimum: 1, maximum: 100_000, multipleOf: 1, default: 1000 })),
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the page before', maxLength: 64 })),
  },
  closed,
)

export const exportQuery = Type.Object(
  {
    format: Type.Union([Type.Literal('csv'), Type.Literal('jsonl'), Type.Literal('parquet'), Type.Literal('arrow')]),
    from,
    to,
    channel: Type.Optional(names('One channel name, or several separated by commas')),
    sensors,
  },
  closed,
)

export const pageQuery = Type.Object(
  {
    limit: pageLimit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the page before', maxLength: 64 })),
  },
  { additionalProperties: false },
)

/** Sensors that one rule may name. */
export const MAX_RULE_SENSORS = 1_000
const ruleFields = {
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', description: 'not only spaces' }),
  layerId: Type.String({ maxLength: 64, description: "id of a polygon layer of the enterprise's" }),
  when: Type.Union(
    ['enter', 'leave', 'inside', 'outside'].map((event) => Type.Literal(event as ZoneEventKind)),
    {
      description: 'what of a sensor makes an event: that it enters a polygon, leaves one, is in one, is in none',
    },
  ),
  sensorIds: Type.Union(
    [
      Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: MAX_RULE_SENSORS, uniqueItems: true }),
      Type.Literal('all'),
    ],
    { description: 'different ids of sensors' },
  ),
  all: Type.Literal(true, { description: 'the same as sensorIds: "all"' }),
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
    sensorId: Type.Optional(Type.String({ description: 'Only of this sensor', maxLength: 64 })),
    limit: pageLimit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the page before', maxLength: 64 })),
  },
  closed,
)
