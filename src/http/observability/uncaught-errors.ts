/**
 * Errors that nothing handled: thrown in a callback, emitted by a stream without a listener, or a rejection that nobody
 * awaited. Each is a bug, so it is logged as fatal and counted. Its request is answered as failed if it can be
 * identified; all others continue.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from 'pino'
import type { RequestContext } from '../request-context.ts'
import type { Metrics } from './metrics.ts'

const current = new AsyncLocalStorage<RequestContext>()

/** Does the work of a request, callbacks included, under its context. */
export const underRequest = <T>(requestContext: RequestContext, work: () => T): T => current.run(requestContext, work)

/** To be called once the server listens: an error at the start ends it. */
export function handleUncaught(logger: Logger, metrics: Pick<Metrics, 'uncaught'>): void {
  const handle = (error: unknown, kind: 'exception' | 'rejection'): void => {
    // Bun provides the async context of an exception, but not of a rejection
    const requestContext = current.getStore()
    metrics.uncaught(kind)
    logger.fatal({ err: error, kind, requestId: requestContext?.requestId }, 'an error that nothing handled')
    requestContext?.fail?.(error)
  }
  process.on('uncaughtException', (error) => handle(error, 'exception'))
  process.on('unhandledRejection', (error) => handle(error, 'rejection'))
}
