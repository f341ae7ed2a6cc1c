/** Routes for accounts that operate the server, and for their tokens. */

import { Elysia } from 'elysia'
import { lastFour, makeKey, sha256Hex } from '../../../access/keys/keys.ts'
import { invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { bodySchema } from '../../../http/body/body-schema.ts'
import type { Callers } from '../../../http/callers.ts'
import { succeed } from '../../../http/envelope.ts'
import { callerOf } from '../../../http/request-context.ts'
import { addToken, listTokens, revokeToken } from '../../../stores/postgres/operator/operator-tokens.ts'
import { listOperators, removeOperator } from '../../../stores/postgres/operator/operators.ts'
import type { ManageCaller } from '../callers.ts'
import type { ManageDeps } from '../deps.ts'
import * as model from '../model.ts'
import { timeOf, tokenInput } from './operation-model.ts'

export function operatorRoutes({ db, idempotency, changes }: ManageDeps, callers: Callers<ManageCaller>) {
  const { operation } = model
  return new Elysia({ name: 'manage-operators' })
    .get(
      '/operators',
      async ({ request, query }) => succeed(request, await listOperators(db, model.pageOf(query))),
      operation('List operators', 'Accounts that operate the server, with the last use of their sessions.', {
        query: model.pageQuery,
      }),
    )
    .delete(
      '/operators/:id',
      async ({ request, params }) => {
        await removeOperator(db, callerOf(request), params.id)
        await changes.publish({ kind: 'account', id: params.id })
        return succeed(request, { id: params.id })
      },
      operation(
        "Remove an operator's role",
        "The account's sessions lose the right with their next call, on every instance. Operator tokens and links that the account made, and invitations of operators for its address, stop working. Memberships and the records of the account stay. The last operator cannot be removed.",
      ),
    )
    .get(
      '/operators/tokens',
      async ({ request, query }) => succeed(request, await listTokens(db, model.pageOf(query))),
      operation('List operator tokens', 'Without the one in `DATA_DIR/operator.token`, which always works.', {
        query: model.pageQuery,
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
      operation(
        'Create an operator token',
        'For scripts of one person or one purpose; the audit log names it. It works while the account that made it is an operator. The token is shown only in this response.',
        { body: bodySchema(tokenInput) },
      ),
    )
    .delete(
      '/operators/tokens/:id',
      async ({ request, params }) => {
        await revokeToken(db, callerOf(request), params.id)
        await changes.publish({ kind: 'access', id: params.id })
        return succeed(request, { id: params.id })
      },
      operation('Revoke an operator token', 'The token and links that were made with it stop working at once.'),
    )
}
