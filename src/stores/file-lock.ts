/** Locks on files. The kernel releases a lock however its process ends, so a stale lock is impossible. */
import { dlopen } from 'bun:ffi'
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'

const LOCK_SH = 1
const LOCK_EX = 2
const LOCK_NB = 4

const libc = dlopen(process.platform === 'darwin' ? 'libSystem.dylib' : 'libc.so.6', {
  flock: { args: ['int', 'int'], returns: 'int' },
})

/**
 * Takes the lock of a file, which is created where it does not exist, with flock(2).
 * @returns a function that releases it, or undefined when another process has it
 */
export function lockFile(path: string): (() => void) | undefined {
  const fd = openSync(path, 'a+', 0o600)
  if (libc.symbols.flock(fd, LOCK_EX | LOCK_NB) !== 0) {
    closeSync(fd)
    return undefined
  }
  ftruncateSync(fd, 0)
  writeSync(fd, `${process.pid}\n`)
  return () => closeSync(fd)
}

/** Whether a process has the lock now. The file is not changed. */
export function isLocked(path: string): boolean {
  const fd = openSync(path, 'r')
  try {
    return libc.symbols.flock(fd, LOCK_SH | LOCK_NB) !== 0
  } finally {
    closeSync(fd)
  }
}

/** The holder of the lock according to its file: ` (pid 123)`, or empty. */
export function lockHolder(path: string): string {
  const pid = readFileSync(path, 'utf8').trim()
  return pid === '' ? '' : ` (pid ${pid})`
}
