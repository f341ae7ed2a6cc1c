/** Health and metrics of a job worker, for the operator: a small application on its own port. */
import { Elysia } from 'elysia'
import type { Config } from '../config.ts'
import { envelope } from '../http/envelope.ts'
import { listen } from '../http/listener.ts'
import type { ProcessNow } from '../http/observability/gauges.ts'
import { health, type Parts } from '../http/observability/health.ts'
import { type createWorkerMetrics, metricsRoute } from '../http/observability/metrics.ts'

const IDLE_TIMEOUT_S = 60

export type WorkerListener = { address: string; stop(): Promise<void> }

/** @returns undefined where no port is set */
export function openWorkerListener(
  { workerMetricsPort, adminHost }: Config,
  metrics: ReturnType<typeof createWorkerMetrics>,
  now: () => Promise<Omit<ProcessNow, 'storesUp'>>,
  parts: Parts,
  onError: (error: unknown) => void,
): WorkerListener | undefined {
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
    onError,
  })
  return {
    address: `http://${listener.hostname}:${listener.port}`,
    stop: () => listener.stop(true),
  }
}
