/** Reports about a lane: counts for the health check, processes and queues for the operator. */
import type { FairQueue } from './fair-queue.ts'
import type { LaneStatus, RunFacts } from './lane-options.ts'
import { type Run, rememberKey, residentBytes, type Worker } from './worker-process.ts'

export type ProcessReport = {
  pid: number
  state: 'starting' | 'idle' | 'running' | 'ending'
  /** Takes short runs only. */
  isReserved: boolean
  /** Tool, tenant and running time of the current run. */
  tool: string | null
  tenant: string | null
  runningMs: number | null
  bytes: number
  /** Since its start. */
  runs: number
}
export type TenantReport = { tenant: string; running: number; waiting: number; background: number }
export type LaneReport = {
  lane: string
  isAvailable: boolean
  reason: string | null
  processes: ProcessReport[]
  /** Largest number of processes. */
  workers: number
  waiting: number
  background: number
  /** Those with the most runs first. */
  tenants: TenantReport[]
}

export type LaneParts = {
  workers: ReadonlySet<Worker>
  waiting: FairQueue<Run>
  background: FairQueue<Run>
  processCount: number
  /** Why it cannot run tools, and why it runs them without GDAL. */
  missing: string | undefined
  missingGdal: string | undefined
  failedStarts: number
}

const reasonOf = ({ missing, missingGdal }: LaneParts): string | null => missing ?? missingGdal ?? null

export function statusOf(parts: LaneParts): LaneStatus {
  const { workers, waiting, processCount, failedStarts, missing } = parts
  const all = [...workers]
  return {
    workers: processCount,
    ready: all.filter(({ ready }) => ready).length,
    busy: all.filter(({ run }) => run !== undefined).length,
    waiting: waiting.length,
    available: reasonOf(parts) === null,
    failing: missing !== undefined || (failedStarts > 0 && !all.some(({ ready }) => ready)),
  }
}

/** Maximum entries in a list. */
const MAX_TENANTS = 100

export function reportOf(lane: string, parts: LaneParts): LaneReport {
  const { workers, waiting, background, processCount } = parts
  const reason = reasonOf(parts)
  const tenants = new Map<string, TenantReport>()
  const count = (tenant: string, what: 'running' | 'waiting' | 'background', by: number): void => {
    const known = tenants.get(tenant) ?? { tenant, running: 0, waiting: 0, background: 0 }
    known[what] += by
    tenants.set(tenant, known)
  }
  for (const { run } of workers) if (run !== undefined) count(run.tenant, 'running', 1)
  for (const [tenant, length] of waiting.lengths()) count(tenant, 'waiting', length)
  for (const [tenant, length] of background.lengths()) count(tenant, 'background', length)
  const sum = (of: TenantReport): number => of.running + of.waiting + of.background
  return {
    lane,
    isAvailable: reason === null,
    reason,
    processes: [...workers].map(processReport),
    workers: processCount,
    waiting: waiting.length,
    background: background.length,
    tenants: [...tenants.values()].sort((a, b) => sum(b) - sum(a)).slice(0, MAX_TENANTS),
  }
}

function processReport(worker: Worker): ProcessReport {
  const { pid, ready, run, killedFor, reserved, runs, beganMs } = worker
  return {
    // until it is ready, the launcher programs may be its parents
    pid: pid || worker.process.pid,
    state: killedFor !== undefined ? 'ending' : !ready ? 'starting' : run === undefined ? 'idle' : 'running',
    isReserved: reserved,
    tool: run?.message.tool ?? null,
    tenant: run?.tenant ?? null,
    runningMs: run === undefined ? null : Math.round(performance.now() - beganMs),
    bytes: pid === 0 ? 0 : residentBytes(pid),
    runs,
  }
}

/** Notes that a process begins a run. */
export function beginRun(worker: Worker, run: Run): void {
  worker.run = run
  worker.runs++
  worker.beganMs = performance.now()
  run.options.watch?.began(worker.pid)
  rememberKey(worker.cachedKeys, run.options.cacheKey)
}

/** The run that a process works on, for log lines. */
export const aboutRun = ({ pid, run }: Worker): RunFacts | undefined =>
  run === undefined
    ? undefined
    : { pid, tool: run.message.tool, requestId: run.options.requestId, traceId: run.options.watch?.traceId }
