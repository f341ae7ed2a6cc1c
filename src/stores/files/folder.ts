/** Stored files in a folder, in 256 subfolders named by the last two digits of the keys. */
import { constants } from 'node:fs'
import { access, copyFile, link, mkdir, open, readdir, rename, rm, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { checkKey, type FileStore, isStorageKey } from './client.ts'

export async function openFolderStore(dir: string): Promise<FileStore> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const made = new Set<string>()
  const pathOf = (key: string): string => join(dir, checkKey(key).slice(-2), key)
  // Bun has no posix_fadvise; this program calls it, and it would hold up this thread for large files
  const dd = Bun.which('dd')

  return {
    prepare(path) {
      // written to disk while a tool works on it
      void synced(path).catch(() => undefined)
    },
    async put(key, path) {
      const to = pathOf(key)
      if (!made.has(dirname(to))) {
        await mkdir(dirname(to), { recursive: true })
        made.add(dirname(to))
      }
      await synced(path)
      try {
        await rename(path, to)
      } catch (error) {
        // the scratch folder is on another file system
        if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
        await copyFile(path, to)
        await unlink(path)
      }
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
    async *list() {
      for (const folder of (await readdir(dir)).sort())
        for (const key of (await readdir(join(dir, folder))).sort()) if (isStorageKey(key)) yield key
    },
    async remove(key) {
      await rm(pathOf(key), { force: true })
    },
    ping: () => access(dir),
  }
}

/** @throws for anything but a file: a link would be followed by each later reader */
async function synced(path: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (!(await file.stat()).isFile()) throw new Error('only files are stored')
    await file.datasync()
  } finally {
    await file.close()
  }
}
