/** Logs and counts each request. */
import { Elysia } from 'elysia'
import type { Logger } from 'pino'
import { traceIdOf } from '../tracing.ts'
import type { Metrics } from './metrics.ts'
import { requestContextOf } from './request-context.ts'
import { endRequestSpan } from './request-span.ts'
import { shownPath } from './shown-path.ts'

/** Measures every request from before routing until its response is sent. */
export function requestLog(logger: Logger, metrics: Metrics) {
  return new Elysia({ name: 'request-log' })
    .onRequest(({ request }) => {
      requestContextOf(request)
    })
    .onAfterResponse({ as: 'global' }, ({ request, route }) => {
      // the status comes from the answer that was sent: what Elysia says of a failure is its own idea of it
      const requestContext = requestContextOf(request)
      const { requestId, startedMs, method, path, caller, status = 0, code, error, span } = requestContext
      const durationMs = performance.now() - startedMs
      metrics.request(method, route === '' ? 'none' : route, status, durationMs, code)
      endRequestSpan(requestContext, route)
      const line = {
        ...{ requestId, traceId: traceIdOf(span), method, path: shownPath(path), caller, status },
        ...{ durationMs: Math.round(durationMs * 100) / 100, code, err: error },
      }
      if (status >= 500) logger.error(line)
      // answered without any work, and as often as somebody likes: counted by the metrics
      else if (code === 'KEY_FAILURES_LIMITED') logger.debug(line)
      else logger.info(line)
    })
}
