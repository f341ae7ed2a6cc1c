/** Routes for tiers, enterprises and their members. */

import { Elysia } from 'elysia'
import { limitsOf } from '../../access/plans.ts'
import { retentionChange, storedReadings } from '../../analytics/retention-change.ts'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import type { Callers } from '../../http/callers.ts'
import { succeedWithTag } from '../../http/entity-tags.ts'
import { succeed } from '../../http/envelope.ts'
import { callerOf, subjectOf } from '../../http/request-context.ts'
import * as enterprises from '../../stores/postgres/accounts/enterprises.ts'
import * as members from '../../stores/postgres/accounts/members.ts'
import { belongingsOf } from '../../stores/postgres/runs/usage-days.ts'
import { findRetention } from '../../stores/postgres/sensors/retentions.ts'
import { type ManageCaller, visibleEnterprises } from './callers.ts'
import { changeSeen, type RecordToChange } from './changes.ts'
import { type ManageDeps, REMOVAL_WAIT_MS } from './deps.ts'
import * as model from './model.ts'
import { ENTERPRISE, MEMBER } from './subject-paths.ts'

const enterpriseRecord = (id: string): RecordToChange => ({
  kind: 'enterprise',
  id,
  read: (db) => enterprises.getEnterprise(db, id),
})
const memberRecord = (id: string): RecordToChange => ({
  kind: 'member',
  id,
  read: (db) => members.getMember(db, id),
})
/** A person has no members. */
const changerOf = ({ rights }: ManageCaller): members.MemberChanger =>
  rights === undefined ? 'operator' : rights.role === 'person' ? 'member' : rights.role

export function enterpriseRoutes(
  { db, idempotency, clickhouse, changes, fileRemovals, limits }: ManageDeps,
  callers: Callers<ManageCaller>,
) {
  async function checkTier(tier: string | undefined): Promise<void> {
    if (tier === undefined) return
    const names = await enterprises.tierNames(db, 'enterprise')
    if (!names.includes(tier)) throw invalidField('body.tier', 'enum', fieldText('oneOf', { values: names.join(', ') }))
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
  const accessChanged = (id: string): Promise<void> => changes.publish({ kind: 'access', id })
  const { operation } = model

  return new Elysia({ name: 'manage-enterprises' })
    .get(
      '/tiers',
      async ({ request }) => succeed(request, { items: await enterprises.listTiers(db) }),
      operation('List tiers and plans', 'Returns the limits of each enterprise tier and of each plan for people.'),
    )
    .patch(
      '/tiers/:name',
      async ({ request, params, body }) => {
        const { before, after } = await enterprises.updateTier(db, callerOf(request), params.name, body)
        await changes.publish({ kind: 'tiers' })
        const numbers = await enterprises.enterprisesWithRetentionOf(db, params.name)
        const change = await changeOf(numbers, before.retentionDays ?? 0, after.retentionDays ?? 0)
        return succeed(request, { ...after, ...change })
      },
      operation(
        'Update a tier or plan',
        'Changes the limits of a tier or plan. They apply at once to every owner that has no limits set for it. A shorter `retentionDays` has the effects that are described for an enterprise.',
        { body: bodySchema(model.tierChange) },
      ),
    )
    .post(
      '/enterprises',
      async ({ request, body }) => {
        await checkTier(body.tier)
        return idempotency.kept(
          request,
          (tx) => enterprises.createEnterprise(tx, callerOf(request), body),
          (enterprise) => succeed(request, enterprise),
        )
      },
      { body: bodySchema(model.enterpriseInput), ...operation('Create an enterprise') },
    )
    .get(
      '/enterprises',
      async ({ request, query }) => {
        const ids = visibleEnterprises(await callers.of(request))
        return succeed(request, await enterprises.listEnterprises(db, model.pageOf(query), ids))
      },
      operation('List enterprises', 'With a session, the enterprises of which the account is a member.', {
        query: model.pageQuery,
      }),
    )
    .get(
      ENTERPRISE,
      async ({ request }) => {
        const enterprise = await enterprises.getEnterprise(db, subjectOf(request))
        return succeedWithTag(request, enterprise, { ...enterprise, limits: await limitsInForce(enterprise) })
      },
      operation(
        'Get an enterprise',
        'Returns the enterprise. `limits` contains the effective limits: its own limits, or the limits of its tier.',
      ),
    )
    .patch(
      ENTERPRISE,
      async ({ request, body }) => {
        await checkTier(body.tier)
        const before = await limitsInForce(await enterprises.getEnterprise(db, subjectOf(request)))
        const enterprise = await changeSeen(request, db, enterpriseRecord(subjectOf(request)), (tx) =>
          enterprises.updateEnterprise(tx, callerOf(request), subjectOf(request), body),
        )
        await changes.publish({ kind: 'enterprise', id: enterprise.id })
        const after = await limitsInForce(enterprise)
        const change = await changeOf([enterprise.number], before.retentionDays, after.retentionDays)
        return succeedWithTag(request, enterprise, { ...enterprise, limits: after, ...change })
      },
      operation(
        'Update an enterprise',
        'Changes the sent fields. Suspend or reactivate the enterprise with `status`, put its assets product on hold with `assetsHeld`, and set its own limits. A limit of `null` restores the limit of the tier. A shorter retention hides older readings at once: `affectedReadings` is their number. They are deleted after `deletionAt`, unless the retention is longer again by then. A deletion that has begun is completed before a longer retention takes effect.',
        { body: bodySchema(model.enterpriseChange) },
      ),
    )
    .delete(
      ENTERPRISE,
      async ({ request }) => {
        await changeSeen(request, db, enterpriseRecord(subjectOf(request)), (tx) =>
          enterprises.deleteEnterprise(tx, callerOf(request), subjectOf(request)),
        )
        await changes.publish({ kind: 'enterprise', id: subjectOf(request) })
        await fileRemovals.remove(REMOVAL_WAIT_MS)
        return succeed(request, { id: subjectOf(request) })
      },
      operation(
        'Delete an enterprise',
        'Deletes the enterprise with everything that it owns: members, applications, sensors with their readings, layers, files, runs, uploads and Tool APIs. Readings and files are removed in the background. Entries of the audit log lose their contents.',
      ),
    )
    .get(
      `${ENTERPRISE}/belongings`,
      async ({ request }) => {
        const { id, number } = await enterprises.getEnterprise(db, subjectOf(request))
        const [belongings, readings] = await Promise.all([belongingsOf(db, id), storedReadings(clickhouse, number)])
        return succeed(request, { ...belongings, readings })
      },
      operation(
        'Count what an enterprise has',
        'Returns how much would be lost with the enterprise. `readings` is null if they could not be counted in time.',
      ),
    )
    .post(
      `${ENTERPRISE}/members`,
      async ({ request, body }) => {
        await enterprises.getEnterprise(db, subjectOf(request))
        return idempotency.kept(
          request,
          (tx) => members.createMember(tx, callerOf(request), subjectOf(request), body),
          (member) => succeed(request, member),
          () => accessChanged(subjectOf(request)),
        )
      },
      { body: bodySchema(model.memberInput), ...operation('Add a member') },
    )
    .get(
      `${ENTERPRISE}/members`,
      async ({ request, query }) => {
        await enterprises.getEnterprise(db, subjectOf(request))
        return succeed(request, await members.listMembers(db, subjectOf(request), model.pageOf(query)))
      },
      { query: model.pageQuery, ...operation('List members of an enterprise') },
    )
    .get(
      MEMBER,
      async ({ request }) => succeedWithTag(request, await members.getMember(db, subjectOf(request))),
      operation('Get a member'),
    )
    .patch(
      MEMBER,
      async ({ request, body }) => {
        const by = changerOf(await callers.of(request))
        const member = await changeSeen(request, db, memberRecord(subjectOf(request)), (tx) =>
          members.updateMember(tx, callerOf(request), subjectOf(request), body, by),
        )
        await accessChanged(member.enterpriseId)
        return succeedWithTag(request, member)
      },
      { body: bodySchema(model.memberChange), ...operation('Update a member') },
    )
    .delete(
      MEMBER,
      async ({ request }) => {
        const by = changerOf(await callers.of(request))
        const enterpriseId = await changeSeen(request, db, memberRecord(subjectOf(request)), (tx) =>
          members.deleteMember(tx, callerOf(request), subjectOf(request), by),
        )
        await accessChanged(enterpriseId)
        return succeed(request, { id: subjectOf(request) })
      },
      operation('Delete a member'),
    )
}
