/** Routes for applications: their grants, their key pairs, and their usage. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { MANAGERS } from '../../access/authorization.ts'
import { lastFour, makeKey, sha256Hex } from '../../access/keys/keys.ts'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import { succeedWithTag } from '../../http/entity-tags.ts'
import { succeed } from '../../http/envelope.ts'
import { both, integer, list, object, page, ref, string } from '../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../http/request-context.ts'
import * as usage from '../../stores/postgres/accounts/application-usage.ts'
import * as applications from '../../stores/postgres/accounts/applications.ts'
import { getEnterprise } from '../../stores/postgres/accounts/enterprises.ts'
import { changeSeen, type RecordToChange } from './changes.ts'
import { daysOf, usageQuery } from './days.ts'
import type { ManageDeps } from './deps.ts'
import { keyInput, keyInputOf } from './key-input.ts'
import { operation } from './operation.ts'
import { closed, name, pageOf, pageQuery } from './request-schemas.ts'
import { calendarDay, deleted, runCounts, withNewKey } from './response-schemas.ts'
import { APPLICATION, ENTERPRISE } from './subject-paths.ts'

const tools = Type.Union([
  Type.Literal('all'),
  Type.Array(Type.String({ pattern: '^[a-z]+\\.[a-z0-9-]+$', description: 'Process id, for example vector.buffer' }), {
    maxItems: 500,
    uniqueItems: true,
  }),
])
const assets = Type.Boolean({
  description: 'Whether it may read sensors and readings; by default only if it may run all tools.',
})
const applicationInput = Type.Object({ name, tools: Type.Optional(tools), assets: Type.Optional(assets) }, closed)
const applicationChange = Type.Partial(Type.Object({ name, tools, assets }), closed)

/** Returned once, by the operation that creates it. */
const keyPair = object({ publicKey: string, secretKey: string })

function newKeyPair() {
  const publicKey = makeKey('public')
  const secretKey = makeKey('secret')
  const digest = { publicKey, secretSha256: sha256Hex(secretKey), lastFour: lastFour(secretKey) }
  return { publicKey, secretKey, digest }
}

const applicationRecord = (id: string): RecordToChange => ({
  kind: 'application',
  id,
  read: (db) => applications.getApplication(db, id),
})

export function applicationRoutes({ db, idempotency, changes, registry, keyUse, flushUsage }: ManageDeps) {
  const toolIds = registry.tools.map(({ id }) => id)
  function checkTools(tools: 'all' | string[] | undefined): void {
    if (tools === undefined || tools === 'all') return
    const unknown = tools.find((id) => !toolIds.includes(id))
    if (unknown !== undefined)
      throw invalidField('body.tools', 'enum', fieldText('processIds', { id: unknown, ids: toolIds.join(', ') }))
  }
  const accessChanged = (enterpriseId: string): Promise<void> => changes.publish({ kind: 'access', id: enterpriseId })

  return new Elysia({ name: 'manage-applications' })
    .post(
      `${ENTERPRISE}/applications`,
      async ({ request, body }) => {
        await getEnterprise(db, subjectOf(request))
        checkTools(body.tools)
        const { publicKey, secretKey, digest } = newKeyPair()
        const input = { name: body.name, tools: body.tools ?? ('all' as const), assets: body.assets }
        return idempotency.kept(
          request,
          (tx) => applications.createApplication(tx, callerOf(request), subjectOf(request), input, digest),
          (application) => succeed(request, { ...application, publicKey, secretKey }),
        )
      },
      operation({
        summary: 'Create an application',
        description:
          'Creates an application with a key pair. `tools` lists the process ids that it may run; the default is `all`. `assets` grants sensors and readings to an application that is limited to some tools. The secret key is shown only in this response.',
        rights: { of: 'owner', for: MANAGERS },
        body: bodySchema(applicationInput),
        result: both(ref('Application'), keyPair),
      }),
    )
    .get(
      `${ENTERPRISE}/applications`,
      async ({ request, query }) => {
        await getEnterprise(db, subjectOf(request))
        await flushUsage()
        return succeed(request, await applications.listApplications(db, subjectOf(request), pageOf(query)))
      },
      operation({
        summary: 'List applications of an enterprise',
        rights: { of: 'owner', for: MANAGERS },
        query: pageQuery,
        result: page(ref('Application')),
      }),
    )
    .get(
      APPLICATION,
      async ({ request }) => {
        // so that the answer shows the latest use of keys
        await flushUsage()
        return succeedWithTag(request, await applications.getApplication(db, subjectOf(request)))
      },
      operation({
        summary: 'Get an application',
        rights: { of: 'application', for: MANAGERS },
        result: ref('Application'),
      }),
    )
    .patch(
      APPLICATION,
      async ({ request, body }) => {
        checkTools(body.tools)
        const application = await changeSeen(request, db, applicationRecord(subjectOf(request)), (tx) =>
          applications.updateApplication(tx, callerOf(request), subjectOf(request), body),
        )
        await accessChanged(application.enterpriseId)
        return succeedWithTag(request, application)
      },
      operation({
        summary: 'Update an application',
        rights: { of: 'application', for: MANAGERS },
        body: bodySchema(applicationChange),
        result: ref('Application'),
      }),
    )
    .delete(
      APPLICATION,
      async ({ request }) => {
        const enterpriseId = await changeSeen(request, db, applicationRecord(subjectOf(request)), (tx) =>
          applications.deleteApplication(tx, callerOf(request), subjectOf(request)),
        )
        await accessChanged(enterpriseId)
        return succeed(request, { id: subjectOf(request) })
      },
      operation({
        summary: 'Delete an application',
        description: 'Deletes the application and all its key pairs.',
        rights: { of: 'application', for: MANAGERS },
        result: deleted,
      }),
    )
    .post(
      `${APPLICATION}/keys`,
      async ({ request, body }) => {
        const { publicKey, secretKey, digest } = newKeyPair()
        const input = keyInputOf(body)
        return idempotency.kept(
          request,
          (tx) => applications.addApplicationKey(tx, callerOf(request), subjectOf(request), digest, input),
          (key) => succeed(request, { ...key, keyId: key.id, publicKey, secretKey }),
        )
      },
      operation({
        summary: 'Add a key pair to an application',
        description:
          'The secret key is shown only in this response. Existing key pairs stay valid until they are revoked or expire.',
        rights: { of: 'application', for: MANAGERS },
        body: bodySchema(Type.Optional(keyInput)),
        result: withNewKey(keyPair, ref('ApplicationKey')),
      }),
    )
    .get(
      `${APPLICATION}/keys`,
      async ({ request }) => {
        await keyUse.flush('application-key')
        const { keys } = await applications.getApplication(db, subjectOf(request))
        return succeed(request, { items: keys, nextCursor: null })
      },
      operation({
        summary: 'List key pairs of an application',
        description: 'Secret keys are not returned, only their last four characters.',
        rights: { of: 'application', for: MANAGERS },
        result: page(ref('ApplicationKey')),
      }),
    )
    .delete(
      `${APPLICATION}/keys/:keyId`,
      async ({ request, params }) => {
        await accessChanged(
          await applications.revokeApplicationKey(db, callerOf(request), subjectOf(request), params.keyId),
        )
        return succeed(request, { id: params.keyId })
      },
      operation({
        summary: 'Revoke a key pair',
        description: 'The key pair stops working at once.',
        rights: { of: 'application', for: MANAGERS },
        result: deleted,
      }),
    )
    .get(
      `${APPLICATION}/usage`,
      async ({ request, query }) => {
        const { id } = await applications.getApplication(db, subjectOf(request))
        const { from, to } = daysOf(query)
        await flushUsage()
        const [requests, runs] = await Promise.all([
          usage.applicationRequestsBetween(db, id, from, to),
          usage.applicationRunsBetween(db, id, from, to),
        ])
        return succeed(request, { from, to, ...usageOf(requests, runs) })
      },
      operation({
        summary: 'Get usage of an application',
        description:
          'Returns its requests and runs by day, and its runs by tool. The range defaults to the last 30 days.',
        rights: { of: 'application', for: MANAGERS },
        query: usageQuery,
        result: object({
          from: calendarDay,
          to: calendarDay,
          days: list(object({ day: calendarDay, requests: integer, ...runCounts })),
          tools: list(object({ tool: string, ...runCounts })),
        }),
      }),
    )
}

type Day = { day: string; requests: number; runs: number; failures: number; credits: number }

/** Days without activity are missing. */
function usageOf(
  requests: readonly { day: string; requests: number }[],
  runs: readonly usage.ApplicationToolDay[],
): { days: Day[]; tools: Omit<usage.ApplicationToolDay, 'day'>[] } {
  const days = new Map<string, Day>()
  const dayNamed = (day: string): Day => {
    const known = days.get(day) ?? { day, requests: 0, runs: 0, failures: 0, credits: 0 }
    days.set(day, known)
    return known
  }
  const tools = new Map<string, Omit<usage.ApplicationToolDay, 'day'>>()
  for (const { day, requests: count } of requests) dayNamed(day).requests = count
  for (const { day, tool, ...counts } of runs) {
    const sum = tools.get(tool) ?? { tool, runs: 0, failures: 0, credits: 0 }
    tools.set(tool, sum)
    for (const total of [dayNamed(day), sum]) {
      total.runs += counts.runs
      total.failures += counts.failures
      total.credits += counts.credits
    }
  }
  return {
    days: [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1)),
    tools: [...tools.values()].sort((a, b) => b.runs - a.runs || (a.tool < b.tool ? -1 : 1)),
  }
}
