/**
 * Keeps the figures of the operator's list of enterprises current. The work grows with the enterprises that were active
 * since the last round: readings of the day come from the counters of ingestion, and the stored bytes of an enterprise
 * are summed after it ran a tool, because runs store files. Files also expire, so the other enterprises are refreshed
 * in turn.
 */
import type { Engine } from '../engine/engine.ts'
import type { Database } from '../stores/postgres/client.ts'
import { refreshOldest, refreshStored, storeReadingsToday } from '../stores/postgres/operator/enterprise-figures.ts'

export type EnterpriseFigures = {
  /** An engine whose runs are noted. */
  watch(engine: Engine): Engine
  /**
   * Writes figures that changed since the last call.
   * @param readToday readings accepted today, by the number of the enterprise
   */
  write(readToday?: (nowMs: number) => ReadonlyMap<number, number>): Promise<void>
}

/** Maximum number of sums in one round, so that the sums of large enterprises are spread out. */
const MAX_ACTIVE_PER_ROUND = 20
const MAX_OLD_PER_ROUND = 5
const OLD_MS = 3_600_000
/** Enterprises whose readings are written in one statement. */
const BATCH = 1_000

export function createEnterpriseFigures(db: Database, instanceId: string): EnterpriseFigures {
  const active = new Set<string>()
  let written = new Map<number, number>()
  let writtenDay = ''

  async function writeReadings(readToday: (nowMs: number) => ReadonlyMap<number, number>): Promise<void> {
    const nowMs = Date.now()
    const day = new Date(nowMs).toISOString().slice(0, 10)
    if (day !== writtenDay) written = new Map()
    writtenDay = day
    const changed = [...readToday(nowMs)].filter(([number, count]) => written.get(number) !== count)
    for (let at = 0; at < changed.length; at += BATCH) {
      const batch = changed.slice(at, at + BATCH)
      await storeReadingsToday(db, instanceId, day, new Map(batch))
      for (const [number, count] of batch) written.set(number, count)
    }
  }

  return {
    watch: (engine) => ({
      ...engine,
      async run(tool, input, options) {
        try {
          return await engine.run(tool, input, options)
        } finally {
          // people and parts of the server are tenants too
          if (options.tenant.startsWith('ent_')) active.add(options.tenant)
        }
      },
    }),
    async write(readToday) {
      if (readToday !== undefined) await writeReadings(readToday)
      const ids = [...active].slice(0, MAX_ACTIVE_PER_ROUND)
      await refreshStored(db, ids)
      for (const id of ids) active.delete(id)
      await refreshOldest(db, new Date(Date.now() - OLD_MS), MAX_OLD_PER_ROUND)
    },
  }
}
