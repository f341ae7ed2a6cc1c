/** Warnings about failures that are repeated: while a store is away, each loop of the server would log one every second. */
import type { Logger } from 'pino'
import { isStoreLost } from '../../store-errors.ts'

/** A store that is away is reported again after this time. */
const QUIET_MS = 60_000

export type Warn = (error: unknown, facts?: object) => void

/** Logs errors with a text. `repeats` is the number of errors of a lost store that were not logged since the last one. */
export function createWarn(logger: Pick<Logger, 'warn'>, text: string, nowMs = () => performance.now()): Warn {
  let quietUntilMs = Number.NEGATIVE_INFINITY
  let repeats = 0
  return (error, facts) => {
    const isLost = isStoreLost(error)
    if (isLost && nowMs() < quietUntilMs) {
      repeats++
      return
    }
    logger.warn({ err: error, ...facts, ...(repeats > 0 && { repeats }) }, text)
    repeats = 0
    if (isLost) quietUntilMs = nowMs() + QUIET_MS
  }
}
