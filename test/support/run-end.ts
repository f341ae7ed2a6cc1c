/**
 * Resources shared by all test files of a process, and their cleanup. Bun's test runner ends without an `exit` event, but
 * it runs the hooks of a preloaded file once, after the last test file.
 */
import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Task = () => unknown

// the preloaded file and the same file imported by tests are two module instances in one process
const shared = globalThis as { groundwaveRunEnd?: Task[]; groundwaveOnce?: Map<string, Promise<unknown>> }
shared.groundwaveRunEnd ??= []
shared.groundwaveOnce ??= new Map()

/** A temporary folder that exists until all test files of this process have run. */
export function sharedFolder(name: string): string {
  const dir = mkdtempSync(join(tmpdir(), `groundwave-${name}-`))
  atRunEnd(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Runs the task after all test files of this process, newest task first. */
export function atRunEnd(task: Task): void {
  shared.groundwaveRunEnd?.push(task)
}

/** One value for all test files of a process. A failed start is tried again by the next file. */
export function onceInProcess<T>(name: string, start: () => Promise<T>): Promise<T> {
  const known = shared.groundwaveOnce?.get(name) as Promise<T> | undefined
  if (known !== undefined) return known
  const started = start()
  shared.groundwaveOnce?.set(name, started)
  // the caller that awaits it gets the failure
  started.catch(() => shared.groundwaveOnce?.delete(name))
  return started
}

/** Called by the preloaded file only. */
export function cleanUpAtRunEnd(): void {
  afterAll(async () => {
    for (const task of shared.groundwaveRunEnd?.splice(0).reverse() ?? []) await task()
  })
}
