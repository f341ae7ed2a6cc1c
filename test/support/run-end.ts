/**
 * Resources shared by all test files of a process, and their cleanup. Bun's test runner ends without an `exit` event. A
 * single process runs the hooks of a preloaded file once, after the last test file. A parallel worker runs them after
 * each file and is then killed: there, child programs end with their parent, and `npm test` removes the folders.
 */
import { afterAll } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Task = () => unknown

// the preloaded file and the same file imported by tests are two module instances in one process
const shared = globalThis as { groundwaveRunEnd?: Task[]; groundwaveOnce?: Map<string, Promise<unknown>> }
shared.groundwaveRunEnd ??= []
shared.groundwaveOnce ??= new Map()

const isParallel = process.env.JEST_WORKER_ID !== undefined

/** `npm test` removes the folder of this name in its temporary folder. */
const FOLDER = 'groundwave-shared'

/** A temporary folder that exists until all test files of this process have run. */
export function sharedFolder(name: string): string {
  const parent = join(tmpdir(), FOLDER)
  mkdirSync(parent, { recursive: true, mode: 0o711 })
  const dir = mkdtempSync(join(parent, `${name}-`))
  atRunEnd(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Runs the task after all test files of this process, newest task first; never in a parallel worker. */
export function atRunEnd(task: Task): void {
  shared.groundwaveRunEnd?.push(task)
}

/** One value for all test files of a process. A start that failed is tried again by the next file. */
export function onceInProcess<T>(name: string, start: () => Promise<T>): Promise<T> {
  const known = shared.groundwaveOnce?.get(name) as Promise<T> | undefined
  if (known !== undefined) return known
  const started = start()
  shared.groundwaveOnce?.set(name, started)
  // who waits for it gets the failure
  started.catch(() => shared.groundwaveOnce?.delete(name))
  return started
}

/** Called by the preloaded file only. */
export function cleanUpAtRunEnd(): void {
  if (isParallel) return
  afterAll(async () => {
    for (const task of shared.groundwaveRunEnd?.splice(0).reverse() ?? []) await task()
  })
}
