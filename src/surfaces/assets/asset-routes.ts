/** /enterprise/v1/assets: queries of readings with an organization key pair or a session. */
import { Elysia } from 'elysia'
import { createConcurrencyLimit } from '../../access/concurrency-limit.ts'
import type { KeyFailures } from '../../access/keys/key-failures.ts'
import type { Organization } from '../../access/organization.ts'
import type { OrganizationCallers } from '../../access/organization-callers.ts'
import type { RateWindows } from '../../access/rate-windows.ts'
import type { PreviewRule } from '../../alerts/previews.ts'
import type { RuleStates } from '../../alerts/rule-states.ts'
import type { Rules } from '../../alerts/rules.ts'
import { dashboardDocument } from '../../analytics/dashboards/dashboard-document.ts'
import type { FleetIndexes } from '../../analytics/fleet/fleet-index.ts'
import type { SensorIndexes } from '../../analytics/fleet/sensor-index.ts'
import type { LiveStreams } from '../../analytics/stream/live-stream.ts'
import type { EventPull } from '../../destinations/event-pull.ts'
import { AppError, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { BodyLimits } from '../../http/body/body.ts'
import { callFacts, createCallers, type RoutedRequest } from '../../http/callers.ts'
import type { Holding } from '../../http/request-context.ts'
import type { CrsCatalogue } from '../../intake/crs-catalogue.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { findSensor, findSensors } from '../../stores/postgres/sensors/sensors.ts'
import type { FindInside } from '../../zones/sensors-inside.ts'
import { alertRoutes } from './alert-routes.ts'
import { crsRoutes } from './crs-routes.ts'
import { panelRoutes } from './dashboard-routes.ts'
import { documentRoutes } from './document-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { favouriteRoutes } from './favourite-routes.ts'
import { fleetRoutes } from './fleet-routes.ts'
import { liveRoutes } from './live-routes.ts'
import { noteRoutes } from './note-routes.ts'
import { rulePreviewRoutes } from './rule-preview-routes.ts'
import { type RuleRoutesDeps, ruleRoutes } from './rule-routes.ts'
import { silenceRoutes } from './silence-routes.ts'
import { readingRoutes } from './stored-reading-routes.ts'
import { type UploadRoutesDeps, uploadRoutes } from './upload-routes.ts'
import { viewDocument } from './view-schema.ts'

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
  ruleStates: RuleStates
  rules: Rules
  previewRule: PreviewRule
  findInside: FindInside
  crs: CrsCatalogue
  uploads: Pick<UploadRoutesDeps, 'gate' | 'ingest' | 'audit' | 'body'>
  recordBody: BodyLimits
  failures: KeyFailures
  idempotency: RuleRoutesDeps['idempotency']
  events: EventPull
}

export type AssetsLimits = { callsPerMinute: number; callsAtOnce: number; uploadsPerMinute: number }

const MINUTE_MS = 60_000

/** Waiting queries of an application, for each one that may run. */
const WAITING_FOR_EACH = 8

/** Maximum number of sensors in one query. */
const MAX_SENSORS = 1_000

export function assetsSurface(deps: AssetsSurfaceDeps) {
  const { db, clickhouse, organizations, sensorIndexes, fleets, liveStreams, rules, findInside, recordBody } = deps
  const { windows, limits, uploads, onExportError } = deps
  const concurrency = createConcurrencyLimit({
    running: limits.callsAtOnce,
    waiting: limits.callsAtOnce * WAITING_FOR_EACH,
  })
  async function authenticate(call: RoutedRequest): Promise<Organization> {
    const organization = await organizations.forAssets(callFacts(call))
    const { enterprise, caller } = organization
    if (enterprise.assetsHeld)
      throw new AppError('ASSETS_HELD', { refusal: { cause: 'held', reason: enterprise.heldReason } })
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
      throw new AppError('NOT_FOUND', { message: fieldText('sensorGone') })
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
      throw new AppError('NOT_FOUND', { message: fieldText('sensorInQuery') })
    return { enterprise, sensors: found }
  }
  /** Runs a query of readings in the application's turn. */
  async function inTurn<T>(request: Request, query: () => Promise<T>): Promise<T> {
    const { caller } = await callers.of(request)
    return concurrency.run(caller.id, query)
  }

  const fleetDeps = { db, clickhouse, fleets, sensorIndexes, liveStreams, callers, inTurn, sensorOf }

  const assets = new Elysia({ name: 'assets', prefix: '/enterprise/v1/assets' })
    .use(uploadRoutes({ ...uploads, callers: uploaders, windows, uploadsPerMinute: limits.uploadsPerMinute }))
    // before validation, so that callers without a key learn nothing about valid requests
    .onTransform(callers.check)
    .use(
      ruleRoutes({
        db,
        clickhouse,
        rules,
        findInside,
        fleets,
        sensorIndexes,
        callers,
        recordBody,
        idempotency: deps.idempotency,
        inTurn,
      }),
    )
    .use(rulePreviewRoutes({ db, previewRule: deps.previewRule, fleets, callers, recordBody, inTurn }))
    .use(
      documentRoutes(
        { db, callers, recordBody, idempotency: deps.idempotency },
        {
          kind: 'dashboard',
          path: '/dashboards',
          document: dashboardDocument,
          record: 'Dashboard',
          about:
            'Stores panels of charts, numbers, tables, states and maps, and where each stands in a grid of 12 columns.',
        },
      ),
    )
    .use(panelRoutes({ ...fleetDeps, recordBody, idempotency: deps.idempotency }))
    .use(alertRoutes({ db, callers, recordBody, ruleStates: deps.ruleStates }))
    .use(silenceRoutes({ db, callers, recordBody, idempotency: deps.idempotency }))
    .use(noteRoutes({ db, callers, recordBody, idempotency: deps.idempotency }))
    .use(
      documentRoutes(
        { db, callers, recordBody, idempotency: deps.idempotency },
        {
          kind: 'view',
          path: '/views',
          document: viewDocument,
          record: 'View',
          about: 'Stores filters, order and columns of the list of sensors or the map.',
        },
      ),
    )
    .use(crsRoutes(deps.crs, callers))
    .use(fleetRoutes(fleetDeps))
    .use(favouriteRoutes({ ...fleetDeps, recordBody }))
    .use(liveRoutes(fleetDeps))
    .use(readingRoutes({ clickhouse, inTurn, sensorOf, sensorsOf, onExportError }))
  return new Elysia({ name: 'assets-surface' }).use(assets).use(eventRoutes(callers, deps.events))
}
