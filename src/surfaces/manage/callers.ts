/** Who calls /manage/v1: an operator with the token, or an account that is signed in. */
import type { OperatorCaller, OperatorGate } from '../../access/operator.ts'
import type { RateWindows } from '../../access/rate-windows.ts'
import type { Rights, SessionRights } from '../../access/session-rights.ts'
import { AppError } from '../../errors.ts'
import { type Callers, callFacts, createCallers, type RoutedRequest } from '../../http/callers.ts'
import type { Holding } from '../../http/request-context.ts'
import { operatorListener } from '../../http/route-options.ts'

export type ManageCaller = {
  /** What the audit log calls the caller. */
  actor: string
  /** Undefined for an operator's token. */
  rights: Rights | undefined
  /** Of a person; undefined for the one in the file. */
  token?: OperatorCaller['token']
}

function holdingOf({ actor, rights, token }: ManageCaller): Holding {
  if (rights === undefined)
    return { as: actor, ids: [token?.id ?? 'operator'], expiresMs: token?.expiresMs ?? Number.POSITIVE_INFINITY }
  const { session, subject } = rights
  return { as: actor, ids: [session.accountId, subject?.ownerId ?? ''], expiresMs: session.expiresMs }
}

/** How many changes an account, and a token of operators, may make in a sliding minute. */
export type WriteLimits = { windows: RateWindows; ofAccount: number; ofToken: number }

const MINUTE_MS = 60_000
const READS = new Set(['GET', 'HEAD'])

export function manageCallers(
  operatorOnly: OperatorGate,
  sessionRights: SessionRights,
  { windows, ofAccount, ofToken }: WriteLimits,
): Callers<ManageCaller> {
  async function count({ rights, token }: ManageCaller, { method }: Request): Promise<void> {
    if (READS.has(method)) return
    const [name, limit] =
      rights === undefined ? [token?.id ?? 'operator', ofToken] : [rights.session.accountId, ofAccount]
    const waitMs = await windows.take(`changes:${name}`, 1, limit, MINUTE_MS)
    if (waitMs > 0) throw new AppError('RATE_LIMITED', { retryAfterS: Math.ceil(waitMs / 1000) })
  }

  return createCallers(
    authenticate,
    ({ actor }) => actor,
    holdingOf,
    ({ rights }, body) => {
      if (rights !== undefined) sessionRights.checkFields(rights, body)
    },
    count,
  )

  async function authenticate(routed: RoutedRequest): Promise<ManageCaller> {
    const call = callFacts(routed)
    // a key beside a cookie counts
    if (/^bearer\b/i.test(call.peer.headers.get('authorization') ?? '')) {
      operatorListener(routed.request)
      return { ...(await operatorOnly(call.peer)), rights: undefined }
    }
    const rights = await sessionRights.of(call)
    if (rights === undefined) throw new AppError('UNAUTHENTICATED')
    return { actor: rights.actor, rights }
  }
}

export const isOperator = ({ rights }: ManageCaller): boolean => rights === undefined || rights.role === 'operator'

/** Ids of the enterprises that a list contains; undefined for all. */
export const visibleEnterprises = ({ rights }: ManageCaller): string[] | undefined =>
  rights === undefined || rights.role === 'operator'
    ? undefined
    : rights.session.memberships.map(({ enterpriseId }) => enterpriseId)
