/** Stored files in a folder, in 256 subfolders named by the last two digits of the keys. */
import { access, copyFile, link, mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { moveDurably, syncFile, syncFolder } from '../durable-files.ts'
import { checkKey, type FileStore, isStorageKey } from './client.ts'

export async function openFolderStore(dir: string): Promise<FileStore> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const made = new Set<string>()
  const pathOf = (key: string): string => join(dir, checkKey(key).slice(-2), key)
  // Bun has no posix_fadvise; this program calls it, and it would hold up this thread for large files
  const dd = Bun.which('dd')

  return {
    prepare(path) {
      // started while a tool still runs; `put` repeats it, and reports errors
      void syncFile(path).catch(() => undefined)
    },
    async put(key, path) {
      const to = pathOf(key)
      if (!made.has(dirname(to))) {
        await mkdir(dirname(to), { recursive: true })
        await syncFolder(dir)
        made.add(dirname(to))
      }
      await moveDurably(path, to)
    },
    open: (key) => Bun.file(pathOf(key)),
    uncache(key) {
      if (dd === null) return
      const command = [dd, `if=${pathOf(key)}`, 'iflag=nocache', 'count=0', 'status=none']
      try {
        Bun.spawn(command, { env: {}, stdio: ['ignore', 'ignore', 'ignore'] })
      } catch {
        // too many processes or open files at the moment: the file only stays in the cache, and the call has succeeded
      }
    },
    async fetch(key, path) {
      try {
        await link(pathOf(key), path)
      } catch (error) {
        if (!['EXDEV', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
        await copyFile(pathOf(key), path)
      }
    },
    async *list(after = '') {
      const first = after.slice(-2)
      for (const folder of (await readdir(dir)).sort())
        if (folder >= first)
          for (const key of (await readdir(join(dir, folder))).sort())
            if (isStorageKey(key) && (folder > first || key > after)) yield key
    },
    async remove(key) {
      await rm(pathOf(key), { force: true })
    },
    ping: () => access(dir),
  }
}
