/** Response schemas of /enterprise/v1/assets for the OpenAPI document, by operation. */
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
} from '../../http/openapi-schemas.ts'

const value = { anyOf: [number, boolean] }
const position = { type: 'array', items: number, minItems: 2, maxItems: 2 }
const byChannel = (schema: Json): Json => ({ type: 'object', additionalProperties: schema })
/** JSON has no infinity: an aggregate beyond the range of a double is a text; null is a bucket without readings. */
const seriesValue = { anyOf: [number, oneOf('Infinity', '-Infinity', 'NaN'), { type: 'null' }] }
const latest = {
  at: nullable(dateTime),
  values: byChannel(object({ value, at: dateTime })),
  location: nullable(position),
}

/** Components, by name. */
export const ASSETS_SCHEMAS: Json = {
  AssetSensor: object({
    ...{ id: string, name: string, assetId: string, assetName: string, tags: list(string) },
    ...{ enabled: boolean, held: boolean },
    channels: list(object({ name: string, measurement: oneOf('number', 'whole', 'boolean'), unit: nullable(string) })),
  }),
  Reading: object({ at: dateTime, values: byChannel(value), location: position }, ['at', 'values']),
  Latest: object(latest),
  SeriesResult: object({
    resolution: oneOf('raw', 'minute', 'hour', 'day'),
    series: list(
      object({
        ...{ sensorId: string, channel: string, agg: string },
        points: list({ type: 'array', prefixItems: [dateTime, seriesValue], minItems: 2, maxItems: 2 }),
      }),
    ),
  }),
  ZoneRule: object({
    ...{ id: string, name: string, layerId: string, when: oneOf('enter', 'leave', 'inside', 'outside') },
    sensorIds: { anyOf: [{ const: 'all' }, list(string)] },
    ...{ enabled: boolean, layerUsable: boolean, createdAt: dateTime, updatedAt: dateTime },
  }),
  ZoneEvent: object({
    ...{ id: string, ruleId: string, when: string, sensorId: nullable(string), assetId: nullable(string) },
    ...{ assetName: nullable(string), at: dateTime, location: position, layerId: string, layerVersion: integer },
    ...{ featureIds: list(string), detectedAt: dateTime },
  }),
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
  [`GET ${PREFIX}/sensors`]: page(ref('AssetSensor')),
  [`GET ${PREFIX}/sensors/{id}/readings`]: page(ref('Reading')),
  [`GET ${PREFIX}/sensors/{id}/latest`]: ref('Latest'),
  [`GET ${PREFIX}/sensors/{id}/series`]: ref('SeriesResult'),
  [`GET ${PREFIX}/latest`]: object({ items: list(object({ sensorId: string, ...latest })) }),
  [`GET ${PREFIX}/series`]: ref('SeriesResult'),
  [`GET ${PREFIX}/tracks/{sensorId}`]: object({
    ...{ type: { const: 'Feature' }, id: string, nextCursor: nullable(string) },
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
  [`GET ${PREFIX}/live`]: object({
    type: { const: 'FeatureCollection' },
    features: list(
      object({
        ...{ type: { const: 'Feature' }, id: string },
        properties: object({ assetName: string, sensorId: string, at: dateTime }),
        geometry: object({ type: { const: 'Point' }, coordinates: position }),
      }),
    ),
  }),
  [`GET ${PREFIX}/live/stream`]: undefined,
  [`GET ${PREFIX}/export`]: undefined,
}
