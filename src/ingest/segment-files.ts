/**
 * The files of the write-ahead log that are being written. A loaded segment's file is reused for a later segment:
 * overwriting allocated blocks changes no metadata of the file system, so a synced write waits neither for its journal
 * nor for the parts that ClickHouse is writing at the same time. PostgreSQL does the same with its log.
 */
import { close, constants, open, type PathLike } from 'node:fs'
import { chmod, rename, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { syncFolder } from '../stores/durable-files.ts'
import { newSegmentId, SEGMENT_SUFFIX, SPARE_SUFFIX } from './segments.ts'

const openFile = promisify(open) as (path: PathLike, flags: string | number, mode?: number) => Promise<number>
const closeFile = promisify(close)

// O_DSYNC: a write returns when its data is on disk, as if followed by fdatasync(2), with one trip to the thread pool
// instead of two.
const OVERWRITE_FLAGS = constants.O_WRONLY | constants.O_DSYNC
/** Only this account may read a segment. */
const MODE = 0o600
const CREATE_FLAGS = OVERWRITE_FLAGS | constants.O_CREAT | constants.O_EXCL

/** Number of segments that are loaded and checked at the same time at full speed, or given back together. */
const MAX_SPARES = 8
/** Spare files are deleted after this time: they contain readings that may have been deleted everywhere else. */
const UNUSED_MS = 600_000

/** A file that has no commit of its segment yet. After a kill, it is deleted at the next start. */
export type SegmentFile = { id: string; path: string; fd: number }

export type SegmentFiles = {
  /** Creates a file that a crash of the machine does not lose. Its content, if any, is of an earlier segment. */
  create(): Promise<SegmentFile>
  /** Removes a segment. Its file is written again if this process has created it, otherwise deleted. */
  remove(path: string): Promise<void>
  /** Moves a segment to another folder of the file system. @returns removes it there, as `remove` does */
  move(path: string, to: string): Promise<() => Promise<void>>
  /** Deletes the spare files, and keeps no new ones for a while: the disk may be full. */
  release(): Promise<void>
  /** Deletes the spare files, and keeps no new ones. */
  close(): Promise<void>
}

/** @param onError receives the error of a spare file that could not be deleted */
export function openSegmentFiles(dir: string, onError: (error: unknown) => void): SegmentFiles {
  /** Segments whose commits carry the segment's stamp, so that no other bytes in their files are taken for a commit. */
  const stamped = new Set<string>()
  let spares: string[] = []
  let expiry: NodeJS.Timeout | undefined
  let noSparesUntilMs = 0

  async function deleteSpares(): Promise<void> {
    const unused = spares
    spares = []
    for (const spare of unused) await rm(spare, { force: true })
  }

  async function openSpare(spare: string, path: string): Promise<number> {
    await rename(spare, path)
    return openFile(path, OVERWRITE_FLAGS)
  }

  async function giveBack(path: string, isStamped: boolean): Promise<void> {
    if (!isStamped || spares.length >= MAX_SPARES || Date.now() < noSparesUntilMs) return unlink(path)
    const spare = join(dir, newSegmentId() + SPARE_SUFFIX)
    // a worker process could read it in its other folder
    await chmod(path, MODE)
    await rename(path, spare)
    spares.push(spare)
    clearTimeout(expiry)
    expiry = setTimeout(() => deleteSpares().catch(onError), UNUSED_MS)
    expiry.unref()
  }

  return {
    async create() {
      const id = newSegmentId()
      const path = join(dir, id + SEGMENT_SUFFIX)
      const spare = spares.shift()
      const fd = await (spare === undefined ? openFile(path, CREATE_FLAGS, MODE) : openSpare(spare, path))
      try {
        await syncFolder(dir)
      } catch (error) {
        await closeFile(fd)
        throw error
      }
      stamped.add(path)
      return { id, path, fd }
    },

    remove: (path) => giveBack(path, stamped.delete(path)),

    async move(path, to) {
      const isStamped = stamped.delete(path)
      await rename(path, to)
      return () => giveBack(to, isStamped)
    },

    async release() {
      noSparesUntilMs = Date.now() + UNUSED_MS
      await deleteSpares()
    },

    async close() {
      noSparesUntilMs = Number.POSITIVE_INFINITY
      clearTimeout(expiry)
      await deleteSpares()
    },
  }
}
