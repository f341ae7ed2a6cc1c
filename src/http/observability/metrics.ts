/**
 * Prometheus counters and histograms; gauges are in gauges.ts. Label values are fixed in the code: no ids, no paths, no
 * text of callers.
 */
import { Elysia } from 'elysia'
import { Counter, Registry } from 'prom-client'
import { respond } from '../envelope.ts'
import { operatorListener } from '../route-options.ts'
import { registerEventLoopDelay } from './event-loop-delay.ts'
import { createGauges, createProcessGauges, type Now, type ProcessNow } from './gauges.ts'
import { checkParts, type Parts } from './health.ts'
import { instrumentsOf } from './instruments.ts'
import { createMqttMetrics } from './metrics-mqtt.ts'
import { createWorkMetrics } from './metrics-work.ts'
import { createRequestDurations } from './request-durations.ts'

/** Methods that become labels; a caller may send any word as a method. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const SEGMENT_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  const { counter, histogram } = instrumentsOf(registry)
  const gauges = createGauges(registry)
  registerEventLoopDelay(registry)
  const observeRequest = createRequestDurations(registry)
  const failures = counter('http_failures_total', 'Requests that were answered with a failure, by its code', 'code')
  const refusals = counter('readings_refused_total', 'Readings refused, by the code of the reason', 'code')
  // counted here, and handed over at each scrape: the library looks its labels up for each call
  const totals = { accepted: 0, duplicates: 0, refused: 0 }
  new Counter({
    name: 'readings_total',
    help: 'Readings received, by outcome: accepted, duplicate or refused',
    labelNames: ['outcome'] as const,
    registers: [registry],
    collect() {
      this.reset()
      this.inc({ outcome: 'accepted' }, totals.accepted)
      this.inc({ outcome: 'duplicate' }, totals.duplicates)
      this.inc({ outcome: 'refused' }, totals.refused)
    },
  })
  const loadSeconds = histogram(
    'segment_load_duration_seconds',
    'Time to insert a segment of the write-ahead log into ClickHouse',
    SEGMENT_BUCKETS,
  )
  const rowsLoaded = counter('rows_loaded_total', 'Rows inserted into ClickHouse')
  const loadFailures = counter('segment_load_failures_total', 'Failed attempts to insert a segment into ClickHouse')
  const walFailures = counter('log_write_failures_total', 'Failed writes to the write-ahead log')
  const zoneSeconds = histogram(
    'zone_check_duration_seconds',
    'Time to check the readings of a segment against zone rules',
    SEGMENT_BUCKETS,
  )
  const judgeSeconds = histogram(
    'alert_judge_duration_seconds',
    'Time to judge the readings of segments by alert rules, and to store what was found',
    SEGMENT_BUCKETS,
  )
  const alertChanges = counter('alert_changes_total', 'Alerts that fired, changed their severity or were cleared')
  const zoneEvents = counter('zone_events_total', 'Events produced by zone rules')
  const attempts = counter(
    'delivery_attempts_total',
    'Attempts to deliver events, by outcome: delivered, refused, unreachable, or internal for a fault of the server',
    'outcome',
  )
  for (const outcome of ['delivered', 'refused', 'unreachable', 'internal']) attempts.labels(outcome).inc(0)
  const keyFailures = counter('key_failures_total', 'Calls with an invalid key, by the kind of key', 'kind')

  return {
    registry,
    ...createWorkMetrics(registry),
    ...createMqttMetrics(registry),
    /** @param code of a failure; undefined for a success */
    request(method: string, route: string, status: number, durationMs: number, code: string | undefined) {
      observeRequest(METHODS.has(method) ? method : 'other', route, status, durationMs / 1000)
      if (code !== undefined) failures.labels(code).inc()
    },
    /** @param reasons of readings of one call */
    refused(reasons: readonly { reason: string }[]) {
      for (const { reason } of reasons) refusals.labels(reason).inc()
    },
    outcome(acceptedCount: number, duplicateCount: number, refusedCount: number) {
      totals.accepted += acceptedCount
      totals.duplicates += duplicateCount
      totals.refused += refusedCount
    },
    /** Readings since the start, by outcome. */
    totals: () => ({ ...totals }),
    segmentStored(rows: number, durationMs: number) {
      rowsLoaded.inc(rows)
      loadSeconds.observe(durationMs / 1000)
    },
    zonesChecked(events: number, durationMs: number) {
      zoneEvents.inc(events)
      zoneSeconds.observe(durationMs / 1000)
    },
    alertsJudged(changes: number, events: number, durationMs: number) {
      alertChanges.inc(changes)
      zoneEvents.inc(events)
      judgeSeconds.observe(durationMs / 1000)
    },
    deliveryAttempted: (outcome: string) => attempts.labels(outcome).inc(),
    keyFailed: (kind: string) => keyFailures.labels(kind).inc(),
    uncaught: countUncaught(registry),
    loadFailed: () => loadFailures.inc(),
    walFailed: () => walFailures.inc(),
    async text(now: Now): Promise<string> {
      gauges(now)
      return registry.metrics()
    },
  }
}

function countUncaught(registry: Registry): (kind: 'exception' | 'rejection') => void {
  const { counter } = instrumentsOf(registry)
  const uncaught = counter('uncaught_errors_total', 'Errors that nothing handled: each is a bug', 'kind')
  // so that the first error is an increase
  for (const kind of ['exception', 'rejection']) uncaught.labels(kind).inc(0)
  return (kind) => uncaught.labels(kind).inc()
}

/** Metrics of a process that only works on jobs. */
export function createWorkerMetrics() {
  const registry = new Registry()
  const gauges = createProcessGauges(registry)
  registerEventLoopDelay(registry)
  return {
    registry,
    ...createWorkMetrics(registry),
    uncaught: countUncaught(registry),
    async text(now: ProcessNow): Promise<string> {
      gauges(now)
      return registry.metrics()
    },
  }
}

type StoresUp = Pick<ProcessNow, 'storesUp'>

export function metricsRoute<Figures extends object>(
  metrics: { registry: Registry; text(now: Figures & StoresUp): Promise<string> },
  now: () => Promise<Figures>,
  parts: Parts,
) {
  return new Elysia({ name: 'metrics' }).get(
    '/metrics',
    async ({ request }) => {
      operatorListener(request)
      const [states, figures] = await Promise.all([checkParts(parts), now()])
      const storesUp = Object.fromEntries(Object.entries(states).map(([name, { status }]) => [name, status === 'ok']))
      return respond(request, await metrics.text({ ...figures, storesUp }), metrics.registry.contentType)
    },
    { detail: { hide: true } },
  )
}
