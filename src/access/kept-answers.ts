/** Claims idempotency keys, and keeps the answers that repeated requests get (http/idempotency.ts). */
import { AppError } from '../errors.ts'
import { recordSecretShown } from '../stores/postgres/accounts/audit.ts'
import type { Database } from '../stores/postgres/client.ts'
import {
  claimKey,
  type KeyClaim,
  type KeySpace,
  releaseKey,
  type StoredResponse,
  storeResponse,
} from '../stores/postgres/runs/idempotency.ts'
import { WELCOME } from './mail/one-time-links.ts'
import { type Seal, sealFor } from './sealed-answers.ts'

export type KeptAnswersOptions = {
  db: Database
  instanceId: string
  /** Whether a permanent failure is stored as the outcome too. */
  keepsFailures: boolean
  /**
   * The server's secret, which encrypts short answers that contain keys which are shown once. Long answers stay plain.
   */
  secret?: string
  onError(error: unknown): void
}

const RELEASE_AGAIN_MS = 1_000

type Issued = {
  /** The id of a key that was added to an existing record. */
  keyId?: string
  /** The id of a token or a link, or of a record that was created with its first key. */
  id?: string
  key?: unknown
  secretKey?: unknown
  token?: unknown
  secret?: unknown
  path?: unknown
  /** Of records that were created by one call, each with its first key; of a record, its keys without their secrets. */
  keys?: { id: string; key?: unknown }[]
}

/**
 * The ids, as in the audit log, of the records whose secrets an answer contains: a key, a record created with its first
 * key, a token or a link, or several records with their first keys.
 */
function secretsIn(answer: Uint8Array): string[] {
  const { data } = JSON.parse(new TextDecoder().decode(answer)) as { data?: Issued | null }
  if (data === undefined || data === null) return []
  const isLink = typeof data.path === 'string' && data.path.startsWith(WELCOME)
  const isSecret = isLink || [data.key, data.secretKey, data.token, data.secret].some((secret) => secret !== undefined)
  const one = isSecret ? (data.keyId ?? data.id) : undefined
  if (one !== undefined) return [one]
  return (data.keys ?? []).filter(({ key }) => key !== undefined).map(({ id }) => id)
}

export function createKeptAnswers({ db, instanceId, keepsFailures, secret, onError }: KeptAnswersOptions) {
  const unreleased = new Map<string, KeyClaim>()

  async function release(claim: KeyClaim): Promise<void> {
    try {
      await releaseKey(db, claim)
    } catch (error) {
      // the request has ended, so its key must not look claimed
      if (unreleased.size === 0) {
        onError(error)
        setTimeout(() => void releaseAgain(), RELEASE_AGAIN_MS).unref()
      }
      unreleased.set(claim.claimId, claim)
    }
  }

  async function releaseAgain(): Promise<void> {
    const claims = [...unreleased.values()]
    unreleased.clear()
    for (const claim of claims) await release(claim)
  }

  async function openSealed({ open }: Seal, caller: string, answer: StoredResponse): Promise<StoredResponse> {
    const body = open(answer.body)
    for (const id of secretsIn(body)) await recordSecretShown(db, caller, id)
    return { ...answer, body }
  }

  return {
    db,
    keepsFailures,
    /** @throws AppError IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED */
    async claim(call: { space: KeySpace; route: string; content: string; key: string; caller: string }) {
      const { space, route, content, key, caller } = call
      const seal = secret === undefined ? undefined : sealFor(key, `${space} ${route}`, secret)
      const claim = { keyPairId: space, route, key: seal?.name ?? key, instanceId, claimId: Bun.randomUUIDv7() }
      const claimed = await claimKey(db, claim, seal?.digest(content) ?? content).catch(async (error: unknown) => {
        // the key may have been claimed before the connection was lost
        await release(claim)
        throw error
      })
      if (claimed.state === 'otherRequest') throw new AppError('IDEMPOTENCY_KEY_REUSED')
      if (claimed.state === 'underWay') throw new AppError('IDEMPOTENCY_KEY_IN_USE', { retryAfterS: 1 })
      if (claimed.state === 'answered')
        return { kept: seal === undefined ? claimed.answer : await openSealed(seal, caller, claimed.answer) }
      return {
        held: {
          keep: (tx: Database, answer: StoredResponse) =>
            storeResponse(tx, claim, seal === undefined ? answer : { ...answer, body: seal.close(answer.body) }),
          release: () => release(claim),
        },
      }
    },
  }
}
