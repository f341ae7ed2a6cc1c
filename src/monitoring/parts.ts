/** The parts of a server process that its monitor checks, and their states. */
import type { PartStateName } from '../stores/postgres/operator/health-history.ts'

/** Throws when the part does not work. A returned sentence means that the part is degraded. */
export type PartCheck = () => Promise<string | undefined>
export type PartChecks = Readonly<Record<string, PartCheck>>

export type PartReport = {
  part: string
  state: PartStateName
  since: string
  /** Why the part is not `ok`, in words. */
  detail: string | null
  /** The newest failure, also after the part recovered. */
  lastError: { at: string; text: string } | null
  /** Duration of the newest check. */
  durationMs: number
}

export type CheckResult = { state: 'ok' | 'degraded' | 'failing'; detail: string | null; durationMs: number }

const TIMEOUT_MS = 3_000
const LONGEST_TEXT = 300

/** The message of the innermost cause; the outer errors only name the failed operations. */
export function wordsOf(error: unknown): string {
  let cause = error
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause
  const text = (cause instanceof Error ? cause.message || cause.name : String(cause)).split('\n')[0]?.trim() ?? ''
  return text.slice(0, LONGEST_TEXT) || 'It failed without a reason.'
}

export async function runCheck(check: PartCheck): Promise<CheckResult> {
  const startedMs = performance.now()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS)
  const took = (): number => Math.round((performance.now() - startedMs) * 10) / 10
  try {
    const detail = (await Promise.race([check(), late.promise])) ?? null
    return { state: detail === null ? 'ok' : 'degraded', detail, durationMs: took() }
  } catch (error) {
    return { state: 'failing', detail: wordsOf(error), durationMs: took() }
  } finally {
    clearTimeout(timer)
  }
}
