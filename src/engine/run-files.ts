/**
 * Files that a worker process returns. A file that made it run foreign code must not make the server store or send
 * anything else: a result is a regular file in the folder of its run, and no link leads out of it.
 */
import { lstat, realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import { AppError } from '../errors.ts'

/** @throws AppError TOOL_FAILED */
export async function checkRunFiles(scratch: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return
  const folder = await realpath(scratch)
  for (const path of paths) {
    const [real, found] = await Promise.all([realpath(path), lstat(path)])
    if (!found.isFile() || found.nlink !== 1 || !real.startsWith(folder + sep))
      throw new AppError('TOOL_FAILED', { cause: new Error(`a worker process returned ${path}`) })
  }
}
