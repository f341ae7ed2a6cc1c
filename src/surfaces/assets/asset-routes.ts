/** /enterprise/v1/assets: queries of readings with an organization key pair or a session. */
import { Elysia } from 'elysia'
import { createConcurrencyLimit } from '../../access/concurrency-limit.ts'
import type { Organization } from '../../access/organization.ts'
import type { OrganizationCallers } from '../../access/organization-callers.ts'
import type { RateWindows } from '../../access/rate-windows.ts'
import { channelParameters } from '../../analytics/channel-names.ts'
import type { FleetIndexes } from '../../analytics/fleet/fleet-index.ts'
import type { SensorIndexes } from '../../analytics/fleet/sensor-index.ts'
import { latest, latestText, readingsPage } from '../../analytics/readings.ts'
import { seriesResponse } from '../../analytics/series.ts'
import type { LiveStreams } from '../../analytics/stream/live-stream.ts'
import { trackText } from '../../analytics/tracks.ts'
import { AppError, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { BodyLimits } from '../../http/body/body.ts'
import { callFacts, createCallers, type RoutedRequest } from '../../http/callers.ts'
import { succeed } from '../../http/envelope.ts'
import type { Holding } from '../../http/request-context.ts'
import type { CrsCatalogue } from '../../intake/crs-catalogue.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { findSensor, findSensors } from '../../stores/postgres/sensors/sensors.ts'
import type { ZoneRules } from '../../zones/rules.ts'
import type { FindInside } from '../../zones/sensors-inside.ts'
import { answerText } from './answers.ts'
import { crsRoutes } from './crs-routes.ts'
import { exportResponse } from './export.ts'
import { fleetRoutes } from './fleet-routes.ts'
import * as model from './model.ts'
import { type RuleRoutesDeps, ruleRoutes } from './rule-routes.ts'
import { type UploadRoutesDeps, uploadRoutes } from './upload-routes.ts'

export type AssetsSurfaceDeps = {
  db: Database
  clickhouse: ClickHouse
  organizations: OrganizationCallers
  sensorIndexes: SensorIndexes
  fleets: FleetIndexes
  liveStreams: LiveStreams
  windows: RateWindows
  limits: AssetsLimits
  /** Receives errors of exports that fail after their response has started. */
  onExportError(error: unknown): void
  zoneRules: ZoneRules
  findInside: FindInside
  crs: CrsCatalogue
  uploads: Pick<UploadRoutesDeps, 'gate' | 'ingest' | 'audit' | 'body'>
  recordBody: BodyLimits
  idempotency: RuleRoutesDeps['idempotency']
}

export type AssetsLimits = { callsPerMinute: number; callsAtOnce: number; uploadsPerMinute: number }

const MINUTE_MS = 60_000
/** Waiting queries of an application, for each one that may run. */
const WAITING_FOR_EACH = 8
/** Maximum number of sensors in one query. */
const MAX_SENSORS = 1_000

/** Elysia's query contains only the last of repeated parameters. */
const withChannels = <Q extends object>(request: Request, query: Q) => ({
  ...query,
  channel: channelParameters(request.url),
})

export function assetsSurface(deps: AssetsSurfaceDeps) {
  const { db, clickhouse, organizations, sensorIndexes, fleets, liveStreams, zoneRules, findInside, recordBody } = deps
  const { windows, limits, uploads, onExportError } = deps
  const concurrency = createConcurrencyLimit({
    running: limits.callsAtOnce,
    waiting: limits.callsAtOnce * WAITING_FOR_EACH,
  })
  async function authenticate(call: RoutedRequest): Promise<Organization> {
    const organization = await organizations.forAssets(callFacts(call))
    const { enterprise, caller } = organization
    if (enterprise.assetsHeld) throw new AppError('ASSETS_HELD')
    if (!caller.assets) throw new AppError('ASSETS_NOT_GRANTED')
    return organization
  }
  const actorOf = ({ caller }: Organization): string => caller.actor
  const holdingOf = ({ enterprise, caller }: Organization): Holding => ({
    as: caller.actor,
    ids: [caller.id, enterprise.id],
    expiresMs: caller.expiresMs,
  })
  async function count({ caller }: Organization): Promise<void> {
    const waitMs = await windows.take(`assets:${caller.id}`, 1, limits.callsPerMinute, MINUTE_MS)
    if (waitMs > 0) throw new AppError('RATE_LIMITED', { retryAfterS: Math.ceil(waitMs / 1000) })
  }
  const callers = createCallers(authenticate, actorOf, holdingOf, undefined, count)
  const uploaders = createCallers(authenticate, actorOf, holdingOf)
  /** A sensor of another enterprise is treated as not existing. */
  async function sensorOf(request: Request, id: string) {
    const { enterprise } = await callers.of(request)
    const sensor = await findSensor(db, id)
    if (sensor === undefined || sensor.enterpriseId !== enterprise.id)
      throw new AppError('NOT_FOUND', { message: 'The sensor does not exist.' })
    return { enterprise, sensor }
  }

  /** The named sensors, or all. @throws AppError NOT_FOUND for a sensor of another enterprise, VALIDATION_FAILED for too many */
  async function sensorsOf(request: Request, text: string | undefined) {
    const { enterprise } = await callers.of(request)
    const ids = text === undefined || text === 'all' ? undefined : [...new Set(text.split(',').map((id) => id.trim()))]
    const found = (ids?.length ?? 0) > MAX_SENSORS ? [] : await findSensors(db, enterprise.id, ids, MAX_SENSORS + 1)
    if ((ids?.length ?? 0) > MAX_SENSORS || found.length > MAX_SENSORS)
      throw invalidField('query.sensors', 'maxItems', fieldText('sensorsPerQuery', { most: MAX_SENSORS }))
    if (ids !== undefined && found.length < ids.length)
      throw new AppError('NOT_FOUND', { message: 'A sensor in query.sensors does not exist.' })
    return { enterprise, sensors: found }
  }
  /** Runs a query of readings in the application's turn. */
  async function inTurn<T>(request: Request, query: () => Promise<T>): Promise<T> {
    const { caller } = await callers.of(request)
    return concurrency.run(caller.id, query)
  }

  return (
    new Elysia({ name: 'assets', prefix: '/enterprise/v1/assets' })
      .use(uploadRoutes({ ...uploads, callers: uploaders, windows, uploadsPerMinute: limits.uploadsPerMinute }))
      // before validation, so that callers without a key learn nothing about valid requests
      .onTransform(callers.check)
      .use(
        ruleRoutes({
          db,
          clickhouse,
          zoneRules,
          findInside,
          fleets,
          sensorIndexes,
          callers,
          recordBody,
          idempotency: deps.idempotency,
          inTurn,
        }),
      )
      .use(crsRoutes(deps.crs, callers))
      .use(fleetRoutes({ db, clickhouse, fleets, sensorIndexes, liveStreams, callers, inTurn, sensorOf }))
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
        model.operation(
          'List readings of a sensor',
          'Returns readings with `from` ≤ time < `to`, oldest first. Readings older than the retention of the enterprise are not returned. Pass `nextCursor` as `cursor` to get the next page.',
          { query: model.readingsQuery },
        ),
      )
      .get(
        '/sensors/:id/latest',
        async ({ request, params }) => {
          const { enterprise, sensor } = await sensorOf(request, params.id)
          return succeed(request, await inTurn(request, () => latest(clickhouse, enterprise, sensor, request.signal)))
        },
        model.operation(
          'Get the latest values of a sensor',
          "Returns the newest value of each active channel with its time, the newest location, and the time of the sensor's last reading.",
        ),
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
        model.operation(
          'Get time series of a sensor',
          'Aggregates channels of the sensor over buckets of time. Each bucket covers `[start, start + step)`, is aligned to the clock and is labelled with its start. A value is `null` in a bucket without readings, and the text `Infinity`, `-Infinity` or `NaN` beyond the range of a double. The range defaults to the last 24 hours.',
          { query: model.seriesQuery },
        ),
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
        model.operation(
          'Get the latest values of several sensors',
          'Returns the newest values and the newest location of each sensor.',
          { query: model.latestQuery },
        ),
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
        model.operation(
          'Get time series of several sensors',
          'Aggregates channels over buckets of time and returns one series for each sensor, channel and aggregate. Sensors without the channel are left out.',
          { query: model.manySeriesQuery },
        ),
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
        model.operation(
          'Get the track of a sensor',
          'Returns a GeoJSON Feature with the positions of the sensor, oldest first: a LineString, or a Point for a single position. `properties.times` has the time of each position. A track across the antimeridian is a MultiLineString that is cut there, and `times` has a list for each line.',
          { query: model.trackQuery },
        ),
      )
      .get(
        '/export',
        async ({ request, query: { sensors: names, ...query } }) => {
          const { enterprise, sensors } = await sensorsOf(request, names)
          return inTurn(request, () =>
            exportResponse(clickhouse, enterprise, request, sensors, withChannels(request, query), onExportError),
          )
        },
        model.operation(
          'Export readings',
          'Streams readings as CSV (RFC 4180), JSON Lines, Parquet or Arrow. By default there is a row for each value with `sensorId`, `at`, `channel`, `measurement`, `value`, `longitude` and `latitude`; Parquet and Arrow have booleans in `booleanValue`. With `layout=wide` there is a row for each reading and a typed column for each channel. Readings with only a location are included unless `channel` is set.',
          { query: model.exportQuery },
        ),
      )
  )
}
