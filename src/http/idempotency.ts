/**
 * `Idempotency-Key`: the first request with a key does the work, and each later one gets its answer. The key follows
 * the work, not the connection: the answer is stored in the transaction of the request's work, so that neither exists
 * without the other, and a request with a key runs to its end even if its caller disconnects. Until then others with
 * the key get 409.
 */
import { AppError, invalidField } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { JSON_TYPE, respond } from './envelope.ts'
import { callerOf, requestContextOf } from './request-context.ts'

const MAX_KEY_LENGTH = 255
const REPLAYED_HEADERS = ['x-output-filename', 'x-crs', 'location', 'etag', 'upload-offset', 'upload-expires']
const REPLAYED = 'idempotency-replayed'

/** @throws AppError VALIDATION_FAILED */
export function idempotencyKeyOf({ headers }: Request): string | undefined {
  const key = headers.get('idempotency-key')
  if (key === null) return undefined
  if (key.length === 0 || key.length > MAX_KEY_LENGTH)
    throw invalidField(
      'Idempotency-Key',
      'maxLength',
      fieldText('charactersBetween', { least: 1, most: MAX_KEY_LENGTH }),
    )
  return key
}

export type KeptAnswer = { status: number; headers: Record<string, string>; body: Uint8Array<ArrayBuffer> }

/** A request with a key. The same key of another caller or route is a different key. */
export type KeyedCall<Space> = {
  space: Space
  route: string
  /** The content of the request, or its digest. The body is complete by then. */
  content: string
}

/** A key that a request holds. */
export type HeldKey<Db> = {
  /** Stores the answer. @returns false if another request may hold the key by now */
  keep(tx: Db, answer: KeptAnswer): Promise<boolean>
  /** Lets the request be made again, unless its answer is stored. Never fails: it is repeated until it succeeds. */
  release(): Promise<void>
}

/** Where keys and answers are kept (access/kept-answers.ts). */
export type KeptAnswers<Db, Space> = {
  db: Db
  /** Whether a permanent failure is stored as the outcome too. */
  keepsFailures: boolean
  /** @throws AppError IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED */
  claim(call: KeyedCall<Space> & { key: string; caller: string }): Promise<{ held: HeldKey<Db> } | { kept: KeptAnswer }>
}

export type Idempotency<Db, Space> = {
  /**
   * Claims the key of a request, if it has one, once the body has arrived whole.
   * @param call called only if the request has a key
   * @returns the answer to the first request, if there is one
   * @throws AppError IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED, VALIDATION_FAILED
   */
  begin(request: Request, call: () => KeyedCall<Space> | Promise<KeyedCall<Space>>): Promise<Response | undefined>
  /** Whether a request holds a key, so that its work does not depend on its caller. */
  isHeld(request: Request): boolean
  /**
   * Stores the answer to a request that holds a key, in the transaction of its work. It may be stored again.
   * @throws AppError TOOL_FAILED if another request holds the key by now, because this server was taken for lost
   */
  keep(request: Request, tx: Db, answer: Response): Promise<void>
  /**
   * Does the work of a request in a transaction, which also stores the answer if the request holds a key.
   * @param make must use only the connection that it gets: a second one could deadlock when all connections are taken
   * @param after work after the commit, such as mails and change notifications
   */
  kept<T>(
    request: Request,
    make: (tx: Db) => Promise<T>,
    answer: (made: T) => Response,
    after?: (made: T) => Promise<void>,
  ): Promise<Response>
  /** `onAfterHandle`. @throws Error for a handler that succeeds without storing the answer */
  requireKept(context: { request: Request; response: unknown }): void
}

type Claim<Db> = { held: HeldKey<Db>; isKept: boolean }
type Transactional<Db> = { transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> }

/** Failures without a final result may be repeated with the same key. */
const isFinal = (status: number): boolean => status < 500 && ![402, 408, 409, 429].includes(status)

async function answerToKeep(answer: Response): Promise<KeptAnswer> {
  const headers = REPLAYED_HEADERS.flatMap((name) => {
    const value = answer.headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  const body = new Uint8Array(await answer.clone().arrayBuffer())
  return { status: answer.status, headers: Object.fromEntries(headers), body }
}

function replay(request: Request, { status, headers, body }: KeptAnswer): Response {
  const response = respond(request, body, JSON_TYPE, status)
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return markReplayed(response)
}

export function markReplayed(response: Response): Response {
  response.headers.set(REPLAYED, 'true')
  return response
}

export const isReplayed = ({ headers }: Response): boolean => headers.has(REPLAYED)

export function createIdempotency<Db extends Transactional<Db>, Space>(
  answers: KeptAnswers<Db, Space>,
): Idempotency<Db, Space> {
  const { db, keepsFailures } = answers
  const requests = new WeakMap<Request, Claim<Db>>()

  async function endFailed({ held, isKept }: Claim<Db>, failure: Response): Promise<void> {
    const isOutcome = keepsFailures && !isKept && isFinal(failure.status)
    // a failure of the store does not replace the first failure
    if (isOutcome && (await held.keep(db, await answerToKeep(failure)).catch(() => false))) return
    // if the answer was stored and only the connection was lost afterwards, the answer stays
    await held.release()
  }

  async function keep(request: Request, tx: Db, answer: Response): Promise<void> {
    const state = requests.get(request)
    if (state === undefined) return
    if (!(await state.held.keep(tx, await answerToKeep(answer))))
      throw new AppError('TOOL_FAILED', { message: fieldText('callTooLong') })
    state.isKept = true
  }

  return {
    async begin(request, callOf) {
      const key = idempotencyKeyOf(request)
      if (key === undefined) return undefined
      const claim = await answers.claim({ ...(await callOf()), key, caller: callerOf(request) })
      if ('kept' in claim) return replay(request, claim.kept)
      const claimed = { held: claim.held, isKept: false }
      requests.set(request, claimed)
      requestContextOf(request).endFailed = (failure) => endFailed(claimed, failure)
      return undefined
    },
    isHeld: (request) => requests.has(request),
    keep,
    async kept(request, make, answer, after) {
      const work = async (tx: Db) => {
        const made = await make(tx)
        const response = answer(made)
        await keep(request, tx, response)
        return { made, response }
      }
      const { made, response } = await db.transaction(work)
      await after?.(made)
      return response
    },
    requireKept({ request, response }) {
      const state = requests.get(request)
      if (state === undefined || state.isKept || !(response instanceof Response) || !response.ok) return
      const { method, path } = requestContextOf(request)
      throw new Error(`${method} ${path} did not keep its answer for the Idempotency-Key`)
    },
  }
}
