/** What every listener does with a request before it is routed, and with every answer before it is sent. */
import { tracing } from '../tracing.ts'
import { nextPass } from '../turns.ts'
import { type DirectRoute, directAnswering } from './direct-route.ts'
import { failureResponse } from './envelope.ts'
import type { Answer, AnswerDirectly } from './http-connection.ts'
import { underRequest } from './last-resort.ts'
import type { RequestLog } from './log.ts'
import { type Connection, type RequestContext, requestContextOf } from './request-context.ts'
import { beginRequestSpan, endRequestSpan } from './request-span.ts'
import { addSecurityHeaders } from './security-headers.ts'

export type Handle = (request: Request) => Response | Promise<Response>

/**
 * Time of one pass of the event loop for requests whose answers need no waiting: a connection goes on to its next request
 * within the same pass, and ten connections with 20,000 requests each held the server's thread for 10 s. Further requests
 * wait for the next pass.
 */
const QUICK_MS = 4
let pass = 0
let quickMs = 0
let isPassEnding = false

function currentPass(): number {
  if (!isPassEnding) {
    isPassEnding = true
    setImmediate(() => {
      isPassEnding = false
      quickMs = 0
      pass++
    })
  }
  return pass
}

function countTime({ pass: begun, startedMs }: RequestContext): void {
  if (begun === pass) quickMs += performance.now() - startedMs
}

export type ListenerOptions = {
  /** Whether the operator has another listener. */
  publicOnly: boolean
  /** Addresses whose X-Forwarded-For is believed. */
  trustedProxies: ReadonlySet<string>
  /** That of the listener. */
  idleTimeoutS: number
}

export type Answering = { answer: Answer; answerDirectly: AnswerDirectly | undefined }

/** @param direct a route of the application that may be answered without it */
export function answering(
  handle: Handle,
  { publicOnly, trustedProxies, idleTimeoutS }: ListenerOptions,
  direct?: { route: DirectRoute; log: RequestLog },
): Answering {
  function prepare(requestContext: RequestContext, connection: Connection): void {
    requestContext.connection = connection
    requestContext.publicOnly = publicOnly
    requestContext.trustedProxies = trustedProxies
    requestContext.pass ??= currentPass()
  }

  function finish(request: Request, response: Response): Response {
    const requestContext = requestContextOf(request)
    requestContext.status = response.status
    countTime(requestContext)
    // a connection of a caller who has got the answer may not stay open for ever
    if (requestContext.longRunning === true) requestContext.connection?.timeout(idleTimeoutS)
    addSecurityHeaders(response.headers)
    return response
  }

  function begin(request: Request, connection: Connection): Response | Promise<Response> {
    const requestContext = requestContextOf(request)
    prepare(requestContext, connection)
    const failed = (error: unknown): Response => {
      const response = finish(request, failureResponse(request, error))
      // nothing behind the application sees such an answer
      endRequestSpan(requestContext, '')
      return response
    }
    const { on } = tracing
    if (on !== undefined) beginRequestSpan(on, request, requestContext)
    const { span } = requestContext
    try {
      const answer = underRequest(requestContext, () =>
        on === undefined || span === undefined ? handle(request) : on.within(span, () => handle(request)),
      )
      if (!(answer instanceof Promise)) return finish(request, answer)
      return new Promise((resolve) => {
        requestContext.fail = (error) => resolve(failed(error))
        answer.then(
          (response) => resolve(finish(request, response)),
          (error: unknown) => resolve(failed(error)),
        )
      })
    } catch (error) {
      return failed(error)
    }
  }

  return {
    answer(request, connection, receivedBody) {
      const requestContext = requestContextOf(request)
      requestContext.receivedBody = receivedBody
      requestContext.pass = currentPass()
      if (quickMs < QUICK_MS) return begin(request, connection)
      return nextPass().then(() => begin(request, connection))
    },
    answerDirectly:
      direct && directAnswering({ ...direct, prepare, finish, countTime, isBusy: () => quickMs >= QUICK_MS }),
  }
}
