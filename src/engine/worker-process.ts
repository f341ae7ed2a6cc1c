/** A worker process as its lane sees it. */
import { readFileSync } from 'node:fs'
import type { AppError } from '../errors.ts'
import type { FromWorker, Order } from './protocol.ts'

export type RunOptions = {
  scratch: string
  limits: Order['limits']
  plan: Order['plan']
  deadlineMs: number
  signal?: AbortSignal | undefined
  onProgress?: ((share: number) => void) | undefined
  /** Memory that it may need beside what its process holds from runs before. */
  memoryBytes?: number | undefined
  /** What a process keeps after the run; one that keeps it already is taken before others. */
  cacheKey?: string | undefined
  dataPath?: string | undefined
  /** A job: never refused for a full queue, and served after those who wait for an answer. */
  background?: boolean
}

export type Run = {
  message: Order
  options: RunOptions
  resolve(result: unknown): void
  reject(error: unknown): void
}
export type Worker = {
  process: Bun.Subprocess
  ready: boolean
  run: Run | undefined
  runs: number
  /** What it likely keeps from runs before, newest last, and how much memory it holds for that. */
  cachedKeys: Set<string>
  cachedBytes: number
  deadline: Timer | undefined
  /** Why it is being killed. */
  killedFor: AppError | undefined
}

const PAGE_BYTES = 4096
const MAX_CACHED_KEYS = 64

/** @param on.ended how: its exit code, or the signal that it died of */
export function startWorker(
  command: string[],
  environment: Record<string, string>,
  on: { receive(message: FromWorker): void; ended(how: string): void },
): Worker {
  return {
    ready: false,
    run: undefined,
    runs: 0,
    cachedKeys: new Set(),
    cachedBytes: 0,
    deadline: undefined,
    killedFor: undefined,
    process: Bun.spawn(command, {
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
      serialization: 'json',
      ipc: (message) => on.receive(message as FromWorker),
      onExit: (_process, code, signal) => on.ended(`exit ${code ?? signal}`),
    }),
  }
}

export function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES
  } catch {
    // it has just ended, or this is not Linux
    return 0
  }
}

export function rememberKey(cachedKeys: Set<string>, key: string | undefined): void {
  if (key === undefined) return
  cachedKeys.delete(key)
  cachedKeys.add(key)
  for (const oldest of cachedKeys) if (cachedKeys.size > MAX_CACHED_KEYS) cachedKeys.delete(oldest)
}

/** Those first that keep something. */
export function idleWorkers(workers: Iterable<Worker>, cacheKey: string | undefined): Worker[] {
  const idle = [...workers].filter(({ ready, run, killedFor }) => ready && run === undefined && killedFor === undefined)
  if (cacheKey === undefined || idle.length < 2) return idle
  return idle.sort((a, b) => Number(b.cachedKeys.has(cacheKey)) - Number(a.cachedKeys.has(cacheKey)))
}
