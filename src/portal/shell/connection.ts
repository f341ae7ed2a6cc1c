/**
 * Whether the server answers. A page without requests would show old data as current, so the page asks by itself after
 * two seconds without an answer.
 */
import { signal } from '@preact/signals'
import { now } from './clock.ts'

/** The time of the last answer, in milliseconds since 1970, while the server does not answer. */
export const lostSince = signal<number | undefined>(undefined)

const QUIET_MS = 2_000
/** With the pause before it, a server that is gone shows within five seconds. */
const ANSWER_WITHIN_MS = 2_500

let answeredMs = Date.now()
let isAsking = false

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

now.subscribe((nowMs) => {
  if (nowMs - answeredMs >= QUIET_MS) void askServer()
})
