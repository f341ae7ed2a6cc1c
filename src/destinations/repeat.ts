/**
 * Sends firing alerts again to destinations that ask for it, until somebody acknowledges them, and those that a silence
 * held back when it has ended.
 */
import type { Database } from '../stores/postgres/client.ts'
import { enterprisesThatRepeat, repeatAlerts } from '../stores/postgres/destinations/alert-repeats.ts'
import { enterprisesWithHeldAlerts, releaseHeldAlerts } from '../stores/postgres/events/held-alerts.ts'

/** A pause is a minute or more. */
const LOOK_MS = 5_000

/** @returns ends it */
export function startRepeats(db: Database, onError: (error: unknown) => void): () => Promise<void> {
  let isStopped = false
  let looking: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  async function look(): Promise<void> {
    try {
      for (const id of await enterprisesWithHeldAlerts(db)) while (!isStopped && (await releaseHeldAlerts(db, id)));
      for (const id of await enterprisesThatRepeat(db)) while (!isStopped && (await repeatAlerts(db, id)));
    } catch (error) {
      onError(error)
    }
    if (!isStopped) timer = setTimeout(begin, LOOK_MS)
  }
  function begin(): void {
    looking = look()
  }

  begin()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    await looking
  }
}
