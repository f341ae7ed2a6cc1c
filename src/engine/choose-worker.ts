/** Chooses the process of a lane for a run. */
import type { LaneOptions } from './lane-options.ts'
import { hasMemoryFor, RUN_BYTES, type Run, type RunOptions, type Worker } from './worker-process.ts'

/** Reserved processes come last, except for runs that only they may take. */
export function idleWorkers(workers: Iterable<Worker>): Worker[] {
  return [...workers]
    .filter(({ ready, run, killedFor }) => ready && run === undefined && killedFor === undefined)
    .sort((a, b) => Number(a.reserved) - Number(b.reserved))
}

export const generalCount = (workers: Iterable<Worker>): number =>
  [...workers].filter(({ reserved }) => !reserved).length

/**
 * An idle process that may take the run and has enough memory. If there is none, `lacksMemory` is a process that lacks
 * only the memory.
 */
export function workerFor(
  run: Run,
  workers: ReadonlySet<Worker>,
  { runningPerTenant, maxMemoryBytes }: Pick<LaneOptions, 'runningPerTenant' | 'maxMemoryBytes'>,
): { worker?: Worker | undefined; lacksMemory?: Worker | undefined } {
  const allowed = idleWorkers(workers).filter((worker) => mayRun(worker, run, workers, runningPerTenant))
  const worker = preferCached(allowed, run.options.cacheKey).find((candidate) =>
    hasMemoryFor(candidate, memoryNeeded(candidate, run.options), maxMemoryBytes),
  )
  return worker === undefined ? { lacksMemory: allowed[0] } : { worker }
}

function mayRun(worker: Worker, run: Run, workers: ReadonlySet<Worker>, runningPerTenant: number): boolean {
  const { tenant, options } = run
  const running = [...workers].filter((other) => !other.reserved && other.run?.tenant === tenant).length
  return worker.reserved ? isShort(options, running) : running < runningPerTenant
}

/** Maximum input size of a run on the reserved process. */
const SHORT_BYTES = 2 ** 20

/**
 * Whether the reserved process may take it: it takes small calls without files, and small calls of tenants that have
 * nothing else running, so that neither waits for long runs of others.
 */
function isShort({ sent, background }: RunOptions, runningOfTenant: number): boolean {
  if (sent === undefined || sent.bytes > SHORT_BYTES || background === true) return false
  return sent.files === 0 || runningOfTenant === 0
}

/** Those with a cached `cacheKey` come first. */
function preferCached(workers: Worker[], cacheKey: string | undefined): Worker[] {
  if (cacheKey === undefined || workers.length < 2) return workers
  return workers.sort((a, b) => Number(b.cachedKeys.has(cacheKey)) - Number(a.cachedKeys.has(cacheKey)))
}

const memoryNeeded = (worker: Worker, { cacheKey, memoryBytes, memoryAgainBytes }: RunOptions): number =>
  (cacheKey !== undefined && worker.cachedKeys.has(cacheKey) ? memoryAgainBytes : undefined) ?? memoryBytes ?? RUN_BYTES
