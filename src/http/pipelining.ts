/**
 * A listener for devices that pipeline: they send further requests on a connection before the answer to the first.
 * Bun.serve closes such a connection as soon as a handler has to wait (HttpContext.h, "denying async pipelining";
 * oven-sh/bun#38128 is to change that). Bun's node:http answers in order, but costs more for each request, so it has a
 * separate port.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Connection } from './request-context.ts'

type Answer = (request: Request, connection: Connection) => Response | Promise<Response>

/** @param onError receives failures of connections, after which their client gets no answer */
export function listenForPipelines(
  { hostname, port, idleTimeoutS }: { hostname: string; port: number; idleTimeoutS: number },
  answer: Answer,
  onError: (error: unknown) => void,
): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing, answer).catch((error: unknown) => {
      outgoing.destroy()
      // a client that hangs up is no failure
      if (!incoming.destroyed) onError(error)
    })
  })
  server.keepAliveTimeout = idleTimeoutS * 1000
  const listening = Promise.withResolvers<Server>()
  server.once('error', listening.reject)
  server.listen(port, hostname, () => listening.resolve(server))
  return listening.promise
}

async function respond(incoming: IncomingMessage, outgoing: ServerResponse, answer: Answer): Promise<void> {
  const { socket } = incoming
  const connection: Connection = {
    requestIP: () => ({ address: socket.remoteAddress ?? '' }),
    timeout: (_request, seconds) => socket.setTimeout(seconds * 1000),
  }
  const response = await answer(requestOf(incoming), connection)
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body === null) outgoing.end()
  else await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), outgoing)
}

function requestOf(incoming: IncomingMessage): Request {
  const { method = 'GET', url = '/', rawHeaders } = incoming
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string)
  const hasBody = headers.has('content-length') || headers.has('transfer-encoding')
  return new Request(`http://${headers.get('host') ?? 'localhost'}${url}`, {
    method,
    headers,
    ...(hasBody && method !== 'GET' && method !== 'HEAD' && { body: Readable.toWeb(incoming) as ReadableStream }),
  })
}
