/**
 * Measures a run: time in the queue, and time in a process. Traced runs get three spans: `queue`, `run`, and within
 * that `work`, which the worker process measures itself. It has no network, so the server sends its span.
 */
import { endFailed, type Span, traceIdOf, tracing } from '../tracing.ts'
import type { Worked } from './protocol.ts'

export type RunEnd = {
  lane: string
  /** Id of a tool or of a task. */
  tool: string
  requestId: string | undefined
  traceId: string | undefined
  waitedMs: number
  /** 0 if it never began. */
  ranMs: number
  error: unknown
}

export type RunWatch = {
  isTraced: boolean
  traceId: string | undefined
  began(pid: number): void
  /** @param worked undefined when the process did not measure its work */
  worked(worked: Worked | undefined): void
  /** @param error undefined when it succeeded */
  ended(error?: unknown): void
}

export function watchRun(
  lane: string,
  tool: string,
  requestId: string | undefined,
  onEnd: (end: RunEnd) => void,
): RunWatch {
  const { on } = tracing
  const parent = on?.current()
  const attributes = { 'groundwave.lane': lane, 'groundwave.tool': tool }
  const queue = on?.start('queue', { attributes })
  const traceId = traceIdOf(queue)
  const queuedMs = performance.now()
  let beganMs: number | undefined
  let run: Span | undefined
  let processId = 0
  return {
    isTraced: queue !== undefined,
    traceId,
    began(pid) {
      beganMs = performance.now()
      processId = pid
      queue?.end()
      if (parent !== undefined) run = on?.start('run', { parent, attributes })
    },
    worked(worked) {
      if (worked === undefined || run === undefined) return
      const place = { parent: run.spanContext(), startMs: worked.fromMs }
      on?.start('work', { ...place, attributes: { ...attributes, 'process.pid': processId } })?.end(worked.toMs)
    },
    ended(error) {
      const open = run ?? queue
      if (error === undefined) open?.end()
      else endFailed(open, error)
      const waitedMs = (beganMs ?? performance.now()) - queuedMs
      const ranMs = beganMs === undefined ? 0 : performance.now() - beganMs
      onEnd({ lane, tool, requestId, traceId, waitedMs, ranMs, error })
    },
  }
}
