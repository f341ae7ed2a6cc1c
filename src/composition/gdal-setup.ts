/**
 * Whether `npm start` is still installing GDAL (src/setup/run.mjs). The tools that need it start working once that is
 * done.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GdalSetup } from '../engine/engine.ts'

const PROGRESS = join(import.meta.dir, '../../node_modules/.groundwave-gdal-progress')
const POLL_MS = 1_000

type Progress = { pid: number; progress: string }

async function readProgress(file: string): Promise<Progress | undefined> {
  try {
    const progress = JSON.parse(await readFile(file, 'utf8')) as Progress
    // a killed set-up leaves its file behind
    process.kill(progress.pid, 0)
    return progress
  } catch {
    // no file, no such process, or the file is just being written, which the next look shows
    return undefined
  }
}

/** @returns undefined if GDAL is not being installed */
export async function gdalSetup(file = PROGRESS): Promise<GdalSetup | undefined> {
  let current = await readProgress(file)
  if (current === undefined) return undefined
  const { promise, resolve } = Promise.withResolvers<void>()
  const poll = async (): Promise<void> => {
    // twice, because the file is empty for a moment when a line is written
    const next = (await readProgress(file)) ?? (await Bun.sleep(POLL_MS).then(() => readProgress(file)))
    if (next === undefined) return resolve()
    current = next
    setTimeout(() => void poll(), POLL_MS).unref()
  }
  void poll()
  return { done: promise, status: () => `GDAL is being installed: ${current?.progress}` }
}
