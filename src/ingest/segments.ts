/** The files of the write-ahead log. */
import { close, constants, fsync, open, type PathLike } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SpanContext } from '../tracing.ts'

const openFile = promisify(open) as (path: PathLike, flags: string | number, mode?: number) => Promise<number>
const closeFile = promisify(close)
const syncAll = promisify(fsync)

export type Segment = {
  /** Unique and permanent; in the order of creation. */
  id: string
  path: string
  bytes: number
  rows: number
  /** The log's position after its last row. */
  endPosition: number
  sensors: SegmentSensors
  /** The time of the oldest reading of each sensor, in milliseconds since 1970. */
  oldest: ReadonlyMap<number, number>
  /** The traced calls whose readings it holds, as many as a span links to. */
  links?: SpanContext[]
}
/** The sensors whose readings a segment holds, by enterprise, as numbers. */
export type SegmentSensors = ReadonlyMap<number, ReadonlySet<number>>

// O_DSYNC: a write returns when its data is on disk, as if followed by fdatasync(2), with one trip to the thread pool
// instead of two.
const SEGMENT_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_DSYNC

const SUFFIX = '.rows'

/** Paths of the segments that an earlier process left, oldest first. */
export async function listSegments(dir: string): Promise<{ id: string; path: string }[]> {
  await mkdir(dir, { recursive: true })
  const names = (await readdir(dir)).filter((name) => name.endsWith(SUFFIX)).sort()
  return names.map((name) => ({ id: name.slice(0, -SUFFIX.length), path: join(dir, name) }))
}

export function sensorsOf(rows: Iterable<{ enterprise: number; sensor: number }>): SegmentSensors {
  const sensors = new Map<number, Set<number>>()
  for (const { enterprise, sensor } of rows) {
    const own = sensors.get(enterprise)
    if (own === undefined) sensors.set(enterprise, new Set([sensor]))
    else own.add(sensor)
  }
  return sensors
}

export function oldestOf(rows: Iterable<{ sensor: number; oldestMs: number }>): Map<number, number> {
  const oldest = new Map<number, number>()
  for (const { sensor, oldestMs } of rows) {
    const known = oldest.get(sensor)
    if (known === undefined || oldestMs < known) oldest.set(sensor, oldestMs)
  }
  return oldest
}

async function syncDirectory(dir: string): Promise<void> {
  const fd = await openFile(dir, 'r')
  try {
    await syncAll(fd)
  } finally {
    await closeFile(fd)
  }
}

/** A file that has no rows yet. After a kill, it is deleted at the next start. */
export type SegmentFile = { id: string; path: string; fd: number }

/** Creates a file that a crash of the machine does not lose. */
export async function createSegmentFile(dir: string): Promise<SegmentFile> {
  // version 7: ids sort by creation time, also across restarts
  const id = Bun.randomUUIDv7()
  const path = join(dir, id + SUFFIX)
  const fd = await openFile(path, SEGMENT_FLAGS, 0o600)
  try {
    await syncDirectory(dir)
  } catch (error) {
    await closeFile(fd)
    throw error
  }
  return { id, path, fd }
}
