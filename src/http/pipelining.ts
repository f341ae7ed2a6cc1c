/**
 * A listener for devices that pipeline: they send further requests on a connection before the answer to the first.
 * Bun.serve closes such a connection as soon as a handler has to wait (HttpContext.h, "denying async pipelining";
 * oven-sh/bun#38128 is to change that). Bun's node:http answers in order, but costs more for each request, so it has a
 * separate port.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { nextPass } from '../turns.ts'
import type { Connection } from './request-context.ts'

export type Answer = (request: Request, connection: Connection) => Response | Promise<Response>

/**
 * Requests without an answer: of one connection, and of all. A connection that sends more is closed. Bun hands over every
 * request of what it has received at once, 40 kB of memory each: without limits, 20 MB of small requests took 8 GB.
 */
export const MAX_UNANSWERED = 8
const MAX_UNANSWERED_IN_TOTAL = 4096

type Queue = { unanswered: number; last: Promise<void> }

/** @param onError receives failures of connections, after which their client gets no answer */
export function listenForPipelines(
  { hostname, port, idleTimeoutS }: { hostname: string; port: number; idleTimeoutS: number },
  answer: Answer,
  onError: (error: unknown) => void,
): Promise<Server> {
  const queues = new WeakMap<Socket, Queue>()
  let inTotal = 0
  const server = createServer((incoming, outgoing) => {
    const { socket } = incoming
    const queue = queues.get(socket) ?? { unanswered: 0, last: Promise.resolve() }
    queues.set(socket, queue)
    if (queue.unanswered >= MAX_UNANSWERED || inTotal >= MAX_UNANSWERED_IN_TOTAL) {
      socket.destroy()
      return
    }
    queue.unanswered++
    inTotal++
    // one after the other: only requests of safe methods may run in parallel (RFC 9112, 9.3.2)
    queue.last = queue.last
      .then(() => respond(incoming, outgoing, answer))
      .catch((error: unknown) => {
        outgoing.destroy()
        // a client that hangs up is no failure
        if (!incoming.destroyed) onError(error)
      })
      // an answer that needs no waiting would otherwise be sent while Bun hands over the next requests, without an end
      .then(nextPass)
      .finally(() => {
        queue.unanswered--
        inTotal--
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
  if (socket.destroyed) return
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
  // a proxy may send the whole address
  const address = url.startsWith('/') ? `http://${headers.get('host') ?? 'localhost'}${url}` : url
  return new Request(address, {
    method,
    headers,
    ...(hasBody && method !== 'GET' && method !== 'HEAD' && { body: Readable.toWeb(incoming) as ReadableStream }),
  })
}
