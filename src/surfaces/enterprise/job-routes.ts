/** Jobs below /enterprise/v1/gis. A member sees only the jobs of their own calls. */

import { Elysia } from 'elysia'
import { READERS } from '../../access/authorization.ts'
import { AppError } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { RoutedRequest } from '../../http/callers.ts'
import { respond, succeed } from '../../http/envelope.ts'
import { answer, anyObject, failures, page, ref } from '../../http/openapi/openapi-schemas.ts'
import { dismissJob, getJob, resultOf } from '../../stores/postgres/runs/jobs.ts'
import { listJobs } from '../../stores/postgres/runs/run-list.ts'
import type { RunScope } from '../../stores/postgres/runs/run-scope.ts'
import { admit, authenticateFirst, scopeOfCaller } from './calls.ts'
import type { EnterpriseDeps } from './deps.ts'
import { jobDocument } from './job-document.ts'
import { operation, PAGE_PARAMETERS, pathParameter, READ_FAILURES } from './operation.ts'
import { FILTER_PARAMETERS, jobFilter, jobsQuery, pageOf } from './run-query.ts'

const JOB_ID = pathParameter('jobId', 'Id of the job.')

export function jobRoutes(deps: EnterpriseDeps) {
  const { db } = deps
  const scopeOf = async (call: RoutedRequest): Promise<RunScope> => scopeOfCaller(await admit(deps, call))

  return new Elysia({ name: 'enterprise-jobs' })
    .get(
      '/jobs',
      async ({ request, route, params, query }) => {
        const scope = await scopeOf({ request, route, params })
        const page = await listJobs(db, scope, pageOf(query), jobFilter(query))
        return succeed(request, { items: page.items.map(jobDocument), nextCursor: page.nextCursor })
      },
      {
        ...authenticateFirst(deps),
        ...operation({
          operationId: 'listJobs',
          summary: 'List jobs',
          description: 'Lists the jobs of the organization, newest first.',
          rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
          query: jobsQuery,
          parameters: [...PAGE_PARAMETERS, ...FILTER_PARAMETERS],
          responses: { 200: answer('A page of jobs.', page(ref('Job'))), ...failures(READ_FAILURES) },
        }),
      },
    )
    .get(
      '/jobs/:id',
      async ({ request, route, params }) =>
        succeed(request, jobDocument(await getJob(db, await scopeOf({ request, route, params }), params.id))),
      operation({
        operationId: 'getJob',
        summary: 'Get a job',
        description: 'Returns the status and the progress of a job.',
        rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
        parameters: [JOB_ID],
        responses: { 200: answer('The job.', ref('Job')), ...failures(READ_FAILURES) },
      }),
    )
    .delete(
      '/jobs/:id',
      async ({ request, route, params }) => {
        const job = await dismissJob(db, await scopeOf({ request, route, params }), params.id)
        if (job.status === 'dismissed') await deps.changes.publish({ kind: 'job', id: job.id, dismissed: true })
        return succeed(request, jobDocument(job))
      },
      {
        parse: 'none',
        ...operation({
          operationId: 'dismissJob',
          summary: 'Dismiss a job',
          description: 'Stops the job if it is waiting or running. A finished job does not change.',
          rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
          parameters: [JOB_ID],
          responses: { 200: answer('The job.', ref('Job')), ...failures(READ_FAILURES) },
        }),
      },
    )
    .get(
      '/jobs/:id/results',
      async ({ request, route, params }) => {
        const job = await getJob(db, await scopeOf({ request, route, params }), params.id)
        const result = await resultOf(db, job.id)
        if (result === undefined || job.resultStatus === null)
          throw new AppError('NOT_FOUND', {
            message: fieldText('jobStatus', { status: job.status }),
          })
        return respond(request, result, 'application/json', job.resultStatus)
      },
      operation({
        operationId: 'getJobResults',
        summary: 'Get the results of a job',
        description:
          'Returns the envelope that the synchronous call would have returned, with its status, also for a failed job.',
        rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
        parameters: [JOB_ID],
        responses: { 200: answer('The result of the tool.', anyObject), ...failures(READ_FAILURES) },
      }),
    )
}
