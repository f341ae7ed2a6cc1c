/** Callers of /manage/v1: an operator with a token, a signed-in account, or a personal key. */
import { sendsPersonalKey } from '../../access/keys/keys.ts'
import type { OperatorGate } from '../../access/operator.ts'
import type { RateWindows } from '../../access/rate-windows.ts'
import type { Rights, SessionRights } from '../../access/sessions/session-rights.ts'
import { AppError } from '../../errors.ts'
import { type Callers, callFacts, createCallers, type RoutedRequest } from '../../http/callers.ts'
import type { Holding } from '../../http/request-context.ts'
import { operatorListener } from '../../http/route-options.ts'
import type { Maker } from '../../stores/postgres/accounts/one-time-links.ts'

export type ManageCaller = {
  /** The rights on which the caller makes links and tokens. */
  maker: Maker
  /** Undefined for an operator's token. */
  rights: Rights | undefined
  /** Id of the record or the owner that the call is about. */
  subjectId: string | undefined
  /** When the session, the token or the key ends. */
  expiresMs: number
}

const tokenIdOf = ({ tokenId }: Maker): string => tokenId ?? 'operator'

function holdingOf({ maker, rights, expiresMs }: ManageCaller): Holding {
  const { actor: as, accountId = '' } = maker
  return {
    as,
    ids: rights === undefined ? [tokenIdOf(maker), accountId] : [accountId, rights.subject?.ownerId ?? ''],
    expiresMs,
  }
}

/** Limits of changes per sliding minute, for an account and for an operator token. */
export type WriteLimits = { windows: RateWindows; ofAccount: number; ofToken: number }

const MINUTE_MS = 60_000
const READS = new Set(['GET', 'HEAD'])

export function manageCallers(
  operatorOnly: OperatorGate,
  sessionRights: SessionRights,
  { windows, ofAccount, ofToken }: WriteLimits,
): Callers<ManageCaller> {
  async function count({ maker, rights }: ManageCaller, { method }: Request): Promise<void> {
    if (READS.has(method) || rights?.session.keyId !== undefined) return
    const [name, limit] = rights === undefined ? [tokenIdOf(maker), ofToken] : [rights.session.accountId, ofAccount]
    const waitMs = await windows.take(`changes:${name}`, 1, limit, MINUTE_MS)
    if (waitMs > 0) throw new AppError('RATE_LIMITED', { retryAfterS: Math.ceil(waitMs / 1000) })
  }

  return createCallers(
    authenticate,
    ({ maker }) => maker.actor,
    holdingOf,
    ({ rights }, body) => {
      if (rights !== undefined) sessionRights.checkFields(rights, body)
    },
    count,
    ({ subjectId }) => subjectId,
  )

  async function authenticate(routed: RoutedRequest, isRecheck: boolean): Promise<ManageCaller> {
    const call = callFacts(routed, isRecheck)
    const { headers } = call.peer
    // if both are sent, the key takes precedence over the cookie
    if (/^bearer\b/i.test(headers.get('authorization') ?? '') && !sendsPersonalKey(headers)) {
      operatorListener(routed.request)
      const { expiresMs, ...maker } = await operatorOnly(call.peer)
      return { maker, rights: undefined, subjectId: sessionRights.subjectIdOf(call), expiresMs }
    }
    const rights = await sessionRights.of(call)
    if (rights === undefined) throw new AppError('UNAUTHENTICATED')
    const { actor, role, session, subjectId } = rights
    return { maker: { actor, role, accountId: session.accountId }, rights, subjectId, expiresMs: session.expiresMs }
  }
}

/** Ids of the enterprises that a list contains; undefined for all. */
export const visibleEnterprises = ({ rights }: ManageCaller): string[] | undefined =>
  rights === undefined || rights.role === 'operator'
    ? undefined
    : rights.session.memberships.map(({ enterpriseId }) => enterpriseId)
