/** Moves a system to other stores: from embedded ones to servers, back, or to another machine's folder. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { RESTORE_MARKER } from '../stores/data-dir.ts'
import { backUp } from './backup.ts'
import { BackupError } from './errors.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { openArchive } from './open-archive.ts'
import type { Progress } from './progress.ts'
import { logDirOf, requireIntact, restore } from './restore.ts'
import type { ArchiveStore } from './store.ts'
import { instanceDirsOf, lockFolders, openSystem } from './system.ts'

/** @param via the folder or bucket of the archive in between, which stays; by default a folder that is deleted */
export async function move(from: Config, to: Config, via: string | undefined, progress: Progress): Promise<void> {
  const same = (['home', 'postgresUrl', 'clickhouseUrl', 's3Url', 'redisUrl'] as const).every(
    (name) => from[name] === to[name],
  )
  if (same) throw new BackupError('Both systems have the same stores; there is nothing to move')
  // the server stays stopped for the whole move: readings accepted in between would be lost
  const locks = lockFolders([...new Set([...instanceDirsOf(from), ...instanceDirsOf(to)])])
  if (locks.isRunning) throw new BackupError(`A server runs on ${locks.holder}; stop it first`)
  try {
    const target = via ?? join(to.home, 'move')
    const store = await openArchive(target, join(to.home, 'backup-spool'), true)
    const manifest = await archiveOf(from, to, store, progress)
    await requireIntact(store, manifest, progress)
    const system = await openSystem(to, { mustBeStopped: true, isNew: true, locks })
    try {
      await restore(system, store, manifest, progress, { isSameHome: from.home === to.home })
    } finally {
      await system.close()
    }
    // the moved system loads these segments; a later move back must not load them a second time
    for (const { path } of manifest.log) {
      const file = join(from.home, path)
      if (from.home === to.home && !file.startsWith(`${logDirOf(to)}/`)) await rm(file, { force: true })
    }
    if (via === undefined) await rm(target, { recursive: true, force: true })
    progress.say('Moved. The old stores were not changed; delete them when the new ones have proved themselves')
  } finally {
    locks.release()
  }
}

/** The archive of an interrupted move if its restore had begun, otherwise a new one. */
async function archiveOf(from: Config, to: Config, store: ArchiveStore, progress: Progress): Promise<Manifest> {
  if (existsSync(join(to.home, RESTORE_MARKER))) return readManifest(store)
  const none = { isRunning: false, holder: '', release: () => undefined }
  const system = await openSystem(from, { mustBeStopped: true, isNew: false, locks: none })
  try {
    return await backUp(system, store, progress)
  } finally {
    await system.close()
  }
}
