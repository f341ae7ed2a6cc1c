/**
 * Makes the requested archives, one at a time. The archive is written to the scratch folder and then moved to the file
 * store. After a kill the lease expires, and the archive is started again under another key.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isStoreLost } from '../store-errors.ts'
import type { Changes } from '../stores/changes.ts'
import type { FreeDisk } from '../stores/free-disk.ts'
import {
  deleteExpiredExports,
  failExport,
  finishExport,
  hasExhaustedAttempts,
  releaseExport,
  renewExport,
  type TakenExport,
  takeExport,
} from '../stores/postgres/files/data-exports.ts'
import { startRenewals } from '../stores/renewals.ts'
import { type ArchiveDeps, writeArchive } from './archive.ts'

export type DataExports = { stop(): Promise<void> }

export type DataExportDeps = ArchiveDeps & {
  changes: Changes
  disk: FreeDisk
  scratchDir: string
  /** Resolves once readings, records of runs and counts that were accepted so far are in their stores. */
  flush(): Promise<void>
  /** How long finished archives are kept. */
  keepHours: number
}

const LEASE_MS = 60_000
const RENEW_MS = 2_000
/** Interval of looking for archives, including unfinished ones of other instances. */
const LOOK_MS = 30_000
const RETRY_MS = 10_000
const EXPIRY_MS = 600_000

/** @param onRemovals is called when archives have been deleted from the database, so that their files are removed */
export function startDataExports(
  deps: DataExportDeps,
  { onRemovals, onDone, onError }: { onRemovals(): void; onDone(id: string): void; onError(error: unknown): void },
): DataExports {
  const { db, files, changes, disk, scratchDir, keepHours } = deps
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  let isAsked = false

  async function make(taken: TakenExport): Promise<void> {
    const { id, ownerId, key } = taken
    const scratch = join(scratchDir, id)
    const cancel = new AbortController()
    const signal = AbortSignal.any([cancel.signal, stopping.signal])
    let progress: { parts: number | null; partsDone: number } = { parts: null, partsDone: 0 }
    const renew = async (): Promise<void> => {
      // the archive was deleted, alone or with its owner, or another instance took it over
      if (!(await renewExport(db, taken, LEASE_MS, progress))) cancel.abort()
    }
    const renewals = startRenewals(renew, RENEW_MS, onError)
    try {
      await disk.require()
      await deps.flush()
      await rm(scratch, { recursive: true, force: true })
      await mkdir(scratch, { recursive: true })
      const path = join(scratch, 'archive.zip')
      const report = (next: { parts: number; partsDone: number }): void => {
        progress = next
      }
      await writeArchive(deps, ownerId, path, report, signal)
      const bytes = Bun.file(path).size
      await renew()
      signal.throwIfAborted()
      await files.put(key, path)
      if (!(await finishExport(db, taken, { bytes, keepHours }))) await files.remove(key)
      else onDone(id)
    } catch (error) {
      if (cancel.signal.aborted) return
      throw error
    } finally {
      renewals.stop()
      await rm(scratch, { recursive: true, force: true })
    }
  }

  async function workThrough(): Promise<void> {
    for (;;) {
      if (stopping.signal.aborted) return
      const taken = await takeExport(db, LEASE_MS)
      if (taken === undefined) return
      if (hasExhaustedAttempts(taken)) {
        await failExport(db, taken)
        continue
      }
      try {
        await make(taken)
      } catch (error) {
        // a shutdown of this process is not a failure of the archive
        const isOver = stopping.signal.aborted
        await releaseExport(db, taken, isOver ? 0 : RETRY_MS).catch(onError)
        if (isOver) return
        if (isStoreLost(error)) setTimeout(look, RETRY_MS).unref()
        throw error
      }
    }
  }

  function look(): void {
    if (stopping.signal.aborted) return
    if (running !== undefined) {
      isAsked = true
      return
    }
    running = workThrough()
      .catch(onError)
      .finally(() => {
        running = undefined
        if (!isAsked) return
        isAsked = false
        look()
      })
  }

  const expire = (): void =>
    void deleteExpiredExports(db).then((count) => (count > 0 ? onRemovals() : undefined), onError)
  changes.subscribe(({ kind }) => {
    if (kind === 'data-export' || kind === 'missed') look()
  })
  const timers = [setInterval(look, LOOK_MS), setInterval(expire, EXPIRY_MS)]
  for (const timer of timers) timer.unref()
  look()
  expire()
  return {
    async stop() {
      stopping.abort()
      for (const timer of timers) clearInterval(timer)
      await running
    },
  }
}
