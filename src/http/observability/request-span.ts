/** The span of a request, by OpenTelemetry's conventions for HTTP servers. Headers, queries and bodies are not recorded. */
import { SPAN_KIND, type Tracing } from '../../tracing.ts'
import type { RequestContext } from '../request-context.ts'
import { shownPath } from './shown-path.ts'

const STATUS_ERROR = 2
const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE'])
/** The longest `tracestate` that W3C Trace Context requires to be propagated. */
const MAX_TRACESTATE = 512

/** Continues the trace that the request names, or begins one. */
export function beginRequestSpan(on: Tracing, request: Request, requestContext: RequestContext): void {
  const traceparent = request.headers.get('traceparent')
  const tracestate = request.headers.get('tracestate')
  const isKept = tracestate !== null && tracestate.length <= MAX_TRACESTATE
  const from = traceparent === null ? undefined : { traceparent, ...(isKept && { tracestate }) }
  const { method, path, requestId } = requestContext
  const known = KNOWN_METHODS.has(method)
  requestContext.span = on.begin(known ? method : 'HTTP', from, {
    kind: SPAN_KIND.server,
    attributes: {
      'http.request.method': known ? method : '_OTHER',
      'url.path': shownPath(path),
      'url.scheme': request.url.startsWith('https:') ? 'https' : 'http',
      'groundwave.request_id': requestId,
    },
  })
}

/** @param route as it is declared, with the names of its parameters; empty if there is none */
export function endRequestSpan({ span, method, status = 0, code }: RequestContext, route: string): void {
  if (span?.isRecording() !== true) return
  if (route !== '') {
    span.setAttribute('http.route', route)
    span.updateName(`${KNOWN_METHODS.has(method) ? method : 'HTTP'} ${route}`)
  }
  span.setAttribute('http.response.status_code', status)
  if (code !== undefined) span.setAttribute('groundwave.code', code)
  if (status >= 500) {
    span.setAttribute('error.type', code ?? String(status))
    span.setStatus({ code: STATUS_ERROR })
  }
  span.end()
}
