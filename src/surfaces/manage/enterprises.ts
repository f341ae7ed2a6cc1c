/** Enterprises, their members and applications. */
import { Elysia } from 'elysia'
import { lastFour, makeKey, sha256Hex } from '../../access/keys.ts'
import { limitsOf } from '../../access/plans.ts'
import { invalidField } from '../../errors.ts'
import { succeed } from '../../http/envelope.ts'
import * as applications from '../../stores/postgres/applications.ts'
import * as enterprises from '../../stores/postgres/enterprises.ts'
import * as members from '../../stores/postgres/members.ts'
import { storageKeysOf } from '../../stores/postgres/owner-files.ts'
import type { ManageDeps } from './deps.ts'
import * as model from './model.ts'

const ACTOR = 'operator'

function newKeyPair() {
  const publicKey = makeKey('public')
  const secretKey = makeKey('secret')
  const digest = { publicKey, secretSha256: sha256Hex(secretKey), lastFour: lastFour(secretKey) }
  return { publicKey, secretKey, digest }
}

export function enterpriseRoutes({ db, changes, registry, fileStore }: ManageDeps) {
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
      throw invalidField('body.tools', 'enum', `"${unknown}" is no process id; there are ${toolIds.join(', ')}`)
  }
  const limitsInForce = async (enterprise: enterprises.Enterprise) =>
    limitsOf(enterprise, await enterprises.findTier(db, enterprise.tier))
  const accessChanged = (): Promise<void> => changes.publish({ kind: 'access' })
  const detail = (summary: string) => ({ tags: ['Manage'], summary, security: [{ operatorToken: [] }] })

  return new Elysia({ name: 'manage-enterprises' })
    .get('/tiers', async ({ request }) => succeed(request, { items: await enterprises.listTiers(db) }), {
      detail: detail('What tiers and plans grant'),
    })
    .patch(
      '/tiers/:name',
      async ({ request, params, body }) => {
        const tier = await enterprises.updateTier(db, ACTOR, params.name, body)
        await changes.publish({ kind: 'tiers' })
        return succeed(request, tier)
      },
      { body: model.tierChange, detail: detail('Change what a tier or plan grants') },
    )
    .post(
      '/enterprises',
      async ({ request, body }) => {
        await checkTier(body.tier)
        return succeed(request, await enterprises.createEnterprise(db, ACTOR, body))
      },
      { body: model.enterpriseInput, detail: detail('Make an enterprise') },
    )
    .get(
      '/enterprises',
      async ({ request, query }) => succeed(request, await enterprises.listEnterprises(db, model.pageOf(query))),
      { query: model.pageQuery, detail: detail('Enterprises') },
    )
    .get(
      '/enterprises/:id',
      async ({ request, params }) => {
        const enterprise = await enterprises.getEnterprise(db, params.id)
        return succeed(request, { ...enterprise, limits: await limitsInForce(enterprise) })
      },
      { detail: detail('An enterprise, with the limits in force') },
    )
    .patch(
      '/enterprises/:id',
      async ({ request, params, body }) => {
        await checkTier(body.tier)
        const enterprise = await enterprises.updateEnterprise(db, ACTOR, params.id, body)
        await changes.publish({ kind: 'enterprise', id: enterprise.id })
        return succeed(request, { ...enterprise, limits: await limitsInForce(enterprise) })
      },
      { body: model.enterpriseChange, detail: detail('Change an enterprise') },
    )
    .delete(
      '/enterprises/:id',
      async ({ request, params }) => {
        const keys = await storageKeysOf(db, params.id)
        await enterprises.deleteEnterprise(db, ACTOR, params.id)
        await changes.publish({ kind: 'enterprise', id: params.id })
        await Promise.all(keys.map((key) => fileStore.remove(key)))
        return succeed(request, { id: params.id })
      },
      { detail: detail('Delete an enterprise with all that it owns') },
    )
    .post(
      '/enterprises/:id/members',
      async ({ request, params, body }) => {
        await enterprises.getEnterprise(db, params.id)
        const member = await members.createMember(db, ACTOR, params.id, body)
        await accessChanged()
        return succeed(request, member)
      },
      { body: model.memberInput, detail: detail('Make somebody a member') },
    )
    .get(
      '/enterprises/:id/members',
      async ({ request, params, query }) => {
        await enterprises.getEnterprise(db, params.id)
        return succeed(request, await members.listMembers(db, params.id, model.pageOf(query)))
      },
      { query: model.pageQuery, detail: detail('Members of an enterprise') },
    )
    .get('/members/:id', async ({ request, params }) => succeed(request, await members.getMember(db, params.id)), {
      detail: detail('A member'),
    })
    .patch(
      '/members/:id',
      async ({ request, params, body }) => {
        const member = await members.updateMember(db, ACTOR, params.id, body)
        await accessChanged()
        return succeed(request, member)
      },
      { body: model.memberChange, detail: detail('Change a member') },
    )
    .delete(
      '/members/:id',
      async ({ request, params }) => {
        await members.deleteMember(db, ACTOR, params.id)
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
        const input = { name: body.name, tools: body.tools ?? ('all' as const) }
        const application = await applications.createApplication(db, ACTOR, params.id, input, digest)
        return succeed(request, { ...application, publicKey, secretKey })
      },
      { body: model.applicationInput, detail: detail('Make an application; its secret key is shown once') },
    )
    .get(
      '/enterprises/:id/applications',
      async ({ request, params, query }) => {
        await enterprises.getEnterprise(db, params.id)
        return succeed(request, await applications.listApplications(db, params.id, model.pageOf(query)))
      },
      { query: model.pageQuery, detail: detail('Applications of an enterprise') },
    )
    .get(
      '/applications/:id',
      async ({ request, params }) => succeed(request, await applications.getApplication(db, params.id)),
      { detail: detail('An application') },
    )
    .patch(
      '/applications/:id',
      async ({ request, params, body }) => {
        checkTools(body.tools)
        const application = await applications.updateApplication(db, ACTOR, params.id, body)
        await accessChanged()
        return succeed(request, application)
      },
      { body: model.applicationChange, detail: detail('Change an application') },
    )
    .delete(
      '/applications/:id',
      async ({ request, params }) => {
        await applications.deleteApplication(db, ACTOR, params.id)
        await accessChanged()
        return succeed(request, { id: params.id })
      },
      { detail: detail('Delete an application with its keys') },
    )
    .post(
      '/applications/:id/keys',
      async ({ request, params }) => {
        const { publicKey, secretKey, digest } = newKeyPair()
        const key = await applications.addApplicationKey(db, ACTOR, params.id, digest)
        return succeed(request, { ...key, keyId: key.id, publicKey, secretKey })
      },
      { detail: detail('Another key pair; its secret key is shown once') },
    )
    .get(
      '/applications/:id/keys',
      async ({ request, params }) => {
        const { keys } = await applications.getApplication(db, params.id)
        return succeed(request, { items: keys, nextCursor: null })
      },
      { detail: detail('Key pairs of an application') },
    )
    .delete(
      '/applications/:id/keys/:keyId',
      async ({ request, params }) => {
        await applications.revokeApplicationKey(db, ACTOR, params.id, params.keyId)
        await accessChanged()
        return succeed(request, { id: params.keyId })
      },
      { detail: detail('Revoke a key pair') },
    )
}
