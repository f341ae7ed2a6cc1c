/** What a route says of itself, as a hook among its options. */
import type { Server } from 'bun'
import { requestContextOf } from './request-context.ts'

/** `transform: bilingual`: failures of the route carry the Arabic text too. */
export function bilingual({ request }: { request: Request }): void {
  requestContextOf(request).bilingual = true
}

/**
 * `beforeHandle: longRunning`, or a call once the caller is known: the connection may be silent for longer than the
 * server's idle timeout. The limits of the upload and of the work end it instead. Not before authentication, since
 * anybody could hold connections open then.
 */
export function longRunning({ request, server }: { request: Request; server: Server<unknown> | null }): void {
  server?.timeout(request, 0)
}
