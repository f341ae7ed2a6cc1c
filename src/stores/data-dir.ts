/** The data folder, and the lock that prevents a second process from using it. */
import { dlopen } from 'bun:ffi'
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Another process uses the folder; the message is for the operator. */
export class DataDirInUse extends Error {}

const LOCK_EX = 2
const LOCK_NB = 4

/**
 * Creates the folder (mode 0700) and locks it with flock(2). The kernel releases the lock however this process ends,
 * so a stale lock is impossible.
 * @returns a function that releases the lock
 * @throws DataDirInUse
 */
export function lockDataDir(dir: string): () => void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const path = join(dir, 'lock')
  const fd = openSync(path, 'a+', 0o600)
  const libc = dlopen(process.platform === 'darwin' ? 'libSystem.dylib' : 'libc.so.6', {
    flock: { args: ['int', 'int'], returns: 'int' },
  })
  if (libc.symbols.flock(fd, LOCK_EX | LOCK_NB) !== 0) {
    const holder = readFileSync(path, 'utf8').trim()
    closeSync(fd)
    throw new DataDirInUse(
      `${dir} is in use by another Groundwave process${holder === '' ? '' : ` (pid ${holder})`}; stop it, or set DATA_DIR to another folder`,
    )
  }
  ftruncateSync(fd, 0)
  writeSync(fd, `${process.pid}\n`)
  return () => closeSync(fd)
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
