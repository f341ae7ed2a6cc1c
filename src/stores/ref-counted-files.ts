/** Counts the readers of files: a removed file is deleted once its last reader is done. */
import { rm } from 'node:fs/promises'

export type RefCountedFiles = {
  /** @returns a function that the reader calls when it is done */
  acquire(paths: readonly string[]): () => void
  remove(path: string): void
}

export function createRefCountedFiles(): RefCountedFiles {
  const readers = new Map<string, number>()
  const removeWhenReleased = new Set<string>()

  function remove(path: string): void {
    if (readers.has(path)) removeWhenReleased.add(path)
    else void rm(path, { force: true })
  }

  function release(path: string): void {
    const remaining = (readers.get(path) ?? 1) - 1
    if (remaining > 0) {
      readers.set(path, remaining)
      return
    }
    readers.delete(path)
    if (removeWhenReleased.delete(path)) remove(path)
  }

  return {
    remove,
    acquire(paths) {
      for (const path of paths) readers.set(path, (readers.get(path) ?? 0) + 1)
      return () => paths.forEach(release)
    },
  }
}
