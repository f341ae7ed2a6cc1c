/** The body of a request: bytes that the listener has received already, or a stream of those that are still arriving. */
import { requestContextOf } from './request-context.ts'

/** Undefined while the body is arriving. */
export const receivedBody = (request: Request): Uint8Array<ArrayBuffer> | undefined =>
  requestContextOf(request).receivedBody

/** Null for a request without a body. */
export function bodyStream(request: Request): ReadableStream<Uint8Array> | null {
  const received = receivedBody(request)
  return received === undefined ? request.body : new Response(received).body
}
