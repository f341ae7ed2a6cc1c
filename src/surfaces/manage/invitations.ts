/** Routes for one-time links that operators and owners make for others: invitations, and resets of passwords. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { INVITES_MEMBERS, MANAGERS, NOBODY, RESETS_MEMBERS } from '../../access/authorization.ts'
import { type NewLink, welcomePath } from '../../access/mail/one-time-links.ts'
import { normalizedEmail } from '../../access/sign-in/email-address.ts'
import { AppError } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import type { Callers } from '../../http/callers.ts'
import { succeed } from '../../http/envelope.ts'
import { boolean, both, object, page, ref, string } from '../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../http/request-context.ts'
import { findAccount } from '../../stores/postgres/accounts/accounts.ts'
import { getEnterprise } from '../../stores/postgres/accounts/enterprises.ts'
import { getMember } from '../../stores/postgres/accounts/members.ts'
import { getLink, listLinks, type OneTimeLink, revokeLink } from '../../stores/postgres/accounts/one-time-links.ts'
import { getPerson } from '../../stores/postgres/accounts/people.ts'
import type { ManageCaller } from './callers.ts'
import type { ManageDeps } from './deps.ts'
import { operation } from './operation.ts'
import { closed, email, memberInput } from './request-schemas.ts'
import { deleted } from './response-schemas.ts'
import { ENTERPRISE, INVITATION, MEMBER, PERSON } from './subject-paths.ts'

/** Normalized by the route. */
const operatorInvitation = Type.Object({ email }, closed)

/** A link with the address of its page, which is shown once. */
const newLink = both(ref('OneTimeLink'), object({ path: string, isMailed: boolean }))
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
    if (account === undefined) throw new AppError('CONFLICT', { message: fieldText('nobodyHasAccount') })
    const { id, email } = account
    return { kind: 'reset', email, accountId: id, ...(memberId !== undefined && { memberId }) }
  }

  async function revoke(actor: string, id: string, kinds: readonly OneTimeLink['kind'][]): Promise<void> {
    const { kind } = await getLink(db, id)
    if (!kinds.includes(kind)) throw new AppError('NOT_FOUND', { message: fieldText('noSuchLink') })
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
      operation({
        summary: 'Invite a member',
        description: `Makes a one-time link, valid for 7 days, with which the person makes an account or joins with the one they have. ${ONCE}`,
        rights: INVITES_MEMBERS,
        body: bodySchema(memberInput),
        result: newLink,
      }),
    )
    .get(
      `${ENTERPRISE}/invitations`,
      async ({ request }) => {
        await getEnterprise(db, subjectOf(request))
        const items = (await listLinks(db, { enterpriseId: subjectOf(request) })).map(shown)
        return succeed(request, { items, nextCursor: null })
      },
      operation({
        summary: 'List pending invitations of an enterprise',
        description: 'Those that can still be used, newest first.',
        rights: { of: 'owner', for: MANAGERS },
        result: page(ref('OneTimeLink')),
      }),
    )
    .delete(
      INVITATION,
      async ({ request }) => {
        await revoke(callerOf(request), subjectOf(request), ['invitation'])
        return succeed(request, { id: subjectOf(request) })
      },
      operation({
        summary: 'Revoke an invitation',
        description: 'The link stops working at once.',
        rights: { of: 'invitation', for: MANAGERS, guardsOwners: true },
        result: deleted,
      }),
    )
    .post(
      `${MEMBER}/reset-link`,
      async ({ request }) => {
        const { id, accountId, enterpriseId } = await getMember(db, subjectOf(request))
        return make(request, await resetOf(accountId, id), await getEnterprise(db, enterpriseId))
      },
      operation({
        summary: "Make a link that resets a member's password",
        description: `It is valid for an hour. Its use ends all sessions of the account. ${ONCE}`,
        rights: RESETS_MEMBERS,
        result: newLink,
      }),
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
      operation({
        summary: 'Make a link for a person',
        description: `Without an account: an invitation, valid for 7 days. With an account: a link that resets the password, valid for an hour. ${ONCE}`,
        rights: { of: 'owner', for: NOBODY },
        result: newLink,
      }),
    )
    .get(
      `${PERSON}/links`,
      async ({ request }) => {
        await getPerson(db, subjectOf(request))
        const items = (await listLinks(db, { personId: subjectOf(request) })).map(shown)
        return succeed(request, { items, nextCursor: null })
      },
      operation({
        summary: 'List pending invitations of a person',
        rights: { of: 'owner', for: NOBODY },
        result: page(ref('OneTimeLink')),
      }),
    )
    .post(
      '/operators/invitations',
      async ({ request, body }) => {
        return make(request, { kind: 'operator', email: normalizedEmail(body.email, 'body.email') })
      },
      operation({
        summary: 'Invite an operator',
        description: `Makes a one-time link, valid for 7 days. ${ONCE}`,
        rights: { of: 'server', for: NOBODY },
        body: bodySchema(operatorInvitation),
        result: newLink,
      }),
    )
    .get(
      '/operators/invitations',
      async ({ request }) => {
        const items = (await listLinks(db, { kind: 'operator' })).map(shown)
        return succeed(request, { items, nextCursor: null })
      },
      operation({
        summary: 'List pending invitations of operators',
        rights: { of: 'server', for: NOBODY },
        result: page(ref('OneTimeLink')),
      }),
    )
    .delete(
      '/operators/invitations/:id',
      async ({ request, params }) => {
        await revoke(callerOf(request), params.id, ['operator'])
        return succeed(request, { id: params.id })
      },
      operation({
        summary: 'Revoke an invitation of an operator',
        rights: { of: 'server', for: NOBODY },
        result: deleted,
      }),
    )
}
