/** The hourly check of the ledger. */
import type { Logger } from 'pino'
import { type LedgerChecks, startLedgerChecks } from '../monitoring/ledger-checks.ts'
import type { RunDeps } from '../runs/deps.ts'

export function openLedgerChecks({ db, files }: RunDeps, logger: Logger): LedgerChecks {
  return startLedgerChecks(
    { db, files },
    (found, durationMs) => {
      for (const disagreement of found) logger.error(disagreement, 'the ledger is not balanced')
      logger.info({ durationMs: Math.round(durationMs) }, 'the ledger was checked')
    },
    (error) => logger.warn({ err: error }, 'the ledger could not be checked; this will be retried'),
  )
}
