/**
 * Prometheus metrics: what happened since the start. What is so at the moment is read at each scrape (metrics-now.ts).
 * No label has more values than the code has words for: no ids, no paths, no text of callers.
 */
import { Elysia } from 'elysia'
import { Counter, Histogram, Registry } from 'prom-client'
import { respond } from './envelope.ts'
import { registerEventLoopDelay } from './event-loop-delay.ts'
import { checkParts, type Parts } from './health.ts'
import { createGauges, createProcessGauges, type Now, type ProcessNow } from './metrics-now.ts'
import { createWorkMetrics } from './metrics-work.ts'
import { createRequestDurations } from './request-durations.ts'
import { operatorListener } from './route-options.ts'

/** A caller may send any word as a method. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const gauges = createGauges(registry)
  registerEventLoopDelay(registry)
  const observeRequest = createRequestDurations(registry)
  const failures = new Counter({
    name: 'http_failures_total',
    help: 'Requests that were answered with a failure, by its code',
    labelNames: ['code'] as const,
    registers,
  })
  const refusals = new Counter({
    name: 'readings_refused_total',
    help: 'Readings refused, by the code of the reason',
    labelNames: ['code'] as const,
    registers,
  })
  // counted here, and handed over at each scrape: the library looks its labels up for each call
  const totals = { accepted: 0, duplicates: 0, refused: 0 }
  new Counter({
    name: 'readings_total',
    help: 'Readings received, by outcome: accepted, duplicate or refused',
    labelNames: ['outcome'] as const,
    registers,
    collect() {
      this.reset()
      this.inc({ outcome: 'accepted' }, totals.accepted)
      this.inc({ outcome: 'duplicate' }, totals.duplicates)
      this.inc({ outcome: 'refused' }, totals.refused)
    },
  })
  const loadSeconds = new Histogram({
    name: 'segment_load_duration_seconds',
    help: 'Time to insert a segment of the write-ahead log into ClickHouse',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers,
  })
  const rowsLoaded = new Counter({ name: 'rows_loaded_total', help: 'Rows inserted into ClickHouse', registers })
  const loadFailures = new Counter({
    name: 'segment_load_failures_total',
    help: 'Failed attempts to insert a segment into ClickHouse',
    registers,
  })
  const walFailures = new Counter({
    name: 'log_write_failures_total',
    help: 'Failed writes to the write-ahead log',
    registers,
  })
  const zoneSeconds = new Histogram({
    name: 'zone_check_duration_seconds',
    help: 'Time to check the readings of a segment against zone rules',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers,
  })
  const zoneEvents = new Counter({ name: 'zone_events_total', help: 'Events produced by zone rules', registers })
  const keyFailures = new Counter({
    name: 'key_failures_total',
    help: 'Calls with an invalid key, by the kind of key',
    labelNames: ['kind'] as const,
    registers,
  })

  return {
    registry,
    ...createWorkMetrics(registry),
    /** @param code of the failure, if it is one */
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
  const uncaught = new Counter({
    name: 'uncaught_errors_total',
    help: 'Errors that nothing handled: each is a bug',
    labelNames: ['kind'] as const,
    registers: [registry],
  })
  // so that the first error is an increase
  for (const kind of ['exception', 'rejection']) uncaught.labels(kind).inc(0)
  return (kind) => uncaught.labels(kind).inc()
}

/** Of a process that only works on jobs. */
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
