/** Decides what a signed-in account or a personal key may do, by the rights that routes declare (authorization.ts). */

import { AppError, fieldFailure, invalidField, type Refusal } from '../../errors.ts'
import type { Bilingual, FieldText } from '../../field-texts/bilingual.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { findRecordOwner, type OwnedKind, type RecordOwner } from '../../stores/postgres/accounts/record-owners.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { ActingRole, Rule, RuleOf } from '../authorization.ts'
import type { Peer } from '../keys/key-failures.ts'
import { sendsPersonalKey } from '../keys/keys.ts'
import type { PersonalKey, PersonalKeys } from '../personal-keys.ts'
import { isLinkOfOwnPage, requireCsrfToken } from '../sign-in/csrf.ts'
import type { Principal, SessionGate } from './session.ts'

/** The facts of a request on which its rights depend. */
export type SessionCall = {
  method: string
  /** As the server declares it, such as `/manage/v1/sensors/:id`. */
  route: string
  params: Readonly<Record<string, string>>
  peer: Peer
  url: string
  /** Whether the operator's rights apply here: not on the public listener if the operator has a separate one. */
  onOperatorListener: boolean
  /** Whether the call was checked and counted before. */
  isRecheck: boolean
}

export type Rights = {
  session: Principal
  role: ActingRole
  rule: Rule
  /** The owner of the record in the path; undefined for records without an owner. */
  subject: RecordOwner | undefined
  /** Id of the record or the owner that the rights were checked for. */
  subjectId: string | undefined
  /** The caller's name in the audit log. */
  actor: string
}

export type SessionRights = {
  /**
   * A call with a personal key is counted, before its record is looked up.
   * @returns undefined for a request without a session and without a personal key
   * @throws AppError CSRF_TOKEN_INVALID, FORBIDDEN, ENTERPRISE_SUSPENDED, NOT_FOUND; VALIDATION_FAILED when it must
   *   name an enterprise; the errors of personal keys (personal-keys.ts)
   */
  of(call: SessionCall): Promise<Rights | undefined>
  /**
   * The id of the record or the owner that a call is about, which is read from the path or the query here only.
   * Undefined where neither names one.
   */
  subjectIdOf(call: SessionCall): string | undefined
  /** Checks fields that not every role may set. @throws AppError FORBIDDEN, VALIDATION_FAILED, CONFLICT */
  checkFields(rights: Rights, body: unknown): void
}

/** The texts are the same as for nonexistent records. */
const MISSING: Record<OwnedKind, Bilingual> = {
  owner: fieldText('noSuchOwner'),
  sensor: fieldText('noSuchSensor'),
  'fleet-key': fieldText('noSuchFleetKey'),
  asset: fieldText('noSuchAsset'),
  member: fieldText('noSuchMember'),
  application: fieldText('noSuchApplication'),
  'tool-api': fieldText('noSuchToolApi'),
  invitation: fieldText('noSuchLink'),
}

const missing = (message: Bilingual): AppError => new AppError('NOT_FOUND', { message })

/** The role of a session for an owner, by its own rows; undefined for other owners. */
export function roleFor(session: Principal, ownerId: string, isOperator: boolean): ActingRole | undefined {
  if (isOperator) return 'operator'
  if (session.personId === ownerId) return 'person'
  return session.memberships.find(({ enterpriseId }) => enterpriseId === ownerId)?.role
}

/** @param role the session's role; undefined for an account without any */
function refused({ suspension }: Principal, rule: Rule, role: ActingRole | undefined): AppError {
  if (rule.for.length === 0) return forbidden({ cause: 'operator' })
  if (role !== undefined) return forbidden({ cause: 'role', role, roles: rule.for })
  return suspension === undefined ? new AppError('FORBIDDEN') : suspendedPerson(suspension.reason)
}

const forbidden = (refusal: Refusal): AppError => new AppError('FORBIDDEN', { refusal })

const suspendedPerson = (reason: string | null): AppError =>
  new AppError('FORBIDDEN', { message: fieldText('accountSuspended'), refusal: { cause: 'suspended', reason } })

const principalOf = ({ id, expiresMs, owner, email, accountId }: PersonalKey): Principal => ({
  keyId: id,
  accountId: accountId ?? owner.id,
  email,
  expiresMs,
  isOperator: false,
  personId: owner.id,
  suspension: undefined,
  memberships: [],
})

const allows = (rule: Rule, role: ActingRole): boolean => role === 'operator' || rule.for.includes(role)

/**
 * The enterprise that a link names. Another site can link to a download too, and the browser would send the cookie: the
 * person would get an unrequested file, and the audit log a download.
 */
function enterpriseOfLink(headers: Headers, url: string, rule: Rule): string | undefined {
  const id = rule.linked === undefined ? null : new URL(url).searchParams.get('enterprise')
  return id !== null && isLinkOfOwnPage(headers) ? id : undefined
}

function subjectIdIn({ params, url }: Pick<SessionCall, 'params' | 'url'>, rule: Rule | undefined): string | undefined {
  switch (rule?.of) {
    case 'owner-in-query':
      return new URL(url).searchParams.get('owner') ?? undefined
    case undefined:
    case 'enterprise-in-header':
    case 'owner-in-header':
    case 'server':
    case 'account':
    case 'visitor':
      return undefined
    default:
      return params.ownerId ?? params.id
  }
}

export type SessionRightsDeps = { db: Database; sessions: SessionGate; personalKeys: PersonalKeys; ruleOf: RuleOf }

export function createSessionRights({ db, sessions, personalKeys, ruleOf }: SessionRightsDeps): SessionRights {
  function roleOfNobody(session: Principal, rule: Rule, isOperator: boolean): ActingRole {
    if (isOperator) return 'operator'
    const roles = [...session.memberships.map(({ role }) => role), ...(session.personId ? ['person' as const] : [])]
    const role = roles.find((one) => allows(rule, one))
    if (role === undefined) throw refused(session, rule, roles[0])
    return role
  }

  /** The record that a call is about. */
  function subjectOf(call: SessionCall, rule: Rule, session: Principal) {
    const { peer, url } = call
    switch (rule.of) {
      case 'enterprise-in-header':
      case 'owner-in-header': {
        const id = (peer.headers.get('x-enterprise')?.trim() || undefined) ?? enterpriseOfLink(peer.headers, url, rule)
        const own = rule.of === 'owner-in-header' ? session.personId : undefined
        if (id === undefined && own === undefined) {
          // neither a member nor a person, or a suspended one
          if (session.memberships.length === 0 && !session.isOperator) throw refused(session, rule, undefined)
          throw invalidField('X-Enterprise', 'required', fieldText('enterpriseHeader'))
        }
        const message = fieldText('noEnterpriseInHeader')
        return { kind: 'owner' as const, id: id ?? (own as string), message }
      }
      default: {
        const id = subjectIdIn(call, rule)
        if (id === undefined) return undefined
        const kind = rule.of as OwnedKind | 'owner-in-query'
        const owned = kind === 'owner-in-query' ? 'owner' : kind
        return { kind: owned, id, message: MISSING[owned] }
      }
    }
  }

  async function rightsOf(call: SessionCall, rule: Rule, session: Principal): Promise<Rights> {
    const isOperator = session.isOperator && call.onOperatorListener
    const actorAs = (role: ActingRole): string => session.keyId ?? `${role} ${session.email}`
    const named = subjectOf(call, rule, session)
    if (named === undefined) {
      const role = roleOfNobody(session, rule.of === 'server' ? rule : { ...rule, for: [] }, isOperator)
      return { session, role, rule, subject: undefined, subjectId: undefined, actor: actorAs(role) }
    }
    const subject = await findRecordOwner(db, named.kind, named.id)
    const role = subject && roleFor(session, subject.ownerId, isOperator)
    if (subject === undefined || role === undefined) throw missing(named.message)
    if (!allows(rule, role)) throw refused(session, rule, role)
    if (!subject.isActive && role !== 'operator' && rule.whileSuspended === undefined) {
      const { suspendedReason: reason } = subject
      throw role === 'person'
        ? suspendedPerson(reason)
        : new AppError('ENTERPRISE_SUSPENDED', { refusal: { cause: 'suspended', reason } })
    }
    return { session, role, rule, subject, subjectId: named.id, actor: actorAs(role) }
  }

  async function rightsOfKey(call: SessionCall): Promise<Rights> {
    const { headers } = call.peer
    const key = await personalKeys.open(call.peer)
    const rule = ruleOf(call.method, call.route)
    if (rule?.personalKeys === undefined) throw new AppError('FORBIDDEN', { message: fieldText('noPersonalKeys') })
    if (headers.get('x-enterprise')?.trim()) throw new AppError('FORBIDDEN', { message: fieldText('keyOfPerson') })
    if (!call.isRecheck) await personalKeys.count(key, Date.now())
    return rightsOf(call, rule, principalOf(key))
  }

  return {
    async of(call) {
      const { method } = call
      const { headers } = call.peer
      if (sendsPersonalKey(headers)) return rightsOfKey(call)
      const session = await sessions(headers)
      if (session === undefined) return undefined
      requireCsrfToken(method, headers, session)
      const rule = ruleOf(method, call.route)
      if (rule === undefined) throw new AppError('FORBIDDEN')
      return rightsOf(call, rule, session)
    },
    subjectIdOf: (call) => subjectIdIn(call, ruleOf(call.method, call.route)),
    checkFields({ session, role, rule, subject }, body) {
      if (role === 'operator') return
      const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
      for (const field of rule.operatorFields ?? [])
        if (field in fields) throw forbiddenField(field, 'operator', fieldText('operatorOnly'))
      if (rule.guardsOwners && role !== 'owner' && (subject?.role === 'owner' || fields.role === 'owner'))
        throw forbiddenField('role', 'owner', fieldText('ownersByOwners'))
      const { ownerId } = fields
      if (rule.transfers === undefined || typeof ownerId !== 'string') return
      const target = roleFor(session, ownerId, false)
      // as for a nonexistent owner
      if (target === undefined || !allows(rule, target))
        throw invalidField('body.ownerId', 'exists', fieldText('ownerMissing'))
    },
  }
}

const forbiddenField = (name: string, rule: string, text: FieldText): AppError =>
  fieldFailure('FORBIDDEN', `body.${name}`, rule, text)
