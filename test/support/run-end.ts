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
const shared = globalThis as { groundwaveRunEnd?: Task[] }
shared.groundwaveRunEnd ??= []

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

/** Called by the preloaded file only. */
export function cleanUpAtRunEnd(): void {
  afterAll(async () => {
    for (const task of shared.groundwaveRunEnd?.splice(0).reverse() ?? []) await task()
  })
}
