/** Answers of this surface that are not serialized from an object. */
import { constants } from 'node:zlib'
import { JSON_TYPE, respond, successAround } from '../../http/envelope.ts'
import { acceptsGzip, gzipInOtherThread } from '../../http/fixed-document.ts'
import { whileAllowed } from '../../http/long-answers.ts'

/** Wraps data that is already JSON text in the envelope. */
export function answerText(request: Request, data: readonly Buffer[]): Response {
  return respond(request, inEnvelope(request, data), JSON_TYPE)
}

/** The same, compressed if the caller accepts it; for answers of megabytes. */
export async function answerLongText(request: Request, data: readonly Buffer[]): Promise<Response> {
  const text = inEnvelope(request, data)
  if (!acceptsGzip(request)) return respond(request, text, JSON_TYPE)
  const response = respond(request, await gzipInOtherThread(text, { level: constants.Z_BEST_SPEED }), JSON_TYPE)
  response.headers.set('content-encoding', 'gzip')
  response.headers.set('vary', 'accept-encoding')
  return response
}

function inEnvelope(request: Request, data: readonly Buffer[]): Buffer {
  const [head, tail] = successAround(request)
  return Buffer.concat([Buffer.from(head), ...data, Buffer.from(tail)])
}

/** Server-sent events. */
export function answerEvents(request: Request, events: ReadableStream<Uint8Array>): Response {
  const response = respond(request, whileAllowed(request, events, 'close'), 'text/event-stream; charset=utf-8')
  response.headers.set('cache-control', 'no-store')
  return response
}
