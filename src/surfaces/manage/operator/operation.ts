/** Routes of the operator's pages: all enterprises and people with their figures, health, and queues. */
import { Elysia } from 'elysia'
import { AppError, invalidField } from '../../../errors.ts'
import { succeed } from '../../../http/envelope.ts'
import { callerOf } from '../../../http/request-context.ts'
import { namesOfOwners } from '../../../stores/postgres/accounts/owners.ts'
import { storageUse } from '../../../stores/postgres/files/stored-files.ts'
import { openUploads } from '../../../stores/postgres/files/uploads.ts'
import { listEvents, listSamples, statesAt } from '../../../stores/postgres/operator/health-history.ts'
import { cancelJob, listAllJobs } from '../../../stores/postgres/operator/operator-jobs.ts'
import {
  findEnterpriseForOperator,
  listEnterprisesForOperator,
  listPeopleForOperator,
} from '../../../stores/postgres/operator/operator-lists.ts'
import type { ManageDeps } from '../deps.ts'
import * as model from '../model.ts'
import * as own from './operation-model.ts'

/** Samples are taken once a minute. */
const SHORTEST_STEP_S = 60

export function operationRoutes({ db, changes, monitor }: ManageDeps) {
  const { operation } = model
  return new Elysia({ name: 'manage-operation', prefix: '/operator' })
    .get(
      '/enterprises',
      async ({ request, query }) => {
        const { limit = 100, cursor, sort = 'id', order = 'asc', q, tier, status, held } = query
        const filter = { q, tier, status, held: held === undefined ? undefined : held === 'true' }
        return succeed(request, await listEnterprisesForOperator(db, { limit, cursor, sort, order }, filter))
      },
      operation(
        'List enterprises with their figures',
        'Readings are counted for the current UTC day and are at most 15 seconds old. Stored bytes are added up after each run of a tool, and every hour. Credits are counted for the current month. A cursor belongs to its sort.',
        { query: own.enterpriseList },
      ),
    )
    .get(
      '/enterprises/:id',
      async ({ request, params }) => {
        const [found, { bytes }] = await Promise.all([
          findEnterpriseForOperator(db, params.id),
          storageUse(db, params.id),
        ])
        if (found === undefined) throw new AppError('NOT_FOUND', { message: 'There is no such enterprise.' })
        return succeed(request, { ...found, storedBytes: bytes })
      },
      operation('Get the figures of an enterprise', 'Stored bytes are added up for this answer.'),
    )
    .get(
      '/people',
      async ({ request, query: { limit = 100, cursor, sort = 'id', order = 'asc', q, plan, status } }) =>
        succeed(request, await listPeopleForOperator(db, { limit, cursor, sort, order }, { q, plan, status })),
      { query: own.personList, ...operation('List people with their Tool APIs and last use') },
    )
    .get(
      '/health',
      async ({ request }) => {
        const [items, unfinished] = await Promise.all([monitor.instances(), openUploads(db)])
        const tenants = items.flatMap(({ report }) => report.lanes.flatMap((lane) => lane.tenants))
        const ids = [...tenants.map(({ tenant }) => tenant), ...unfinished.map(({ ownerId }) => ownerId)]
        const owners = await namesOfOwners(db, [...new Set(ids)])
        return succeed(request, { items, owners, openUploads: unfinished })
      },
      operation(
        'Get the state of every process',
        'Every server process and job worker that reported in the last 24 hours: its parts with their state and last error, readings in a second, memory and CPU, worker processes, queues and uploads. `openUploads` counts the resumable uploads that are not complete, by owner: their number, the received bytes, and the bytes of the whole files. `owners` has the names of the owners of waiting and running runs and of uploads. Processes report every 5 seconds; the one that answers is current.',
      ),
    )
    .get(
      '/health/events',
      async ({ request, query }) => {
        const period = own.periodOf(query)
        const { limit, cursor } = model.pageOf(query)
        if (cursor !== undefined && !/^\d{1,18}$/.test(cursor))
          throw invalidField('query.cursor', 'cursor', 'must be the nextCursor of a page')
        const page = listEvents(db, {
          ...period,
          part: query.part,
          limit,
          cursor: cursor === undefined ? undefined : Number(cursor),
        })
        const [events, before] = await Promise.all([page, statesAt(db, period.from)])
        return succeed(request, { ...events, before })
      },
      operation(
        'List changes of state',
        'Newest first, kept for 31 days: when a part of a process failed and when it worked again. `before` contains the state of each part at the beginning of the period.',
        { query: own.eventQuery },
      ),
    )
    .get(
      '/health/samples',
      async ({ request, query }) => {
        const period = own.periodOf(query)
        const seconds = (period.to.getTime() - period.from.getTime()) / 1000
        const stepSeconds = Math.ceil(Math.max(1, seconds / (query.points ?? 300) / SHORTEST_STEP_S)) * SHORTEST_STEP_S
        const items = await listSamples(db, { ...period, stepSeconds, instanceId: query.instance })
        return succeed(request, { stepSeconds, items })
      },
      operation(
        'List figures of the past',
        'One sample a minute for 31 days, in steps of whole minutes that give at most `points` points. Over several instances, readings, memory, CPU and the log are added up; of lag, delay and free space the worst one counts.',
        { query: own.sampleQuery },
      ),
    )
    .get(
      '/jobs',
      async ({ request, query }) => {
        const filter = { states: own.statesOf(query.state), ownerId: query.owner }
        return succeed(request, await listAllJobs(db, model.pageOf(query), filter))
      },
      { query: own.jobQuery, ...operation('List jobs of all enterprises and people', 'Newest first.') },
    )
    .delete(
      '/jobs/:id',
      async ({ request, params }) => {
        await cancelJob(db, callerOf(request), params.id)
        await changes.publish({ kind: 'job', id: params.id, dismissed: true })
        return succeed(request, { id: params.id })
      },
      operation('Cancel a job', 'Its worker process is stopped, and nothing is charged.'),
    )
}
