/** Who calls /manage/v1: an operator with the token, or an account that is signed in. */
import type { OperatorGate } from '../../access/operator.ts'
import { type Rights, type SessionRights, subjectIdIn } from '../../access/session-rights.ts'
import { AppError } from '../../errors.ts'
import { type Callers, callFacts, createCallers } from '../../http/callers.ts'
import { operatorListener } from '../../http/route-options.ts'

export type ManageCaller = {
  /** What the audit log calls the caller. */
  actor: string
  /** Undefined for the operator's token. */
  rights: Rights | undefined
  /** Id of the record or the owner that the call is about. */
  subjectId: string | undefined
}

export function manageCallers(operatorOnly: OperatorGate, sessionRights: SessionRights): Callers<ManageCaller> {
  return createCallers(
    async (routed) => {
      const call = callFacts(routed)
      // a key beside a cookie counts
      if (/^bearer\b/i.test(call.peer.headers.get('authorization') ?? '')) {
        operatorListener(routed.request)
        return { actor: await operatorOnly(call.peer), rights: undefined, subjectId: subjectIdIn(call) }
      }
      const rights = await sessionRights.of(call)
      if (rights === undefined) throw new AppError('UNAUTHENTICATED')
      return { actor: rights.actor, rights, subjectId: rights.subjectId }
    },
    ({ actor }) => actor,
    ({ rights }, body) => {
      if (rights !== undefined) sessionRights.checkFields(rights, body)
    },
    ({ subjectId }) => subjectId,
  )
}

export const isOperator = ({ rights }: ManageCaller): boolean => rights === undefined || rights.role === 'operator'

/** Ids of the enterprises that a list contains; undefined for all. */
export const visibleEnterprises = ({ rights }: ManageCaller): string[] | undefined =>
  rights === undefined || rights.role === 'operator'
    ? undefined
    : rights.session.memberships.map(({ enterpriseId }) => enterpriseId)
