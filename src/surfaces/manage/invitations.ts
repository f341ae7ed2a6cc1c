/** Routes for one-time links that operators and owners make for others: invitations, and resets of passwords. */

import { Elysia } from 'elysia'
import { type NewLink, welcomePath } from '../../access/mail/one-time-links.ts'
import { normalizedEmail } from '../../access/sign-in/email-address.ts'
import { AppError } from '../../errors.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import type { Callers } from '../../http/callers.ts'
import { succeed } from '../../http/envelope.ts'
import { callerOf, subjectOf } from '../../http/request-context.ts'
import { findAccount } from '../../stores/postgres/accounts/accounts.ts'
import { getEnterprise } from '../../stores/postgres/accounts/enterprises.ts'
import { getMember } from '../../stores/postgres/accounts/members.ts'
import { getLink, listLinks, type OneTimeLink, revokeLink } from '../../stores/postgres/accounts/one-time-links.ts'
import { getPerson } from '../../stores/postgres/accounts/people.ts'
import type { ManageCaller } from './callers.ts'
import type { ManageDeps } from './deps.ts'
import * as model from './request-schemas.ts'
import { ENTERPRISE, INVITATION, MEMBER, PERSON } from './subject-paths.ts'

const ONCE = 'The link is shown only in this response; `isMailed` says whether it is sent by mail as well.'

const shown = ({ id, kind, email, role, createdBy, createdAt, expiresAt }: OneTimeLink) => ({
  id,
  kind,
  email,
  role,
  createdBy,
  createdAt,
  expiresAt,
})

export function invitationRoutes(
  { db, idempotency, oneTimeLinks, linkMail }: ManageDeps,
  callers: Callers<ManageCaller>,
) {
  const { operation } = model
  /** Makes a link, and sends it where the server sends mail. */
  async function make(request: Request, input: NewLink, enterprise?: { id: string; name: string }): Promise<Response> {
    const { maker } = await callers.of(request)
    return idempotency.kept(
      request,
      async (tx) => {
        const made = await oneTimeLinks.make(maker, input, tx)
        return { ...made, mail: await linkMail(made, enterprise) }
      },
      ({ link, token, mail }) =>
        succeed(request, { ...shown(link), path: welcomePath(token), isMailed: mail !== undefined }),
      async ({ mail }) => mail?.(),
    )
  }

  async function resetOf(accountId: string | null, memberId?: string): Promise<NewLink> {
    const account = accountId === null ? undefined : await findAccount(db, accountId)
    if (account === undefined)
      throw new AppError('CONFLICT', { message: 'Nobody has an account for this record yet; invite them instead.' })
    const { id, email } = account
    return { kind: 'reset', email, accountId: id, ...(memberId !== undefined && { memberId }) }
  }

  async function revoke(actor: string, id: string, kinds: readonly OneTimeLink['kind'][]): Promise<void> {
    const { kind } = await getLink(db, id)
    if (!kinds.includes(kind)) throw new AppError('NOT_FOUND', { message: 'There is no such link.' })
    await revokeLink(db, actor, id)
  }

  return new Elysia({ name: 'manage-invitations' })
    .post(
      `${ENTERPRISE}/invitations`,
      async ({ request, body }) => {
        const enterprise = await getEnterprise(db, subjectOf(request))
        const email = normalizedEmail(body.email, 'body.email')
        const input = { kind: 'invitation', email, enterpriseId: enterprise.id, role: body.role } as const
        return make(request, input, enterprise)
      },
      operation(
        'Invite a member',
        `Makes a one-time link, valid for 7 days, with which the person makes an account or joins with the one they have. ${ONCE}`,
        { body: bodySchema(model.memberInput) },
      ),
    )
    .get(
      `${ENTERPRISE}/invitations`,
      async ({ request }) => {
        await getEnterprise(db, subjectOf(request))
        const items = (await listLinks(db, { enterpriseId: subjectOf(request) })).map(shown)
        return succeed(request, { items, nextCursor: null })
      },
      operation('List pending invitations of an enterprise', 'Those that can still be used, newest first.'),
    )
    .delete(
      INVITATION,
      async ({ request }) => {
        await revoke(callerOf(request), subjectOf(request), ['invitation'])
        return succeed(request, { id: subjectOf(request) })
      },
      operation('Revoke an invitation', 'The link stops working at once.'),
    )
    .post(
      `${MEMBER}/reset-link`,
      async ({ request }) => {
        const { id, accountId, enterpriseId } = await getMember(db, subjectOf(request))
        return make(request, await resetOf(accountId, id), await getEnterprise(db, enterpriseId))
      },
      operation(
        "Make a link that resets a member's password",
        `It is valid for an hour. Its use ends all sessions of the account. ${ONCE}`,
      ),
    )
    .post(
      `${PERSON}/links`,
      async ({ request }) => {
        const person = await getPerson(db, subjectOf(request))
        if (person.accountId !== null) return make(request, await resetOf(person.accountId))
        return make(request, {
          kind: 'person',
          email: normalizedEmail(person.email, 'email'),
          personId: person.id,
        })
      },
      operation(
        'Make a link for a person',
        `Without an account: an invitation, valid for 7 days. With an account: a link that resets the password, valid for an hour. ${ONCE}`,
      ),
    )
    .get(
      `${PERSON}/links`,
      async ({ request }) => {
        await getPerson(db, subjectOf(request))
        const items = (await listLinks(db, { personId: subjectOf(request) })).map(shown)
        return succeed(request, { items, nextCursor: null })
      },
      operation('List pending invitations of a person'),
    )
    .post(
      '/operators/invitations',
      async ({ request, body }) => {
        return make(request, { kind: 'operator', email: normalizedEmail(body.email, 'body.email') })
      },
      operation('Invite an operator', `Makes a one-time link, valid for 7 days. ${ONCE}`, {
        body: bodySchema(model.operatorInvitation),
      }),
    )
    .get(
      '/operators/invitations',
      async ({ request }) => {
        const items = (await listLinks(db, { kind: 'operator' })).map(shown)
        return succeed(request, { items, nextCursor: null })
      },
      operation('List pending invitations of operators'),
    )
    .delete(
      '/operators/invitations/:id',
      async ({ request, params }) => {
        await revoke(callerOf(request), params.id, ['operator'])
        return succeed(request, { id: params.id })
      },
      operation('Revoke an invitation of an operator'),
    )
}
