/** Segments of the write-ahead log, and the names of their files. */
import { mkdir, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { SpanContext } from '../tracing.ts'

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

export const SEGMENT_SUFFIX = '.rows'
export const SPARE_SUFFIX = '.spare'

/** Ends the ids of segments whose commits are stamped. */
const STAMPED = '-2'

/** Version 7 of UUIDs, so that ids sort by the time of creation, also across restarts. */
export const newSegmentId = (): string => Bun.randomUUIDv7() + STAMPED

/**
 * Distinguishes a segment's commits from commits of earlier segments in the same file: the random bits of its id. Zero
 * for a segment of a release that did not reuse files.
 */
export function stampOf(id: string): bigint {
  return id.endsWith(STAMPED) ? BigInt(`0x${id.slice(0, -STAMPED.length).replaceAll('-', '').slice(-16)}`) : 0n
}

/** Deletes spare files that an earlier process left. @returns the segments that it left, oldest first */
export async function listSegments(dir: string): Promise<{ id: string; path: string }[]> {
  await mkdir(dir, { recursive: true })
  const names = (await readdir(dir)).sort()
  for (const name of names) if (name.endsWith(SPARE_SUFFIX)) await unlink(join(dir, name))
  return names
    .filter((name) => name.endsWith(SEGMENT_SUFFIX))
    .map((name) => ({ id: segmentIdOf(name), path: join(dir, name) }))
}

/** @param name of a segment's file */
export const segmentIdOf = (name: string): string => name.slice(0, -SEGMENT_SUFFIX.length)

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
