/** What enterprises may store: a quota of bytes, a lifetime of files, and free space that is left to readings. */
import { AppError } from '../errors.ts'
import type { FileStore } from '../stores/files/client.ts'
import type { FreeDisk } from '../stores/free-disk.ts'
import type { Database } from '../stores/postgres/client.ts'
import { getStoredFile } from '../stores/postgres/runs.ts'
import { expiredFiles, forgetFiles, isOfOpenJob, storedBytes } from '../stores/postgres/stored-files.ts'

export type Storage = {
  /**
   * Called before a call with files is received.
   * @throws AppError STORAGE_FULL, STORAGE_QUOTA_EXCEEDED
   */
  admit(enterprise: { id: string; storedMb: number | null }): Promise<void>
  /** @throws AppError NOT_FOUND, CONFLICT while a job needs the file */
  delete(enterpriseId: string, key: string): Promise<{ filename: string; bytes: number }>
  stop(): void
}

export type StorageDeps = {
  db: Database
  files: FileStore
  disk: FreeDisk
  /** For enterprises without limits of their own. */
  storedMb: number
  storedDays: number
  onError(error: unknown): void
}

const MIB = 2 ** 20
/** The sum of an enterprise's files is read again after this long; until then its quota may be exceeded. */
const MAX_AGE_MS = 10_000
const MAX_ENTERPRISES = 10_000
const SWEEP_MS = 3_600_000
const SWEEP_FILES = 500

export function createStorage(deps: StorageDeps): Storage {
  const { db, files, disk, onError } = deps
  const known = new Map<string, { bytes: Promise<number>; atMs: number }>()
  let stopped = false

  function bytesOf(enterpriseId: string): Promise<number> {
    const nowMs = performance.now()
    const found = known.get(enterpriseId)
    if (found !== undefined && nowMs - found.atMs < MAX_AGE_MS) return found.bytes
    if (known.size >= MAX_ENTERPRISES) known.clear()
    const bytes = storedBytes(db, enterpriseId)
    known.set(enterpriseId, { bytes, atMs: nowMs })
    bytes.catch(() => known.delete(enterpriseId))
    return bytes
  }

  async function remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) await files.remove(id)
    await forgetFiles(db, ids)
  }

  async function sweep(): Promise<void> {
    try {
      while (!stopped) {
        const expired = await expiredFiles(db, deps.storedDays, SWEEP_FILES)
        if (expired.length === 0) return
        await remove(expired)
      }
    } catch (error) {
      if (!stopped) onError(error)
    }
  }
  const timer = setInterval(() => void sweep(), SWEEP_MS)
  timer.unref()
  void sweep()

  return {
    async admit({ id, storedMb }) {
      await disk.require()
      const quotaMb = storedMb ?? deps.storedMb
      if ((await bytesOf(id)) < quotaMb * MIB) return
      throw new AppError('STORAGE_QUOTA_EXCEEDED', {
        message: `The enterprise's stored files exceed its ${quotaMb} MB; delete some of them first.`,
      })
    },
    async delete(enterpriseId, key) {
      const { runId, filename, bytes } = await getStoredFile(db, enterpriseId, key)
      if (await isOfOpenJob(db, runId))
        throw new AppError('CONFLICT', { message: 'A job that has not ended needs the file; dismiss the job first.' })
      await remove([key])
      known.delete(enterpriseId)
      return { filename, bytes }
    },
    stop() {
      stopped = true
      clearInterval(timer)
    },
  }
}
