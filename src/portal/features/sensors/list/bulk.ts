/** One request for each of many sensors, several at a time; it can be stopped, and reports failures. */
import { type Signal, signal } from '@preact/signals'
import { ApiError } from '../../../api/client.ts'

export type Batch = {
  text: string
  total: number
  done: Signal<number>
  stop(): void
}
export type Failed = { id: string; error: ApiError }
export type BatchResult = { changed: string[]; failed: Failed[]; isStopped: boolean }
/** @returns whether something changed */
export type Work = (id: string, signal: AbortSignal, index: number) => Promise<boolean>

/** The current work, shown above the table. */
export const batch = signal<Batch | undefined>(undefined)

/** The number of concurrent requests that does not delay other users. */
const AT_ONCE = 6
const MAX_RETRIES = 5

export async function runBatch(text: string, ids: readonly string[], work: Work): Promise<BatchResult> {
  const abort = new AbortController()
  const done = signal(0)
  const result: BatchResult = { changed: [], failed: [], isStopped: false }
  const own = { text, total: ids.length, done, stop: () => abort.abort() }
  batch.value = own
  let next = 0
  async function worker(): Promise<void> {
    while (next < ids.length && !abort.signal.aborted) {
      const index = next++
      const id = ids[index] as string
      try {
        if (await patiently(() => work(id, abort.signal, index), abort.signal)) result.changed.push(id)
      } catch (error) {
        if (abort.signal.aborted) break
        const failure = error instanceof ApiError ? error : new ApiError(0, 'UNEXPECTED', String(error))
        result.failed.push({ id, error: failure })
        // a person without the right for one sensor lacks it for the others
        if (failure.status === 401 || failure.status === 403) abort.abort()
      }
      done.value++
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, ids.length) }, worker))
  } finally {
    if (batch.peek() === own) batch.value = undefined
  }
  result.isStopped = abort.signal.aborted
  return result
}

/** The first request may still be running after its connection was lost. */
const IN_USE = 'IDEMPOTENCY_KEY_IN_USE'
const isPassing = ({ status, code }: ApiError): boolean =>
  code === IN_USE || (code !== 'UNEXPECTED' && [0, 429, 503].includes(status))

/** Tries again after the time that a busy server asks for, and after a dropped connection. */
export async function patiently<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof ApiError) || !isPassing(error) || tries > MAX_RETRIES || signal.aborted) throw error
      await pause((error.retryAfterS ?? tries) * 1000, signal)
    }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
