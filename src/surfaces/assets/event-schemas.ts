/** Schemas of events, for the stream to pull and for the bodies of webhooks in the OpenAPI document. */
import { SENSOR_STATES } from '../../analytics/fleet/sensor-state.ts'
import {
  boolean,
  both,
  dateTime,
  integer,
  type Json,
  list,
  nullable,
  object,
  oneOf,
  position,
  ref,
  string,
} from '../../http/openapi/openapi-schemas.ts'
import { SEVERITIES } from '../../stores/postgres/alerts/rule-schema.ts'
import { EVENT_TYPES, type EventType } from '../../stores/postgres/events/events.ts'

const toolRun = { toolId: string, toolVersion: string }
const zone = {
  ruleId: string,
  ruleName: string,
  severity: oneOf(...SEVERITIES),
  sensorId: string,
  sensorName: string,
  assetId: string,
  assetName: string,
  featureIds: list(string),
}
const crossing = object({ ...zone, layerId: string, layerVersion: integer, location: position })
const alert = both(ref('Alert'), object({ link: string }))
/** Of an alert that fires already, when its severity changed or it is sent once more. */
const again = object({ previousSeverity: oneOf(...SEVERITIES), repeat: integer }, [])
const toolApi = { toolApiId: string, name: string }

/** The data of each type, without what all have. */
const DATA: Record<EventType, { when: string; data: Json }> = {
  'alert.firing': {
    when: 'An alert fires, changed its severity (`previousSeverity`), or is sent once more (`repeat`)',
    data: both(alert, again),
  },
  'alert.resolved': { when: 'An alert ends, for any reason', data: alert },
  'zone.entered': { when: 'A sensor entered polygons of the layer of a rule about entering', data: crossing },
  'zone.left': { when: 'A sensor left polygons of the layer of a rule about leaving', data: crossing },
  'zone.dwelled': {
    when: 'A sensor stayed in a polygon for as long as its rule says; the alert has an event too',
    data: object({ ...zone, layerId: nullable(string), alertId: string, startedAt: dateTime }),
  },
  'sensor.state': {
    when: 'The state of a sensor changed',
    data: object({
      sensorId: string,
      sensorName: string,
      assetId: string,
      assetName: string,
      state: oneOf(...SENSOR_STATES),
      previousState: oneOf(...SENSOR_STATES),
    }),
  },
  'job.finished': {
    when: 'A job ended, however it ended',
    data: object({
      jobId: string,
      ...toolRun,
      status: oneOf('successful', 'failed', 'dismissed'),
      runId: nullable(string),
      createdAt: dateTime,
      finishedAt: dateTime,
    }),
  },
  'run.failed': {
    when: 'A run or job failed by a fault of the server or by its time limit; a job has `jobId`',
    data: object({ runId: nullable(string), jobId: nullable(string), ...toolRun, code: string }),
  },
  'credits.low': {
    when: 'A fifth of the credits of a month is left, or none',
    data: object({
      level: oneOf('fifth', 'none'),
      creditsLeft: integer,
      creditsPerMonth: integer,
      periodStartAt: dateTime,
    }),
  },
  'key.expiring': {
    when: 'A key ends in 14 days or in 3 days, or has ended; a key of a sensor has `sensorId` and `sensorName` as its holder',
    data: object(
      {
        keyId: string,
        kind: oneOf('sensor-key', 'fleet-key-secret', 'application-key', 'tool-api-key'),
        name: string,
        lastFour: string,
        daysLeft: { type: 'integer', enum: [14, 3, 0] },
        expiresAt: dateTime,
        holderId: string,
        holderName: string,
        sensorId: string,
        sensorName: string,
      },
      ['keyId', 'kind', 'name', 'lastFour', 'daysLeft', 'expiresAt'],
    ),
  },
  'tool-api.held': {
    when: 'The operator put a Tool API on hold, or ended the hold',
    data: object({ ...toolApi, held: boolean, reason: nullable(string) }),
  },
  'tool-api.refusing': {
    when: 'A Tool API refused half of its calls in 15 minutes, of at least 10; again only after it recovered',
    data: object({ ...toolApi, calls: integer, refused: integer }),
  },
  'destination.disabled': {
    when: 'The server switched a destination off',
    data: object({ destinationId: string, name: string, reason: oneOf('gone', 'failing') }),
  },
}

const bodyOf = (type: string, data: Json): Json => object({ type: { const: type }, timestamp: dateTime, data })
const eventOf = (type: EventType): Json =>
  bodyOf(type, both(DATA[type].data, object({ at: dateTime, sequence: integer })))

/** What destinations get besides, and what is in no stream. */
const MESSAGES: Record<string, { when: string; component: string; body: Json }> = {
  group: {
    when: 'Events of a rule that followed its first one within `groupSeconds`, the first 100 of `count`',
    component: 'EventGroup',
    body: bodyOf('group', object({ ruleId: string, count: integer, events: list(ref('Event')) })),
  },
  'destination.test': {
    when: 'A test of this destination',
    component: 'DestinationTest',
    body: bodyOf('destination.test', object({ destinationId: string, name: string })),
  },
}

/** The component of a type: `alert.firing` is AlertFiringEvent. */
const nameOf = (type: EventType): string =>
  `${type.replace(/(^|[.-])([a-z])/g, (_, _before, letter: string) => letter.toUpperCase())}Event`

/** Components, by name. */
export const EVENT_SCHEMAS: Json = {
  ...Object.fromEntries(EVENT_TYPES.map((type) => [nameOf(type), eventOf(type)])),
  ...Object.fromEntries(Object.values(MESSAGES).map(({ component, body }) => [component, body])),
  Event: both(object({ id: string }), { oneOf: EVENT_TYPES.map((type) => ref(nameOf(type))) }),
}

const request = (summary: string, component: string): Json => ({
  post: {
    summary,
    requestBody: { required: true, content: { 'application/json': { schema: ref(component) } } },
    responses: { '2XX': { description: 'The event was received' } },
  },
})

/** Requests that destinations of the form `standard` get. */
export const WEBHOOKS: Json = Object.fromEntries([
  ...EVENT_TYPES.map((type) => [type, request(DATA[type].when, nameOf(type))] as const),
  ...Object.entries(MESSAGES).map(([type, { when, component }]) => [type, request(when, component)] as const),
])
