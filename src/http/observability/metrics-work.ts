/** Metrics of work behind requests: runs of tools, jobs, calls of stores, and spans that are exported. */
import type { Registry } from 'prom-client'
import { AppError } from '../../errors.ts'
import { instrumentsOf } from './instruments.ts'

const WAIT_BUCKETS = [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]
const RUN_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900]
const STORE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1, 5, 30]
const STORE_LABELS = ['store', 'operation'] as const

export function createWorkMetrics(registry: Registry) {
  const { counter, histogram } = instrumentsOf(registry)
  const queueSeconds = histogram(
    'tool_queue_wait_seconds',
    'Time that runs waited for a worker process, by lane',
    WAIT_BUCKETS,
    'lane',
  )
  const runSeconds = histogram(
    'tool_run_duration_seconds',
    'Time that runs took in a worker process, by lane',
    RUN_BUCKETS,
    'lane',
  )
  const runs = counter('tool_runs_total', 'Runs that ended, by tool and by the code of their result', 'tool', 'code')
  const jobWait = histogram(
    'job_wait_seconds',
    'Time from the acceptance of a job to its start in this process',
    WAIT_BUCKETS,
  )
  const jobSeconds = histogram(
    'job_duration_seconds',
    'Time that jobs took in this process, by how they ended',
    RUN_BUCKETS,
    'status',
  )
  const storeSeconds = histogram(
    'store_call_duration_seconds',
    'Time that a store took to answer, by store and operation',
    STORE_BUCKETS,
    ...STORE_LABELS,
  )
  const storeFailures = counter(
    'store_call_failures_total',
    'Calls of a store that failed, by store and operation',
    ...STORE_LABELS,
  )
  const spans = counter(
    'trace_spans_total',
    'Spans of OpenTelemetry, by outcome: exported, failed or dropped',
    'outcome',
  )
  // so that the first loss is an increase
  for (const outcome of ['exported', 'failed', 'dropped']) spans.labels(outcome).inc(0)
  const codeOf = (error: unknown): string =>
    error === undefined ? 'SUCCESS' : error instanceof AppError ? error.code : 'INTERNAL_ERROR'

  return {
    runEnded(lane: string, tool: string, waitedMs: number, ranMs: number, error: unknown) {
      queueSeconds.labels(lane).observe(waitedMs / 1000)
      if (ranMs > 0) runSeconds.labels(lane).observe(ranMs / 1000)
      runs.labels(tool, codeOf(error)).inc()
    },
    jobEnded(status: string, waitedMs: number, durationMs: number) {
      jobWait.observe(waitedMs / 1000)
      jobSeconds.labels(status).observe(durationMs / 1000)
    },
    storeCall(store: string, operation: string, durationMs: number, error: unknown) {
      storeSeconds.labels(store, operation).observe(durationMs / 1000)
      // an expected failure comes from the statement or its caller, not from the store
      if (error !== undefined && !(error instanceof AppError && error.status < 500))
        storeFailures.labels(store, operation).inc()
    },
    spans: (outcome: string, count: number) => spans.labels(outcome).inc(count),
  }
}
