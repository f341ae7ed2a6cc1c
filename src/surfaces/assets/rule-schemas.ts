/** Schemas of rules: fields of all kinds in requests, and one record for each kind in answers. */
import { type TSchema, Type } from '@sinclair/typebox'
import { OPERATORS, WEEKDAYS } from '../../alerts/rule.ts'
import { LIMITS } from '../../alerts/rule-checks.ts'
import {
  boolean,
  dateTime,
  integer,
  type Json,
  list,
  nullable,
  number,
  object,
  oneOf,
  ref,
  string,
} from '../../http/openapi/openapi-schemas.ts'
import { RULE_KINDS, type RuleKind, SEVERITIES, ZONE_EVENTS } from '../../stores/postgres/alerts/rule-schema.ts'
import { closed } from './request-schemas.ts'

const words = <const T extends string>(values: readonly T[], description?: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { ...(description !== undefined && { description }) },
  )
const orNull = <T extends TSchema>(schema: T, description: string) => Type.Union([schema, Type.Null()], { description })
const seconds = (minimum: 0 | 1) => Type.Integer({ minimum, maximum: LIMITS.seconds })
const id = Type.String({ maxLength: 64 })
const channel = Type.String({ minLength: 1, maxLength: 200 })

const condition = Type.Object(
  {
    channel,
    op: words(OPERATORS),
    value: Type.Union([Type.Number(), Type.Boolean()]),
    clearValue: Type.Optional(Type.Number({ description: 'At this value the condition has ended; value by default' })),
  },
  closed,
)
const step = Type.Object(
  {
    severity: words(SEVERITIES),
    value: Type.Number(),
    clearValue: Type.Optional(Type.Number({ description: 'value by default' })),
  },
  closed,
)
const window = Type.Object(
  {
    days: Type.Array(words(WEEKDAYS), { minItems: 1, maxItems: WEEKDAYS.length, uniqueItems: true }),
    from: Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'HH:MM' }),
    to: Type.String({
      pattern: '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$',
      description: 'HH:MM, up to 24:00; a time before from is on the next day',
    }),
  },
  closed,
)
const schedule = Type.Object(
  {
    tz: Type.String({ minLength: 1, maxLength: 64, description: 'IANA time zone, for example Asia/Riyadh' }),
    weekly: Type.Array(window, { minItems: 1, maxItems: LIMITS.windows }),
  },
  closed,
)

const ruleFields = {
  name: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '\\S',
    description: 'Name of the rule; must not consist of spaces only',
  }),
  note: Type.String({ maxLength: LIMITS.note, description: 'What to do, or a link' }),
  severity: words(SEVERITIES, 'warning by default'),
  enabled: Type.Boolean({ default: true }),
  schedule: orNull(schedule, 'Times outside of which the rule does not begin to fire; null for always'),
  sensorIds: Type.Union([Type.Array(id, { maxItems: LIMITS.sensors, uniqueItems: true }), Type.Literal('all')], {
    description: 'Sensor ids without repetition, or "all"',
  }),
  all: Type.Literal(true, { description: 'Same as sensorIds: "all"' }),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
    maxItems: 20,
    uniqueItems: true,
    description: 'Besides sensorIds: all sensors with one of these tags, now and later',
  }),
  layerId: Type.String({
    maxLength: 64,
    description: 'zone: id of a layer of the enterprise that contains polygons only',
  }),
  when: words(
    ZONE_EVENTS,
    'zone: the sensor enters a polygon or leaves one, which are events; it is inside a polygon, outside all, or stays in one, which are alerts',
  ),
  dwellSeconds: orNull(seconds(1), 'zone with dwell: how long the sensor stays in a polygon'),
  minReadings: Type.Integer({
    minimum: 1,
    maximum: LIMITS.readings,
    description: 'zone: positions in a row on the other side of an edge that count as a crossing; 1 by default',
  }),
  minSeconds: Type.Integer({
    minimum: 0,
    maximum: LIMITS.seconds,
    description: 'zone: time that these positions span; 0 by default',
  }),
  bufferM: Type.Number({
    minimum: 0,
    maximum: LIMITS.bufferM,
    description:
      'zone: a position that is no farther outside an edge, in metres, counts as the side before; 0 by default',
  }),
  conditions: Type.Array(condition, { minItems: 1, maxItems: LIMITS.conditions, description: 'threshold' }),
  match: words(['all', 'any'], 'threshold: how many conditions must hold; all by default'),
  steps: Type.Array(step, {
    maxItems: LIMITS.steps,
    description: 'threshold with one condition: values that are worse, each with its severity',
  }),
  forSeconds: orNull(
    seconds(0),
    'threshold: how long the conditions hold before the rule fires, 0 by default. silence: how long nothing arrives, at least 1; null for ten times the usual interval, the default',
  ),
  keepFiringSeconds: Type.Integer({
    minimum: 0,
    maximum: LIMITS.seconds,
    description: 'threshold: how long the conditions no longer hold before the alert ends; 0 by default',
  }),
  maxGapSeconds: orNull(
    seconds(1),
    'threshold: a longer time between two readings is a gap; null for three times the usual interval, the default',
  ),
  gap: words(['reset', 'hold'], 'threshold: whether a gap restarts the time, the default, or adds nothing'),
  within: orNull(
    Type.Object({ layerId: id, when: words(['inside', 'outside']) }, closed),
    'threshold: the sensor is also inside a polygon of the layer, or outside all',
  ),
  channel: orNull(channel, 'change; silence: null for any reading of the sensor, the default'),
  withinSeconds: Type.Integer({ minimum: 1, maximum: LIMITS.seconds, description: 'change: the length of the window' }),
  by: Type.Number({ exclusiveMinimum: 0, description: 'change: how far the value moves within the window' }),
  direction: words(['up', 'down', 'both'], 'change'),
}
const kind = (description: string) => words(RULE_KINDS, description)

/** A new rule, or one to preview. The checks of alerts/rule-checks.ts know which fields belong to which kind. */
export const ruleInput = Type.Partial(Type.Object({ kind: kind('zone by default'), ...ruleFields }), closed)
export const ruleChange = Type.Partial(
  Type.Object({ kind: kind('The kind of a rule is fixed'), ...ruleFields }),
  closed,
)

const common = {
  id: string,
  name: string,
  note: string,
  severity: oneOf(...SEVERITIES),
  enabled: boolean,
  schedule: nullable(
    object({ tz: string, weekly: list(object({ days: list(oneOf(...WEEKDAYS)), from: string, to: string })) }),
  ),
  sensorIds: { anyOf: [{ const: 'all' }, list(string)] },
  tags: list(string),
  createdAt: dateTime,
  updatedAt: dateTime,
}
const record = (kind: RuleKind, fields: Json): Json => object({ ...common, kind: { const: kind }, ...fields })

/** Components, by name. `layerUsable`: whether the layer exists and consists of polygons; null without a layer. */
export const RULE_SCHEMAS: Json = {
  Rule: { oneOf: ['ThresholdRule', 'SilenceRule', 'ChangeRule', 'ZoneRule'].map(ref) },
  ThresholdRule: record('threshold', {
    conditions: list(
      object({ channel: string, op: oneOf(...OPERATORS), value: { anyOf: [number, boolean] }, clearValue: number }, [
        'channel',
        'op',
        'value',
      ]),
    ),
    match: oneOf('all', 'any'),
    steps: list(object({ severity: oneOf(...SEVERITIES), value: number, clearValue: number }, ['severity', 'value'])),
    forSeconds: integer,
    keepFiringSeconds: integer,
    maxGapSeconds: nullable(integer),
    gap: oneOf('reset', 'hold'),
    within: nullable(object({ layerId: string, when: oneOf('inside', 'outside') })),
    layerUsable: nullable(boolean),
  }),
  SilenceRule: record('silence', { channel: nullable(string), forSeconds: nullable(integer) }),
  ChangeRule: record('change', {
    channel: string,
    withinSeconds: integer,
    by: number,
    direction: oneOf('up', 'down', 'both'),
  }),
  ZoneRule: record('zone', {
    layerId: string,
    layerUsable: boolean,
    when: oneOf(...ZONE_EVENTS),
    dwellSeconds: nullable(integer),
    minReadings: integer,
    minSeconds: integer,
    bufferM: number,
  }),
}
