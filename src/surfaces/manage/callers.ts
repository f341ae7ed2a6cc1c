/** Who calls /manage/v1: an operator with the token, or an account that is signed in. */
import type { OperatorGate } from '../../access/operator.ts'
import type { Rights, SessionRights } from '../../access/session-rights.ts'
import { AppError } from '../../errors.ts'
import { type Callers, callFacts, createCallers } from '../../http/callers.ts'
import { operatorListener } from '../../http/route-options.ts'
import type { Maker } from '../../stores/postgres/one-time-links.ts'

export type ManageCaller = {
  /** On whose rights the caller makes links and tokens. */
  maker: Maker
  /** Undefined for the operator's token. */
  rights: Rights | undefined
}

export function manageCallers(operatorOnly: OperatorGate, sessionRights: SessionRights): Callers<ManageCaller> {
  return createCallers(
    async (routed) => {
      const call = callFacts(routed)
      // a key beside a cookie counts
      if (/^bearer\b/i.test(call.peer.headers.get('authorization') ?? '')) {
        operatorListener(routed.request)
        return { maker: await operatorOnly(call.peer), rights: undefined }
      }
      const rights = await sessionRights.of(call)
      if (rights === undefined) throw new AppError('UNAUTHENTICATED')
      const { actor, role, session } = rights
      return { maker: { actor, role, accountId: session.accountId }, rights }
    },
    ({ maker }) => maker.actor,
    ({ rights }, body) => {
      if (rights !== undefined) sessionRights.checkFields(rights, body)
    },
  )
}

/** Ids of the enterprises that a list contains; undefined for all. */
export const visibleEnterprises = ({ rights }: ManageCaller): string[] | undefined =>
  rights === undefined || rights.role === 'operator'
    ? undefined
    : rights.session.memberships.map(({ enterpriseId }) => enterpriseId)
