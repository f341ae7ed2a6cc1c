/** Routes for tiers, enterprises and their members. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { MANAGERS, NOBODY, OWNERS, READERS, STAFF } from '../../access/authorization.ts'
import { limitsOf } from '../../access/plans.ts'
import { retentionChange, storedReadings } from '../../analytics/retention-change.ts'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import type { Callers } from '../../http/callers.ts'
import { succeedWithTag } from '../../http/entity-tags.ts'
import { succeed } from '../../http/envelope.ts'
import { both, dateTime, integer, list, nullable, object, page, ref } from '../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../http/request-context.ts'
import * as enterprises from '../../stores/postgres/accounts/enterprises.ts'
import * as members from '../../stores/postgres/accounts/members.ts'
import { belongingsOf } from '../../stores/postgres/runs/usage-days.ts'
import { findRetention } from '../../stores/postgres/sensors/retentions.ts'
import { type ManageCaller, visibleEnterprises } from './callers.ts'
import { changeSeen, type RecordToChange } from './changes.ts'
import { type ManageDeps, REMOVAL_WAIT_MS } from './deps.ts'
import { operation } from './operation.ts'
import {
  closed,
  email,
  memberInput,
  name,
  orNull,
  pageOf,
  pageQuery,
  reason,
  role,
  storedDays,
} from './request-schemas.ts'
import { deleted } from './response-schemas.ts'
import { ENTERPRISE, MEMBER } from './subject-paths.ts'

const limit = (maximum: number, description: string) => orNull(Type.Integer({ minimum: 0, maximum, description }))
const enterpriseInput = Type.Object(
  { name, tier: Type.String({ description: 'Enterprise tier, for example starter, business or scale' }) },
  closed,
)
const enterpriseChange = Type.Partial(
  Type.Object({
    name,
    tier: Type.String(),
    status: Type.Union([Type.Literal('active'), Type.Literal('suspended')]),
    suspendedReason: reason,
    assetsHeld: Type.Boolean(),
    heldReason: reason,
    // 50 years: ClickHouse calculates TTLs in seconds since 1970, in 32 bits
    retentionDays: orNull(
      Type.Integer({
        minimum: 1,
        maximum: 18_250,
        description: 'Days for which readings are kept; null for the limit of the tier',
      }),
    ),
    readingsPerDay: limit(1e15, 'Readings per UTC day; null for the limit of the tier'),
    apiRequestsPerDay: limit(2_000_000_000, 'API requests per UTC day; null for the limit of the tier'),
    credits: limit(1e15, 'Credits per month; null for the limit of the tier'),
    storedMb: limit(2_000_000_000, 'Megabytes of stored files; null for the limit of the server'),
    storedDays,
  }),
  closed,
)
const tierChange = Type.Partial(
  Type.Object({
    apiRequestsPerDay: limit(2_000_000_000, 'API requests per UTC day; null if not included'),
    readingsPerDay: limit(1e15, 'Readings per UTC day; null if not included'),
    retentionDays: orNull(
      Type.Integer({ minimum: 1, maximum: 18_250, description: 'Days for which readings are kept' }),
    ),
    creditsPerMonth: limit(1e15, 'Credits per month; null if not included'),
    toolApis: Type.Boolean({ description: 'Whether the tier includes Tool APIs' }),
  }),
  closed,
)
const memberChange = Type.Partial(Type.Object({ email, role }), closed)

const withLimits = both(
  ref('Enterprise'),
  object({ limits: object({ retentionDays: integer, readingsPerDay: integer, apiRequestsPerDay: integer }) }),
)
const retentionEffect = object({ affectedReadings: nullable(integer), deletionAt: nullable(dateTime) })

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

  return new Elysia({ name: 'manage-enterprises' })
    .get(
      '/tiers',
      async ({ request }) => succeed(request, { items: await enterprises.listTiers(db) }),
      operation({
        summary: 'List tiers and plans',
        description: 'Returns the limits of each enterprise tier and of each plan for people.',
        rights: { of: 'server', for: READERS },
        result: object({ items: list(ref('Tier')) }),
      }),
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
      operation({
        summary: 'Update a tier or plan',
        description:
          'Changes the limits of a tier or plan. They apply at once to every owner that has no limits set for it. A shorter `retentionDays` has the effects that are described for an enterprise.',
        rights: { of: 'server', for: NOBODY },
        body: bodySchema(tierChange),
        result: both(ref('Tier'), retentionEffect),
      }),
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
      operation({
        summary: 'Create an enterprise',
        rights: { of: 'server', for: NOBODY },
        body: bodySchema(enterpriseInput),
        result: ref('Enterprise'),
      }),
    )
    .get(
      '/enterprises',
      async ({ request, query }) => {
        const ids = visibleEnterprises(await callers.of(request))
        return succeed(request, await enterprises.listEnterprises(db, pageOf(query), ids))
      },
      operation({
        summary: 'List enterprises',
        description: 'With a session, the enterprises of which the account is a member.',
        rights: { of: 'server', for: READERS },
        query: pageQuery,
        result: page(ref('Enterprise')),
      }),
    )
    .get(
      ENTERPRISE,
      async ({ request }) => {
        const enterprise = await enterprises.getEnterprise(db, subjectOf(request))
        return succeedWithTag(request, enterprise, { ...enterprise, limits: await limitsInForce(enterprise) })
      },
      operation({
        summary: 'Get an enterprise',
        description:
          'Returns the enterprise. `limits` contains the effective limits: its own limits, or the limits of its tier.',
        rights: { of: 'owner', for: STAFF, whileSuspended: true },
        result: withLimits,
      }),
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
      operation({
        summary: 'Update an enterprise',
        description:
          'Changes the sent fields. Suspend or reactivate the enterprise with `status`, with a `suspendedReason` for its members, put its assets product on hold with `assetsHeld`, and set its own limits. A limit of `null` restores the limit of the tier. A shorter retention hides older readings at once: `affectedReadings` is their number. They are deleted after `deletionAt`, unless the retention is longer again by then. A deletion that has begun is completed before a longer retention takes effect.',
        rights: {
          of: 'owner',
          for: MANAGERS,
          operatorFields: [
            'tier',
            'status',
            'suspendedReason',
            'assetsHeld',
            'heldReason',
            'retentionDays',
            'readingsPerDay',
            'apiRequestsPerDay',
            'credits',
            'storedMb',
            'storedDays',
          ],
        },
        body: bodySchema(enterpriseChange),
        result: both(withLimits, retentionEffect),
      }),
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
      operation({
        summary: 'Delete an enterprise',
        description:
          'Deletes the enterprise with everything that it owns: members, applications, sensors with their readings, layers, files, runs, uploads and Tool APIs. Readings and files are removed in the background. Entries of the audit log lose their contents.',
        rights: { of: 'owner', for: OWNERS },
        result: deleted,
      }),
    )
    .get(
      `${ENTERPRISE}/belongings`,
      async ({ request }) => {
        const { id, number } = await enterprises.getEnterprise(db, subjectOf(request))
        const [belongings, readings] = await Promise.all([belongingsOf(db, id), storedReadings(clickhouse, number)])
        return succeed(request, { ...belongings, readings })
      },
      operation({
        summary: 'Count what an enterprise has',
        description:
          'Returns how much would be lost with the enterprise. `readings` is null if they could not be counted in time.',
        rights: { of: 'owner', for: OWNERS },
        result: object({
          members: integer,
          applications: integer,
          sensors: integer,
          readings: nullable(integer),
          zoneRules: integer,
          layers: integer,
          files: integer,
          toolApis: integer,
        }),
      }),
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
      operation({
        summary: 'Add a member',
        rights: { of: 'owner', for: MANAGERS, guardsOwners: true },
        body: bodySchema(memberInput),
        result: ref('Member'),
      }),
    )
    .get(
      `${ENTERPRISE}/members`,
      async ({ request, query }) => {
        await enterprises.getEnterprise(db, subjectOf(request))
        return succeed(request, await members.listMembers(db, subjectOf(request), pageOf(query)))
      },
      operation({
        summary: 'List members of an enterprise',
        rights: { of: 'owner', for: MANAGERS },
        query: pageQuery,
        result: page(ref('Member')),
      }),
    )
    .get(
      MEMBER,
      async ({ request }) => succeedWithTag(request, await members.getMember(db, subjectOf(request))),
      operation({
        summary: 'Get a member',
        rights: { of: 'member', for: MANAGERS },
        result: ref('Member'),
      }),
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
      operation({
        summary: 'Update a member',
        rights: { of: 'member', for: MANAGERS, guardsOwners: true },
        body: bodySchema(memberChange),
        result: ref('Member'),
      }),
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
      operation({
        summary: 'Delete a member',
        rights: { of: 'member', for: MANAGERS, guardsOwners: true },
        result: deleted,
      }),
    )
}
