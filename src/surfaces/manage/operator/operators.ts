/** Routes for accounts that operate the server, and for their tokens. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { NOBODY } from '../../../access/authorization.ts'
import { lastFour, makeKey, sha256Hex } from '../../../access/keys/keys.ts'
import { invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { bodySchema } from '../../../http/body/body-schema.ts'
import type { Callers } from '../../../http/callers.ts'
import { succeed } from '../../../http/envelope.ts'
import { both, object, page, ref, string } from '../../../http/openapi/openapi-schemas.ts'
import { callerOf } from '../../../http/request-context.ts'
import { addToken, listTokens, revokeToken } from '../../../stores/postgres/operator/operator-tokens.ts'
import { listOperators, removeOperator } from '../../../stores/postgres/operator/operators.ts'
import type { ManageCaller } from '../callers.ts'
import type { ManageDeps } from '../deps.ts'
import { operation } from '../operation.ts'
import { closed, pageOf, pageQuery } from '../request-schemas.ts'
import { deleted } from '../response-schemas.ts'
import { timeOf } from './query-time.ts'

const tokenInput = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '\\S',
      description: 'The holder or the purpose of the token',
    }),
    expiresAt: Type.Optional(
      Type.Union([
        Type.String({
          maxLength: 64,
          description: 'RFC 3339 time at which the token stops working; without it, never',
        }),
        Type.Null(),
      ]),
    ),
  },
  closed,
)

export function operatorRoutes({ db, idempotency, changes }: ManageDeps, callers: Callers<ManageCaller>) {
  return new Elysia({ name: 'manage-operators' })
    .get(
      '/operators',
      async ({ request, query }) => succeed(request, await listOperators(db, pageOf(query))),
      operation({
        summary: 'List operators',
        description: 'Accounts that operate the server, with the last use of their sessions.',
        rights: { of: 'server', for: NOBODY },
        query: pageQuery,
        result: page(ref('Operator')),
      }),
    )
    .delete(
      '/operators/:id',
      async ({ request, params }) => {
        await removeOperator(db, callerOf(request), params.id)
        await changes.publish({ kind: 'account', id: params.id })
        return succeed(request, { id: params.id })
      },
      operation({
        summary: "Remove an operator's role",
        description:
          "The account's sessions lose the right with their next call, on every instance. Operator tokens and links that the account made, and invitations of operators for its address, stop working. Memberships and the records of the account stay. The last operator cannot be removed.",
        rights: { of: 'server', for: NOBODY },
        result: deleted,
      }),
    )
    .get(
      '/operators/tokens',
      async ({ request, query }) => succeed(request, await listTokens(db, pageOf(query))),
      operation({
        summary: 'List operator tokens',
        description: 'Without the one in `DATA_DIR/operator.token`, which always works.',
        rights: { of: 'server', for: NOBODY },
        query: pageQuery,
        result: page(ref('OperatorToken')),
      }),
    )
    .post(
      '/operators/tokens',
      async ({ request, body }) => {
        const expiresAt = timeOf(body.expiresAt, 'body.expiresAt') ?? null
        if (expiresAt !== null && expiresAt.getTime() <= Date.now())
          throw invalidField('body.expiresAt', 'future', fieldText('future'))
        const token = makeKey('operator')
        const digest = { tokenSha256: sha256Hex(token), lastFour: lastFour(token) }
        const { maker } = await callers.of(request)
        return idempotency.kept(
          request,
          (tx) => addToken(tx, maker, { name: body.name.trim(), expiresAt, ...digest }),
          (added) => succeed(request, { ...added, token }),
          ({ id }) => changes.publish({ kind: 'access', id }),
        )
      },
      operation({
        summary: 'Create an operator token',
        description:
          'For scripts of one person or one purpose; the audit log names it. It works while the account that made it is an operator. The token is shown only in this response.',
        rights: { of: 'server', for: NOBODY },
        body: bodySchema(tokenInput),
        result: both(ref('OperatorToken'), object({ token: string })),
      }),
    )
    .delete(
      '/operators/tokens/:id',
      async ({ request, params }) => {
        await revokeToken(db, callerOf(request), params.id)
        await changes.publish({ kind: 'access', id: params.id })
        return succeed(request, { id: params.id })
      },
      operation({
        summary: 'Revoke an operator token',
        description: 'The token and links that were made with it stop working at once.',
        rights: { of: 'server', for: NOBODY },
        result: deleted,
      }),
    )
}
