/**
 * Answers that go on after their caller was checked: event streams, exports, long results and large downloads. Each ends
 * with the session or the key that it was begun with: when something changes that the caller's rights depend on, and when
 * the session or key expires, the same check is made again.
 */
import { AppError, CODES } from '../errors.ts'
import { nextPass } from '../turns.ts'
import { type Holding, type RequestContext, requestContextOf } from './request-context.ts'

type LongAnswer = { ids: readonly string[]; check(): Promise<void> }

const open = new Set<LongAnswer>()
let lastChangeMs = 0
/** After a check that failed because a store is away. */
const RETRY_MS = 1_000
const MAX_TIMER_MS = 2 ** 31 - 1

/** @param ids what changed; nothing for a change that may concern everybody */
export function checkLongAnswers(ids: readonly string[]): void {
  lastChangeMs = performance.now()
  for (const answer of open) if (ids.length === 0 || answer.ids.some((id) => ids.includes(id))) void answer.check()
}

/**
 * The body, as long as its caller may have it.
 * @param end `break`, so that nobody takes a part of a file for the whole; `close` for events, which have no end
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

function guarded(
  body: ReadableStream<Uint8Array>,
  { startedMs }: RequestContext,
  { holding, checkAgain }: { holding: Holding; checkAgain: () => Promise<Holding | undefined> },
  end: 'break' | 'close',
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let timer: Timer | undefined
  let state: 'quiet' | 'checking' | 'changed' | 'over' = 'quiet'

  function checkAt(atMs: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void answer.check(), Math.min(Math.max(0, atMs - Date.now()), MAX_TIMER_MS))
  }

  function leave(): void {
    state = 'over'
    open.delete(answer)
    clearTimeout(timer)
  }

  function stop(): void {
    leave()
    // what made the body has nobody to tell any more
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
        // caches have dropped what changed then
        await nextPass()
        const found = await checkAgain().catch((error: unknown) =>
          error instanceof AppError && CODES[error.code].status < 500 ? undefined : 'unknown',
        )
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
      start(own) {
        controller = own
        open.add(answer)
        checkAt(holding.expiresMs)
        // between the check of the caller and now
        if (lastChangeMs >= startedMs) void answer.check()
      },
      async pull(own) {
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
