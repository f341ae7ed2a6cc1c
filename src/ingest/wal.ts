/**
 * The write-ahead log: rows of accepted readings in segment files. One synced write serves all waiting requests (group
 * commit): while one commit is being written, the next one collects rows. A response is sent after its commit.
 */
import { close, ftruncate, write } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { append } from '../lists.ts'
import { MAX_LINKS, type SpanContext } from '../tracing.ts'
import { MARK_BYTES, writeMark } from './row.ts'
import { openSegmentFiles, type SegmentFile } from './segment-files.ts'
import { oldestOf, type Segment, sensorsOf, stampOf } from './segments.ts'

const closeFile = promisify(close)
const truncateFile = promisify(ftruncate)
const writeFile = promisify(write) as (
  fd: number,
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: number,
) => Promise<{ bytesWritten: number }>

export type WalOptions = {
  dir: string
  /** A segment of this size is sealed. */
  segmentBytes: number
  /** Bytes of segments on disk beyond which no more rows are accepted. */
  ceilingBytes: number
  /** Called for each sealed segment, one after the other, before the loader gets it. Commits continue meanwhile. */
  onSeal(segment: Segment, commits: readonly CommitNote[]): Promise<void>
  onError(error: unknown): void
}

/** Describes appended rows to `onSeal`. */
export type CommitNote = { enterprise: number; sensor: number; rows: number; oldestMs: number; receivedAtMs: number }

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
  /** Moves a segment's file out of the log. @returns removes it there, or gives it back to be written again */
  move(segment: Segment, to: string): Promise<() => Promise<void>>
  /** When the oldest remaining segment was created, or recovered from an earlier process. */
  oldestRowMs(): number | undefined
  bytesOnDisk(): number
  segmentsOnDisk(): number
  close(): Promise<void>
}

const CUT_RETRY_MS = 1_000
const MAX_WAITING_BYTES = 128 * 1024 * 1024

type Commit = {
  bytes: Uint8Array<ArrayBuffer>
  view: DataView
  length: number
  rows: number
  notes: CommitNote[]
  links?: SpanContext[]
  done: PromiseWithResolvers<void>
  /** Resolves when this commit and the previous one are on disk; shared by all calls with rows in this commit. */
  withBefore?: Promise<void>
}

const NOTHING_TO_WRITE = Promise.resolve()

function createCommit(bytes: Uint8Array<ArrayBuffer>): Commit {
  const done = Promise.withResolvers<void>()
  // callers handle the rejection; without this line it would end the process when there are none
  done.promise.catch(() => undefined)
  return { bytes, view: new DataView(bytes.buffer), length: 0, rows: 0, notes: [], done }
}

/** @param leftSegments recovered segments of an earlier process, oldest first; they are loaded first */
export async function openWal(options: WalOptions, leftSegments: Segment[]): Promise<Wal> {
  const { dir } = options
  await mkdir(dir, { recursive: true })
  const files = openSegmentFiles(dir, options.onError)
  const sealed: Segment[] = [...leftSegments]
  let position = sealed.at(-1)?.endPosition ?? 0
  let segmentsOnDisk = sealed.length
  // in order of creation
  const begunMs = new Map(sealed.map(({ id }) => [id, Date.now()]))
  let bytesOnDisk = sealed.reduce((sum, segment) => sum + segment.bytes, 0)

  let fd = -1
  let stamp = 0n
  let current: Segment | undefined
  let next: Promise<SegmentFile> | undefined
  let sealing = Promise.resolve()
  let beingSealed = 0
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

  /** The file of the next segment is created while this one is written, so that no call waits for it. */
  function prepareNext(): void {
    next = files.create()
    // tried again when it is needed
    next.catch(() => undefined)
  }

  async function openSegment(): Promise<Segment> {
    const prepared = next
    next = undefined
    const { id, path, fd: opened } = (await prepared?.catch(() => undefined)) ?? (await files.create())
    fd = opened
    stamp = stampOf(id)
    segmentsOnDisk++
    begunMs.set(id, Date.now())
    return { id, path, bytes: 0, rows: 0, endPosition: position, sensors: new Map(), oldest: new Map() }
  }

  async function writeCommit(commit: Commit): Promise<void> {
    current ??= await openSegment()
    const end = writeMark(commit.bytes, commit.view, commit.length, { length: commit.length, rows: commit.rows, stamp })
    try {
      for (let written = 0; written < end; ) {
        const { bytesWritten } = await writeFile(fd, commit.bytes, written, end - written, current.bytes + written)
        written += bytesWritten
      }
    } catch (error) {
      // a partial commit must not precede the next one
      await truncateFile(fd, current.bytes)
      await files.release()
      throw error
    }
    current.bytes += end
    current.rows += commit.rows
    bytesOnDisk += end
    append(currentNotes, commit.notes)
    if (commit.links !== undefined) currentLinks = [...(currentLinks ?? []), ...commit.links].slice(0, MAX_LINKS)
  }

  function seal(): void {
    if (current === undefined || current.rows === 0) return
    const notes = currentNotes
    const segment: Segment = { ...current, sensors: sensorsOf(notes), oldest: oldestOf(notes) }
    if (currentLinks !== undefined) segment.links = currentLinks
    const sealedFd = fd
    current = undefined
    currentNotes = []
    currentLinks = undefined
    beingSealed++
    sealing = sealing.then(() => finishSeal(segment, sealedFd, notes))
  }

  /** ClickHouse reads the whole file. Commits of an earlier segment at its end might be readings that were deleted. */
  async function cutAfter(segment: Segment, sealedFd: number): Promise<void> {
    for (;;)
      try {
        return await truncateFile(sealedFd, segment.bytes)
      } catch (error) {
        options.onError(error)
        await Bun.sleep(CUT_RETRY_MS)
      }
  }

  async function finishSeal(segment: Segment, sealedFd: number, notes: readonly CommitNote[]): Promise<void> {
    try {
      await cutAfter(segment, sealedFd)
      await closeFile(sealedFd)
      await options.onSeal(segment, notes)
    } catch (error) {
      options.onError(error)
    } finally {
      beingSealed--
      sealed.push(segment)
      sealedArrived.resolve()
    }
  }

  function forget(segment: Segment): void {
    segmentsOnDisk--
    begunMs.delete(segment.id)
    bytesOnDisk -= segment.bytes
  }

  const isEmpty = (): boolean => sealed.length === 0 && beingSealed === 0 && current === undefined

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
          if (next === undefined) prepareNext()
        } catch (error) {
          options.onError(error)
          commit.done.reject(error)
        }
        spare = commit.bytes
        writing = undefined
      }
      if (current !== undefined && (sealRequest !== undefined || current.bytes >= options.segmentBytes)) seal()
      sealRequest?.resolve()
      sealRequest = undefined
      if (!isEmpty()) rowsArrived.resolve()
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
    durable() {
      if (gathering.rows === 0) return writing?.done.promise ?? NOTHING_TO_WRITE
      const { done } = gathering
      if (writing === undefined) return done.promise
      // both: the first copy of a duplicate may be in the commit that is being written
      gathering.withBefore ??= writing.done.promise.then(() => done.promise)
      return gathering.withBefore
    },
    async nextSegment() {
      // `scheduled`: a running commit may hold rows that are in no segment yet
      while (sealed.length === 0 && (scheduled || beingSealed > 0 || (current !== undefined && current.rows > 0))) {
        if (beingSealed === 0) {
          sealRequest ??= Promise.withResolvers<void>()
          const request = sealRequest
          schedule()
          await request.promise
        }
        await sealing
      }
      const segment = sealed.shift()
      if (isEmpty() && !scheduled) rowsArrived = Promise.withResolvers<void>()
      return segment
    },
    async untilRows() {
      if (isEmpty()) await rowsArrived.promise
    },
    async untilSealed() {
      if (sealed.length > 0) return
      sealedArrived = Promise.withResolvers()
      await sealedArrived.promise
    },
    sealedSegments: () => sealed.length,
    async drop(segment) {
      await files.remove(segment.path)
      forget(segment)
    },
    async move(segment, to) {
      const giveBack = await files.move(segment.path, to)
      forget(segment)
      return giveBack
    },
    oldestRowMs: () => begunMs.values().next().value,
    bytesOnDisk: () => bytesOnDisk,
    segmentsOnDisk: () => segmentsOnDisk,
    async close() {
      closed = true
      while (scheduled) await Bun.sleep(1)
      await sealing
      if (current !== undefined) await closeFile(fd)
      const unused = await next?.catch(() => undefined)
      if (unused !== undefined) {
        await closeFile(unused.fd)
        await files.remove(unused.path)
      }
      await files.close()
    },
  }
}
