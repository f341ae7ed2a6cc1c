/** Routes for personal API keys. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { THEMSELVES } from '../../access/authorization.ts'
import { newKey } from '../../access/keys/keys.ts'
import { mayUsePersonalKeys } from '../../access/plans.ts'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import { succeed } from '../../http/envelope.ts'
import { page, ref } from '../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../http/request-context.ts'
import { getPerson } from '../../stores/postgres/accounts/people.ts'
import * as keys from '../../stores/postgres/accounts/personal-keys.ts'
import type { ManageDeps } from './deps.ts'
import { keyInput, keyInputOf } from './key-input.ts'
import { operation } from './operation.ts'
import { closed, name } from './request-schemas.ts'
import { deleted, secretKey, withNewKey } from './response-schemas.ts'
import { PERSON } from './subject-paths.ts'

const personalKeyInput = Type.Object({ name, expiresAt: keyInput.properties.expiresAt }, closed)

export function personalKeyRoutes({ db, idempotency, changes, keyUse }: ManageDeps) {
  return new Elysia({ name: 'manage-personal-keys' })
    .post(
      `${PERSON}/api-keys`,
      async ({ request, body }) => {
        const personId = subjectOf(request)
        const input = keyInputOf(body)
        const { plan } = await getPerson(db, personId)
        if (!mayUsePersonalKeys(plan)) throw invalidField('body', 'plan', fieldText('planWithoutKeys'))
        const { key, digest } = newKey('personal')
        return idempotency.kept(
          request,
          (tx) => keys.addPersonalKey(tx, callerOf(request), personId, digest, input),
          (record) => succeed(request, { ...record, keyId: record.id, key }),
        )
      },
      operation({
        summary: 'Create a personal API key',
        description:
          'For a person with the plan pro or max, who may have 20 keys. The key acts for the person on the routes of tools, layers, files and Tool APIs. It is shown only in this response.',
        rights: { of: 'owner', for: THEMSELVES },
        body: bodySchema(personalKeyInput),
        result: withNewKey(secretKey, ref('StoredKey')),
      }),
    )
    .get(
      `${PERSON}/api-keys`,
      async ({ request }) => {
        await keyUse.flush('personal-key')
        return succeed(request, { items: await keys.listPersonalKeys(db, subjectOf(request)), nextCursor: null })
      },
      operation({
        summary: 'List personal API keys',
        description: 'Keys that are not revoked, with their last four characters. Keys themselves are not returned.',
        rights: { of: 'owner', for: THEMSELVES },
        result: page(ref('StoredKey')),
      }),
    )
    .delete(
      `${PERSON}/api-keys/:keyId`,
      async ({ request, params }) => {
        const personId = subjectOf(request)
        await keys.revokePersonalKey(db, callerOf(request), personId, params.keyId)
        await changes.publish({ kind: 'access', id: personId })
        return succeed(request, { id: params.keyId })
      },
      operation({
        summary: 'Revoke a personal API key',
        description: 'The key stops working at once.',
        rights: { of: 'owner', for: THEMSELVES },
        result: deleted,
      }),
    )
}
