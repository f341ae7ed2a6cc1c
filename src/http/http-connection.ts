/**
 * One connection of a client that speaks HTTP/1.1 or 1.0: its requests are answered one after the other, in their order
 * (RFC 9112, 9.3.2). What it sends ahead of its answers waits in the connection and, beyond a limit, at the client.
 */
import type { Socket } from 'bun'
import { bodyOf, type IncomingBody } from './incoming-body.ts'
import type { IncomingRequest } from './incoming-request.ts'
import type { Connection } from './request-context.ts'
import {
  afterEmptyLines,
  HeadError,
  MAX_HEAD_BYTES,
  parseRequestHead,
  type RequestHead,
  requestOf,
} from './request-head.ts'
import { PreparedAnswer, writeResponse } from './response-writer.ts'
import { ClientGone, socketOutput } from './socket-output.ts'

/** What a client may send ahead of its answers before its connection is no longer read. */
const MAX_AHEAD_BYTES = 64 * 1024
/** What is read of a body that nobody needs, so that its sender gets the answer. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024
/** A connection is kept when so much is left of a body that nobody reads. */
const MAX_SKIPPED_BYTES = 64 * 1024
/** For the client to read its answer. */
const LINGER_S = 2
/** A body of at most so many bytes is handed over whole if it arrives soon: a stream costs as much as a small call. */
const WHOLE_BODY_BYTES = 256 * 1024
/** What is read of a chunked body in one pass of the event loop: its lines take time for each byte. */
const CHUNKED_BYTES = 64 * 1024
const END_OF_HEAD = Buffer.from('\r\n\r\n')
const CONTINUE = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n')
const NOTHING = Buffer.alloc(0)

/** @param received the whole body, if it is there already; the request itself has none then */
export type Answer = (
  request: Request,
  connection: Connection,
  received?: Uint8Array<ArrayBuffer>,
) => Response | Promise<Response>

type Answered = Response | PreparedAnswer

/** @returns undefined for a request that `Answer` has to answer */
export type AnswerDirectly = (
  head: RequestHead,
  connection: Connection,
  received: Uint8Array<ArrayBuffer>,
) => Promise<Answered> | undefined

/** What a connection needs from its listener. */
export type ConnectionOwner = {
  idleTimeoutS: number
  answer: Answer
  answerDirectly: AnswerDirectly | undefined
  /** Receives failures of answers. */
  onError: (error: unknown) => void
  isStopping(): boolean
  /** Calls `dispatch` unless the body arrives soon. */
  waitForBody(connection: HttpConnection): void
  stopWaiting(connection: HttpConnection): void
  /** A request is under way. */
  began(): void
  ended(): void
  closed(connection: HttpConnection): void
}

export type HttpConnection = {
  data(chunk: Buffer): void
  drain(): void
  /** The client sends no more. */
  end(): void
  closed(): void
  /** Hands over a request whose body takes its time. */
  dispatch(): void
  /** Closes the connection once it has no request under way. */
  finish(): void
}

export function httpConnection(socket: Socket<HttpConnection | undefined>, listener: ConnectionOwner): HttpConnection {
  const { answer, answerDirectly, idleTimeoutS, onError } = listener
  let rest: Buffer = NOTHING
  let scanned = 0
  /** Of the request whose body is arriving before it is handed over. */
  let arrivingHead: RequestHead | undefined
  let hasContinued = false
  /** The one that is being answered. */
  let request: IncomingRequest | undefined
  let body: IncomingBody | undefined
  let isAnswering = false
  /** No request is read any more. */
  let isLast = false
  let hasEnded = false
  let isClosed = false
  let isPaused = false
  /** The rest is read in the next pass of the event loop. */
  let isDeferred = false
  let discarded = 0
  let cancelResponse: (() => void) | undefined

  let timeoutS = idleTimeoutS
  let touchedMs = 0
  const touch = (): void => {
    touchedMs = performance.now()
    socket.timeout(timeoutS)
  }
  const touchSometimes = (): unknown => performance.now() - touchedMs > 1000 && touch()
  const output = socketOutput(socket, touchSometimes)
  const { write } = output
  const address = socket.remoteAddress
  const connection: Connection = {
    address,
    timeout(seconds) {
      timeoutS = seconds
      touch()
    },
  }

  function onBody(cancel: () => void): void {
    cancelResponse = cancel
    if (isClosed) cancel()
  }
  function pause(): void {
    if (isPaused) return
    isPaused = true
    socket.pause()
  }
  function resume(): void {
    if (!isPaused) return
    isPaused = false
    socket.resume()
  }

  /** Reads what the client still sends for a moment: closing at once would take the answer from it. */
  function close(): void {
    isLast = true
    rest = NOTHING
    if (isClosed) return
    timeoutS = LINGER_S
    touch()
    resume()
    socket.shutdown()
    if (hasEnded) socket.end()
  }

  function refuse(error: unknown): void {
    if (!(error instanceof HeadError)) throw error
    isLast = true
    const response = new Response(`${error.message}\n`, {
      status: error.status,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    })
    writeResponse(response, { method: 'GET', version: '1.1' }, false, write, () => undefined).then(close, close)
  }

  function defer(): void {
    isDeferred = true
    pause()
    setImmediate(() => {
      isDeferred = false
      resume()
      advance()
    })
  }

  /** Reads what has arrived: the rest of a body, then the next head, unless an answer is under way. */
  function advance(): void {
    while (rest.length > 0 && !isLast && !isDeferred) {
      if (body !== undefined) {
        let used: number
        try {
          used = body.feed(body.isChunked ? rest.subarray(0, CHUNKED_BYTES) : rest)
        } catch (error) {
          // its request fails; where the next one begins is unknown
          body.fail(error)
          body = undefined
          isLast = true
          return
        }
        rest = used === rest.length ? NOTHING : rest.subarray(used)
        if (body.isComplete) body = undefined
        else if (rest.length > 0) defer()
        else if (body.isFull) pause()
        continue
      }
      if (arrivingHead !== undefined) {
        if (rest.length < Number(arrivingHead.framing)) return
        self.dispatch()
        continue
      }
      if (isAnswering) {
        if (rest.length > MAX_AHEAD_BYTES) pause()
        return
      }
      rest = afterEmptyLines(rest)
      const end = rest.indexOf(END_OF_HEAD, Math.max(scanned - 3, 0))
      const isTooLong = (end < 0 ? rest.length : end) > MAX_HEAD_BYTES
      if (end < 0 && !isTooLong) {
        scanned = rest.length
        return
      }
      scanned = 0
      try {
        if (isTooLong) throw new HeadError(431, `a request may have at most ${MAX_HEAD_BYTES} bytes before its body`)
        const head = parseRequestHead(rest.toString('latin1', 0, end))
        rest = rest.subarray(end + 4)
        const { framing } = head
        if (framing === 'chunked' || framing > WHOLE_BODY_BYTES || framing <= rest.length) begin(head)
        else {
          arrivingHead = head
          listener.waitForBody(self)
          if (head.expectsContinue) {
            hasContinued = true
            void write(CONTINUE)
          }
        }
      } catch (error) {
        refuse(error)
      }
    }
  }

  /** @throws HeadError */
  function begin(head: RequestHead): void {
    const begun = bodyOf(head.framing, rest, () => {
      if (!isDeferred) resume()
    })
    const direct = begun.whole && answerDirectly?.(head, connection, begun.whole)
    const current = direct === undefined ? requestOf(head, begun.stream) : undefined
    request = current
    rest = begun.used === rest.length ? NOTHING : rest.subarray(begun.used)
    body = begun.incoming
    isAnswering = true
    listener.began()
    if (body !== undefined && head.expectsContinue && !hasContinued) void write(CONTINUE)
    hasContinued = false
    void respond(head, () => direct ?? answer(current as Request, connection, begun.whole))
  }

  async function respond(head: RequestHead, begin: () => Answered | Promise<Answered>): Promise<void> {
    try {
      const response = await begin()
      if (body !== undefined && body.bytesLeft > MAX_SKIPPED_BYTES) isLast = true
      const mayKeepAlive = head.keepAlive && !listener.isStopping() && !isLast
      const sending =
        response instanceof PreparedAnswer
          ? write(response.toBytes(head.version, mayKeepAlive))
          : writeResponse(response, head, mayKeepAlive, write, onBody)
      if ((sending !== undefined && (await sending) === false) || !mayKeepAlive) isLast = true
    } catch (error) {
      isLast = true
      // a client that hangs up is no failure
      if (!(error instanceof ClientGone) && !isClosed) onError(error)
    }
    cancelResponse = undefined
    request = undefined
    isAnswering = false
    listener.ended()
    if (timeoutS !== idleTimeoutS) connection.timeout(idleTimeoutS)
    body?.discard()
    if (isLast) return close()
    resume()
    advance()
    if (hasEnded && !isAnswering) close()
  }

  const self: HttpConnection = {
    data(chunk) {
      if (isLast) {
        discarded += chunk.length
        if (discarded > MAX_UNREAD_BYTES) socket.terminate()
        return
      }
      // the time for a head runs from its first byte
      if (isAnswering || rest.length === 0) touchSometimes()
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      advance()
    },
    drain: output.drain,
    dispatch() {
      const head = arrivingHead
      arrivingHead = undefined
      listener.stopWaiting(self)
      if (head === undefined || isClosed) return
      try {
        begin(head)
      } catch (error) {
        refuse(error)
      }
    },
    end() {
      hasEnded = true
      self.dispatch()
      if (body !== undefined) {
        body.fail(new Error('the client ended the body before its length'))
        body = undefined
      }
      // whoever hangs up looks the same as whoever only sends no more; such a client still gets its answer
      request?.abandon()
      if (isLast) socket.end()
      else if (!isAnswering) close()
    },
    closed() {
      isClosed = true
      listener.stopWaiting(self)
      body?.fail(new ClientGone())
      body = undefined
      rest = NOTHING
      output.close()
      request?.abandon()
      cancelResponse?.()
      listener.closed(self)
    },
    finish() {
      if (!isAnswering && arrivingHead === undefined) close()
    },
  }
  return self
}
