/** Routes that query stored readings: pages, newest values, series, tracks, exports. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { STAFF } from '../../access/authorization.ts'
import type { Organization } from '../../access/organization.ts'
import { channelParameters } from '../../analytics/channel-names.ts'
import { latest, latestText, readingsPage } from '../../analytics/readings.ts'
import { seriesResponse } from '../../analytics/series.ts'
import { trackText } from '../../analytics/tracks.ts'
import { succeed } from '../../http/envelope.ts'
import { dateTime, list, nullable, object, oneOf, page, ref, string } from '../../http/openapi/openapi-schemas.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import type { Sensor } from '../../stores/postgres/sensors/sensors.ts'
import { answerText } from './answers.ts'
import { exportResponse } from './export.ts'
import { operation } from './operation.ts'
import { latestValues } from './record-schemas.ts'
import { closed, from, limit, moment, to } from './request-schemas.ts'

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
const readingsQuery = Type.Object(
  {
    from: Type.Optional(moment('Start of the range, inclusive (RFC 3339); by default the oldest reading')),
    to: Type.Optional(moment('End of the range, exclusive (RFC 3339); by default no end')),
    channel: Type.Optional(channel),
    limit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
    order: Type.Optional(
      Type.Union([Type.Literal('asc'), Type.Literal('desc')], {
        description: 'asc (default): oldest first; desc: newest first',
      }),
    ),
  },
  { additionalProperties: false },
)
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
const seriesQuery = Type.Object(series, closed)
const manySeriesQuery = Type.Object({ ...series, sensors }, closed)
const latestQuery = Type.Object({ sensors }, closed)
const trackQuery = Type.Object(
  {
    from,
    to,
    limit: Type.Optional(Type.Number({ minimum: 1, maximum: 100_000, multipleOf: 1, default: 1000 })),
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
  },
  closed,
)
const exportQuery = Type.Object(
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

export type ReadingRoutesDeps = {
  clickhouse: ClickHouse
  /** Runs a query of readings in the application's turn. */
  inTurn<T>(request: Request, query: () => Promise<T>): Promise<T>
  sensorOf(request: Request, id: string): Promise<OneSensor>
  /** The named sensors, or all. */
  sensorsOf(request: Request, text: string | undefined): Promise<SeveralSensors>
  /** Receives errors of exports that fail after their response has started. */
  onExportError(error: unknown): void
}
type OneSensor = { enterprise: Organization['enterprise']; sensor: Sensor }
type SeveralSensors = { enterprise: Organization['enterprise']; sensors: Sensor[] }

/** Elysia's query contains only the last of repeated parameters. */
const withChannels = <Q extends object>(request: Request, query: Q) => ({
  ...query,
  channel: channelParameters(request.url),
})

export function readingRoutes({ clickhouse, inTurn, sensorOf, sensorsOf, onExportError }: ReadingRoutesDeps) {
  return new Elysia({ name: 'stored-readings' })
    .get(
      '/sensors/:id/readings',
      async ({ request, params, query }) => {
        const { enterprise, sensor } = await sensorOf(request, params.id)
        return answerText(
          request,
          await inTurn(request, () =>
            readingsPage(clickhouse, enterprise, sensor, withChannels(request, query), request.signal),
          ),
        )
      },
      operation({
        summary: 'List readings of a sensor',
        description:
          'Returns readings with `from` ≤ time < `to`, oldest first. Readings older than the retention of the enterprise are not returned. Pass `nextCursor` as `cursor` to get the next page.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: readingsQuery,
        result: page(ref('Reading')),
      }),
    )
    .get(
      '/sensors/:id/latest',
      async ({ request, params }) => {
        const { enterprise, sensor } = await sensorOf(request, params.id)
        return succeed(request, await inTurn(request, () => latest(clickhouse, enterprise, sensor, request.signal)))
      },
      operation({
        summary: 'Get the latest values of a sensor',
        description:
          "Returns the newest value of each active channel with its time, the newest location, and the time of the sensor's last reading.",
        rights: { of: 'enterprise-in-header', for: STAFF },
        result: ref('Latest'),
      }),
    )
    .get(
      '/sensors/:id/series',
      async ({ request, params, query }) => {
        const { enterprise, sensor } = await sensorOf(request, params.id)
        return answerText(
          request,
          await inTurn(request, () =>
            seriesResponse(clickhouse, enterprise, [sensor], withChannels(request, query), request.signal),
          ),
        )
      },
      operation({
        summary: 'Get time series of a sensor',
        description:
          'Aggregates channels of the sensor over buckets of time. Each bucket covers `[start, start + step)`, is aligned to the clock and is labelled with its start. A value is `null` in a bucket without readings, and the text `Infinity`, `-Infinity` or `NaN` beyond the range of a double. The range defaults to the last 24 hours.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: seriesQuery,
        result: ref('SeriesResult'),
      }),
    )
    .get(
      '/latest',
      async ({ request, query }) => {
        const { enterprise, sensors } = await sensorsOf(request, query.sensors)
        return answerText(
          request,
          await inTurn(request, () => latestText(clickhouse, enterprise, sensors, request.signal)),
        )
      },
      operation({
        summary: 'Get the latest values of several sensors',
        description: 'Returns the newest values and the newest location of each sensor.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: latestQuery,
        result: object({ items: list(object({ sensorId: string, ...latestValues })) }),
      }),
    )
    .get(
      '/series',
      async ({ request, query: { sensors: names, ...query } }) => {
        const { enterprise, sensors } = await sensorsOf(request, names)
        return answerText(
          request,
          await inTurn(request, () =>
            seriesResponse(clickhouse, enterprise, sensors, withChannels(request, query), request.signal),
          ),
        )
      },
      operation({
        summary: 'Get time series of several sensors',
        description:
          'Aggregates channels over buckets of time and returns one series for each sensor, channel and aggregate. Sensors without the channel are left out.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: manySeriesQuery,
        result: ref('SeriesResult'),
      }),
    )
    .get(
      '/tracks/:sensorId',
      async ({ request, params, query }) => {
        const { enterprise, sensor } = await sensorOf(request, params.sensorId)
        return answerText(
          request,
          await inTurn(request, () => trackText(clickhouse, enterprise, sensor, query, request.signal)),
        )
      },
      operation({
        summary: 'Get the track of a sensor',
        description:
          'Returns a GeoJSON Feature with the positions of the sensor, oldest first: a LineString, or a Point for a single position. `properties.times` has the time of each position. A track across the antimeridian is a MultiLineString that is cut there, and `times` has a list for each line.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: trackQuery,
        result: object({
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
      }),
    )
    .get(
      '/export',
      async ({ request, query: { sensors: names, ...query } }) => {
        const { enterprise, sensors } = await sensorsOf(request, names)
        return inTurn(request, () =>
          exportResponse(clickhouse, enterprise, request, sensors, withChannels(request, query), onExportError),
        )
      },
      operation({
        summary: 'Export readings',
        description:
          'Streams readings as CSV (RFC 4180), JSON Lines, Parquet or Arrow. By default there is a row for each value with `sensorId`, `at`, `channel`, `measurement`, `value`, `longitude` and `latitude`; Parquet and Arrow have booleans in `booleanValue`. With `layout=wide` there is a row for each reading and a typed column for each channel. Readings with only a location are included unless `channel` is set.',
        rights: { of: 'enterprise-in-header', for: STAFF, linked: true },
        query: exportQuery,
        result: 'file',
      }),
    )
}
