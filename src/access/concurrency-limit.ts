/** Limits the concurrent calls of each caller: further calls wait, and are rejected when too many wait. */

import { AppError } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'

export type ConcurrencyLimit = {
  /** @throws AppError RATE_LIMITED when too many calls with the key wait already */
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

type Line = { running: number; waiting: (() => void)[] }

const RETRY_AFTER_S = 1

export function createConcurrencyLimit({ running, waiting }: { running: number; waiting: number }): ConcurrencyLimit {
  const lines = new Map<string, Line>()

  function end(key: string, line: Line): void {
    const next = line.waiting.shift()
    // hands the slot to the next waiter
    if (next !== undefined) next()
    else if (--line.running === 0) lines.delete(key)
  }

  return {
    async run(key, work) {
      let line = lines.get(key)
      if (line === undefined) {
        line = { running: 0, waiting: [] }
        lines.set(key, line)
      }
      if (line.running < running) line.running++
      else if (line.waiting.length < waiting) await new Promise<void>((turn) => line.waiting.push(turn))
      else
        throw new AppError('RATE_LIMITED', {
          message: fieldText('callsWaiting', { running, waiting }),
          retryAfterS: RETRY_AFTER_S,
        })
      try {
        return await work()
      } finally {
        end(key, line)
      }
    },
  }
}
