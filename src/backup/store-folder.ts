/** An archive in a folder. */
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { syncFolder } from '../stores/durable-files.ts'
import { BackupError } from './errors.ts'
import type { ArchiveStore } from './store.ts'

const INCOMING = '.incoming'
const PIECE_BYTES = 2 ** 20

export async function openFolderArchive(target: string, isNew: boolean): Promise<ArchiveStore> {
  const dir = resolve(target)
  const incoming = join(dir, INCOMING)
  if (isNew) {
    await requireArchive(dir)
    // left over by an interrupted backup
    await rm(incoming, { recursive: true, force: true })
    await mkdir(incoming, { recursive: true, mode: 0o700 })
  } else if (!existsSync(dir)) throw new BackupError(`${dir} does not exist`)
  const changed = new Set<string>([dir])

  return {
    label: dir,
    async list() {
      const found = new Map<string, number>()
      for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name)
        const name = relative(dir, path)
        if (entry.isFile() && !name.startsWith(INCOMING)) found.set(name, (await stat(path)).size)
      }
      return found
    },
    async *read(name) {
      const file = await open(join(dir, name), 'r')
      try {
        for (;;) {
          const piece = Buffer.allocUnsafe(PIECE_BYTES)
          const { bytesRead } = await file.read(piece, 0, PIECE_BYTES)
          if (bytesRead === 0) return
          yield piece.subarray(0, bytesRead)
        }
      } finally {
        await file.close()
      }
    },
    async readText(name) {
      try {
        return await readFile(join(dir, name), 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async create() {
      const path = join(incoming, Bun.randomUUIDv7())
      const file = await open(path, 'wx', 0o600)
      return {
        async write(bytes) {
          for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten
        },
        async commit(name) {
          await file.datasync()
          await file.close()
          const to = join(dir, name)
          await mkdir(dirname(to), { recursive: true, mode: 0o700 })
          await rename(path, to)
          for (let at = dirname(to); at.length >= dir.length; at = dirname(at)) changed.add(at)
        },
        async discard() {
          await file.close()
          await rm(path, { force: true })
        },
      }
    },
    async remove(name) {
      await rm(join(dir, name), { force: true })
    },
    async sync() {
      for (const folder of changed) await syncFolder(folder)
      changed.clear()
    },
  }
}

/** Refuses a folder with other files, because a backup deletes files that it does not need. */
async function requireArchive(dir: string): Promise<void> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new BackupError(`${dir}: ${error.message}`, { cause: error })
  })
  const known = new Set(['manifest.json', 'postgres', 'clickhouse', 'log', 'system', 'files', INCOMING])
  const foreign = names.filter((name) => !known.has(name))
  if (foreign.length > 0)
    throw new BackupError(`${dir} contains ${foreign[0]}, which is not of an archive; choose an empty folder`)
}
