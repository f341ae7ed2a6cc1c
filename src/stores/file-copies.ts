/** Local paths of stored files that worker processes read repeatedly: links to them, or copies from S3. */
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { emptyFolder, WORKER_READABLE } from './empty-folder.ts'
import type { FileStore } from './files/client.ts'
import { createRefCountedFiles } from './ref-counted-files.ts'

export type FileCopies = {
  /** Call `release` when the file is no longer being read. */
  open(key: string, bytes: number): Promise<{ path: string; release(): void }>
  forget(key: string): void
}

/** @param maxBytes for all copies; the least recently used ones are deleted first */
export async function openFileCopies(files: FileStore, dir: string, maxBytes: number): Promise<FileCopies> {
  await emptyFolder(dir)
  const readFiles = createRefCountedFiles()
  /** Copies in order of last use. */
  const copies = new Map<string, { path: string; bytes: number; made: Promise<void> }>()
  let made = 0

  function forget(key: string): void {
    const copy = copies.get(key)
    copies.delete(key)
    if (copy !== undefined) readFiles.remove(copy.path)
  }

  function evictOldest(): void {
    let held = [...copies.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    for (const [key, { bytes }] of [...copies].slice(0, -1)) {
      if (held <= maxBytes) return
      held -= bytes
      forget(key)
    }
  }

  return {
    forget,
    async open(key, bytes) {
      let copy = copies.get(key)
      if (copy === undefined) {
        const path = join(dir, `${key}.${++made}`)
        copy = { path, bytes, made: files.fetch(key, path).then(() => chmod(path, WORKER_READABLE)) }
      }
      copies.delete(key)
      copies.set(key, copy)
      const { path } = copy
      const release = readFiles.acquire([path])
      try {
        await copy.made
      } catch (error) {
        release()
        forget(key)
        throw error
      }
      evictOldest()
      return { path, release }
    },
  }
}
