/** Scans owners' files: with the built-in checks in a worker process, then with ClamAV's daemon if one is configured. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../engine/engine.ts'
import type { Changes } from '../stores/changes.ts'
import type { Clamd } from '../stores/clamd.ts'
import type { FileStore } from '../stores/files/client.ts'
import type { Database } from '../stores/postgres/client.ts'
import { type FileVersion, listUnscanned, type ScanVerdict, setVerdict } from '../stores/postgres/files/owner-files.ts'
import { newId } from '../stores/postgres/ids.ts'
import scan from './scan.ts'

export type ScannerDeps = {
  db: Database
  changes: Changes
  engine: Engine
  files: FileStore
  clamd: Clamd | undefined
  scratchDir: string
  timeoutMs: number
  onError(error: unknown, storageKey: string): void
}

export type Scanner = {
  /** Resolves with the scanned version; undefined when it was deleted meanwhile. */
  scan(version: FileVersion): Promise<FileVersion | undefined>
  /** Scans versions without a verdict, now and every minute. */
  start(): void
  stop(): void
}

const ACTOR = 'scanner'
const SWEEP_MS = 60_000
/** Prefix of the reason of an incomplete scan, which is retried. */
const AGAIN = 'scanner: '

export function createScanner(deps: ScannerDeps): Scanner {
  const { db, changes, engine, files, clamd, scratchDir, timeoutMs, onError } = deps
  const scanning = new Map<string, Promise<FileVersion | undefined>>()
  let timer: Timer | undefined

  async function verdictOf({ id, filename }: FileVersion): Promise<ScanVerdict> {
    const scratch = join(scratchDir, newId('run'))
    await mkdir(scratch)
    try {
      const path = join(scratch, 'file')
      await files.fetch(id, path)
      const run = { scratch, deadlineMs: timeoutMs, plan: 'max', tenant: 'scanner', background: true } as const
      const { data } = await engine.run(scan, { path, filename }, run)
      const { status, reason, kind } = data as {
        status: FileVersion['scanStatus']
        reason: string | null
        kind: string
      }
      if (status !== 'clean' || clamd === undefined) return { scanStatus: status, scanReason: reason, kind }
      const found = await clamd.scan(Bun.file(path).stream())
      return found === undefined
        ? { scanStatus: 'clean', scanReason: null, kind }
        : { scanStatus: 'infected', scanReason: `clamav: ${found}`, kind }
    } catch (error) {
      onError(error, id)
      return { scanStatus: 'failed', scanReason: `${AGAIN}the scan failed and will be retried` }
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  function scanOnce(version: FileVersion): Promise<FileVersion | undefined> {
    const running = scanning.get(version.id)
    if (running !== undefined) return running
    const work = (async () => {
      const scanned = await setVerdict(db, ACTOR, version.id, await verdictOf(version), version)
      await changes.publish({ kind: 'file', id: version.fileId })
      return scanned
    })().finally(() => scanning.delete(version.id))
    scanning.set(version.id, work)
    return work
  }

  async function sweep(olderThanMs: number): Promise<void> {
    try {
      for (const version of await listUnscanned(db, olderThanMs))
        if (version.scanStatus === 'pending' || version.scanReason?.startsWith(AGAIN)) await scanOnce(version)
    } catch (error) {
      onError(error, '')
    }
  }

  return {
    scan: scanOnce,
    start() {
      // versions left unscanned by an earlier process
      void sweep(0)
      timer = setInterval(() => void sweep(SWEEP_MS), SWEEP_MS)
      timer.unref()
    },
    stop: () => clearInterval(timer),
  }
}
