/** Facts about a request, kept from its first byte to its log line. */

import type { Span } from '../tracing.ts'

/** A listener's control over the connection of a request. */
export type Connection = {
  address: string
  /** Sets the idle timeout of the connection, in seconds; 0 for none. */
  timeout(seconds: number): void
}

/** Records that the rights of a caller depend on. */
export type Holding = {
  /** The caller and its role. */
  as: string
  /** The account, application, token or Tool API, and the owner that it acts for. */
  ids: readonly string[]
  /** When the session or key ends. */
  expiresMs: number
}

export type RequestContext = {
  requestId: string
  startedMs: number
  method: string
  /** Without the query string, which may contain secrets. */
  path: string
  /** Undefined in tests that call the application without a listener. */
  connection?: Connection
  /** Addresses of proxies whose X-Forwarded-For is trusted. */
  trustedProxies?: ReadonlySet<string>
  /** Whether this server is reached over TLS only (PUBLIC_URL). */
  publicTls?: boolean
  /** Whether the listener is public while the operator has another one. */
  publicOnly?: boolean
  /** Whether the connection may be silent until the answer is there. */
  longRunning?: boolean
  /** Called with the answer to a failed request before it is sent, to undo what the request began. Never fails. */
  endFailed?: (failure: Response) => Promise<void>
  /** Answers the request as failed, if it has no answer yet. */
  fail?: (error: unknown) => void
  /** The span of the request, while traces are exported. */
  span?: Span
  /** The status of the answer that was sent, or CALLER_LEFT. */
  status?: number
  /** Length of the body of GET, for the answer to HEAD. */
  bytesOfGet?: number
  /** Whether failures carry the Arabic text too. */
  bilingual?: boolean
  /**
   * The caller, once authenticated: an operator (access/operator.ts), or the id of a sensor, an application or a Tool
   * API.
   */
  caller?: string
  /** The caller's rights, for answers that outlast the check (long-answers.ts). */
  holding?: Holding
  /** Checks the caller again. @throws AppError as the first check */
  checkAgain?: () => Promise<Holding | undefined>
  /** Id of the record or the owner that the caller's rights were checked for, if the route is about one. */
  subject?: string | undefined
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
  const sentId = request.headers.get('x-request-id')
  const requestContext: RequestContext = {
    requestId: sentId !== null && SAFE_ID.test(sentId) ? sentId : Bun.randomUUIDv7(),
    startedMs: performance.now(),
    method: request.method,
    path: pathOf(request.url),
  }
  contexts.set(request, requestContext)
  return requestContext
}

/** The status of a disconnected caller in log and metrics, as in nginx. */
const CALLER_LEFT = 499

/**
 * Notes the status of the answer. A failed call whose caller disconnected before the answer mostly failed for that
 * reason.
 */
export function noteStatus(request: Request, status: number): void {
  const requestContext = requestContextOf(request)
  const hasLeft = status >= 400 && request.signal.aborted && requestContext.code !== 'INTERNAL_ERROR'
  requestContext.status = hasLeft ? CALLER_LEFT : status
  // work that ended because its caller left is no failure of a store
  if (hasLeft && status >= 500) {
    delete requestContext.code
    delete requestContext.error
  }
}

/** To be called once the caller's key is checked. Bodies are read afterwards only. */
export function identify(request: Request, caller: string, subject?: string): void {
  Object.assign(requestContextOf(request), { caller, subject })
}

/** Notes the records that the caller's rights depend on, and how to check the rights again. */
export function hold(
  request: Request,
  holding: Holding | undefined,
  checkAgain: () => Promise<Holding | undefined>,
): void {
  if (holding !== undefined) Object.assign(requestContextOf(request), { holding, checkAgain })
}

/** The actor of a change, for the audit log. */
export function callerOf(request: Request): string {
  const { caller, method, path } = requestContextOf(request)
  if (caller === undefined) throw new Error(`${method} ${path} needs its caller before the caller is known`)
  return caller
}

/** The id of the record or the owner that the caller's rights were checked for: never read again from the request. */
export function subjectOf(request: Request): string {
  const { subject, method, path } = requestContextOf(request)
  if (subject === undefined) throw new Error(`${method} ${path} needs a subject that nobody checked`)
  return subject
}

/** Nobody without a key may make the server wait for a body, unpack it or parse it. */
export function requireCaller(request: Request): void {
  callerOf(request)
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start < 0) return '/'
  const query = url.indexOf('?', start)
  return query < 0 ? url.slice(start) : url.slice(start, query)
}
