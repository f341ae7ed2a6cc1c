/** The data folder: its permissions, free disk space, and the lock that prevents a second process from using it. */
import { chmodSync, mkdirSync, readFileSync, realpathSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockFile, lockHolder } from './file-lock.ts'

const MIB = 2 ** 20

/** A file of the data folder while a backup is being restored into it. */
export const RESTORE_MARKER = 'restoring.json'

/** Another process uses the folder; the message is for the operator. */
export class DataDirInUse extends Error {}

/** Other accounts have access to the folder, and this one may not change that; the message is for the operator. */
export class DataDirUnsafe extends Error {}

/** The disk of the folder has too little space for a start; the message is for the operator. */
export class DataDirFull extends Error {}

/** Creates the folder (mode 0700), or removes the access of other accounts. @throws DataDirUnsafe */
export function makePrivate(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  keepOthersOut(dir)
}

/** @throws DataDirFull when the disk has less space than a start needs */
export function requireSpace(dir: string, neededBytes: number): void {
  const { bavail, bsize } = statfsSync(dir)
  const freeBytes = bavail * bsize
  if (freeBytes >= neededBytes) return
  const [free, needed] = [Math.floor(freeBytes / MIB), Math.ceil(neededBytes / MIB)]
  throw new DataDirFull(
    `${dir} is on ${diskOf(dir)}, which has ${free} MB free; the start needs ${needed} MB. Free some space, or set DATA_DIR to a folder on another disk`,
  )
}

/** The device of a folder and where it is mounted. */
function diskOf(dir: string): string {
  const path = `${realpathSync(dir)}/`
  let best: { device: string; at: string } | undefined
  for (const line of mounts()) {
    const [device = '', place = ''] = line.split(' ')
    const at = place.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
    const isParent = path.startsWith(at === '/' ? at : `${at}/`)
    // a later mount at the same place covers an earlier one
    if (isParent && at.length >= (best?.at.length ?? 0)) best = { device, at }
  }
  return best === undefined ? 'a disk' : `the disk ${best.device} (mounted at ${best.at})`
}

function mounts(): string[] {
  try {
    return readFileSync('/proc/self/mounts', 'utf8').trim().split('\n')
  } catch {
    // the system is not Linux
    return []
  }
}

/**
 * Makes the folder private and takes its lock.
 * @returns a function that releases the lock
 * @throws DataDirInUse, DataDirUnsafe
 */
export function lockDataDir(dir: string): () => void {
  makePrivate(dir)
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
