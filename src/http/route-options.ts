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
 * instead. Not before authentication, since anybody could hold connections open then.
 */
export function longRunning({ request }: { request: Request }): void {
  const requestContext = requestContextOf(request)
  requestContext.longRunning = true
  requestContext.connection?.timeout(request, 0)
}

/** Routes for the operator do not exist on the public listener when the operator has another one. */
export function operatorListener(request: Request): void {
  if (requestContextOf(request).publicOnly === true) throw new AppError('NOT_FOUND')
}
