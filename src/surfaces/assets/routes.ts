/** Analytics over the readings, with an organization's key pair. */
import { Elysia } from 'elysia'
import type { Organization, OrganizationGate } from '../../access/organization.ts'
import { AppError, invalidField } from '../../errors.ts'
import type { BodyLimits } from '../../http/body.ts'
import { JSON_TYPE, respond, succeed, successAround } from '../../http/envelope.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { findSensor, findSensors, listSensors, type Sensor } from '../../stores/postgres/sensors.ts'
import type { ZoneRules } from '../../zones/rules.ts'
import type { Directory } from './directory.ts'
import { exportResponse } from './export.ts'
import { boxOf, livePoints } from './live.ts'
import type { LiveStreams } from './live-stream.ts'
import * as model from './model.ts'
import { latest, readingsPage } from './readings.ts'
import { ruleRoutes } from './rule-routes.ts'
import { seriesResponse } from './series.ts'
import { trackResponse } from './tracks.ts'

export type AssetsSurfaceDeps = {
  db: Database
  clickhouse: ClickHouse
  organizations: OrganizationGate
  directory: Directory
  liveStreams: LiveStreams
  /** An export that failed after its answer had begun. */
  onExportError(error: unknown): void
  zoneRules: ZoneRules
  jsonBody: BodyLimits
}

/** Sensors that one query may be about. */
const MAX_SENSORS = 1_000

const security: Record<string, string[]>[] = [{ keyPair: [], keySecret: [] }, { keyBearer: [] }]

/** The envelope around data that is JSON text already. */
function answerText(request: Request, data: string): Response {
  const [head, tail] = successAround(request)
  return respond(request, head + data + tail, JSON_TYPE)
}

/** What an organization sees of a sensor: nothing of its keys. */
function sensorToJson(sensor: Sensor) {
  return {
    id: sensor.id,
    assetId: sensor.assetId,
    assetName: sensor.assetName,
    enabled: sensor.enabled,
    held: sensor.held,
    channels: sensor.channels
      .filter(({ active }) => active)
      .map(({ name, measurement, unit }) => ({ name, measurement, unit })),
  }
}

export function assetsSurface(deps: AssetsSurfaceDeps) {
  const { db, clickhouse, organizations, directory, liveStreams, zoneRules, jsonBody, onExportError } = deps
  /** Looked at before validation, and asked for again by the routes. */
  const callers = new WeakMap<Request, Promise<Organization>>()
  function organizationOf(request: Request): Promise<Organization> {
    const known = callers.get(request)
    if (known !== undefined) return known
    const caller = organizations.authenticate(request.headers).then((organization) => {
      if (organization.enterprise.assetsHeld) throw new AppError('ASSETS_HELD')
      return organization
    })
    callers.set(request, caller)
    return caller
  }
  /** Another enterprise's sensor is as unknown as one that does not exist. */
  async function sensorOf(request: Request, id: string) {
    const { enterprise } = await organizationOf(request)
    const sensor = await findSensor(db, id)
    if (sensor === undefined || sensor.enterpriseId !== enterprise.id)
      throw new AppError('NOT_FOUND', { message: 'There is no such sensor.' })
    return { enterprise, sensor }
  }

  /** Those named, or all. @throws AppError NOT_FOUND for one that is not the caller's, VALIDATION_FAILED for too many */
  async function sensorsOf(request: Request, text: string | undefined) {
    const { enterprise } = await organizationOf(request)
    const ids = text === undefined || text === 'all' ? undefined : [...new Set(text.split(',').map((id) => id.trim()))]
    const found = (ids?.length ?? 0) > MAX_SENSORS ? [] : await findSensors(db, enterprise.id, ids, MAX_SENSORS + 1)
    if ((ids?.length ?? 0) > MAX_SENSORS || found.length > MAX_SENSORS)
      throw invalidField('query.sensors', 'maxItems', `must name at most ${MAX_SENSORS} sensors; ask for them in parts`)
    if (ids !== undefined && found.length < ids.length)
      throw new AppError('NOT_FOUND', { message: 'There is no such sensor.' })
    return { enterprise, sensors: found }
  }
  const detail = (summary: string) => ({ tags: ['Assets'], summary, security })

  return (
    new Elysia({ name: 'assets', prefix: '/enterprise/v1/assets' })
      // before validation: who has no key learns nothing of what a call should look like
      .onTransform(async ({ request }) => {
        await organizationOf(request)
      })
      .use(ruleRoutes({ db, clickhouse, zoneRules, directory, organizationOf, jsonBody }))
      .get(
        '/sensors',
        async ({ request, query }) => {
          const { enterprise } = await organizationOf(request)
          const page = await listSensors(db, enterprise.id, { limit: query.limit ?? 100, cursor: query.cursor })
          return succeed(request, { items: page.items.map(sensorToJson), nextCursor: page.nextCursor })
        },
        { query: model.pageQuery, detail: { tags: ['Assets'], summary: "The enterprise's sensors", security } },
      )
      .get(
        '/sensors/:id/readings',
        async ({ request, params, query }) => {
          const { enterprise, sensor } = await sensorOf(request, params.id)
          return succeed(request, await readingsPage(clickhouse, enterprise, sensor, query, request.signal))
        },
        {
          query: model.readingsQuery,
          detail: { tags: ['Assets'], summary: 'Readings of a sensor, oldest first', security },
        },
      )
      .get(
        '/sensors/:id/latest',
        async ({ request, params }) => {
          const { enterprise, sensor } = await sensorOf(request, params.id)
          const [found] = await latest(clickhouse, enterprise, [sensor], request.signal)
          return succeed(request, found)
        },
        { detail: { tags: ['Assets'], summary: 'Newest value of each channel and newest location', security } },
      )
      .get(
        '/sensors/:id/series',
        async ({ request, params, query }) => {
          const { enterprise, sensor } = await sensorOf(request, params.id)
          return answerText(request, await seriesResponse(clickhouse, enterprise, [sensor], query, request.signal))
        },
        { query: model.seriesQuery, detail: detail('Channels of a sensor by buckets of time') },
      )
      .get(
        '/latest',
        async ({ request, query }) => {
          const { enterprise, sensors } = await sensorsOf(request, query.sensors)
          const found = await latest(clickhouse, enterprise, sensors, request.signal)
          const items = found.map((one, i) => ({ sensorId: sensors[i]?.id, ...one }))
          return succeed(request, { items })
        },
        { query: model.latestQuery, detail: detail('The same of many sensors') },
      )
      .get(
        '/series',
        async ({ request, query: { sensors: names, ...query } }) => {
          const { enterprise, sensors } = await sensorsOf(request, names)
          return answerText(request, await seriesResponse(clickhouse, enterprise, sensors, query, request.signal))
        },
        {
          query: model.manySeriesQuery,
          detail: detail('Channels of many sensors by buckets of time, a series for each'),
        },
      )
      .get(
        '/tracks/:sensorId',
        async ({ request, params, query }) => {
          const { enterprise, sensor } = await sensorOf(request, params.sensorId)
          return succeed(request, await trackResponse(clickhouse, enterprise, sensor, query, request.signal))
        },
        {
          query: model.trackQuery,
          detail: detail('Where a sensor has been: a LineString with a time for each position'),
        },
      )
      .get(
        '/live',
        async ({ request, query }) => {
          const { enterprise } = await organizationOf(request)
          const sensorIndex = await directory.of(enterprise.id)
          const box = boxOf(query.bbox)
          const features = await livePoints(clickhouse, enterprise, sensorIndex, box, request.signal)
          return succeed(request, { type: 'FeatureCollection', features })
        },
        { query: model.liveQuery, detail: detail('Where assets are, as GeoJSON') },
      )
      .get(
        '/live/stream',
        async ({ request, query }) => {
          const { enterprise } = await organizationOf(request)
          const events = await liveStreams.watch(enterprise, boxOf(query.bbox), request.signal)
          const response = respond(request, events, 'text/event-stream; charset=utf-8')
          response.headers.set('cache-control', 'no-store')
          return response
        },
        {
          query: model.liveQuery,
          detail: detail('The same as server-sent events: a snapshot, then positions with features and removed'),
        },
      )
      .get(
        '/export',
        async ({ request, query: { sensors: names, ...query } }) => {
          const { enterprise, sensors } = await sensorsOf(request, names)
          return exportResponse(clickhouse, enterprise, request, sensors, query, onExportError)
        },
        {
          query: model.exportQuery,
          detail: detail('Readings as CSV, JSON lines, Parquet or Arrow, a row for each value'),
        },
      )
  )
}
