/** /manage/v1: management of enterprises, people and what they own, by the operator. */
import { Elysia } from 'elysia'
import type { OperatorGate } from '../../access/operator.ts'
import { peerOf } from '../../http/address.ts'
import type { BodyLimits } from '../../http/body.ts'
import { createCallers } from '../../http/callers.ts'
import { succeed } from '../../http/envelope.ts'
import { longRunning, operatorListener } from '../../http/route-options.ts'
import { listAudit } from '../../stores/postgres/audit.ts'
import type { ManageDeps } from './deps.ts'
import { enterpriseRoutes } from './enterprises.ts'
import { featureRoutes } from './features.ts'
import { fileRoutes } from './files.ts'
import { invitationRoutes } from './invitations.ts'
import { layerRoutes } from './layers.ts'
import * as model from './model.ts'
import { peopleRoutes } from './people.ts'
import { sensorRoutes } from './sensors.ts'
import { toolApiRoutes } from './tool-apis.ts'
import { uploadRoutes } from './uploads.ts'

export function manageSurface(deps: ManageDeps, operatorOnly: OperatorGate, limits: BodyLimits) {
  const prefix = '/manage/v1'
  const callers = createCallers(
    (request) => {
      operatorListener(request)
      return operatorOnly(peerOf(request))
    },
    (operator) => operator,
  )
  const json = new Elysia({ name: 'manage', prefix })
    .onParse(callers.parse(limits))
    // before validation, so that callers without the token learn nothing about valid requests
    .onTransform(callers.check)
    .use(enterpriseRoutes(deps))
    .use(peopleRoutes(deps))
    .use(invitationRoutes(deps))
    .use(sensorRoutes(deps))
    .use(layerRoutes(deps))
    .use(fileRoutes(deps))
    .use(toolApiRoutes(deps))
    .get(
      '/audit',
      async ({ request, query }) => succeed(request, await listAudit(deps.db, model.pageOf(query), query.subject)),
      {
        query: model.auditQuery,
        detail: model.operation(
          'List changes',
          'Returns the audit log, newest first: who changed which record, when, and its state before and after.',
        ),
      },
    )
  // these routes accept larger bodies and stream them to disk themselves
  const large = new Elysia({ name: 'manage-large', prefix })
    .onTransform(callers.check)
    .onBeforeHandle(longRunning)
    .use(featureRoutes(deps))
    .use(uploadRoutes(deps))
  return new Elysia({ name: 'manage-surface' }).use(json).use(large)
}
