/** Files that calls are reading: one that is no longer wanted goes when the last of them is done. */
import { rm } from 'node:fs/promises'

export type LentFiles = {
  /** @returns what is to be called when the reader is done */
  lend(paths: readonly string[]): () => void
  remove(path: string): void
}

export function createLentFiles(): LentFiles {
  const readers = new Map<string, number>()
  const unwanted = new Set<string>()

  function remove(path: string): void {
    if (readers.has(path)) unwanted.add(path)
    else void rm(path, { force: true })
  }

  function giveBack(path: string): void {
    const left = (readers.get(path) ?? 1) - 1
    if (left > 0) {
      readers.set(path, left)
      return
    }
    readers.delete(path)
    if (unwanted.delete(path)) remove(path)
  }

  return {
    remove,
    lend(paths) {
      for (const path of paths) readers.set(path, (readers.get(path) ?? 0) + 1)
      return () => paths.forEach(giveBack)
    },
  }
}
