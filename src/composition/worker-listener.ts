/** Health and metrics of a job worker, for the operator: a small application on its own port. */
import { Elysia } from 'elysia'
import type { Config } from '../config.ts'
import { envelope } from '../http/envelope.ts'
import { health, type Parts } from '../http/health.ts'
import { answering } from '../http/listener.ts'
import { type createWorkerMetrics, metricsRoute } from '../http/metrics.ts'
import type { ProcessNow } from '../http/metrics-now.ts'

const IDLE_TIMEOUT_S = 60

export type WorkerListener = { address: string; stop(): Promise<void> }

/** @returns undefined where no port is set */
export function openWorkerListener(
  { workerMetricsPort, adminHost }: Config,
  metrics: ReturnType<typeof createWorkerMetrics>,
  now: () => Promise<Omit<ProcessNow, 'storesUp'>>,
  parts: Parts,
): WorkerListener | undefined {
  if (workerMetricsPort === 0) return undefined
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .use(envelope(() => []))
    .use(health(parts))
    .use(metricsRoute(metrics, now, parts))
  const server = Bun.serve({
    ...{ hostname: adminHost, port: workerMetricsPort, idleTimeout: IDLE_TIMEOUT_S, development: false },
    fetch: answering((request) => app.handle(request), {
      ...{ publicOnly: false, trustedProxies: new Set<string>(), idleTimeoutS: IDLE_TIMEOUT_S },
    }),
  })
  return { address: `http://${server.hostname}:${server.port}`, stop: () => server.stop(true) }
}
