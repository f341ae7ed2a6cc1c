/**
 * Renews this instance's lease, and gives back what instances held that no longer renew theirs: reserved credits of their
 * runs and their idempotency keys. Jobs have leases of their own. An instance that was only late cannot finish what was
 * given back: its runs are no longer running, and its keys are gone.
 */
import type { Database } from '../stores/postgres/client.ts'
import { releaseKeys } from '../stores/postgres/idempotency.ts'
import { endLease, lostInstances, renewLease } from '../stores/postgres/instance-leases.ts'
import { endInterruptedRuns } from '../stores/postgres/runs.ts'

export type InstanceLeases = { stop(): Promise<void> }

const RENEW_MS = 10_000
/** After the database was away, the other instances get this many renewals' time to renew their leases too. */
const RENEWALS_FIRST = 3

/** @param onLost receives what was given back */
export async function startInstanceLeases(
  db: Database,
  instanceId: string,
  onLost: (lost: { instance: string; runs: number }) => void,
  onError: (error: unknown) => void,
  renewMs = RENEW_MS,
): Promise<InstanceLeases> {
  let renewals = 0

  async function renew(): Promise<void> {
    await renewLease(db, instanceId)
    if (++renewals < RENEWALS_FIRST) return
    for (const instance of await lostInstances(db)) {
      const runs = await endInterruptedRuns(db, instance)
      await releaseKeys(db, instance)
      await endLease(db, instance, true)
      onLost({ instance, runs })
    }
  }

  await renew()
  let last = Promise.resolve()
  const timer = setInterval(() => {
    last = last.then(renew).catch((error) => {
      renewals = 0
      onError(error)
    })
  }, renewMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await last
      await endLease(db, instanceId).catch(onError)
    },
  }
}
