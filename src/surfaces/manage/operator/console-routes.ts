/** Routes of the operator's pages: all enterprises and people with their figures, health, and queues. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { NOBODY } from '../../../access/authorization.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { succeed } from '../../../http/envelope.ts'
import { both, integer, list, object, page, ref, string } from '../../../http/openapi/openapi-schemas.ts'
import { callerOf } from '../../../http/request-context.ts'
import { namesOfOwners } from '../../../stores/postgres/accounts/owners.ts'
import { storageUse } from '../../../stores/postgres/files/stored-files.ts'
import { openUploads } from '../../../stores/postgres/files/uploads.ts'
import { listEvents, listSamples, statesAt } from '../../../stores/postgres/operator/health-history.ts'
import { cancelJob, JOB_STATES, type JobState, listAllJobs } from '../../../stores/postgres/operator/operator-jobs.ts'
import {
  findEnterpriseForOperator,
  listEnterprisesForOperator,
  listPeopleForOperator,
} from '../../../stores/postgres/operator/operator-lists.ts'
import type { ManageDeps } from '../deps.ts'
import { operation } from '../operation.ts'
import { closed, pageOf, pageQuery } from '../request-schemas.ts'
import { deleted } from '../response-schemas.ts'
import { timeOf } from './query-time.ts'

const { limit } = pageQuery.properties
const cursor = Type.Optional(Type.String({ maxLength: 4096, description: 'nextCursor of the previous page' }))
const order = Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')], { default: 'asc' }))
const status = Type.Optional(Type.Union([Type.Literal('active'), Type.Literal('suspended')]))
const word = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }))
const enterpriseList = Type.Object(
  {
    limit,
    cursor,
    order,
    status,
    q: word('Part of the name or the id, in any case'),
    tier: word('Only enterprises of this tier'),
    held: Type.Optional(
      Type.Union([Type.Literal('true'), Type.Literal('false')], {
        description: 'Whether the assets product is on hold',
      }),
    ),
    sort: Type.Optional(
      Type.Union(
        (['id', 'name', 'sensors', 'readings', 'stored', 'active'] as const).map((name) => Type.Literal(name)),
        {
          default: 'id',
          description:
            'By creation, name, number of sensors, readings accepted today, bytes stored, or the newest activity',
        },
      ),
    ),
  },
  closed,
)
const personList = Type.Object(
  {
    limit,
    cursor,
    order,
    status,
    q: word('Part of the address or the id, in any case'),
    plan: word('Only people on this plan'),
    sort: Type.Optional(
      Type.Union([Type.Literal('id'), Type.Literal('email')], { default: 'id', description: 'By creation or address' }),
    ),
  },
  closed,
)
const time = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }))
const from = time('RFC 3339 time; 24 hours ago by default')
const to = time('RFC 3339 time; now by default')
const eventQuery = Type.Object(
  { limit, cursor: pageQuery.properties.cursor, from, to, part: word('Only this part, for example `postgres`') },
  closed,
)
const sampleQuery = Type.Object(
  {
    from,
    to,
    instance: word('Id of one instance; without it, all of them together'),
    points: Type.Optional(
      Type.Number({ minimum: 1, maximum: 2000, multipleOf: 1, default: 300, description: 'Most points of a series' }),
    ),
  },
  closed,
)
const jobQuery = Type.Object(
  {
    ...pageQuery.properties,
    state: word(`Comma list of ${JOB_STATES.join(', ')}; without it, all`),
    owner: word('Id of an enterprise or a person'),
  },
  closed,
)
const LONGEST_MS = 31 * 86_400_000

/** @throws AppError VALIDATION_FAILED */
function periodOf(query: { from?: string | undefined; to?: string | undefined }): { from: Date; to: Date } {
  const to = timeOf(query.to, 'query.to') ?? new Date()
  const from = timeOf(query.from, 'query.from') ?? new Date(to.getTime() - 86_400_000)
  if (from >= to) throw invalidField('query.from', 'before', fieldText('earlier', { field: 'query.to' }))
  if (to.getTime() - from.getTime() > LONGEST_MS) throw invalidField('query.from', 'range', fieldText('monthBefore'))
  return { from, to }
}

/** @throws AppError VALIDATION_FAILED */
function statesOf(text: string | undefined): JobState[] {
  const names = (text ?? '').split(',').filter((name) => name !== '')
  const unknown = names.find((name) => !JOB_STATES.includes(name as JobState))
  if (unknown !== undefined)
    throw invalidField('query.state', 'enum', fieldText('jobStates', { state: unknown, states: JOB_STATES.join(', ') }))
  return names as JobState[]
}

/** Samples are taken once a minute. */
const SHORTEST_STEP_S = 60

export function consoleRoutes({ db, changes, monitor }: ManageDeps) {
  return new Elysia({ name: 'manage-console', prefix: '/operator' })
    .get(
      '/enterprises',
      async ({ request, query }) => {
        const { limit = 100, cursor, sort = 'id', order = 'asc', q, tier, status, held } = query
        const filter = { q, tier, status, held: held === undefined ? undefined : held === 'true' }
        return succeed(request, await listEnterprisesForOperator(db, { limit, cursor, sort, order }, filter))
      },
      operation({
        summary: 'List enterprises with their figures',
        description:
          'Readings are counted for the current UTC day and are at most 15 seconds old. Stored bytes are added up after each run of a tool, and every hour. Credits are counted for the current month. A cursor belongs to its sort.',
        rights: { of: 'server', for: NOBODY },
        query: enterpriseList,
        result: page(ref('ListedEnterprise')),
      }),
    )
    .get(
      '/enterprises/:id',
      async ({ request, params }) => {
        const [found, { bytes }] = await Promise.all([
          findEnterpriseForOperator(db, params.id),
          storageUse(db, params.id),
        ])
        if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchEnterprise') })
        return succeed(request, { ...found, storedBytes: bytes })
      },
      operation({
        summary: 'Get the figures of an enterprise',
        description: 'Stored bytes are added up for this answer.',
        rights: { of: 'server', for: NOBODY },
        result: ref('ListedEnterprise'),
      }),
    )
    .get(
      '/people',
      async ({ request, query: { limit = 100, cursor, sort = 'id', order = 'asc', q, plan, status } }) =>
        succeed(request, await listPeopleForOperator(db, { limit, cursor, sort, order }, { q, plan, status })),
      operation({
        summary: 'List people with their Tool APIs and last use',
        rights: { of: 'server', for: NOBODY },
        query: personList,
        result: page(ref('ListedPerson')),
      }),
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
      operation({
        summary: 'Get the state of every process',
        description:
          'Every server process and job worker that reported in the last 24 hours: its parts with their state and last error, readings in a second, memory and CPU, worker processes, queues and uploads. `openUploads` counts the resumable uploads that are not complete, by owner: their number, the received bytes, and the bytes of the whole files. `owners` has the names of the owners of waiting and running runs and of uploads. Processes report every 5 seconds; the one that answers is current.',
        rights: { of: 'server', for: NOBODY },
        result: object({
          items: list(ref('InstanceState')),
          openUploads: list(object({ ownerId: string, count: integer, receivedBytes: integer, bytes: integer })),
          owners: list(object({ id: string, name: string })),
        }),
      }),
    )
    .get(
      '/health/events',
      async ({ request, query }) => {
        const period = periodOf(query)
        const { limit, cursor } = pageOf(query)
        if (cursor !== undefined && !/^\d{1,18}$/.test(cursor))
          throw invalidField('query.cursor', 'cursor', fieldText('aPreviousPage'))
        const page = listEvents(db, {
          ...period,
          part: query.part,
          limit,
          cursor: cursor === undefined ? undefined : Number(cursor),
        })
        const [events, before] = await Promise.all([page, statesAt(db, period.from)])
        return succeed(request, { ...events, before })
      },
      operation({
        summary: 'List changes of state',
        description:
          'Newest first, kept for 31 days: when a part of a process failed and when it worked again. `before` contains the state of each part at the beginning of the period.',
        rights: { of: 'server', for: NOBODY },
        query: eventQuery,
        result: both(page(ref('HealthEvent')), object({ before: list(ref('HealthEvent')) })),
      }),
    )
    .get(
      '/health/samples',
      async ({ request, query }) => {
        const period = periodOf(query)
        const seconds = (period.to.getTime() - period.from.getTime()) / 1000
        const stepSeconds = Math.ceil(Math.max(1, seconds / (query.points ?? 300) / SHORTEST_STEP_S)) * SHORTEST_STEP_S
        const items = await listSamples(db, { ...period, stepSeconds, instanceId: query.instance })
        return succeed(request, { stepSeconds, items })
      },
      operation({
        summary: 'List figures of the past',
        description:
          'One sample a minute for 31 days, in steps of whole minutes that give at most `points` points. Over several instances, readings, memory, CPU and the log are added up; of lag, delay and free space the worst one counts.',
        rights: { of: 'server', for: NOBODY },
        query: sampleQuery,
        result: object({ stepSeconds: integer, items: list(ref('HealthSample')) }),
      }),
    )
    .get(
      '/jobs',
      async ({ request, query }) => {
        const filter = { states: statesOf(query.state), ownerId: query.owner }
        return succeed(request, await listAllJobs(db, pageOf(query), filter))
      },
      operation({
        summary: 'List jobs of all enterprises and people',
        description: 'Newest first.',
        rights: { of: 'server', for: NOBODY },
        query: jobQuery,
        result: page(ref('ListedJob')),
      }),
    )
    .delete(
      '/jobs/:id',
      async ({ request, params }) => {
        await cancelJob(db, callerOf(request), params.id)
        await changes.publish({ kind: 'job', id: params.id, dismissed: true })
        return succeed(request, { id: params.id })
      },
      operation({
        summary: 'Cancel a job',
        description: 'Its worker process is stopped, and nothing is charged.',
        rights: { of: 'server', for: NOBODY },
        result: deleted,
      }),
    )
}
