/**
 * Segments that were stored in ClickHouse, kept on this machine until a snapshot of the judging process includes them, and
 * that snapshot. Files are named by sequence numbers, in the order in which the segments were stored.
 */
import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { MoveSegment } from '../ingest/loader.ts'
import type { Segment } from '../ingest/segments.ts'
import { moveDurably } from '../stores/durable-files.ts'
import { WORKER_READABLE } from '../stores/empty-folder.ts'
import type { JudgeInput } from './protocol.ts'

export type RetainedSegment = {
  sequence: number
  path: string
  bytes: number
  /** Numbers of the enterprises with readings in it; undefined if an earlier process kept it. */
  enterprises: readonly number[] | undefined
  keptMs: number
  /** Deletes the file, or gives it back to the log. */
  giveBack(): Promise<void>
}

/** `sequence`: one greater than the last one by default. */
export type SegmentToKeep = Pick<Segment, 'path' | 'bytes' | 'sensors'> & { sequence?: number }

export type RetainedSegments = {
  /** Oldest first. */
  list(): readonly RetainedSegment[]
  snapshot(): JudgeInput['snapshot']
  /** @param move moves the segment's file */
  keep(segment: SegmentToKeep, move: MoveSegment): Promise<void>
  /** Takes over the file of a snapshot, and deletes the segments that it includes. */
  replaceSnapshot(path: string, sequence: number): Promise<void>
  /** Deletes an unusable snapshot. */
  dropSnapshot(): Promise<void>
  drop(segment: RetainedSegment): Promise<void>
  clear(): Promise<void>
}

const SEGMENT = '.rows'
const SNAPSHOT = '.snapshot'
const DIGITS = 15

export async function openRetainedSegments(dir: string): Promise<RetainedSegments> {
  await mkdir(dir, { recursive: true })
  const names = (await readdir(dir)).sort()
  const numbersOf = (suffix: string): number[] =>
    names.filter((name) => name.endsWith(suffix)).map((name) => Number(name.slice(0, -suffix.length)))
  const pathOf = (sequence: number, suffix: string): string =>
    join(dir, String(sequence).padStart(DIGITS, '0') + suffix)

  const included = numbersOf(SNAPSHOT).at(-1)
  let snapshot: JudgeInput['snapshot'] =
    included === undefined ? null : { path: pathOf(included, SNAPSHOT), sequence: included }
  let segments: RetainedSegment[] = []
  for (const sequence of numbersOf(SEGMENT)) {
    const path = pathOf(sequence, SEGMENT)
    const { size } = await stat(path)
    const giveBack = (): Promise<void> => rm(path, { force: true })
    segments.push({ sequence, path, bytes: size, enterprises: undefined, keptMs: Date.now(), giveBack })
  }
  let last = segments.at(-1)?.sequence ?? included ?? 0
  await deleteIncluded()

  async function deleteIncluded(): Promise<void> {
    const through = snapshot?.sequence ?? 0
    const old = segments.filter(({ sequence }) => sequence <= through)
    segments = segments.filter(({ sequence }) => sequence > through)
    for (const { giveBack } of old) await giveBack()
  }

  return {
    list: () => segments,
    snapshot: () => snapshot,
    async keep({ path, bytes, sensors, sequence = last + 1 }, move) {
      last = sequence
      const to = pathOf(sequence, SEGMENT)
      await chmod(path, WORKER_READABLE)
      const giveBack = await move(to)
      segments.push({ sequence, path: to, bytes, enterprises: [...sensors.keys()], keptMs: Date.now(), giveBack })
    },
    async replaceSnapshot(path, sequence) {
      const old = snapshot
      const to = pathOf(sequence, SNAPSHOT)
      await chmod(path, WORKER_READABLE)
      await moveDurably(path, to)
      snapshot = { path: to, sequence }
      if (old !== null && old.path !== to) await rm(old.path, { force: true })
      await deleteIncluded()
    },
    async dropSnapshot() {
      if (snapshot !== null) await rm(snapshot.path, { force: true })
      snapshot = null
    },
    async drop(segment) {
      segments = segments.filter((other) => other !== segment)
      await rm(segment.path, { force: true })
    },
    async clear() {
      for (const { path } of segments) await rm(path, { force: true })
      segments = []
      if (snapshot !== null) await rm(snapshot.path, { force: true })
      snapshot = null
    },
  }
}
