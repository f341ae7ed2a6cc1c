/**
 * Sends firing alerts again to destinations that ask for it, until somebody acknowledges them, and those that a silence
 * held back when it has ended.
 */
import { type PeriodicWrites, startWrites } from '../stores/periodic-writes.ts'
import type { Database } from '../stores/postgres/client.ts'
import { enterprisesThatRepeat, repeatAlerts } from '../stores/postgres/destinations/alert-repeats.ts'
import { enterprisesWithHeldAlerts, releaseHeldAlerts } from '../stores/postgres/events/held-alerts.ts'

/** A pause is a minute or more. */
const LOOK_MS = 5_000

export const startRepeats = (db: Database, onError: (error: unknown) => void): PeriodicWrites =>
  startWrites(
    LOOK_MS,
    async () => {
      for (const id of await enterprisesWithHeldAlerts(db)) while (await releaseHeldAlerts(db, id));
      for (const id of await enterprisesThatRepeat(db)) while (await repeatAlerts(db, id));
    },
    onError,
  )
