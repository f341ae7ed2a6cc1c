import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Creates the folder, or empties it. */
export async function emptyFolder(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true })
  for (const name of await readdir(dir)) await rm(join(dir, name), { recursive: true, force: true })
}

/** Worker processes may have another account (engine/sandbox.ts); the folders around keep everyone else out. */
export const WORKER_READABLE = 0o644
