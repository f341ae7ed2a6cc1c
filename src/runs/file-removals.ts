/**
 * Removes objects from the file store whose records were deleted. The transaction that deletes the records also stores
 * the keys in the database, so a kill at any moment, or an unreachable file store, only delays the removal.
 */
import type { Changes } from '../stores/changes.ts'
import type { FileStore } from '../stores/files/client.ts'
import type { Database } from '../stores/postgres/client.ts'
import { lockRemovals, noteRemoved } from '../stores/postgres/files/file-removals.ts'

export type FileRemovals = {
  /** Removes the objects noted so far. Resolves after at most `waitMs`; removal then continues in the background. */
  remove(waitMs: number): Promise<void>
  stop(): Promise<void>
}

const LOOK_MS = 600_000
const BATCH = 100
/** Removals at a time: each is a request, where files are in S3. */
const PARALLEL = 10

export function startFileRemovals(
  { db, files, changes }: { db: Database; files: FileStore; changes: Changes },
  onError: (error: unknown) => void,
): FileRemovals {
  let isStopped = false
  let running: Promise<void> | undefined
  let isAsked = false

  async function removeBatch(): Promise<number> {
    return db.transaction(async (tx) => {
      const keys = await lockRemovals(tx, BATCH)
      for (let at = 0; at < keys.length; at += PARALLEL)
        await Promise.all(keys.slice(at, at + PARALLEL).map((key) => files.remove(key)))
      await noteRemoved(tx, keys)
      return keys.length
    })
  }

  async function work(): Promise<void> {
    try {
      do {
        isAsked = false
        while (!isStopped && (await removeBatch()) > 0);
      } while (isAsked && !isStopped)
    } catch (error) {
      if (!isStopped) onError(error)
    } finally {
      running = undefined
    }
  }

  function look(): Promise<void> {
    if (isStopped) return Promise.resolve()
    if (running !== undefined) isAsked = true
    running ??= work()
    return running
  }

  // an owner deleted by another instance, which may have stopped since
  changes.subscribe(({ kind }) => {
    if (kind === 'missed') void look()
  })
  const timer = setInterval(() => void look(), LOOK_MS)
  timer.unref()
  void look()
  return {
    async remove(waitMs) {
      await Promise.race([look(), Bun.sleep(waitMs)])
    },
    async stop() {
      isStopped = true
      clearInterval(timer)
      await running
    },
  }
}
