/**
 * An HTTP/1.1 listener that answers requests of a connection in their order, however many a client sends before the first
 * answer. Bun.serve closes such a connection as soon as a handler has to wait (HttpContext.h, "denying async pipelining";
 * oven-sh/bun#38128 is to change that), and Bun's node:http costs several times as much for a request.
 */
import type { TCPSocketListener } from 'bun'
import {
  type Answer,
  type AnswerDirectly,
  type ConnectionOwner,
  type HttpConnection,
  httpConnection,
} from './http-connection.ts'

/** For the last bytes of answers, and for clients to close their connections. */
const GRACE_MS = 500
/** How long the rest of a small body is waited for before its request is handed over without it. */
const WHOLE_BODY_MS = 100

export type HttpListener = {
  hostname: string
  port: number
  /** Takes no more connections, and resolves when all requests are answered and their connections closed. */
  stop(): Promise<void>
  /** Closes the connections that are left. */
  terminate(): void
}

export type HttpListenerOptions = {
  hostname: string
  port: number
  /** Whether other processes listen there too, and share its connections. */
  reusePort: boolean
  /** Seconds without a byte after which a connection is closed; also for a head to arrive in. */
  idleTimeoutS: number
  /** Receives failures of answers, after which their client gets the end of the connection. */
  onError: (error: unknown) => void
}

export function listenHttp(
  { hostname, port, reusePort, idleTimeoutS, onError }: HttpListenerOptions,
  answer: Answer,
  answerDirectly?: AnswerDirectly,
): HttpListener {
  const connections = new Set<HttpConnection>()
  let isStopping = false
  let underWay = 0
  const stopped = Promise.withResolvers<void>()
  /** Connections that wait for a body, and until when. One timer serves all. */
  const waiting = new Map<HttpConnection, number>()
  let _sweeping: ReturnType<typeof setTimeout> | undefined
  function sweep(): void {
    const nowMs = performance.now()
    for (const [connection, untilMs] of waiting) if (untilMs <= nowMs) connection.dispatch()
    _sweeping = waiting.size > 0 ? setTimeout(sweep, WHOLE_BODY_MS / 2) : undefined
  }
  const settle = (): void => {
    if (!isStopping || underWay > 0) return
    if (connections.size === 0) stopped.resolve()
    else setTimeout(stopped.resolve, GRACE_MS)
  }
  const owner: ConnectionOwner = {
    ...{ idleTimeoutS, answer, answerDirectly, onError },
    isStopping: () => isStopping,
    waitForBody(connection) {
      waiting.set(connection, performance.now() + WHOLE_BODY_MS)
      _sweeping ??= setTimeout(sweep, WHOLE_BODY_MS / 2)
    },
    stopWaiting: (connection) => void waiting.delete(connection),
    began() {
      underWay++
    },
    ended() {
      underWay--
      settle()
    },
    closed(connection) {
      connections.delete(connection)
      settle()
    },
  }

  const listener: TCPSocketListener<HttpConnection | undefined> = Bun.listen<HttpConnection | undefined>({
    hostname,
    port,
    // Bun has this option without its type
    ...{ reusePort },
    allowHalfOpen: true,
    socket: {
      open(socket) {
        const connection = httpConnection(socket, owner)
        socket.data = connection
        connections.add(connection)
        socket.timeout(idleTimeoutS)
        if (isStopping) connection.finish()
      },
      data: (socket, chunk) => socket.data?.data(chunk),
      drain: (socket) => socket.data?.drain(),
      end: (socket) => socket.data?.end(),
      close: (socket) => socket.data?.closed(),
      timeout: (socket) => socket.terminate(),
      error(socket, error) {
        // those of the system are ends of connections
        if (!('code' in error)) onError(error)
        socket.terminate()
      },
    },
  })
  return {
    hostname: listener.hostname,
    port: listener.port,
    stop() {
      isStopping = true
      listener.stop(false)
      for (const connection of connections) connection.finish()
      settle()
      return stopped.promise.then(() => listener.stop(true))
    },
    terminate: () => listener.stop(true),
  }
}
