/**
 * Answers that outlast the check of their caller: event streams, exports, long results and large downloads. Each ends
 * with its session or key: the check is repeated when something changes that the caller's rights depend on, and when
 * the session or key expires.
 */

import { AppError, CODES } from '../errors.ts'
import { nextPass } from '../event-loop-yield.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { type Holding, type RequestContext, requestContextOf } from './request-context.ts'

type LongAnswer = { ids: readonly string[]; check(): Promise<void> }

const open = new Set<LongAnswer>()
let lastChangeMs = 0
/** Pause after a check that could not be made. */
const RETRY_MS = 1_000
const TOO_MANY_CALLS = 429
const MAX_TIMER_MS = 2 ** 31 - 1

/** @param ids of the changed records; undefined for a change that may concern everybody */
export function checkLongAnswers(ids: readonly string[]): void {
  lastChangeMs = performance.now()
  for (const answer of open) if (ids.length === 0 || answer.ids.some((id) => ids.includes(id))) void answer.check()
}

/** A longer answer is sent in pieces of this size, and counts as waiting until its reader has taken it. */
const PIECE_BYTES = 256 * 1024
/** Limit of one owner's unread answers in memory. */
const MAX_WAITING_BYTES = 128 * 2 ** 20
const waitingBytes = new Map<string, number>()

/**
 * A response body in memory, sent as fast as its client reads it. The amount held for one owner is limited.
 * @throws AppError RATE_LIMITED
 */
export function bodyOf(
  request: Request,
  content: string | Uint8Array,
): string | Uint8Array | ReadableStream<Uint8Array> {
  const { holding } = requestContextOf(request)
  if (content.length <= PIECE_BYTES || holding === undefined) return content
  const owner = holding.ids.at(-1) ?? ''
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const waiting = waitingBytes.get(owner) ?? 0
  if (waiting > 0 && waiting + bytes.length > MAX_WAITING_BYTES)
    throw new AppError('RATE_LIMITED', {
      message: fieldText('answersWaiting', { size: Math.round(waiting / 2 ** 20) }),
      retryAfterS: 1,
    })
  let at = 0
  function count(change: number): void {
    const rest = (waitingBytes.get(owner) ?? 0) + change
    if (rest > 0) waitingBytes.set(owner, rest)
    else waitingBytes.delete(owner)
  }
  const pieces = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (at === 0) count(bytes.length)
        controller.enqueue(bytes.subarray(at, at + PIECE_BYTES))
        at += PIECE_BYTES
        if (at < bytes.length) return
        controller.close()
        count(-bytes.length)
      },
      cancel() {
        if (at > 0) count(-bytes.length)
      },
    },
    { highWaterMark: 0 },
  )
  return whileAllowed(request, pieces)
}

/**
 * The body, ended when its caller loses the right to it.
 * @param end `break`, so that nobody takes a truncated file for a complete one; `close` for events, which have no end
 */
export function whileAllowed(
  request: Request,
  body: ReadableStream<Uint8Array>,
  end: 'break' | 'close' = 'break',
): ReadableStream<Uint8Array> {
  const requestContext = requestContextOf(request)
  const { holding, checkAgain } = requestContext
  return holding === undefined || checkAgain === undefined
    ? body
    : guarded(body, requestContext, { holding, checkAgain }, end)
}

/** A rate-limited caller, or one whose rights cannot be looked up at the moment, may still have the rights. */
const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && CODES[error.code].status < 500 && CODES[error.code].status !== TOO_MANY_CALLS

function guarded(
  body: ReadableStream<Uint8Array>,
  { startedMs }: RequestContext,
  { holding, checkAgain }: { holding: Holding; checkAgain: () => Promise<Holding | undefined> },
  end: 'break' | 'close',
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let timer: Timer | undefined
  let state: 'unread' | 'quiet' | 'checking' | 'changed' | 'over' = 'unread'

  function checkAt(atMs: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void answer.check(), Math.min(Math.max(0, atMs - Date.now()), MAX_TIMER_MS))
  }

  function begin(own: ReadableStreamDefaultController<Uint8Array>): void {
    state = 'quiet'
    controller = own
    open.add(answer)
    checkAt(holding.expiresMs)
    // between the check of the caller and now
    if (lastChangeMs >= startedMs) void answer.check()
  }

  function leave(): void {
    state = 'over'
    open.delete(answer)
    clearTimeout(timer)
  }

  function stop(): void {
    leave()
    // the answer has ended already, so a source that cannot be closed does not matter to the caller
    reader.cancel().catch(() => undefined)
    if (end === 'close') controller?.close()
    else controller?.error(new Error('the caller may not have the rest of this answer'))
  }

  const isOver = (): boolean => state === 'over'

  const answer: LongAnswer = {
    ids: holding.ids,
    async check() {
      if (state !== 'quiet') {
        if (state === 'checking') state = 'changed'
        return
      }
      do {
        state = 'checking'
        // by then, caches have dropped the changed records
        await nextPass()
        const found = await checkAgain().catch((error: unknown) => (isRefusal(error) ? undefined : 'unknown'))
        if (isOver()) return
        if (found === undefined || (found !== 'unknown' && found.as !== holding.as)) return stop()
        if (found !== 'unknown') answer.ids = found.ids
        checkAt(found === 'unknown' ? Date.now() + RETRY_MS : found.expiresMs)
      } while ((state as string) === 'changed')
      state = 'quiet'
    },
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(own) {
        if (state === 'unread') begin(own)
        try {
          const { done, value } = await reader.read()
          if (isOver()) return
          if (!done) return own.enqueue(value)
          leave()
          own.close()
        } catch (error) {
          leave()
          throw error
        }
      },
      cancel(reason) {
        leave()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
