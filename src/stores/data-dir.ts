/** The data folder, and the lock that prevents a second process from using it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockFile, lockHolder } from './file-lock.ts'

/** Another process uses the folder; the message is for the operator. */
export class DataDirInUse extends Error {}

/**
 * Creates the folder (mode 0700) and takes its lock.
 * @returns a function that releases the lock
 * @throws DataDirInUse
 */
export function lockDataDir(dir: string): () => void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const path = join(dir, 'lock')
  const unlock = lockFile(path)
  if (unlock === undefined)
    throw new DataDirInUse(
      `${dir} is in use by another Groundwave process${lockHolder(path)}; stop it, or set DATA_DIR to another folder`,
    )
  return unlock
}

/** The permanent id of the instance that owns the folder. */
export function readInstanceId(dir: string): string {
  const path = join(dir, 'instance.id')
  try {
    writeFileSync(path, `${Bun.randomUUIDv7()}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(path, 'utf8').trim()
}
