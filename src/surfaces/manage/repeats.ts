/** `Idempotency-Key` for everything that is created as a record: a repeated request gets the first answer. */
import { WELCOME } from '../../access/one-time-links.ts'
import { type Seal, sealFor } from '../../access/sealed-answers.ts'
import { AppError } from '../../errors.ts'
import { idempotencyKeyOf, replay } from '../../http/idempotency.ts'
import { callerOf, requestContextOf } from '../../http/request-context.ts'
import { recordSecretShown } from '../../stores/postgres/audit.ts'
import type { Database } from '../../stores/postgres/client.ts'
import {
  claimKey,
  type IdempotencyKey,
  type KeySpace,
  releaseKey,
  storeResponse,
} from '../../stores/postgres/idempotency.ts'

export type RepeatsDeps = {
  db: Database
  /** Encrypts stored answers. */
  secret: string
  instanceId: string
}

/** Hooks of an instance. */
export type Repeats = {
  /** `onBeforeHandle`. @throws AppError IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED, VALIDATION_FAILED */
  begin(context: { request: Request; body: unknown }): Promise<Response | undefined>
  /** `onAfterHandle` */
  end(context: { request: Request; response: unknown }): Promise<void>
}

const ETAG = 'etag'

type Issued = {
  /** Of a key that was added to what has keys. */
  keyId?: string
  /** Of a token, of a link, or of what was created with its first key. */
  id?: string
  key?: unknown
  secretKey?: unknown
  token?: unknown
  path?: unknown
}

/** The id of the record in the log whose secret an answer contains: a key, what has its first key, a token or a link. */
function secretIn(answer: Uint8Array): string | undefined {
  const { data } = JSON.parse(new TextDecoder().decode(answer)) as { data?: Issued | null }
  if (data === undefined || data === null) return undefined
  const isLink = typeof data.path === 'string' && data.path.startsWith(WELCOME)
  const isSecret = isLink || [data.key, data.secretKey, data.token].some((secret) => secret !== undefined)
  return isSecret ? (data.keyId ?? data.id) : undefined
}

export function createRepeats(
  { db, secret, instanceId }: RepeatsDeps,
  spaceOf: (request: Request) => Promise<KeySpace>,
): Repeats {
  const claimed = new WeakMap<Request, { key: IdempotencyKey; seal: Seal }>()

  /** Uploads are streamed, so only their length is compared. */
  const contentOf = (request: Request, body: unknown): string =>
    body === undefined ? (request.headers.get('content-length') ?? '') : JSON.stringify(body)

  return {
    async begin({ request, body }) {
      const sent = request.method === 'POST' ? idempotencyKeyOf(request) : undefined
      if (sent === undefined) return undefined
      const keyPairId = await spaceOf(request)
      const route = `POST ${requestContextOf(request).path}`
      const seal = sealFor(sent, `${keyPairId} ${route}`, secret)
      const key = { keyPairId, route, key: seal.name, instanceId }
      const claim = await claimKey(db, key, seal.digest(contentOf(request, body)))
      if (claim.state === 'otherRequest') throw new AppError('IDEMPOTENCY_KEY_REUSED')
      if (claim.state === 'underWay') throw new AppError('IDEMPOTENCY_KEY_IN_USE', { retryAfterS: 1 })
      if (claim.state === 'answered') {
        const answer = seal.open(claim.answer.body)
        const shown = secretIn(answer)
        if (shown !== undefined) await recordSecretShown(db, callerOf(request), shown)
        return replay(request, { ...claim.answer, body: answer })
      }
      claimed.set(request, { key, seal })
      // nothing is created by a request that fails, so it may be sent again
      requestContextOf(request).undo = () => releaseKey(db, key)
      return undefined
    },
    async end({ request, response }) {
      const own = claimed.get(request)
      if (own === undefined || !(response instanceof Response)) return
      const etag = response.headers.get(ETAG)
      const body = own.seal.close(new Uint8Array(await response.clone().arrayBuffer()))
      await storeResponse(db, own.key, { status: response.status, headers: etag === null ? {} : { etag }, body })
    },
  }
}
