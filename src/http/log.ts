/** Logs and counts each request. */
import { Elysia } from 'elysia'
import type { Logger } from 'pino'
import { traceIdOf } from '../tracing.ts'
import type { Metrics } from './metrics.ts'
import { type RequestContext, requestContextOf } from './request-context.ts'
import { endRequestSpan } from './request-span.ts'
import { shownPath } from './shown-path.ts'

/** Called once for each request that is answered. @param route as it is declared; empty if there is none */
export type RequestLog = (requestContext: RequestContext, route: string) => void

export const createRequestLog =
  (logger: Logger, metrics: Pick<Metrics, 'request'>): RequestLog =>
  (requestContext, route) => {
    // the status comes from the answer that was sent: what Elysia says of a failure is its own idea of it
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
  }

/** Measures every request of the application from before routing until its response is sent. */
export const requestLog = (log: RequestLog) =>
  new Elysia({ name: 'request-log' })
    .onRequest(({ request }) => {
      requestContextOf(request)
    })
    .onAfterResponse({ as: 'global' }, ({ request, route }) => log(requestContextOf(request), route))
