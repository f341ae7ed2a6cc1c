/** Facts about a request, kept from its first byte to its log line. */

export type RequestContext = {
  requestId: string
  startedMs: number
  method: string
  /** Without the query string, which may contain secrets. */
  path: string
  /** Whether failures carry the Arabic text too. */
  bilingual?: boolean
  /** Set when the call failed. */
  code?: string
  /** The cause of a failure, for the log only. */
  error?: unknown
}

const contexts = new WeakMap<Request, RequestContext>()

const SAFE_ID = /^[\w.:-]{1,128}$/

/** The context of a request, created at the first call. The caller's X-Request-Id is used when it is safe to log. */
export function requestContextOf(request: Request): RequestContext {
  const known = contexts.get(request)
  if (known !== undefined) return known
  const sent = request.headers.get('x-request-id')
  const requestContext = {
    requestId: sent !== null && SAFE_ID.test(sent) ? sent : Bun.randomUUIDv7(),
    startedMs: performance.now(),
    method: request.method,
    path: pathOf(request.url),
  }
  contexts.set(request, requestContext)
  return requestContext
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start < 0) return '/'
  const query = url.indexOf('?', start)
  return query < 0 ? url.slice(start) : url.slice(start, query)
}
