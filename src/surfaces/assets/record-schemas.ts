/** Response schemas of /enterprise/v1/assets for the OpenAPI document, by operation. */
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
  page,
  ref,
  string,
} from '../../http/openapi/openapi-schemas.ts'

const value = { anyOf: [number, boolean] }
const position = { type: 'array', items: number, minItems: 2, maxItems: 2 }
const byChannel = (schema: Json): Json => ({ type: 'object', additionalProperties: schema })
const sensor = {
  id: string,
  name: string,
  assetId: string,
  assetName: string,
  tags: list(string),
  enabled: boolean,
  held: boolean,
  channels: list(object({ name: string, measurement: oneOf('number', 'whole', 'boolean'), unit: nullable(string) })),
}
const crs = {
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
const latest = {
  at: nullable(dateTime),
  values: byChannel(object({ value, at: dateTime })),
  location: nullable(position),
}

const states = object(Object.fromEntries(SENSOR_STATES.map((state) => [state, integer])))
const named = { ruleName: nullable(string), sensorName: nullable(string), layerName: nullable(string) }

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
    },
    Object.keys(sensor),
  ),
  StateCounts: states,
  Reading: object({ at: dateTime, values: byChannel(value), location: position }, ['at', 'values']),
  Latest: object(latest),
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
  ZoneRule: object({
    id: string,
    name: string,
    layerId: string,
    when: oneOf('enter', 'leave', 'inside', 'outside'),
    sensorIds: { anyOf: [{ const: 'all' }, list(string)] },
    enabled: boolean,
    layerUsable: boolean,
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  Crs: object(crs),
  ZoneEvent: object(zoneEvent),
  NamedZoneEvent: object({ ...zoneEvent, ...named }),
}

const PREFIX = '/enterprise/v1/assets'

/** Schemas of `data` in the envelope; `undefined` for a response that is a file or a stream. */
export const ASSETS_RESULTS: Record<string, Json | undefined> = {
  [`POST ${PREFIX}/rules`]: ref('ZoneRule'),
  [`GET ${PREFIX}/rules`]: page(ref('ZoneRule')),
  [`GET ${PREFIX}/rules/{id}`]: ref('ZoneRule'),
  [`PATCH ${PREFIX}/rules/{id}`]: ref('ZoneRule'),
  [`DELETE ${PREFIX}/rules/{id}`]: object({ id: string }),
  [`GET ${PREFIX}/rules/{id}/events`]: page(ref('ZoneEvent')),
  [`GET ${PREFIX}/sensors`]: object(
    {
      items: list(ref('FleetSensor')),
      nextCursor: nullable(string),
      total: integer,
      states: ref('StateCounts'),
    },
    ['items', 'nextCursor'],
  ),
  [`GET ${PREFIX}/sensors/states`]: object({
    total: integer,
    states: ref('StateCounts'),
    readingsPerMinute: integer,
    refusedLastHour: integer,
  }),
  [`GET ${PREFIX}/tags`]: page(object({ tag: string, count: integer })),
  [`GET ${PREFIX}/sensors/{id}/refusals`]: object({
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
  [`GET ${PREFIX}/crs`]: page(ref('Crs')),
  [`GET ${PREFIX}/crs/{code}`]: object({ ...crs, proj4: nullable(string), errorM: nullable(number) }),
  [`POST ${PREFIX}/inside`]: object({ total: integer, sensorIds: list(string) }),
  [`GET ${PREFIX}/events`]: page(ref('NamedZoneEvent')),
  [`GET ${PREFIX}/stream`]: undefined,
  [`GET ${PREFIX}/sensors/{id}/readings`]: page(ref('Reading')),
  [`GET ${PREFIX}/sensors/{id}/latest`]: ref('Latest'),
  [`GET ${PREFIX}/sensors/{id}/series`]: ref('SeriesResult'),
  [`GET ${PREFIX}/latest`]: object({ items: list(object({ sensorId: string, ...latest })) }),
  [`GET ${PREFIX}/series`]: ref('SeriesResult'),
  [`GET ${PREFIX}/tracks/{sensorId}`]: object({
    type: { const: 'Feature' },
    id: string,
    nextCursor: nullable(string),
    properties: object({
      sensorId: string,
      assetId: string,
      assetName: string,
      times: list({ anyOf: [dateTime, list(dateTime)] }),
    }),
    geometry: nullable(
      object({ type: oneOf('MultiLineString', 'LineString', 'Point'), coordinates: { type: 'array' } }),
    ),
  }),
  [`GET ${PREFIX}/live`]: {
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
  [`GET ${PREFIX}/live/stream`]: undefined,
  [`GET ${PREFIX}/export`]: undefined,
}
