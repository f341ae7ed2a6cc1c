/** Name and expiry of a new key of any kind. */

import { type Static, Type } from '@sinclair/typebox'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { parseTimestamp } from '../../ingest/timestamp.ts'
import type { KeyInput } from '../../stores/postgres/accounts/issued-keys.ts'
import { closed, name } from './request-schemas.ts'

export const keyInput = Type.Partial(
  Type.Object({
    name,
    expiresAt: Type.String({
      maxLength: 64,
      description: 'RFC 3339 time at which the key stops working; without it, never',
    }),
  }),
  closed,
)

/** @throws AppError VALIDATION_FAILED */
export function keyInputOf(body: Static<typeof keyInput> | null | undefined): KeyInput {
  const { name, expiresAt } = body ?? {}
  if (expiresAt === undefined) return { ...(name !== undefined && { name }) }
  const ms = parseTimestamp(expiresAt)
  if (!(ms > Date.now())) throw invalidField('body.expiresAt', 'future', fieldText('futureDateTime'))
  return { ...(name !== undefined && { name }), expiresAt: new Date(ms) }
}
