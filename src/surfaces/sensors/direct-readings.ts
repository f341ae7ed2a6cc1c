/**
 * Receives readings without the router: most calls of a fleet are small, and routing would cost more than their
 * readings.
 */
import type { BodyLimits } from '../../http/body/body.ts'
import { refuseHeaderTwice } from '../../http/body/sent-twice.ts'
import { failureResponse } from '../../http/envelope.ts'
import type { Handle } from '../../http/listener.ts'
import type { RequestLog } from '../../http/observability/log.ts'
import { noteStatus, requestContextOf } from '../../http/request-context.ts'
import { answerReadings, READINGS_ROUTE } from './reading-routes.ts'
import type { ReadingsCall } from './readings-call.ts'

/** URLs of usual calls; others go to the router. */
const ADDRESS = /^http:\/\/[^/]+\/sensors\/(\w{1,64})\/readings$/

/** @param handle answers all other requests */
export function directReadings(
  readingsCall: ReadingsCall,
  limits: BodyLimits,
  log: RequestLog,
  handle: Handle,
): Handle {
  return (request) => {
    const id = request.method === 'POST' ? ADDRESS.exec(request.url)?.[1] : undefined
    return id === undefined ? handle(request) : answer(request, id)
  }

  async function answerOnce(request: Request, id: string): Promise<Response> {
    // only this header matters here, and checking all eight would take a tenth of a small call
    refuseHeaderTwice(request.headers, 'Authorization')
    requestContextOf(request).bilingual = true
    return answerReadings(readingsCall, request, id, limits)
  }

  async function answer(request: Request, id: string): Promise<Response> {
    const requestContext = requestContextOf(request)
    const response = await answerOnce(request, id).catch((error: unknown) => failureResponse(request, error))
    noteStatus(request, response.status)
    log(requestContext, READINGS_ROUTE)
    return response
  }
}
