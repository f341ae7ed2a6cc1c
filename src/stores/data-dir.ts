/** The data folder, and the lock that prevents a second process from using it. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockFile, lockHolder } from './file-lock.ts'

/** Another process uses the folder; the message is for the operator. */
export class DataDirInUse extends Error {}

/** Other accounts have access to the folder, and this one may not change that; the message is for the operator. */
export class DataDirUnsafe extends Error {}

/**
 * Creates the folder (mode 0700), or takes the rights of other accounts from it, and takes its lock.
 * @returns a function that releases the lock
 * @throws DataDirInUse, DataDirUnsafe
 */
export function lockDataDir(dir: string): () => void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  keepOthersOut(dir)
  const path = join(dir, 'lock')
  const unlock = lockFile(path)
  if (unlock === undefined)
    throw new DataDirInUse(
      `${dir} is in use by another Groundwave process${lockHolder(path)}; stop it, or set DATA_DIR to another folder`,
    )
  return unlock
}

function keepOthersOut(dir: string): void {
  const mode = statSync(dir).mode & 0o777
  if ((mode & 0o077) === 0) return
  try {
    chmodSync(dir, mode & 0o700)
  } catch (cause) {
    throw new DataDirUnsafe(
      `${dir} has mode 0${mode.toString(8)} and belongs to another account, so that others can read or change it; run "chmod 700" on it as its owner, or set DATA_DIR to another folder`,
      { cause },
    )
  }
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
