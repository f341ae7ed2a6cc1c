/**
 * Whether the server answers. A page without requests would show old data as current, so the page asks by itself after
 * a pause without an answer. An open event stream ends with its server, so the pause is longer then.
 */
import { signal } from '@preact/signals'
import { now } from './clock.ts'

/** The time of the last answer, in milliseconds since 1970, while the server does not answer. */
export const lostSince = signal<number | undefined>(undefined)

const QUIET_MS = 2_000
const STREAMED_QUIET_MS = 5_000
/** With the pause before it, a server that is gone shows within five seconds. */
const ANSWER_WITHIN_MS = 2_500

let answeredMs = Date.now()
let isAsking = false
let quietMs = QUIET_MS

/** Called for each answer of the server. */
export function noteAnswer(): void {
  answeredMs = Date.now()
  lostSince.value = undefined
}

/** Called when a request got no answer, and after a pause without requests. */
export async function askServer(): Promise<void> {
  if (isAsking) return
  isAsking = true
  try {
    const { ok } = await fetch('/health/live', { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
    if (ok) noteAnswer()
    // a proxy answers in place of the server
    else lostSince.value ??= answeredMs
  } catch {
    lostSince.value ??= answeredMs
  } finally {
    isAsking = false
  }
}

/** @param isOpen whether the event stream is open; the server is asked at once when it ends */
export function noteStream(isOpen: boolean): void {
  if (!isOpen && quietMs === STREAMED_QUIET_MS) void askServer()
  quietMs = isOpen ? STREAMED_QUIET_MS : QUIET_MS
}

now.subscribe((nowMs) => {
  if (nowMs - answeredMs >= quietMs) void askServer()
})
