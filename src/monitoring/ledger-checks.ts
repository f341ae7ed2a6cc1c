/** Checks every hour that runs, credits, jobs and files agree (stores/ledger.ts), on one instance at a time. */
import type { FileStore } from '../stores/files/client.ts'
import { CLEAN_UP_MS, examineLedger } from '../stores/ledger.ts'
import type { Database } from '../stores/postgres/client.ts'
import { type Disagreement, endLedgerCheck, takeLedgerCheck } from '../stores/postgres/runs/ledger.ts'

export type LedgerChecks = { stop(): Promise<void> }

const EVERY_MS = 3_600_000
const LOOK_MS = 300_000
const TIMEOUT_MS = 60_000
/** Keys of the file store that one check lists; the next check continues after them. */
const MAX_KEYS_PER_CHECK = 20_000

/** @param onEnd receives the disagreements */
export function startLedgerChecks(
  { db, files }: { db: Database; files: FileStore },
  onEnd: (found: readonly Disagreement[], durationMs: number) => void,
  onError: (error: unknown) => void,
  lookMs = LOOK_MS,
): LedgerChecks {
  const stopping = new AbortController()
  let running: Promise<void> | undefined

  async function look(): Promise<void> {
    const check = await takeLedgerCheck(db, EVERY_MS)
    if (check === undefined) return
    const startedMs = performance.now()
    const { found, listedTo } = await examineLedger(db, files, {
      since: check.checkedTo,
      listAfter: check.listedTo,
      mostListed: MAX_KEYS_PER_CHECK,
      minAgeMs: CLEAN_UP_MS,
      timeoutMs: TIMEOUT_MS,
      signal: stopping.signal,
    })
    await endLedgerCheck(db, { begunAt: check.begunAt, listedTo }, found)
    onEnd(found, performance.now() - startedMs)
  }

  const timer = setInterval(() => {
    running ??= look()
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) onError(error)
      })
      .finally(() => {
        running = undefined
      })
  }, lookMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await running
    },
  }
}
