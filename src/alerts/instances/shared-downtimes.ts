/** Times without an instance that judges, which no silence counts. Their heartbeat is the renewal of the lease. */
import { type JudgeLease, writeDowntimes } from '../../stores/postgres/alerts/judge-lease.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { type Downtimes, withDowntime } from '../downtimes.ts'

export type SharedDowntimes = Downtimes & {
  /** The heartbeat to write now; null while there are no rules. */
  aliveMs(): number | null
}

export function createSharedDowntimes(db: Database, lease: JudgeLease): SharedDowntimes {
  const { term } = lease
  let { downtimes, aliveMs: lastAliveMs } = lease
  let isAlive = false
  return {
    hadHeartbeat: lastAliveMs !== null,
    list: () => downtimes,
    aliveMs: () => (isAlive ? Date.now() : lastAliveMs),
    async begin(nowMs) {
      if (isAlive) return
      const known = lastAliveMs === null ? downtimes : withDowntime(downtimes, lastAliveMs, nowMs)
      await writeDowntimes(db, { term, aliveMs: nowMs, downtimes: known })
      downtimes = known
      isAlive = true
    },
    // the end of the lease writes the last heartbeat
    stop: async () => undefined,
    async clear() {
      await writeDowntimes(db, { term, aliveMs: null, downtimes: [] })
      downtimes = []
      lastAliveMs = null
      isAlive = false
    },
  }
}
