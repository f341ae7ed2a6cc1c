/** Schemas of records in responses of /enterprise/v1/assets for the OpenAPI document. */

import { dashboardDocument } from '../../analytics/dashboards/dashboard-document.ts'
import { SENSOR_STATES } from '../../analytics/fleet/sensor-state.ts'
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
  position,
  ref,
  string,
} from '../../http/openapi/openapi-schemas.ts'
import { ALERT_ENDS } from '../../stores/postgres/alerts/alert-schema.ts'
import { SEVERITIES } from '../../stores/postgres/alerts/rule-schema.ts'
import { SILENCE_STATES } from '../../stores/postgres/alerts/silences.ts'
import { EVENT_SCHEMAS } from './event-schemas.ts'
import { RULE_SCHEMAS } from './rule-schemas.ts'
import { viewDocument } from './view-schema.ts'

const value = { anyOf: [number, boolean] }
const byChannel = (schema: Json): Json => ({ type: 'object', additionalProperties: schema })
const sensor = {
  id: string,
  externalId: nullable(string),
  name: string,
  assetId: string,
  assetName: string,
  tags: list(string),
  enabled: boolean,
  held: boolean,
  channels: list(object({ name: string, measurement: oneOf('number', 'whole', 'boolean'), unit: nullable(string) })),
}
export const crs = {
  code: integer,
  name: string,
  kind: oneOf('projected', 'geographic'),
  area: nullable(string),
  bbox: nullable({ type: 'array', items: number, minItems: 4, maxItems: 4 }),
}
const zoneEvent = {
  id: string,
  ruleId: string,
  when: string,
  sensorId: nullable(string),
  assetId: nullable(string),
  assetName: nullable(string),
  at: dateTime,
  location: position,
  layerId: string,
  layerVersion: integer,
  featureIds: list(string),
  detectedAt: dateTime,
}

/** JSON has no infinity: an aggregate beyond the range of a double is a text; null is a bucket without readings. */
const seriesValue = { anyOf: [number, oneOf('Infinity', '-Infinity', 'NaN'), { type: 'null' }] }
export const latestValues = {
  at: nullable(dateTime),
  values: byChannel(object({ value, at: dateTime })),
  location: nullable(position),
}

const states = object(Object.fromEntries(SENSOR_STATES.map((state) => [state, integer])))
const named = { ruleName: nullable(string), sensorName: nullable(string), layerName: nullable(string) }

const saved = { id: string, name: string, shared: boolean, createdAt: dateTime, updatedAt: dateTime }

/** Names are null for deleted rules and sensors: alerts outlive both. */
const alert = {
  id: string,
  ruleId: string,
  ruleName: nullable(string),
  sensorId: string,
  sensorName: nullable(string),
  assetId: nullable(string),
  assetName: nullable(string),
  polygon: nullable(string),
  severity: oneOf(...SEVERITIES),
  startedAt: dateTime,
  firedAt: dateTime,
  detectedAt: dateTime,
  resolvedAt: nullable(dateTime),
  resolvedBy: nullable(oneOf(...ALERT_ENDS)),
  value: nullable(number),
  values: byChannel(number),
  late: boolean,
  silenced: boolean,
  acknowledgedBy: nullable(string),
  acknowledgedAt: nullable(dateTime),
  comment: nullable(string),
}

/** Components, by name. */
export const ASSETS_SCHEMAS: Json = {
  AssetSensor: object(sensor),
  FleetSensor: object(
    {
      ...sensor,
      state: oneOf(...SENSOR_STATES),
      lastAt: nullable(dateTime),
      intervalMs: nullable(number),
      latest: list(object({ channel: string, unit: nullable(string), value: nullable(value), at: nullable(dateTime) })),
      sparkline: nullable(object({ channel: string, from: dateTime, stepMs: integer, values: list(nullable(number)) })),
      refused: integer,
      favourite: boolean,
    },
    Object.keys(sensor),
  ),
  StateCounts: states,
  Reading: object({ at: dateTime, values: byChannel(value), location: position }, ['at', 'values']),
  Latest: object(latestValues),
  SeriesResult: object({
    step: string,
    resolution: oneOf('raw', 'minute', 'hour', 'day'),
    series: list(
      object({
        sensorId: string,
        channel: string,
        agg: string,
        points: list({ type: 'array', prefixItems: [dateTime, seriesValue], minItems: 2, maxItems: 2 }),
      }),
    ),
  }),
  ...RULE_SCHEMAS,
  DashboardDocument: dashboardDocument,
  Dashboard: object({ ...saved, document: ref('DashboardDocument') }),
  ListedDashboard: object(saved),
  Note: object({
    id: string,
    sensorId: nullable(string),
    at: dateTime,
    until: nullable(dateTime),
    text: string,
    shared: boolean,
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  View: object({ ...saved, document: viewDocument }),
  ListedView: object({ ...saved, document: viewDocument }),
  Crs: object(crs),
  ZoneEvent: object(zoneEvent),
  NamedZoneEvent: object({ ...zoneEvent, ...named }),
  Alert: object(alert),
  PreviewedAlert: object({
    sensorId: alert.sensorId,
    polygon: alert.polygon,
    severity: alert.severity,
    startedAt: alert.startedAt,
    firedAt: alert.firedAt,
    resolvedAt: alert.resolvedAt,
    value: alert.value,
    values: alert.values,
  }),
  AlertCounts: object({
    firing: integer,
    acknowledged: integer,
    silenced: integer,
    open: integer,
    bySeverity: object(Object.fromEntries(SEVERITIES.map((severity) => [severity, integer]))),
  }),
  ...EVENT_SCHEMAS,
  AlertGroup: object({ ruleId: string, count: integer, firstFiredAt: dateTime }),
  AlertSilence: object({
    id: string,
    sensorIds: list(string),
    tags: list(string),
    ruleIds: list(string),
    from: dateTime,
    to: dateTime,
    comment: string,
    state: oneOf(...SILENCE_STATES),
    createdBy: string,
    createdAt: dateTime,
  }),
  AlertState: object(
    {
      sensorId: string,
      state: oneOf('unknown', 'ok', 'pending', 'firing'),
      since: nullable(dateTime),
      alertId: string,
    },
    ['sensorId', 'state', 'since'],
  ),
}
