/** What the server keeps of a request from its first byte to its log line. */

export type Exchange = {
  requestId: string
  startedMs: number
  method: string
  /** Without the query, which may hold what no log should. */
  path: string
  /** Set when an answer was a failure. */
  code?: string
  /** What went wrong, for the log alone. */
  error?: unknown
}

const exchanges = new WeakMap<Request, Exchange>()

const SAFE_ID = /^[\w.:-]{1,128}$/

/** The exchange of a request; begun at the first call. The caller's X-Request-Id is kept when it is harmless. */
export function exchangeOf(request: Request): Exchange {
  const known = exchanges.get(request)
  if (known !== undefined) return known
  const sent = request.headers.get('x-request-id')
  const exchange = {
    requestId: sent !== null && SAFE_ID.test(sent) ? sent : Bun.randomUUIDv7(),
    startedMs: performance.now(),
    method: request.method,
    path: pathOf(request.url),
  }
  exchanges.set(request, exchange)
  return exchange
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start < 0) return '/'
  const query = url.indexOf('?', start)
  return query < 0 ? url.slice(start) : url.slice(start, query)
}
