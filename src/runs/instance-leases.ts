/**
 * Renews this instance's lease, and releases the holdings of instances with an expired lease: reserved credits of their
 * runs, their idempotency keys, and objects without a record. Jobs have leases of their own, and complete uploads are
 * taken over by the instance that looks for them (uploads.ts). An instance that was only late cannot finish released
 * work: its runs no longer have the state running, and its keys and the announcements of its objects are deleted.
 */
import { isStoreLost } from '../store-errors.ts'
import type { Database } from '../stores/postgres/client.ts'
import { giveUpWritesOf } from '../stores/postgres/files/file-writes.ts'
import { releaseKeys } from '../stores/postgres/runs/idempotency.ts'
import { endLease, lostInstances, renewLease } from '../stores/postgres/runs/instance-leases.ts'
import { endInterruptedRuns } from '../stores/postgres/runs/runs.ts'

export type InstanceLeases = {
  /** Does mandatory work, such as a refund. While the database is unreachable, it waits for the next renewal. */
  settle(work: () => Promise<void>): Promise<void>
  /** Defers the work to the next renewal: a statement whose connection was lost may still be running. */
  settleLater(work: () => Promise<void>): void
  stop(): Promise<void>
}

const RENEW_MS = 10_000
/** After a database outage, other instances get this many renewal intervals to renew their leases. */
const RENEWALS_FIRST = 3

/** @param onLost receives the released holdings */
export async function startInstanceLeases(
  db: Database,
  instanceId: string,
  onLost: (lost: { instance: string; runs: number }) => void,
  onError: (error: unknown) => void,
  renewMs = RENEW_MS,
): Promise<InstanceLeases> {
  let renewals = 0
  const unsettled = new Set<() => Promise<void>>()

  async function settle(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!isStoreLost(error)) throw error
      unsettled.add(work)
    }
  }

  async function renew(): Promise<void> {
    await renewLease(db, instanceId)
    for (const work of [...unsettled]) {
      unsettled.delete(work)
      await settle(work)
    }
    if (++renewals < RENEWALS_FIRST) return
    for (const instance of await lostInstances(db)) {
      const runs = await endInterruptedRuns(db, instance)
      await releaseKeys(db, instance)
      await giveUpWritesOf(db, instance)
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
    settle,
    settleLater: (work) => void unsettled.add(work),
    async stop() {
      clearInterval(timer)
      await last
      await endLease(db, instanceId).catch(onError)
    },
  }
}
