/** Where the bytes of stored files lie: a folder, or a bucket of an S3 service. */
import type { BunFile, S3File } from 'bun'

export type FileStore = {
  /** Begins what put() would have to wait for; whatever goes wrong put() will find as well. */
  prepare(path: string): void
  /** Takes over a file of this machine; `path` is gone afterwards. */
  put(key: string, path: string): Promise<void>
  /** What can be read, whole or sliced. */
  open(key: string): BunFile | S3File
  /** A copy of its own at `path`. */
  fetch(key: string, path: string): Promise<void>
  remove(key: string): Promise<void>
  ping(): Promise<void>
}

/** Keys come from here alone, but a path is made of them. */
export function checkKey(key: string): string {
  if (!/^fil_[0-9a-f]{32}$/.test(key)) throw new Error(`"${key}" is no storage key`)
  return key
}
