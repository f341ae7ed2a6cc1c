/** A port of the server: steps before a request is routed, and before every answer is sent. */

import { nextPass } from '../event-loop-yield.ts'
import { tracing } from '../tracing.ts'
import { isForwardedByStranger } from './address.ts'
import { withOverriddenMethod } from './body/method-override.ts'
import { failureResponse } from './envelope.ts'
import { beginRequestSpan, endRequestSpan } from './observability/request-span.ts'
import { underRequest } from './observability/uncaught-errors.ts'
import { noteStatus, requestContextOf } from './request-context.ts'
import { addSecurityHeaders } from './security-headers.ts'

export type Handle = (request: Request) => Promise<Response>

export type ListenerOptions = {
  hostname: string
  port: number
  /** Whether other processes listen there too, and share its connections. */
  reusePort: boolean
  /** Seconds without a byte after which a connection is closed. */
  idleTimeoutS: number
  /** Whether the operator has another listener. */
  publicOnly: boolean
  /** Whether this server is reached over TLS only. */
  publicTls?: boolean
  /** Addresses of proxies whose X-Forwarded-For is trusted. */
  trustedProxies: ReadonlySet<string>
  /** Called at most once an hour, with the address of a proxy that is not in `trustedProxies`. */
  onStrangeProxy?: (address: string) => void
  /** Receives errors of answers whose status was already decided. */
  onError: (error: unknown) => void
}

export type Listener = Bun.Server<undefined>

/** A name or an address with a port: anything else could change the path of the request's address. */
const HOST = /^[\w.\-:%[\]]+$/
/** The host of the last request: nearly all requests name the same one. */
let knownHost = ''

function isHost(host: string): boolean {
  if (host === knownHost) return true
  if (!HOST.test(host) || !URL.canParse(`http://${host}/`)) return false
  knownHost = host
  return true
}

/**
 * The request with an unambiguous URL. Some parsers would take a fragment as part of the path or the query, and
 * HTTP/1.0 needs no Host.
 * @returns undefined for a URL that is refused
 */
function withAddress(request: Request): Request | undefined {
  const { url } = request
  if (url.includes('#')) return undefined
  const host = request.headers.get('host')
  if (host === null || host === '')
    return url.startsWith('/') ? new Request(`http://localhost${url}`, request) : undefined
  return isHost(host) && url.startsWith('http://') ? request : undefined
}

const HOUR_MS = 3_600_000

/** An answer that does not come from the application. */
function plainText(status: number, text: string): Response {
  const headers = new Headers({ 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  addSecurityHeaders(headers)
  return new Response(`${text}\n`, { status, headers })
}

export function listen(handle: Handle, options: ListenerOptions): Listener {
  const {
    hostname,
    port,
    reusePort,
    idleTimeoutS,
    publicOnly,
    publicTls = false,
    trustedProxies,
    onStrangeProxy,
    onError,
  } = options
  let strangeProxyMs = Number.NEGATIVE_INFINITY

  function finish(request: Request, response: Response): Response {
    const requestContext = requestContextOf(request)
    noteStatus(request, response.status)
    // a connection must not stay open for ever after its answer
    if (requestContext.longRunning === true) requestContext.connection?.timeout(idleTimeoutS)
    addSecurityHeaders(response.headers)
    // Elysia counts the bytes of the body, which answers to HEAD do not have
    if (request.method === 'HEAD' && requestContext.bytesOfGet !== undefined)
      response.headers.set('content-length', String(requestContext.bytesOfGet))
    return response
  }

  function answer(request: Request): Promise<Response> {
    const requestContext = requestContextOf(request)
    const failed = (error: unknown): Response => {
      const response = finish(request, failureResponse(request, error))
      // this answer bypasses the hooks of the application
      endRequestSpan(requestContext, '')
      return response
    }
    const { on } = tracing
    if (on !== undefined) beginRequestSpan(on, request, requestContext)
    const { span } = requestContext
    return new Promise((resolve) => {
      requestContext.fail = (error) => resolve(failed(error))
      underRequest(requestContext, () =>
        on === undefined || span === undefined ? handle(request) : on.within(span, () => handle(request)),
      ).then((response) => resolve(finish(request, response)), requestContext.fail)
    })
  }

  return Bun.serve({
    hostname,
    port,
    reusePort,
    idleTimeout: idleTimeoutS,
    development: false,
    // routes have their own limits
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    async fetch(received, server) {
      const addressed = withAddress(received)
      if (addressed === undefined) return plainText(400, 'the Host or the target of the request is invalid')
      const request = withOverriddenMethod(addressed)
      const requestContext = requestContextOf(request)
      requestContext.connection = {
        address: server.requestIP(received)?.address ?? 'unknown',
        timeout: (seconds) => server.timeout(received, seconds),
      }
      requestContext.publicOnly = publicOnly
      requestContext.publicTls = publicTls
      requestContext.trustedProxies = trustedProxies
      if (performance.now() - strangeProxyMs > HOUR_MS && isForwardedByStranger(requestContext, request.headers)) {
        strangeProxyMs = performance.now()
        onStrangeProxy?.(requestContext.connection.address)
      }
      // Synchronous answers would follow each other within one pass of the event loop: ten connections with 20,000
      // requests each blocked the server's thread for 4 s. Bun closes a connection that sends a request behind one that
      // waits.
      await nextPass()
      return answer(request)
    },
    // a file could not be read after its answer was decided
    error(error) {
      onError(error)
      return plainText(500, 'the answer could not be read')
    },
  })
}
