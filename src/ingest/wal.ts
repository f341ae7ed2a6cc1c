/**
 * The write-ahead log: rows of accepted readings in segment files. One synced write serves all waiting requests (group
 * commit): while one commit is being written, the next one collects rows. A response is sent after its commit.
 */
import { close, constants, fsync, ftruncate, open, type PathLike, write } from 'node:fs'
import { mkdir, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MAX_LINKS, type SpanContext } from '../tracing.ts'
import { MARK_BYTES, writeMark } from './row.ts'

const openFile = promisify(open) as (path: PathLike, flags: string | number, mode?: number) => Promise<number>
const closeFile = promisify(close)
const syncAll = promisify(fsync)
const truncateFile = promisify(ftruncate)
const writeFile = promisify(write) as (
  fd: number,
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: number,
) => Promise<{ bytesWritten: number }>

export type Segment = {
  /** Unique and permanent; in the order of creation. */
  id: string
  path: string
  bytes: number
  rows: number
  /** The log's position after its last row. */
  endPosition: number
  /** The sensors whose readings it holds, by enterprise, as numbers. */
  sensors: SegmentSensors
  /** The traced calls whose readings it holds, as many as a span links to. */
  links?: SpanContext[]
}
export type SegmentSensors = ReadonlyMap<number, ReadonlySet<number>>

export type WalOptions = {
  dir: string
  /** A segment of this size is sealed. */
  segmentBytes: number
  /** Bytes of segments on disk beyond which no more rows are accepted. */
  ceilingBytes: number
  /** Called between commits when a segment is sealed, before the loader gets it. */
  onSeal(segment: Segment, commits: readonly CommitNote[]): Promise<void>
  onError(error: unknown): void
}

/** Describes appended rows to `onSeal`. */
export type CommitNote = { enterprise: number; sensor: number; rows: number; receivedAtMs: number }

export type Wal = {
  /** Bytes of rows appended since the log was opened. */
  position(): number
  /** False if the disk limit is reached, or too many rows wait in memory to be written. */
  takesMore(): boolean
  append(note: CommitNote, rows: Uint8Array, start: number, end: number): void
  /** Notes the traced call whose rows were appended last. */
  link(call: SpanContext): void
  /** Resolves when all appended rows are on disk; rejects if they could not be written. */
  durable(): Promise<void>
  /** The oldest sealed segment that was not returned yet; seals the open one if there is none. */
  nextSegment(): Promise<Segment | undefined>
  /** Resolves when there is a segment with rows, open or sealed. */
  untilRows(): Promise<void>
  /** Resolves when a segment is sealed because it is full. */
  untilSealed(): Promise<void>
  sealedSegments(): number
  /** Deletes a segment's file. */
  drop(segment: Segment): Promise<void>
  /** When the oldest remaining segment was created, or recovered from an earlier process. */
  oldestRowMs(): number | undefined
  bytesOnDisk(): number
  segmentsOnDisk(): number
  close(): Promise<void>
}

// O_DSYNC: a write returns when its data is on disk, as if followed by fdatasync(2), with one trip to the thread pool
// instead of two.
const SEGMENT_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_DSYNC

const MAX_WAITING_BYTES = 128 * 1024 * 1024
const SUFFIX = '.rows'

type Commit = {
  bytes: Uint8Array<ArrayBuffer>
  view: DataView
  length: number
  rows: number
  notes: CommitNote[]
  links?: SpanContext[]
  done: PromiseWithResolvers<void>
}

function createCommit(bytes: Uint8Array<ArrayBuffer>): Commit {
  const done = Promise.withResolvers<void>()
  // callers handle the rejection; without this line it would end the process when there are none
  done.promise.catch(() => undefined)
  return { bytes, view: new DataView(bytes.buffer), length: 0, rows: 0, notes: [], done }
}

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

async function syncDirectory(dir: string): Promise<void> {
  const fd = await openFile(dir, 'r')
  try {
    await syncAll(fd)
  } finally {
    await closeFile(fd)
  }
}

/** @param leftSegments recovered segments of an earlier process, oldest first; they are loaded first */
export async function openWal(options: WalOptions, leftSegments: Segment[]): Promise<Wal> {
  const { dir } = options
  await mkdir(dir, { recursive: true })
  const sealed: Segment[] = [...leftSegments]
  let position = sealed.at(-1)?.endPosition ?? 0
  let segmentsOnDisk = sealed.length
  // in order of creation
  const begunMs = new Map(sealed.map(({ id }) => [id, Date.now()]))
  let bytesOnDisk = sealed.reduce((sum, segment) => sum + segment.bytes, 0)

  let fd = -1
  let current: Segment | undefined
  let currentNotes: CommitNote[] = []
  let currentLinks: SpanContext[] | undefined
  let gathering = createCommit(new Uint8Array(1024 * 1024))
  let spare = new Uint8Array(1024 * 1024)
  let writing: Commit | undefined
  let scheduled = false
  let sealRequest: PromiseWithResolvers<void> | undefined
  let rowsArrived = Promise.withResolvers<void>()
  let sealedArrived = Promise.withResolvers<void>()
  let closed = false

  async function openSegment(): Promise<Segment> {
    // version 7: ids sort by creation time, also across restarts
    const id = Bun.randomUUIDv7()
    const path = join(dir, id + SUFFIX)
    fd = await openFile(path, SEGMENT_FLAGS, 0o600)
    await syncDirectory(dir)
    segmentsOnDisk++
    begunMs.set(id, Date.now())
    return { id, path, bytes: 0, rows: 0, endPosition: position, sensors: new Map() }
  }

  async function writeCommit(commit: Commit): Promise<void> {
    current ??= await openSegment()
    const end = writeMark(commit.bytes, commit.view, commit.length, commit.length, commit.rows)
    try {
      for (let written = 0; written < end; ) {
        const { bytesWritten } = await writeFile(fd, commit.bytes, written, end - written, current.bytes + written)
        written += bytesWritten
      }
    } catch (error) {
      // a partial commit must not precede the next one
      await truncateFile(fd, current.bytes)
      throw error
    }
    current.bytes += end
    current.rows += commit.rows
    bytesOnDisk += end
    currentNotes.push(...commit.notes)
    if (commit.links !== undefined) currentLinks = [...(currentLinks ?? []), ...commit.links].slice(0, MAX_LINKS)
  }

  async function seal(): Promise<void> {
    if (current === undefined || current.rows === 0) return
    const notes = currentNotes
    const segment: Segment = { ...current, sensors: sensorsOf(notes) }
    if (currentLinks !== undefined) segment.links = currentLinks
    current = undefined
    currentNotes = []
    currentLinks = undefined
    try {
      await closeFile(fd)
      await options.onSeal(segment, notes)
    } finally {
      sealed.push(segment)
      sealedArrived.resolve()
    }
  }

  /** Writes commits until no rows are left; one run at a time. */
  async function run(): Promise<void> {
    while (gathering.rows > 0 || sealRequest !== undefined) {
      if (gathering.rows > 0) {
        const commit = gathering
        writing = commit
        gathering = createCommit(spare)
        const endPosition = position
        try {
          await writeCommit(commit)
          if (current !== undefined) current.endPosition = endPosition
          commit.done.resolve()
        } catch (error) {
          options.onError(error)
          commit.done.reject(error)
        }
        spare = commit.bytes
        writing = undefined
      }
      if (current !== undefined && (sealRequest !== undefined || current.bytes >= options.segmentBytes)) {
        try {
          await seal()
        } catch (error) {
          options.onError(error)
        }
      }
      sealRequest?.resolve()
      sealRequest = undefined
      if (current !== undefined || sealed.length > 0) rowsArrived.resolve()
    }
    scheduled = false
  }

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    // deferred, so that requests whose bodies have arrived already join the same commit
    setImmediate(() => void run())
  }

  function grow(commit: Commit, needed: number): void {
    const bytes = new Uint8Array(Math.max(needed, commit.bytes.length * 2))
    bytes.set(commit.bytes.subarray(0, commit.length))
    commit.bytes = bytes
    commit.view = new DataView(bytes.buffer)
  }

  return {
    position: () => position,
    takesMore: () =>
      !closed && bytesOnDisk + gathering.length < options.ceilingBytes && gathering.length < MAX_WAITING_BYTES,
    append(note, rows, start, end) {
      const needed = gathering.length + (end - start) + MARK_BYTES
      if (needed > gathering.bytes.length) grow(gathering, needed)
      gathering.bytes.set(rows.subarray(start, end), gathering.length)
      gathering.length += end - start
      gathering.rows += note.rows
      gathering.notes.push(note)
      position += end - start
      schedule()
    },
    link(call) {
      gathering.links ??= []
      if (gathering.links.length < MAX_LINKS) gathering.links.push(call)
    },
    async durable() {
      // both: the first copy of a duplicate may be in the commit that is being written
      const gathered = gathering.rows > 0 ? gathering.done.promise : undefined
      const written = writing?.done.promise
      if (gathered !== undefined && written !== undefined) await Promise.all([written, gathered])
      else await (gathered ?? written)
    },
    async nextSegment() {
      // `scheduled`: a running commit or seal may hold rows that are in neither place
      while (sealed.length === 0 && (scheduled || (current !== undefined && current.rows > 0))) {
        sealRequest ??= Promise.withResolvers<void>()
        const request = sealRequest
        schedule()
        await request.promise
      }
      const segment = sealed.shift()
      if (sealed.length === 0 && current === undefined && !scheduled) rowsArrived = Promise.withResolvers<void>()
      return segment
    },
    async untilRows() {
      if (sealed.length === 0 && current === undefined) await rowsArrived.promise
    },
    async untilSealed() {
      if (sealed.length > 0) return
      sealedArrived = Promise.withResolvers()
      await sealedArrived.promise
    },
    sealedSegments: () => sealed.length,
    async drop(segment) {
      await unlink(segment.path)
      segmentsOnDisk--
      begunMs.delete(segment.id)
      bytesOnDisk -= segment.bytes
    },
    oldestRowMs: () => begunMs.values().next().value,
    bytesOnDisk: () => bytesOnDisk,
    segmentsOnDisk: () => segmentsOnDisk,
    async close() {
      closed = true
      while (scheduled) await Bun.sleep(1)
      if (current !== undefined) await closeFile(fd)
    },
  }
}
