/** /manage/v1: the operator's surface. */
import { Elysia } from 'elysia'
import type { OperatorGate } from '../../access/operator.ts'
import { type BodyLimits, readJson } from '../../http/body.ts'
import { succeed } from '../../http/envelope.ts'
import { listAudit } from '../../stores/postgres/audit.ts'
import type { ManageDeps } from './deps.ts'
import { enterpriseRoutes } from './enterprises.ts'
import * as model from './model.ts'
import { peopleRoutes } from './people.ts'
import { sensorRoutes } from './sensors.ts'

export function manageSurface(deps: ManageDeps, operatorOnly: OperatorGate, limits: BodyLimits) {
  return (
    new Elysia({ name: 'manage', prefix: '/manage/v1' })
      .onParse(({ request, contentType }) => readJson(request, contentType, limits))
      // before validation: who has no token learns nothing of what a body should look like
      .onTransform(({ request }) => operatorOnly(request))
      .use(enterpriseRoutes(deps))
      .use(peopleRoutes(deps))
      .use(sensorRoutes(deps))
      .get(
        '/audit',
        async ({ request, query }) => succeed(request, await listAudit(deps.db, model.pageOf(query), query.subject)),
        {
          query: model.auditQuery,
          detail: { tags: ['Manage'], summary: 'Every change, newest first', security: [{ operatorToken: [] }] },
        },
      )
  )
}
