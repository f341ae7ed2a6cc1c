/** The operator, identified by the token in DATA_DIR/operator.token, or by a token of a person (operator-tokens.ts). */

import { link, readFile, unlink, writeFile } from 'node:fs/promises'
import { invalidField } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { Maker } from '../stores/postgres/accounts/one-time-links.ts'
import type { KeyFailures, Peer } from './keys/key-failures.ts'
import { bearerToken, makeKey, sameDigest, sha256 } from './keys/keys.ts'
import type { OperatorTokens } from './keys/operator-tokens.ts'

/** Reads the token, or creates it on the first start. Only the server's account can read the file (mode 0600). */
export async function openOperatorToken(file: string): Promise<string> {
  // written to a temporary name first, because instances that start together all read it
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${makeKey('operator')}\n`, { mode: 0o600 })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(draft)
  }
  return (await readFile(file, 'utf8')).trim()
}

/** @property expiresMs when the token expires; the token in the file never does */
export type OperatorCaller = Maker & { expiresMs: number }
export type OperatorGate = (peer: Peer) => Promise<OperatorCaller>

const NAME = /^[\w.@+-]{1,100}$/

/**
 * Several operators share the token, so each may name the acting person: `X-Operator: amal` is `operator amal` in the
 * audit log.
 * @throws AppError VALIDATION_FAILED
 */
function nameOf(headers: Headers): string {
  const name = headers.get('x-operator')
  if (name === null) return 'operator'
  if (!NAME.test(name)) throw invalidField('X-Operator', 'pattern', fieldText('operatorName'))
  return `operator ${name}`
}

/** @returns a function that throws OPERATOR_TOKEN_INVALID for a call without a valid token, KEY_FAILURES_LIMITED */
export function createOperatorGate(
  token: string,
  failures: KeyFailures,
  tokens: Pick<OperatorTokens, 'find'>,
): OperatorGate {
  const expected = sha256(token)
  return async (peer) => {
    const startedMs = performance.now()
    const sent = bearerToken(peer.headers) ?? ''
    if (sameDigest(sha256(sent), expected))
      return { actor: nameOf(peer.headers), role: 'server', expiresMs: Number.POSITIVE_INFINITY }
    const named = await tokens.find(sent, Date.now())
    if (named !== undefined) {
      const { id: tokenId, name, makerId, expiresAt } = named
      return {
        actor: `operator token ${name}`,
        role: 'operator',
        tokenId,
        accountId: makerId ?? undefined,
        expiresMs: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
      }
    }
    return failures.refuse('operator-token', peer, startedMs, 'OPERATOR_TOKEN_INVALID')
  }
}
