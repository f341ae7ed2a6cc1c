/** /manage/v1: management of enterprises, people and what they own, by the operator and by those whom it belongs to. */
import { Elysia } from 'elysia'
import type { OperatorGate } from '../../access/operator.ts'
import type { SessionRights } from '../../access/session-rights.ts'
import type { BodyLimits } from '../../http/body.ts'
import { succeed } from '../../http/envelope.ts'
import { longRunning } from '../../http/route-options.ts'
import { listAudit } from '../../stores/postgres/audit.ts'
import { manageCallers } from './callers.ts'
import type { ManageDeps } from './deps.ts'
import { enterpriseRoutes } from './enterprises.ts'
import { featureRoutes } from './features.ts'
import { fileRoutes } from './files.ts'
import { invitationRoutes } from './invitations.ts'
import { layerRoutes } from './layers.ts'
import * as model from './model.ts'
import { peopleRoutes } from './people.ts'
import { createRepeats, type RepeatsDeps } from './repeats.ts'
import { sensorRoutes } from './sensors.ts'
import { toolApiRoutes } from './tool-apis.ts'
import { uploadRoutes } from './uploads.ts'

export type ManageAccess = {
  operatorOnly: OperatorGate
  sessionRights: SessionRights
} & Omit<RepeatsDeps, 'db'>

export function manageSurface(
  deps: ManageDeps,
  { operatorOnly, sessionRights, secret, instanceId }: ManageAccess,
  limits: BodyLimits,
) {
  const prefix = '/manage/v1'
  const callers = manageCallers(operatorOnly, sessionRights)
  const repeats = createRepeats({ db: deps.db, secret, instanceId }, callers)
  const json = new Elysia({ name: 'manage', prefix })
    .onParse(callers.parse(limits))
    // before validation, so that others learn nothing about valid requests
    .onTransform(callers.check)
    .onBeforeHandle(repeats.begin)
    .onAfterHandle(repeats.end)
    .use(enterpriseRoutes(deps, callers))
    .use(peopleRoutes(deps))
    .use(invitationRoutes(deps, callers))
    .use(sensorRoutes(deps))
    .use(layerRoutes(deps))
    .use(fileRoutes(deps))
    .use(toolApiRoutes(deps))
    .get(
      '/audit',
      async ({ request, query }) => {
        const filter = { subjectId: query.subject, ownerId: query.owner }
        return succeed(request, await listAudit(deps.db, model.pageOf(query), filter))
      },
      {
        query: model.auditQuery,
        detail: model.operation(
          'List changes',
          'Returns the audit log, newest first: who changed which record, when, and its state before and after. With a session, `owner` is required.',
        ),
      },
    )
  // these routes accept larger bodies and stream them to disk themselves
  const large = new Elysia({ name: 'manage-large', prefix })
    .onTransform(callers.check)
    .onBeforeHandle(longRunning)
    .onBeforeHandle(repeats.begin)
    .onAfterHandle(repeats.end)
    .use(featureRoutes(deps))
    .use(uploadRoutes(deps))
  return new Elysia({ name: 'manage-surface' }).use(json).use(large)
}
