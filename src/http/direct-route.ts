/**
 * A route whose calls skip the router, the Request and the Response, if nothing about them is unusual. Everybody else, and
 * every failure, is answered as by the router, with the same headers, log line and metrics.
 */
import { tracing } from '../tracing.ts'
import type { HeaderLookup } from './address.ts'
import { ANSWER_LINES, failureResponse } from './envelope.ts'
import type { AnswerDirectly } from './http-connection.ts'
import { underRequest } from './last-resort.ts'
import type { RequestLog } from './log.ts'
import { type Connection, newRequestContext, type RequestContext, setRequestContext } from './request-context.ts'
import { type RequestHead, requestOf } from './request-head.ts'
import { PreparedAnswer } from './response-writer.ts'

export type DirectCall = {
  requestContext: RequestContext
  headers: HeaderLookup
  /** All of it, not compressed. */
  body: Uint8Array
  /** What the target's group matched. */
  parameter: string
}

export type DirectRoute = {
  method: string
  /** As routers declare it. */
  route: string
  /** Matches its paths, with one group; other paths of the route go to the router. */
  target: RegExp
  /** Larger bodies go to the router. */
  maxBodyBytes: number
  /** @param render copies the JSON of an answer 200 */
  answer(call: DirectCall, render: (json: Uint8Array) => PreparedAnswer): Promise<PreparedAnswer>
}

/** Of the last call: nearly all name the same one. */
let knownHost = 'localhost'

/** Whether the address of a request can have it. */
function isHost(host: string): boolean {
  if (host === knownHost) return true
  if (!URL.canParse(`http://${host}/`)) return false
  knownHost = host
  return true
}

function headerOf(headers: RequestHead['headers'], wanted: string): string | null {
  let found: string | null = null
  for (const [name, value] of headers) if (name === wanted) found = found === null ? value : `${found}, ${value}`
  return found
}

export type DirectAnswering = {
  route: DirectRoute
  log: RequestLog
  /** Called with the context of each call before it is answered. */
  prepare(requestContext: RequestContext, connection: Connection): void
  /** Called with each failure's response before it is sent. */
  finish(request: Request, response: Response): Response
  /** Called with the context of each other call that is answered. */
  countTime(requestContext: RequestContext): void
  /** Whether calls have to wait for the next pass of the event loop. */
  isBusy(): boolean
}

/** @returns undefined for a call that the router has to answer */
export function directAnswering({ route, log, prepare, finish, countTime, isBusy }: DirectAnswering): AnswerDirectly {
  return (head, connection, body) => {
    const { method, target, headers: lines, host = '' } = head
    if (method !== route.method || body.length > route.maxBodyBytes) return undefined
    const parameter = route.target.exec(target)?.[1]
    if (parameter === undefined || !isHost(host || 'localhost') || tracing.on !== undefined || isBusy())
      return undefined
    const headers = { get: (name: string) => headerOf(lines, name) }
    if (headers.get('content-encoding') !== null) return undefined
    const requestContext = newRequestContext(method, target, headers.get('x-request-id'))
    requestContext.bilingual = true
    prepare(requestContext, connection)
    return new Promise((resolve) => {
      const failed = (error: unknown): void => {
        if (requestContext.status !== undefined) return
        const request = requestOf(head, undefined)
        setRequestContext(request, requestContext)
        resolve(finish(request, failureResponse(request, error)))
        log(requestContext, route.route)
      }
      requestContext.fail = failed
      underRequest(requestContext, () =>
        route.answer(
          { requestContext, headers, body, parameter },
          (json) => new PreparedAnswer(`${ANSWER_LINES}x-request-id: ${requestContext.requestId}\r\n`, json),
        ),
      ).then((answer) => {
        // an error that nothing handled has answered it
        if (requestContext.status !== undefined) return
        requestContext.status = 200
        countTime(requestContext)
        resolve(answer)
        log(requestContext, route.route)
      }, failed)
    })
  }
}
