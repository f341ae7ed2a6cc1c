/**
 * Applies changes of an enterprise's retention to stored rows. Each row has its retention in `keep_days`, by which
 * ClickHouse deletes it; when the retention changes, a mutation updates the rows and deletes those that are too old.
 * Mutations are idempotent, so several instances may run them.
 */
import type { Changes } from '../changes.ts'
import type { ClickHouse } from './client.ts'

export type Retention = {
  /** Updates all rows whose retention has changed. */
  refresh(): Promise<void>
  stop(): Promise<void>
}

const TABLES = [
  'readings',
  'latest_positions',
  'latest_values',
  'rollup_minute',
  'rollup_hour',
  'rollup_day',
  'zone_events',
]
/** After a change, and again when rows logged under the old retention have certainly arrived. */
const SOON_MS = 500
const AGAIN_MS = 600_000
/** For rows that arrived even later, or after an interruption. */
const DAILY_MS = 86_400_000
const AFTER_START_MS = 60_000
const POLL_MS = 250

/** @param listRetentionDays how many days each enterprise keeps readings, by number */
export function startRetention(
  listRetentionDays: () => Promise<ReadonlyMap<number, number>>,
  clickhouse: ClickHouse,
  changes: Changes,
  onError: (error: unknown) => void,
): Retention {
  let running: Promise<void> | undefined
  let rerunRequested = false
  let stopped = false
  const timers = new Set<Timer>()

  async function untilMutated(table: string): Promise<void> {
    for (;;) {
      const [state] = await clickhouse.rows<{ running: number }>(
        `SELECT count() AS running FROM system.mutations WHERE database = currentDatabase() AND table = {table:String}
         AND NOT is_done AND command LIKE '%keep_days%'`,
        { table },
      )
      if (stopped || Number(state?.running) === 0) return
      await Bun.sleep(POLL_MS)
    }
  }

  async function bringInStep(table: string, daysOf: ReadonlyMap<number, number>): Promise<void> {
    const [made] = await clickhouse.rows<{ engine: string }>(
      'SELECT engine FROM system.tables WHERE database = currentDatabase() AND name = {table:String}',
      { table },
    )
    const isDistributed = made?.engine === 'Distributed'
    const local = isDistributed ? `${table}_local` : table
    await untilMutated(local)
    const found = await clickhouse.rows<{ enterprise: number; days: number }>(
      `SELECT DISTINCT enterprise, keep_days AS days FROM ${table}`,
    )
    const others = found.filter(({ enterprise, days }) => (daysOf.get(enterprise) ?? days) !== days)
    if (others.length === 0 || stopped) return
    const enterprises = [...new Set(others.map(({ enterprise }) => enterprise))]
    const days = enterprises.map((enterprise) => daysOf.get(enterprise))
    const right = `transform(enterprise, CAST([${enterprises}], 'Array(UInt32)'), CAST([${days}], 'Array(UInt16)'), keep_days)`
    await clickhouse.work(
      `ALTER TABLE ${local} ${isDistributed ? "ON CLUSTER '{cluster}'" : ''} UPDATE keep_days = ${right}
       WHERE enterprise IN (${enterprises}) AND keep_days != ${right}`,
      {},
      // not awaited here: it may take longer than the client's timeout
      { mutations_sync: 0 },
    )
    await untilMutated(local)
  }

  async function run(): Promise<void> {
    do {
      rerunRequested = false
      const daysOf = await listRetentionDays()
      for (const table of TABLES) if (!stopped) await bringInStep(table, daysOf)
    } while (rerunRequested && !stopped)
  }

  function refresh(): Promise<void> {
    if (running !== undefined) {
      rerunRequested = true
      return running
    }
    running = run().finally(() => {
      running = undefined
    })
    return running
  }

  function later(ms: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      refresh().catch(onError)
    }, ms)
    timer.unref()
    timers.add(timer)
  }

  changes.subscribe(({ kind }) => {
    if (stopped || (kind !== 'enterprise' && kind !== 'tiers')) return
    // one run is enough for several changes in a row
    for (const timer of timers) clearTimeout(timer)
    timers.clear()
    later(SOON_MS)
    later(AGAIN_MS)
  })
  later(AFTER_START_MS)
  const daily = setInterval(() => void refresh().catch(onError), DAILY_MS)
  daily.unref()
  return {
    refresh,
    async stop() {
      stopped = true
      clearInterval(daily)
      for (const timer of timers) clearTimeout(timer)
      await running?.catch(() => undefined)
    },
  }
}
