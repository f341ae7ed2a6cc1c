/** Files that are whole after a power cut: they are written, synced and renamed, and then their folder is synced. */
import { constants } from 'node:fs'
import { copyFile, open, rename, unlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

const DRAFT = '.new'

/** @throws for anything but a regular file: each later reader would follow a link */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (!(await file.stat()).isFile()) throw new Error('only files are stored')
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** Syncs the folder, so that names added to it or removed from it are on disk. */
export async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Moves a file, also to another file system. At any moment, `to` is the old file or the complete new one. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await syncFile(from)
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await copyFile(from, to + DRAFT)
    await syncFile(to + DRAFT)
    await rename(to + DRAFT, to)
    await unlink(from)
  }
  await syncFolder(dirname(to))
}

/** Replaces a file that only this account may read. */
export async function writeDurably(path: string, text: string): Promise<void> {
  await writeFile(path + DRAFT, text, { mode: 0o600 })
  await moveDurably(path + DRAFT, path)
}
