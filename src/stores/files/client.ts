/** Storage for files: a folder, or a bucket of an S3 service. */
import type { BunFile, S3File } from 'bun'

export type FileStore = {
  /** Starts to write a file that put() will probably store; errors are left to put(). */
  prepare(path: string): void
  /** Moves a local file into the store. */
  put(key: string, path: string): Promise<void>
  /** Readable as a whole or in slices. */
  open(key: string): BunFile | S3File
  /** Frees the memory in which the kernel keeps the file, which is rarely read again. */
  uncache(key: string): void
  /** Copies the file to `path`. */
  fetch(key: string, path: string): Promise<void>
  /** The keys of all files, always in the same order. @param after begins after this one */
  list(after?: string): AsyncIterable<string>
  remove(key: string): Promise<void>
  ping(): Promise<void>
}

/** The form of the keys that Groundwave creates, as a regular expression. */
export const STORAGE_KEY = '^fil_[0-9a-f]{32}$'
const KEY = new RegExp(STORAGE_KEY)

export const isStorageKey = (text: string): boolean => KEY.test(text)

/** Paths are built from keys, so a key must have exactly that form. */
export function checkKey(key: string): string {
  if (!isStorageKey(key)) throw new Error(`"${key}" is not a storage key`)
  return key
}
