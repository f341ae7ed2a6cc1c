/** Watches the free space of a disk that the log of readings shares with everything else. */
import { statfs } from 'node:fs/promises'
import { AppError } from '../errors.ts'

export type FreeDisk = {
  /** @throws AppError STORAGE_FULL while less than the reserve is free */
  require(): Promise<void>
}

/** A check is reused for this time: many calls arrive at once, and each may have files. */
const MAX_AGE_MS = 500
const RETRY_AFTER_S = 60

export function createFreeDisk(dir: string, reserveBytes: number): FreeDisk {
  let checkedMs = Number.NEGATIVE_INFINITY
  let freeBytes: Promise<number> = Promise.resolve(0)
  return {
    async require() {
      const nowMs = performance.now()
      if (nowMs - checkedMs > MAX_AGE_MS) {
        checkedMs = nowMs
        freeBytes = statfs(dir).then(({ bavail, bsize }) => bavail * bsize)
      }
      const free = await freeBytes
      if (free >= reserveBytes) return
      const cause = new Error(
        `${Math.floor(free / 2 ** 20)} MB are free; MIN_FREE_DISK_MB is ${reserveBytes / 2 ** 20}`,
      )
      throw new AppError('STORAGE_FULL', { retryAfterS: RETRY_AFTER_S, cause })
    },
  }
}
