/**
 * Counts each enterprise's accepted readings of today (UTC), by the time of receipt.
 *
 * The counts survive a kill: whenever a segment is sealed, the counts of all rows up to its end are written beside the
 * log; at start the rows of later segments are added to them.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../stores/durable-files.ts'
import type { Segment } from './segments.ts'
import { MS_PER_DAY } from './timestamp.ts'
import type { CommitNote } from './wal.ts'

type Snapshot = { day: number; throughSegment: string; counts: [enterprise: number, readings: number][] }

export type DayCounts = {
  used(enterprise: number, nowMs: number): number
  /** Reserves up to `requested` readings of the day's `limit`; returns the number granted. */
  reserve(enterprise: number, requested: number, limit: number, nowMs: number): number | Promise<number>
  release(enterprise: number, readings: number, nowMs: number): void
  /** Counts a row found in a segment at start, unless the snapshot includes it. */
  replay(segmentId: string, enterprise: number, receivedAtMs: number): void
  /** Writes the counts up to the end of a sealed segment. */
  writeSnapshot(segment: Segment, notes: readonly CommitNote[]): Promise<void>
}

export const utcDay = (ms: number): number => Math.floor(ms / MS_PER_DAY)

/** `day` is the number of days since 1970. */
export type ChangedCount = { enterprise: number; day: number; readings: number }

/** The counts of this process alone, which need no request to Redis. */
export type OwnDayCounts = Omit<DayCounts, 'reserve'> & {
  /** Counts of every enterprise with readings today. */
  today(nowMs: number): ReadonlyMap<number, number>
  /** Counts that changed since the last call, also for a day that has ended meanwhile. */
  takeChanged(nowMs: number): ChangedCount[]
  reserve(enterprise: number, requested: number, limit: number, nowMs: number): number
}

export async function openDayCounts(dir: string, nowMs: number): Promise<OwnDayCounts> {
  const path = join(dir, 'day-counts.json')
  const snapshot = await readSnapshot(path)
  let day = utcDay(nowMs)
  // reserved: compared with the limit; durable: rows in the log, written to the snapshots
  let reserved = new Map<number, number>(snapshot?.day === day ? snapshot.counts : [])
  let durable = new Map(reserved)
  const changed = new Set(reserved.keys())
  let ended: ChangedCount[] = []
  const changedCounts = (): ChangedCount[] =>
    Array.from(changed, (enterprise) => ({ enterprise, day, readings: reserved.get(enterprise) ?? 0 }))

  function turnTo(ms: number): void {
    const today = utcDay(ms)
    if (today <= day) return
    ended = [...ended, ...changedCounts()]
    changed.clear()
    day = today
    reserved = new Map()
    durable = new Map()
  }
  const add = (counts: Map<number, number>, enterprise: number, readings: number): void => {
    counts.set(enterprise, (counts.get(enterprise) ?? 0) + readings)
  }

  return {
    used(enterprise, ms) {
      turnTo(ms)
      return reserved.get(enterprise) ?? 0
    },
    today(ms) {
      turnTo(ms)
      return reserved
    },
    reserve(enterprise, requested, limit, ms) {
      turnTo(ms)
      const used = reserved.get(enterprise) ?? 0
      const granted = Math.max(0, Math.min(requested, limit - used))
      reserved.set(enterprise, used + granted)
      changed.add(enterprise)
      return granted
    },
    release(enterprise, readings, ms) {
      if (utcDay(ms) !== day) return
      add(reserved, enterprise, -readings)
      changed.add(enterprise)
    },
    replay(segmentId, enterprise, receivedAtMs) {
      if (utcDay(receivedAtMs) !== day) return
      if (snapshot !== undefined && segmentId <= snapshot.throughSegment) return
      add(reserved, enterprise, 1)
      add(durable, enterprise, 1)
      changed.add(enterprise)
    },
    takeChanged(ms) {
      turnTo(ms)
      const taken = [...ended, ...changedCounts()]
      ended = []
      changed.clear()
      return taken
    },
    async writeSnapshot(segment, notes) {
      for (const note of notes) if (utcDay(note.receivedAtMs) === day) add(durable, note.enterprise, note.rows)
      const next: Snapshot = { day, throughSegment: segment.id, counts: [...durable] }
      await writeDurably(path, JSON.stringify(next))
    },
  }
}

async function readSnapshot(path: string): Promise<Snapshot | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Snapshot
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
