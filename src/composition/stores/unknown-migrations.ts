/** A release that runs on the data of a newer one, after a rollback. */
import type { Logger } from 'pino'

/** @param names of migrations that only the newer release has; it did not mark them as breaking */
export function warnOfUnknown(product: string, names: readonly string[], logger: Logger): void {
  if (names.length === 0) return
  logger.warn(
    { migrations: names },
    `a newer release has changed the tables of ${product}; this release works with them, but what only the newer one stores stays unused until the next upgrade`,
  )
}
