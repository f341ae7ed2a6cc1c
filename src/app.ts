/** The complete HTTP application. Creating it has no side effects, so that tests can do it. */
import { Elysia } from 'elysia'
import type { RouteRules } from './access/authorization.ts'
import type { FleetGate } from './access/fleet-gate.ts'
import type { SensorGate } from './access/sensor-gate.ts'
import { allowedMethods } from './http/allowed-methods.ts'
import type { BodyLimits } from './http/body/body.ts'
import { envelope } from './http/envelope.ts'
import type { Now } from './http/observability/gauges.ts'
import { health, type Parts } from './http/observability/health.ts'
import { type RequestLog, requestLog } from './http/observability/log.ts'
import { type Metrics, metricsRoute } from './http/observability/metrics.ts'
import { apiDescription } from './http/openapi/openapi.ts'
import type { SensorProfile } from './ingest/batch.ts'
import type { Ingest } from './ingest/ingest.ts'
import type { WriteLines } from './ingest/line-protocol/write-lines.ts'
import type { AcceptMany } from './ingest/many.ts'
import { type AssetsSurfaceDeps, assetsSurface } from './surfaces/assets/asset-routes.ts'
import { sharedDashboards } from './surfaces/assets/dashboard-routes.ts'
import { WEBHOOKS } from './surfaces/assets/event-schemas.ts'
import { ASSETS_SCHEMAS } from './surfaces/assets/record-schemas.ts'
import { authSurface } from './surfaces/auth/account-routes.ts'
import type { AuthDeps } from './surfaces/auth/deps.ts'
import { AUTH_SCHEMAS } from './surfaces/auth/record-schemas.ts'
import type { EnterpriseDeps } from './surfaces/enterprise/deps.ts'
import { SCHEMAS } from './surfaces/enterprise/openapi-schemas.ts'
import { enterpriseSurface } from './surfaces/enterprise/tool-routes.ts'
import { type MailPageDeps, mailPages } from './surfaces/mail/mail-pages.ts'
import { type ManageSurfaceDeps, manageSurface } from './surfaces/manage/management-routes.ts'
import { OPERATOR_SCHEMAS } from './surfaces/manage/operator/record-schemas.ts'
import { MANAGE_SCHEMAS } from './surfaces/manage/record-schemas.ts'
import { openPortalFiles } from './surfaces/portal/files.ts'
import { openMapTiles } from './surfaces/portal/map-tiles.ts'
import { portalSurface } from './surfaces/portal/page-routes.ts'
import { linesSurface } from './surfaces/sensors/line-routes.ts'
import { type LorawanDeps, lorawanSurface } from './surfaces/sensors/lorawan-routes.ts'
import { createManyCall } from './surfaces/sensors/many-call.ts'
import { manySurface } from './surfaces/sensors/many-routes.ts'
import { sensorSurface } from './surfaces/sensors/reading-routes.ts'
import { createReadingsCall } from './surfaces/sensors/readings-call.ts'
import type { ToolApiCalls } from './surfaces/tool-api/calls.ts'
import type { ToolApiDeps } from './surfaces/tool-api/deps.ts'
import { toolApiSurface } from './surfaces/tool-api/tool-api-routes.ts'

/** Each surface gets one object, which its composition makes. */
export type AppDeps = {
  version: string
  log: RequestLog
  sensors: {
    gate: SensorGate<SensorProfile>
    fleetGate: FleetGate<SensorProfile>
    ingest: Ingest
    acceptMany: AcceptMany
    writeLines: WriteLines
    body: BodyLimits
    manyBody: BodyLimits
  }
  lorawan: LorawanDeps
  assets: AssetsSurfaceDeps
  enterprise: EnterpriseDeps
  toolApi: ToolApiDeps & { calls: ToolApiCalls }
  manage: ManageSurfaceDeps
  auth: AuthDeps
  mail: MailPageDeps
  /** Rights by route, for session rights; `createApp` declares them. */
  rules: RouteRules
  /** The folder of the built portal; the path or URL of a PMTiles file with its base map. */
  portal: { dir: string; mapTiles: string | undefined }
  health: Parts
  /** `now` reads the gauges, at each scrape. */
  metrics: { recorded: Metrics; now: () => Promise<Omit<Now, 'storesUp'>> }
  apiPageDir: string
}

export function createApp(deps: AppDeps) {
  const { version, sensors, auth, portal, toolApi, health: parts, metrics, rules } = deps
  let methodsOf = (_path: string): readonly string[] => []
  // standardHostname is off, since it breaks routing for host names of three letters or fewer
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .use(requestLog(deps.log))
    .use(envelope((path) => methodsOf(path)))
    .use(sensorSurface(createReadingsCall(sensors.gate, sensors.ingest), sensors.body))
    .use(lorawanSurface(deps.lorawan))
    .use(manySurface(createManyCall(sensors.fleetGate, sensors.acceptMany), sensors.manyBody))
    .use(linesSurface(sensors))
    .use(assetsSurface(deps.assets))
    .use(sharedDashboards(deps.assets))
    .use(enterpriseSurface(deps.enterprise))
    .use(toolApiSurface(toolApi, toolApi.calls))
    .use(manageSurface(deps.manage))
    .use(portalSurface(openPortalFiles(portal.dir), openMapTiles(portal.mapTiles), auth.sessions))
    .use(authSurface(auth, rules.of))
    .use(mailPages(deps.mail))
    .use(health(parts))
    .use(metricsRoute(metrics.recorded, metrics.now, parts))
  const schemas = { ...SCHEMAS, ...ASSETS_SCHEMAS, ...MANAGE_SCHEMAS, ...OPERATOR_SCHEMAS, ...AUTH_SCHEMAS }
  app.use(apiDescription(app, deps.apiPageDir, version, { schemas, webhooks: WEBHOOKS }))
  methodsOf = allowedMethods(app.routes)
  rules.declare(app.routes)
  return app
}
