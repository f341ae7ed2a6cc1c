/** Routes for tiers, enterprises, members and applications. */
import { Elysia } from 'elysia'
import { lastFour, makeKey, sha256Hex } from '../../access/keys.ts'
import { limitsOf } from '../../access/plans.ts'
import { retentionChange } from '../../analytics/retention-change.ts'
import { invalidField } from '../../errors.ts'
import type { Callers } from '../../http/callers.ts'
import { succeedWithTag } from '../../http/entity-tags.ts'
import { succeed } from '../../http/envelope.ts'
import { callerOf } from '../../http/request-context.ts'
import * as applications from '../../stores/postgres/applications.ts'
import * as enterprises from '../../stores/postgres/enterprises.ts'
import * as members from '../../stores/postgres/members.ts'
import { storageKeysOf } from '../../stores/postgres/owner-files.ts'
import { findRetention } from '../../stores/postgres/retentions.ts'
import { isOperator, type ManageCaller, visibleEnterprises } from './callers.ts'
import { changeSeen, type RecordToChange } from './changes.ts'
import type { ManageDeps } from './deps.ts'
import * as model from './model.ts'

function newKeyPair() {
  const publicKey = makeKey('public')
  const secretKey = makeKey('secret')
  const digest = { publicKey, secretSha256: sha256Hex(secretKey), lastFour: lastFour(secretKey) }
  return { publicKey, secretKey, digest }
}

const enterpriseRecord = (id: string): RecordToChange => ({
  ...{ kind: 'enterprise', id },
  read: (db) => enterprises.getEnterprise(db, id),
})
const memberRecord = (id: string): RecordToChange => ({
  ...{ kind: 'member', id },
  read: (db) => members.getMember(db, id),
})
const applicationRecord = (id: string): RecordToChange => ({
  ...{ kind: 'application', id },
  read: (db) => applications.getApplication(db, id),
})

export function enterpriseRoutes(
  { db, clickhouse, changes, registry, fileStore, limits }: ManageDeps,
  callers: Callers<ManageCaller>,
) {
  const toolIds = registry.tools.map(({ id }) => id)
  async function checkTier(tier: string | undefined): Promise<void> {
    if (tier === undefined) return
    const names = await enterprises.tierNames(db, 'enterprise')
    if (!names.includes(tier)) throw invalidField('body.tier', 'enum', `must be one of ${names.join(', ')}`)
  }
  function checkTools(tools: 'all' | string[] | undefined): void {
    if (tools === undefined || tools === 'all') return
    const unknown = tools.find((id) => !toolIds.includes(id))
    if (unknown !== undefined)
      throw invalidField('body.tools', 'enum', `"${unknown}" is not a process id; must be among ${toolIds.join(', ')}`)
  }
  async function limitsInForce(enterprise: enterprises.Enterprise) {
    const [tier, retention] = await Promise.all([
      enterprises.findTier(db, enterprise.tier),
      findRetention(db, enterprise.id),
    ])
    return limitsOf(enterprise, tier, retention)
  }
  const changeOf = (numbers: readonly number[], fromDays: number, toDays: number) =>
    retentionChange(clickhouse, numbers, { fromDays, toDays }, limits.retentionGraceMs)
  const accessChanged = (): Promise<void> => changes.publish({ kind: 'access' })
  const detail = model.operation

  return new Elysia({ name: 'manage-enterprises' })
    .get('/tiers', async ({ request }) => succeed(request, { items: await enterprises.listTiers(db) }), {
      detail: detail('List tiers and plans', 'Returns the limits of each enterprise tier and of each plan for people.'),
    })
    .patch(
      '/tiers/:name',
      async ({ request, params, body }) => {
        const { before, after } = await enterprises.updateTier(db, callerOf(request), params.name, body)
        await changes.publish({ kind: 'tiers' })
        const numbers = await enterprises.enterprisesWithRetentionOf(db, params.name)
        const change = await changeOf(numbers, before.retentionDays ?? 0, after.retentionDays ?? 0)
        return succeed(request, { ...after, ...change })
      },
      {
        body: model.tierChange,
        detail: detail(
          'Update a tier or plan',
          'Changes the limits of a tier or plan. They apply at once to every owner that has no limits set for it. A shorter `retentionDays` has the effects that are described for an enterprise.',
        ),
      },
    )
    .post(
      '/enterprises',
      async ({ request, body }) => {
        await checkTier(body.tier)
        return succeed(request, await enterprises.createEnterprise(db, callerOf(request), body))
      },
      { body: model.enterpriseInput, detail: detail('Create an enterprise') },
    )
    .get(
      '/enterprises',
      async ({ request, query }) => {
        const ids = visibleEnterprises(await callers.of(request))
        return succeed(request, await enterprises.listEnterprises(db, model.pageOf(query), ids))
      },
      {
        query: model.pageQuery,
        detail: detail('List enterprises', 'With a session, those of which the account is a member.'),
      },
    )
    .get(
      '/enterprises/:id',
      async ({ request, params }) => {
        const enterprise = await enterprises.getEnterprise(db, params.id)
        return succeedWithTag(request, enterprise, { ...enterprise, limits: await limitsInForce(enterprise) })
      },
      {
        detail: detail(
          'Get an enterprise',
          'Returns the enterprise. `limits` contains the effective limits: its own, or those of its tier.',
        ),
      },
    )
    .patch(
      '/enterprises/:id',
      async ({ request, params, body }) => {
        await checkTier(body.tier)
        const before = await limitsInForce(await enterprises.getEnterprise(db, params.id))
        const enterprise = await changeSeen(request, db, enterpriseRecord(params.id), (tx) =>
          enterprises.updateEnterprise(tx, callerOf(request), params.id, body),
        )
        await changes.publish({ kind: 'enterprise', id: enterprise.id })
        const after = await limitsInForce(enterprise)
        const change = await changeOf([enterprise.number], before.retentionDays, after.retentionDays)
        return succeedWithTag(request, enterprise, { ...enterprise, limits: after, ...change })
      },
      {
        body: model.enterpriseChange,
        detail: detail(
          'Update an enterprise',
          'Changes the sent fields. Suspend or reactivate the enterprise with `status`, put its assets product on hold with `assetsHeld`, and set its own limits. A limit of `null` restores the limit of the tier. A shorter retention hides older readings at once: `affectedReadings` is their number. They are deleted after `deletionAt`, unless the retention is longer again by then. A deletion that has begun is completed before a longer retention takes effect.',
        ),
      },
    )
    .delete(
      '/enterprises/:id',
      async ({ request, params }) => {
        const keys = await storageKeysOf(db, params.id)
        await changeSeen(request, db, enterpriseRecord(params.id), (tx) =>
          enterprises.deleteEnterprise(tx, callerOf(request), params.id),
        )
        await changes.publish({ kind: 'enterprise', id: params.id })
        await Promise.all(keys.map((key) => fileStore.remove(key)))
        return succeed(request, { id: params.id })
      },
      {
        detail: detail(
          'Delete an enterprise',
          'Deletes the enterprise with everything that it owns: members, applications, sensors, layers, files and Tool APIs.',
        ),
      },
    )
    .post(
      '/enterprises/:id/members',
      async ({ request, params, body }) => {
        await enterprises.getEnterprise(db, params.id)
        const member = await members.createMember(db, callerOf(request), params.id, body)
        await accessChanged()
        return succeed(request, member)
      },
      { body: model.memberInput, detail: detail('Add a member') },
    )
    .get(
      '/enterprises/:id/members',
      async ({ request, params, query }) => {
        await enterprises.getEnterprise(db, params.id)
        return succeed(request, await members.listMembers(db, params.id, model.pageOf(query)))
      },
      { query: model.pageQuery, detail: detail('List members of an enterprise') },
    )
    .get(
      '/members/:id',
      async ({ request, params }) => succeedWithTag(request, await members.getMember(db, params.id)),
      {
        detail: detail('Get a member'),
      },
    )
    .patch(
      '/members/:id',
      async ({ request, params, body }) => {
        const keepsOwner = !isOperator(await callers.of(request))
        const member = await changeSeen(request, db, memberRecord(params.id), (tx) =>
          members.updateMember(tx, callerOf(request), params.id, body, keepsOwner),
        )
        await accessChanged()
        return succeedWithTag(request, member)
      },
      { body: model.memberChange, detail: detail('Update a member') },
    )
    .delete(
      '/members/:id',
      async ({ request, params }) => {
        const keepsOwner = !isOperator(await callers.of(request))
        await changeSeen(request, db, memberRecord(params.id), (tx) =>
          members.deleteMember(tx, callerOf(request), params.id, keepsOwner),
        )
        await accessChanged()
        return succeed(request, { id: params.id })
      },
      { detail: detail('Delete a member') },
    )
    .post(
      '/enterprises/:id/applications',
      async ({ request, params, body }) => {
        await enterprises.getEnterprise(db, params.id)
        checkTools(body.tools)
        const { publicKey, secretKey, digest } = newKeyPair()
        const input = { name: body.name, tools: body.tools ?? ('all' as const), assets: body.assets }
        const application = await applications.createApplication(db, callerOf(request), params.id, input, digest)
        return succeed(request, { ...application, publicKey, secretKey })
      },
      {
        body: model.applicationInput,
        detail: detail(
          'Create an application',
          'Creates an application with a key pair. `tools` lists the process ids that it may run; the default is `all`. `assets` grants sensors and readings to an application that is limited to some tools. The secret key is shown only in this response.',
        ),
      },
    )
    .get(
      '/enterprises/:id/applications',
      async ({ request, params, query }) => {
        await enterprises.getEnterprise(db, params.id)
        return succeed(request, await applications.listApplications(db, params.id, model.pageOf(query)))
      },
      { query: model.pageQuery, detail: detail('List applications of an enterprise') },
    )
    .get(
      '/applications/:id',
      async ({ request, params }) => succeedWithTag(request, await applications.getApplication(db, params.id)),
      { detail: detail('Get an application') },
    )
    .patch(
      '/applications/:id',
      async ({ request, params, body }) => {
        checkTools(body.tools)
        const application = await changeSeen(request, db, applicationRecord(params.id), (tx) =>
          applications.updateApplication(tx, callerOf(request), params.id, body),
        )
        await accessChanged()
        return succeedWithTag(request, application)
      },
      { body: model.applicationChange, detail: detail('Update an application') },
    )
    .delete(
      '/applications/:id',
      async ({ request, params }) => {
        await changeSeen(request, db, applicationRecord(params.id), (tx) =>
          applications.deleteApplication(tx, callerOf(request), params.id),
        )
        await accessChanged()
        return succeed(request, { id: params.id })
      },
      { detail: detail('Delete an application', 'Deletes the application and all its key pairs.') },
    )
    .post(
      '/applications/:id/keys',
      async ({ request, params }) => {
        const { publicKey, secretKey, digest } = newKeyPair()
        const key = await applications.addApplicationKey(db, callerOf(request), params.id, digest)
        return succeed(request, { ...key, keyId: key.id, publicKey, secretKey })
      },
      {
        detail: detail(
          'Add a key pair to an application',
          'The secret key is shown only in this response. Existing key pairs stay valid until they are revoked.',
        ),
      },
    )
    .get(
      '/applications/:id/keys',
      async ({ request, params }) => {
        const { keys } = await applications.getApplication(db, params.id)
        return succeed(request, { items: keys, nextCursor: null })
      },
      {
        detail: detail(
          'List key pairs of an application',
          'Secret keys are not returned, only their last four characters.',
        ),
      },
    )
    .delete(
      '/applications/:id/keys/:keyId',
      async ({ request, params }) => {
        await applications.revokeApplicationKey(db, callerOf(request), params.id, params.keyId)
        await accessChanged()
        return succeed(request, { id: params.keyId })
      },
      { detail: detail('Revoke a key pair', 'The key pair stops working at once.') },
    )
}
