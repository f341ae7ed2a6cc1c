/** Configuration and reports of a lane. */
import { AppError } from '../errors.ts'
import type { QueueLimits } from './fair-queue.ts'
import type { Confined } from './sandbox.ts'
import type { Worker } from './worker-process.ts'

export type LaneOptions = {
  name: string
  /** Undefined if the program is not installed. */
  command: (() => Confined) | undefined
  environment: Record<string, string>
  workers: number
  /** Whether an extra process is reserved for short runs. */
  reserve: boolean
  /** Calls that may wait; further calls are refused. */
  waiting: QueueLimits
  /** Maximum concurrent runs of one tenant, not counting a run on the reserved process. */
  runningPerTenant: number
  maxMemoryBytes: number
  /** A process is replaced after this many runs. */
  maxRuns: number
  onEvent(event: LaneEvent): void
}

export type LaneEvent = {
  lane: string
  event: 'started' | 'ended' | 'unavailable' | 'without GDAL' | 'killed' | 'output'
  reason?: string
} & Partial<RunFacts>

/** The process's run, and the call that started the run. */
export type RunFacts = { pid: number; tool: string; requestId: string | undefined; traceId: string | undefined }

/**
 * `available`: the requirements of all its tools are met. `failing`: no tool can run, because the last process ended
 * before it was ready, or its program is not installed.
 */
export type LaneStatus = {
  workers: number
  ready: number
  busy: number
  waiting: number
  available: boolean
  failing: boolean
}

export const unavailable = (reason: string): AppError => new AppError('TOOL_UNAVAILABLE', { cause: new Error(reason) })

/** Runs may also wait for processes that have not started yet; not every run may use the reserved one. */
export function waitingLimits({ waiting, workers }: LaneOptions, started: ReadonlySet<Worker>): QueueLimits {
  const unstarted = workers - [...started].filter(({ ready, reserved }) => ready && !reserved).length
  return { total: waiting.total + unstarted, perTenant: waiting.perTenant + unstarted }
}
