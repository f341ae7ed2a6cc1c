/** Callers of /enterprise/v1: an application with its key pair, a signed-in account, or a personal key. */

import { AppError } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { createChangeCache } from '../stores/change-cache.ts'
import type { Changes } from '../stores/changes.ts'
import { findEnterpriseRecord } from '../stores/postgres/accounts/enterprises.ts'
import { findOwner } from '../stores/postgres/accounts/owners.ts'
import type { Database } from '../stores/postgres/client.ts'
import { keySpaceOf } from '../stores/postgres/runs/idempotency.ts'
import {
  enterpriseFacts,
  type Organization,
  type OrganizationCaller,
  type OrganizationGate,
  sendsKeyPair,
} from './organization.ts'
import { type Plan, planOf } from './plans.ts'
import type { Rights, SessionCall, SessionRights } from './sessions/session-rights.ts'

/** The owner of tool runs, to whom they are charged. */
export type RunOwner = {
  kind: 'enterprise' | 'person'
  id: string
  plan: Plan
  /** Null for a person: plans have no credits. */
  creditsPerMonth: number | null
}
export type GisOrganization = { owner: RunOwner; caller: OrganizationCaller }

export type OrganizationCallers = {
  /**
   * @throws AppError as the gates do (organization.ts, session-rights.ts); UNAUTHENTICATED for a session that has ended
   */
  forAssets(call: SessionCall): Promise<Organization>
  forTools(call: SessionCall): Promise<GisOrganization>
}

const MAX_CACHED = 20_000

export function createOrganizationCallers(
  db: Database,
  changes: Changes,
  organizations: OrganizationGate,
  sessionRights: SessionRights,
): OrganizationCallers {
  const enterprises = createChangeCache({
    load: (id: string) => findEnterpriseRecord(db, id),
    maxSize: MAX_CACHED,
    invalidatedBy: {
      changes,
      kinds: ['enterprise', 'tiers', 'missed'],
      concerns: (ids, _, id) => ids.includes(id),
    },
  })

  /** @returns undefined for a call that relies on a key */
  async function rightsOf(call: SessionCall): Promise<Rights | undefined> {
    const { headers } = call.peer
    if (sendsKeyPair(headers)) return undefined
    const rights = await sessionRights.of(call)
    if (rights === undefined && headers.has('cookie')) throw new AppError('UNAUTHENTICATED')
    return rights
  }

  function callerOf({ session, role, actor }: Rights, ownerId: string): OrganizationCaller {
    const membership = session.memberships.find(({ enterpriseId }) => enterpriseId === ownerId)
    return {
      id: session.keyId ?? session.accountId,
      actor,
      expiresMs: session.expiresMs,
      applicationId: undefined,
      // all grants of the tier
      tools: 'all',
      assets: true,
      keySpace: keySpaceOf(session.accountId, ownerId),
      memberId: membership?.memberId,
      role: session.keyId === undefined ? role : undefined,
      isCounted: session.keyId !== undefined,
      ownRunsOnly: role === 'member',
    }
  }

  async function enterpriseOf(id: string): Promise<Organization['enterprise']> {
    const record = await enterprises.get(id)
    // deleted since the rights were checked, or a person, who has no sensors
    if (record === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchEnterprise') })
    return enterpriseFacts(record)
  }

  const runOwnerOf = ({ id, creditsPerMonth }: Organization['enterprise']): RunOwner => ({
    kind: 'enterprise',
    id,
    plan: 'max',
    creditsPerMonth,
  })

  async function organizationOf(call: SessionCall, rights: Rights | undefined): Promise<Organization> {
    const ownerId = rights?.subject?.ownerId
    if (rights === undefined || ownerId === undefined) return organizations.authenticate(call.peer)
    return { enterprise: await enterpriseOf(ownerId), caller: callerOf(rights, ownerId) }
  }

  return {
    forAssets: async (call) => organizationOf(call, await rightsOf(call)),
    async forTools(call) {
      const rights = await rightsOf(call)
      if (rights?.role === 'person' && rights.subject !== undefined) {
        const { ownerId } = rights.subject
        const person = await findOwner(db, ownerId)
        if (person === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchPerson') })
        const owner: RunOwner = { kind: 'person', id: ownerId, plan: planOf(person), creditsPerMonth: null }
        return { owner, caller: callerOf(rights, ownerId) }
      }
      const { enterprise, caller } = await organizationOf(call, rights)
      return { owner: runOwnerOf(enterprise), caller }
    },
  }
}
