/** Logs and counts each request. */
import { Elysia } from 'elysia'
import type { Logger } from 'pino'
import type { Metrics } from './metrics.ts'
import { requestContextOf } from './request-context.ts'

const MAX_PATH_LENGTH = 300
/** The token of a one-time link is as good as a password until it is used. */
const LINK = /^(\/portal\/welcome\/).+/
const shortened = (path: string): string =>
  path.length <= MAX_PATH_LENGTH ? path : `${path.slice(0, MAX_PATH_LENGTH)}… (${path.length} characters)`

/** Measures every request from before routing until its response is sent. */
export function requestLog(logger: Logger, metrics: Metrics) {
  return new Elysia({ name: 'request-log' })
    .onRequest(({ request }) => {
      requestContextOf(request)
    })
    .onAfterResponse({ as: 'global' }, ({ request, route }) => {
      // the status comes from the answer that was sent: what Elysia says of a failure is its own idea of it
      const { requestId, startedMs, method, path, caller, status = 0, code, error } = requestContextOf(request)
      const durationMs = performance.now() - startedMs
      metrics.request(method, route === '' ? 'none' : route, status, durationMs)
      const line = {
        ...{ requestId, method, path: shortened(path).replace(LINK, '$1…'), caller, status },
        ...{ durationMs: Math.round(durationMs * 100) / 100, code, err: error },
      }
      if (status >= 500) logger.error(line)
      // answered without any work, and as often as somebody likes: counted by the metrics
      else if (code === 'KEY_FAILURES_LIMITED') logger.debug(line)
      else logger.info(line)
    })
}
