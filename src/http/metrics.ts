/** Prometheus metrics of requests, ingestion and the process. */
import { Elysia } from 'elysia'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { respond } from './envelope.ts'
import { registerEventLoopDelay } from './event-loop-delay.ts'
import { checkParts, type Parts } from './health.ts'
import { operatorListener } from './route-options.ts'

export type IngestGauges = {
  bytesWaiting: number
  segmentsWaiting: number
  segmentsChecked: number
  sensorsInMemory: number
  takesMore: boolean
  /** Age of the oldest rows not yet stored in ClickHouse. */
  lagSeconds: number
}

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  registerEventLoopDelay(registry)
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its response',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  const readings = new Counter({
    name: 'readings_total',
    help: 'Readings received, by outcome: accepted, duplicate or refused',
    labelNames: ['outcome'] as const,
    registers,
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
  const zoneWaiting = new Gauge({
    name: 'zone_check_segments',
    help: 'Segments in ClickHouse whose readings are still to be checked against zone rules',
    registers,
  })
  const keyFailures = new Counter({
    name: 'key_failures_total',
    help: 'Calls with an invalid key, by the kind of key',
    labelNames: ['kind'] as const,
    registers,
  })
  const uncaught = new Counter({
    name: 'uncaught_errors_total',
    help: 'Errors that nothing handled: each is a bug',
    labelNames: ['kind'] as const,
    registers,
  })
  const resident = new Gauge({ name: 'process_resident_memory_bytes', help: 'Resident memory', registers })
  const cpu = new Gauge({ name: 'process_cpu_seconds_total', help: 'User and system CPU time in seconds', registers })
  const logBytes = new Gauge({ name: 'log_bytes', help: 'Bytes in segments not yet stored in ClickHouse', registers })
  const logSegments = new Gauge({ name: 'log_segments', help: 'Segments not yet stored in ClickHouse', registers })
  const sensors = new Gauge({
    name: 'claims_sensors',
    help: 'Sensors whose latest timestamps are held in memory',
    registers,
  })
  const open = new Gauge({ name: 'ingest_open', help: '1 while the server accepts readings, otherwise 0', registers })
  const lag = new Gauge({
    name: 'log_lag_seconds',
    help: 'Age of the oldest rows not yet stored in ClickHouse',
    registers,
  })
  const stores = new Gauge({
    name: 'store_up',
    help: '1 while the part answers its health check, otherwise 0',
    labelNames: ['store'] as const,
    registers,
  })
  // created once: looking labels up for each call costs more than counting
  const accepted = readings.labels('accepted')
  const duplicate = readings.labels('duplicate')
  const refused = readings.labels('refused')
  const totals = { accepted: 0, duplicates: 0, refused: 0 }

  return {
    registry,
    request(method: string, route: string, status: number, durationMs: number) {
      requests.labels(method, route, String(status)).observe(durationMs / 1000)
    },
    outcome(acceptedCount: number, duplicateCount: number, refusedCount: number) {
      accepted.inc(acceptedCount)
      duplicate.inc(duplicateCount)
      refused.inc(refusedCount)
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
    uncaught: (kind: 'exception' | 'rejection') => uncaught.labels(kind).inc(),
    loadFailed: () => loadFailures.inc(),
    walFailed: () => walFailures.inc(),
    async text(ingest: IngestGauges, storesUp: Record<string, boolean>): Promise<string> {
      for (const [store, up] of Object.entries(storesUp)) stores.set({ store }, up ? 1 : 0)
      lag.set(ingest.lagSeconds)
      const { user, system } = process.cpuUsage()
      resident.set(process.memoryUsage.rss())
      cpu.set((user + system) / 1e6)
      logBytes.set(ingest.bytesWaiting)
      logSegments.set(ingest.segmentsWaiting)
      zoneWaiting.set(ingest.segmentsChecked)
      sensors.set(ingest.sensorsInMemory)
      open.set(ingest.takesMore ? 1 : 0)
      return registry.metrics()
    },
  }
}

export function metricsRoute(metrics: Metrics, ingest: () => IngestGauges, parts: Parts) {
  return new Elysia({ name: 'metrics' }).get(
    '/metrics',
    async ({ request }) => {
      operatorListener(request)
      const states = await checkParts(parts)
      const up = Object.fromEntries(Object.entries(states).map(([name, { status }]) => [name, status === 'ok']))
      return respond(request, await metrics.text(ingest(), up), metrics.registry.contentType)
    },
    { detail: { hide: true } },
  )
}
