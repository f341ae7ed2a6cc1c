/** Health and metrics of a job worker, for the operator: a small application on its own port. */
import { Elysia } from 'elysia'
import { envelope } from '../http/envelope.ts'
import { listen } from '../http/listener.ts'
import type { ProcessNow } from '../http/observability/gauges.ts'
import { health, type Parts } from '../http/observability/health.ts'
import { type createWorkerMetrics, metricsRoute } from '../http/observability/metrics.ts'
import type { Host } from './host.ts'
import type { Stops } from './shutdown.ts'

const IDLE_TIMEOUT_S = 60

type WorkerHost = Host<ReturnType<typeof createWorkerMetrics>>

/** @returns its address, or undefined where no port is set */
export function openWorkerListener(
  { config, metrics, warn }: WorkerHost,
  now: () => Promise<Omit<ProcessNow, 'storesUp'>>,
  parts: Parts,
  stops: Stops,
): string | undefined {
  const { workerMetricsPort, adminHost } = config
  if (workerMetricsPort === 0) return undefined
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .use(envelope(() => []))
    .use(health(parts))
    .use(metricsRoute(metrics, now, parts))
  const listener = listen((request) => app.handle(request), {
    hostname: adminHost,
    port: workerMetricsPort,
    reusePort: false,
    idleTimeoutS: IDLE_TIMEOUT_S,
    publicOnly: false,
    trustedProxies: new Set<string>(),
    onError: warn('an answer ended with its connection'),
  })
  stops.onStop('listener', () => listener.stop(true))
  return `http://${listener.hostname}:${listener.port}`
}
