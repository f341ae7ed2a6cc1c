/** Options that a route declares as a hook. */
import { AppError } from '../errors.ts'
import { requestContextOf } from './request-context.ts'

/** `transform: bilingual`: failures of the route carry the Arabic text too. */
export function bilingual({ request }: { request: Request }): void {
  requestContextOf(request).bilingual = true
}

/**
 * `beforeHandle: longRunning`, or a call once the caller is known: the connection may be silent for longer than the
 * server's idle timeout until the answer is there (listener.ts). The limits of the upload and of the work end it
 * instead. Not before authentication: anybody could then hold connections open.
 */
export function longRunning({ request }: { request: Request }): void {
  const requestContext = requestContextOf(request)
  requestContext.longRunning = true
  requestContext.connection?.timeout(0)
}

/** Whether the operator's rights apply to a request: not on the public listener when the operator has another one. */
export const isOperatorListener = (request: Request): boolean => requestContextOf(request).publicOnly !== true

/** The operator's routes answer 404 where the operator's rights do not apply. */
export function operatorListener(request: Request): void {
  if (!isOperatorListener(request)) throw new AppError('NOT_FOUND')
}
