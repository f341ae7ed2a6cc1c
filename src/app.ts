/** The complete HTTP application. Creating it has no side effects, so that tests can do it. */
import { Elysia } from 'elysia'
import { type RuleOf, rulesOf } from './access/authorization.ts'
import { createKeptAnswers } from './access/kept-answers.ts'
import type { OperatorGate } from './access/operator.ts'
import type { OrganizationGate } from './access/organization.ts'
import { createOrganizationCallers } from './access/organization-callers.ts'
import type { SensorGate } from './access/sensor-gate.ts'
import { createSessionRights } from './access/sessions/session-rights.ts'
import type { UploadAudit } from './access/upload-audit.ts'
import { allowedMethods } from './http/allowed-methods.ts'
import type { BodyLimits } from './http/body/body.ts'
import { envelope } from './http/envelope.ts'
import { createIdempotency } from './http/idempotency.ts'
import type { Now } from './http/observability/gauges.ts'
import { health, type Parts } from './http/observability/health.ts'
import { type RequestLog, requestLog } from './http/observability/log.ts'
import { type Metrics, metricsRoute } from './http/observability/metrics.ts'
import { apiDescription } from './http/openapi/openapi.ts'
import type { SensorProfile } from './ingest/batch.ts'
import type { Ingest } from './ingest/ingest.ts'
import type { Changes } from './stores/changes.ts'
import type { ClickHouse } from './stores/clickhouse/client.ts'
import type { Database } from './stores/postgres/client.ts'
import { type AssetsSurfaceDeps, assetsSurface } from './surfaces/assets/asset-routes.ts'
import { ASSETS_SCHEMAS } from './surfaces/assets/record-schemas.ts'
import { authSurface } from './surfaces/auth/account-routes.ts'
import type { AuthDeps } from './surfaces/auth/deps.ts'
import { AUTH_SCHEMAS } from './surfaces/auth/record-schemas.ts'
import type { EnterpriseDeps } from './surfaces/enterprise/deps.ts'
import { SCHEMAS } from './surfaces/enterprise/openapi-schemas.ts'
import { enterpriseSurface } from './surfaces/enterprise/tool-routes.ts'
import type { ManageServices } from './surfaces/manage/deps.ts'
import { manageSurface } from './surfaces/manage/management-routes.ts'
import { OPERATOR_SCHEMAS } from './surfaces/manage/operator/record-schemas.ts'
import { MANAGE_SCHEMAS } from './surfaces/manage/record-schemas.ts'
import { openPortalFiles } from './surfaces/portal/files.ts'
import { openMapTiles } from './surfaces/portal/map-tiles.ts'
import { portalSurface } from './surfaces/portal/page-routes.ts'
import { sensorSurface } from './surfaces/sensors/reading-routes.ts'
import { createReadingsCall } from './surfaces/sensors/readings-call.ts'
import { createToolApiCalls } from './surfaces/tool-api/calls.ts'
import type { ToolApiDeps } from './surfaces/tool-api/deps.ts'
import { toolApiSurface } from './surfaces/tool-api/tool-api-routes.ts'

export type AppDeps = {
  version: string
  log: RequestLog
  metrics: Metrics
  /** The gauges that /metrics reads at each scrape. */
  figuresOfNow: () => Promise<Omit<Now, 'storesUp'>>
  parts: Parts
  db: Database
  clickhouse: ClickHouse
  changes: Changes
  ingest: Ingest
  sensorGate: SensorGate<SensorProfile>
  uploadAudit: UploadAudit
  organizations: OrganizationGate
  assets: Pick<
    AssetsSurfaceDeps,
    | 'limits'
    | 'sensorIndexes'
    | 'fleets'
    | 'liveStreams'
    | 'zoneRules'
    | 'findInside'
    | 'crs'
    | 'onExportError'
    | 'windows'
  >
  enterprise: Omit<EnterpriseDeps, 'db' | 'changes' | 'organizations' | 'jsonBody' | 'version' | 'idempotency'>
  toolApi: Omit<ToolApiDeps, 'idempotency'>
  manage: ManageServices
  auth: AuthDeps
  operatorOnly: OperatorGate
  /** Receives errors of releasing idempotency keys, which is retried. */
  onKeyError(error: unknown): void
  sensorBody: BodyLimits
  jsonBody: BodyLimits
  recordBody: BodyLimits
  apiPageDir: string
  /** Folder of the built portal. */
  portalDir: string
  /** Base map of the portal: path or URL of a PMTiles file. */
  mapTiles: string | undefined
}

export function createApp(deps: AppDeps) {
  const { db, clickhouse, ingest, changes, jsonBody, recordBody, version } = deps
  // derived from the routes at the end; no session may use a route before
  let declaredRuleOf: RuleOf = () => undefined
  const ruleOf: RuleOf = (method, route) => declaredRuleOf(method, route)
  const sessionRights = createSessionRights(db, deps.auth.sessions, ruleOf)
  const organizations = createOrganizationCallers(db, changes, deps.organizations, sessionRights)
  const uploads = { gate: deps.sensorGate, ingest, audit: deps.uploadAudit, body: deps.sensorBody }
  const keeper = { db, instanceId: deps.enterprise.instanceId, onError: deps.onKeyError }
  const idempotency = createIdempotency(createKeptAnswers({ ...keeper, keepsFailures: true }))
  // failures are not stored for these: answers contain keys, and people correct the fields of a form and resend it with
  // the same key
  const ofRecords = createIdempotency(createKeptAnswers({ ...keeper, keepsFailures: false, secret: deps.auth.secret }))
  const toolApi = { ...deps.toolApi, idempotency }
  const toolApiCalls = createToolApiCalls(toolApi)
  const manageAccess = {
    operatorOnly: deps.operatorOnly,
    sessionRights,
    idempotency: ofRecords,
    toolApiCalls,
    windows: deps.enterprise.windows,
  }
  let methodsOf = (_path: string): readonly string[] => []
  // standardHostname is off, since it breaks routing for host names of three letters or fewer
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .use(requestLog(deps.log))
    .use(envelope((path) => methodsOf(path)))
    .use(sensorSurface(createReadingsCall(deps.sensorGate, ingest), deps.sensorBody))
    .use(assetsSurface({ ...deps.assets, db, clickhouse, organizations, uploads, recordBody, idempotency: ofRecords }))
    .use(enterpriseSurface({ ...deps.enterprise, db, changes, organizations, jsonBody, version, idempotency }))
    .use(toolApiSurface(toolApi, toolApiCalls))
    .use(manageSurface(deps.manage, manageAccess, recordBody))
    .use(portalSurface(openPortalFiles(deps.portalDir), openMapTiles(deps.mapTiles), deps.auth.sessions))
    .use(authSurface(deps.auth, ruleOf))
    .use(health(deps.parts))
    .use(metricsRoute(deps.metrics, deps.figuresOfNow, deps.parts))
  const schemas = { ...SCHEMAS, ...ASSETS_SCHEMAS, ...MANAGE_SCHEMAS, ...OPERATOR_SCHEMAS, ...AUTH_SCHEMAS }
  app.use(apiDescription(app, deps.apiPageDir, version, schemas))
  methodsOf = allowedMethods(app.routes)
  declaredRuleOf = rulesOf(app.routes)
  return app
}
