/** Logs and counts each request. */
import { Elysia } from 'elysia'
import type { Logger } from 'pino'
import type { Metrics } from './metrics.ts'
import { requestContextOf } from './request-context.ts'

/** Measures every request from before routing until its response is sent. */
export function requestLog(logger: Logger, metrics: Metrics) {
  return new Elysia({ name: 'request-log' })
    .onRequest(({ request }) => {
      requestContextOf(request)
    })
    .onAfterResponse({ as: 'global' }, ({ request, route, responseValue, set }) => {
      const { requestId, startedMs, method, path, code, error } = requestContextOf(request)
      const status = responseValue instanceof Response ? responseValue.status : Number(set.status ?? 200)
      const durationMs = performance.now() - startedMs
      metrics.request(method, route === '' ? 'none' : route, status, durationMs)
      const line = { requestId, method, path, status, durationMs: Math.round(durationMs * 100) / 100, code, err: error }
      if (status >= 500) logger.error(line)
      else logger.info(line)
    })
}
