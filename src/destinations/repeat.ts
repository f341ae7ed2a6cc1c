/** Sends firing alerts again to destinations that ask for it, until somebody acknowledges them. */
import type { Database } from '../stores/postgres/client.ts'
import { enterprisesThatRepeat, repeatAlerts } from '../stores/postgres/destinations/alert-repeats.ts'

/** A pause is a minute or more. */
const LOOK_MS = 5_000

/** @returns ends it */
export function startRepeats(db: Database, onError: (error: unknown) => void): () => Promise<void> {
  let isStopped = false
  let looking: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  async function look(): Promise<void> {
    try {
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
