/** /manage/v1: management of enterprises, people and their records, by the operator and by the owners. */
import { Elysia } from 'elysia'
import type { OperatorGate } from '../../access/operator.ts'
import type { RateWindows } from '../../access/rate-windows.ts'
import type { SessionRights } from '../../access/sessions/session-rights.ts'
import type { BodyLimits } from '../../http/body/body.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { longRunning } from '../../http/route-options.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { type KeySpace, keySpaceOf } from '../../stores/postgres/runs/idempotency.ts'
import { applicationRoutes } from './applications.ts'
import { auditRoutes } from './audit.ts'
import { manageCallers } from './callers.ts'
import type { ManageDeps, ManageServices, PlaceOf } from './deps.ts'
import { destinationRoutes } from './destination-routes.ts'
import { enterpriseRoutes } from './enterprises.ts'
import { dataExportRoutes } from './files/data-exports.ts'
import { fileRoutes } from './files/files.ts'
import { uploadRoutes } from './files/uploads.ts'
import { invitationRoutes } from './invitations.ts'
import { keyReminderRoutes } from './key-reminders.ts'
import { featureRoutes, layerFromFileRoutes } from './layers/features.ts'
import { layerExportRoutes } from './layers/layer-export.ts'
import { layerVersionRoutes } from './layers/layer-versions.ts'
import { layerRoutes } from './layers/layers.ts'
import { consoleRoutes } from './operator/console-routes.ts'
import { operatorRoutes } from './operator/operators.ts'
import { peopleRoutes } from './people.ts'
import { personalKeyRoutes } from './personal-keys.ts'
import { readingDeletionRoutes } from './reading-deletions.ts'
import { sensorRoutes } from './sensor-routes.ts'
import { fleetKeyRoutes } from './sensors/fleet-key-routes.ts'
import { sensorImportRoutes } from './sensors/import-routes.ts'
import { type ToolApiTrials, toolApiPreviewRoutes, toolApiTrialRoutes } from './tool-apis/tool-api-trial.ts'
import { toolApiUsageRoutes } from './tool-apis/tool-api-usage.ts'
import { toolApiRoutes } from './tool-apis/tool-apis.ts'
import { usageRoutes } from './usage.ts'

export type ManageSurfaceDeps = ManageServices & {
  operatorOnly: OperatorGate
  sessionRights: SessionRights
  toolApiCalls: ToolApiTrials
  windows: RateWindows
  idempotency: Idempotency<Database, KeySpace>
  recordBody: BodyLimits
}

export function manageSurface({
  operatorOnly,
  sessionRights,
  toolApiCalls,
  windows,
  idempotency,
  recordBody,
  ...services
}: ManageSurfaceDeps) {
  const prefix = '/manage/v1'
  const { writesPerMinute: ofAccount, operatorWritesPerMinute: ofToken } = services.limits
  const callers = manageCallers(operatorOnly, sessionRights, { windows, ofAccount, ofToken })
  const placeOf: PlaceOf = async (request) => {
    const { maker, rights } = await callers.of(request)
    const callerId = rights?.session.accountId ?? maker.tokenId ?? 'operator-token'
    return {
      space: keySpaceOf(callerId, rights?.subject?.ownerId),
      route: `POST ${requestContextOf(request).path}`,
      isCounted: rights?.session.keyId !== undefined,
    }
  }
  const deps: ManageDeps = { ...services, idempotency, placeOf }
  const json = new Elysia({ name: 'manage', prefix })
    .onParse(callers.parse(recordBody))
    // before validation, so that callers without rights learn nothing about valid requests
    .onTransform(callers.check)
    .onAfterHandle(idempotency.requireKept)
    // their answers outlast the check of the caller
    .use(toolApiPreviewRoutes(deps, toolApiCalls))
    .onBeforeHandle(async ({ request, body }) => {
      if (request.method !== 'POST') return undefined
      return idempotency.begin(request, async () => ({ ...(await placeOf(request)), content: JSON.stringify(body) }))
    })
    .use(enterpriseRoutes(deps, callers))
    .use(applicationRoutes(deps))
    .use(destinationRoutes(deps))
    .use(peopleRoutes(deps))
    .use(personalKeyRoutes(deps))
    .use(invitationRoutes(deps, callers))
    .use(operatorRoutes(deps, callers))
    .use(keyReminderRoutes(deps))
    .use(consoleRoutes(deps))
    .use(sensorRoutes(deps))
    .use(fleetKeyRoutes(deps))
    .use(readingDeletionRoutes(deps))
    .use(layerRoutes(deps))
    .use(layerFromFileRoutes(deps))
    .use(layerVersionRoutes(deps, deps.onExportError))
    .use(layerExportRoutes(deps))
    .use(fileRoutes(deps))
    .use(dataExportRoutes(deps))
    .use(toolApiRoutes(deps))
    .use(toolApiUsageRoutes(deps))
    .use(usageRoutes(deps))
    .use(auditRoutes(deps, deps.onExportError))
  // these routes accept larger bodies and stream them to disk themselves
  const large = new Elysia({ name: 'manage-large', prefix })
    .onTransform(callers.check)
    .onBeforeHandle(longRunning)
    .onAfterHandle(idempotency.requireKept)
    .use(featureRoutes(deps))
    .use(uploadRoutes(deps))
    .use(sensorImportRoutes(deps))
    .use(toolApiTrialRoutes(deps, toolApiCalls))
  return new Elysia({ name: 'manage-surface' }).use(json).use(large)
}
