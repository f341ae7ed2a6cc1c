/**
 * Brings stored rows in step with the retention of their enterprises.
 *
 * A longer retention is written to the rows at once. A shorter one hides readings at once, but rows are deleted only
 * after a grace period, so that a mistake can be corrected. The setting is read again when the deletion begins, which
 * is recorded: then a longer setting waits until the deletion is done. After a kill at any moment, the next start or
 * another instance continues from that record.
 */

import { smallest } from '../../../lists.ts'
import type { Changes } from '../../changes.ts'
import type { RetentionState } from '../../postgres/sensors/retentions.ts'
import type { ClickHouse } from '../client.ts'
import { untilMutated } from './mutations.ts'
import {
  edgesOf,
  LENGTHENED,
  type Longer,
  lengthen,
  markEdges,
  markEdgesAgain,
  RETENTION_MARK,
  type RetentionTable,
  SHORTENED,
  shorten,
  storedRetentions,
} from './retention-statements.ts'

export type RetentionRecords = {
  list(): Promise<RetentionState[]>
  /** Begins to delete readings older than the setting, for enterprises whose grace period is over. */
  begin(enterprises: readonly number[]): Promise<void>
  /** Runs `work` while no deletion can end, with the days kept of enterprises whose readings are being deleted. */
  whileDeleting(work: (keptDays: ReadonlyMap<number, number>) => Promise<void>): Promise<void>
  /** Ends deletions and notifies every instance. */
  end(enterprises: readonly number[]): Promise<void>
}

export type RetentionKeeper = {
  /** Applies the retentions to all rows now, except rows of enterprises in their grace period. */
  refresh(): Promise<void>
  stop(): Promise<void>
}

/** Delays of the runs after a change: at once, and when rows logged under the old retention have certainly arrived. */
const SOON_MS = 500
const AGAIN_MS = 600_000
/** Interval of the regular runs, for rows that arrived even later, or after an interruption. */
const DAILY_MS = 86_400_000
const AFTER_START_MS = 60_000
const RETRY_MS = 60_000
type Moment = 'soon' | 'again' | 'grace' | 'daily'

const isShorter = ({ settingDays, keptDays }: RetentionState): boolean => settingDays < keptDays

export function startRetention(
  records: RetentionRecords,
  clickhouse: ClickHouse,
  changes: Changes,
  onError: (error: unknown) => void,
): RetentionKeeper {
  let running: Promise<void> | undefined
  let isStopped = false
  /** The days that each enterprise kept in the last run; without a change, the tables need not be queried. */
  let kept: ReadonlyMap<number, number> | undefined
  const timers = new Map<Moment, Timer>()

  const mutated = (table: RetentionTable): Promise<void> =>
    untilMutated(clickhouse, table.name, RETENTION_MARK, () => isStopped)

  async function keepLonger(states: ReadonlyMap<number, RetentionState>): Promise<void> {
    for (const table of LENGTHENED) {
      if (isStopped) return
      await mutated(table)
      const stored = await storedRetentions(clickhouse, table)
      const longer = new Map<number, Longer>()
      for (const { enterprise, days } of stored) {
        const state = states.get(enterprise)
        if (state !== undefined && days < state.keptDays)
          longer.set(enterprise, { keptDays: state.keptDays, sinceS: state.setAtS })
      }
      if (longer.size === 0) continue
      const edges = edgesOf(table.at === 'bucket' ? stored : [], longer)
      await markEdges(clickhouse, edges)
      await lengthen(clickhouse, table, longer)
      await mutated(table)
      await markEdgesAgain(clickhouse, edges)
    }
  }

  /** Enterprises with rows that are kept longer than they should be, and whose grace period is over. */
  async function dueToDelete(states: ReadonlyMap<number, RetentionState>): Promise<Set<number>> {
    const over = new Map([...states].filter(([, { graceMs, isDeleting }]) => graceMs <= 0 && !isDeleting))
    const due = new Set([...over.values()].filter(isShorter).map(({ enterprise }) => enterprise))
    for (const table of SHORTENED)
      for (const { enterprise, days } of await storedRetentions(clickhouse, table))
        if (days > (over.get(enterprise)?.settingDays ?? days)) due.add(enterprise)
    return due
  }

  /** Deletes old rows, and resumes interrupted deletions. @returns whether there were any */
  async function keepShorter(states: ReadonlyMap<number, RetentionState>): Promise<boolean> {
    await records.begin([...(await dueToDelete(states))])
    let deleting: Set<number> | undefined
    for (const table of SHORTENED) {
      await mutated(table)
      if (isStopped) return false
      await records.whileDeleting(async (keptDays) => {
        if (keptDays.size > 0) await shorten(clickhouse, table, keptDays)
        // this instance has not seen every table of deletions that another instance begins meanwhile
        const found = new Set(keptDays.keys())
        deleting = deleting?.intersection(found) ?? found
      })
      if (deleting?.size === 0) return false
      await mutated(table)
    }
    if (isStopped || deleting === undefined) return false
    await records.end([...deleting])
    return true
  }

  async function run(isComplete: boolean): Promise<void> {
    const list = await records.list()
    const states = new Map(list.map((state) => [state.enterprise, state]))
    const isLonger =
      kept !== undefined &&
      list.some(({ enterprise, keptDays, hasGrown }) => hasGrown && kept?.get(enterprise) !== keptDays)
    if (isComplete || isLonger) await keepLonger(states)
    const shorter = list.filter((state) => isShorter(state) || state.isDeleting)
    const isDue = shorter.some(({ graceMs, isDeleting }) => graceMs <= 0 || isDeleting)
    const hasDeleted = (isComplete || isDue) && (await keepShorter(states))
    if (isStopped) return
    kept = new Map(list.map(({ enterprise, keptDays }) => [enterprise, keptDays]))
    // a longer setting may have waited
    if (hasDeleted) later('soon', SOON_MS)
    if (isLonger || hasDeleted) later('again', AGAIN_MS)
    const graces = shorter.map(({ graceMs }) => graceMs).filter((ms) => ms > 0)
    if (graces.length > 0) later('grace', smallest(graces) + SOON_MS)
  }

  async function refresh(isComplete: boolean): Promise<void> {
    while (running !== undefined) await running.catch(() => undefined)
    if (isStopped) return
    running = run(isComplete).finally(() => {
      running = undefined
    })
    await running
  }

  function later(moment: Moment, ms: number): void {
    if (isStopped) return
    clearTimeout(timers.get(moment))
    const timer = setTimeout(
      () => {
        if (moment === 'daily') later('daily', DAILY_MS)
        refresh(moment === 'again' || moment === 'daily').catch((error: unknown) => {
          onError(error)
          later('again', RETRY_MS)
        })
      },
      Math.min(ms, DAILY_MS),
    )
    timer.unref()
    timers.set(moment, timer)
  }

  changes.subscribe(({ kind }) => {
    // one run is enough for several changes in a row
    if (kind === 'enterprise' || kind === 'tiers' || kind === 'missed') later('soon', SOON_MS)
  })
  later('soon', SOON_MS)
  later('daily', AFTER_START_MS)
  return {
    refresh: () => refresh(true),
    async stop() {
      isStopped = true
      for (const timer of timers.values()) clearTimeout(timer)
      await running?.catch(() => undefined)
    },
  }
}
