/** The body of a request while it arrives. */
import { chunkedBody } from './chunked-body.ts'
import type { Framing } from './request-head.ts'

/** What may wait for its reader before the connection is no longer read. */
const MAX_WAITING_BYTES = 256 * 1024

export type IncomingBody = {
  /**
   * @param bytes are the body's from now on, as far as they belong to it
   * @returns how many belong to it
   */
  feed(bytes: Uint8Array): number
  readonly isComplete: boolean
  readonly isChunked: boolean
  /** Infinity when the client has not announced it. */
  readonly bytesLeft: number
  /** Whether its reader is behind. */
  readonly isFull: boolean
  /** The reader gets the error. */
  fail(error: unknown): void
  /** Nobody reads it any more. */
  discard(): void
}

export type BegunBody = {
  /** The body, if all of it has arrived. */
  whole: Uint8Array<ArrayBuffer> | undefined
  stream: ReadableStream<Uint8Array> | undefined
  /** Undefined for a body that has arrived. */
  incoming: IncomingBody | undefined
  /** How many of the bytes belong to the body. */
  used: number
}

/**
 * @param arrived what came with the head
 * @param onPull called when the reader has room for more
 */
export function bodyOf(framing: Framing, arrived: Uint8Array, onPull: () => void): BegunBody {
  if (framing === 0) return { whole: undefined, stream: undefined, incoming: undefined, used: 0 }
  if (framing !== 'chunked' && arrived.length >= framing)
    return {
      whole: (arrived.length === framing ? arrived : arrived.subarray(0, framing)) as Uint8Array<ArrayBuffer>,
      stream: undefined,
      incoming: undefined,
      used: framing,
    }

  const chunks = framing === 'chunked' ? chunkedBody() : undefined
  let left = framing === 'chunked' ? 0 : framing
  let isDone = false
  let isUnwanted = false
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const stream = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      pull: onPull,
      cancel() {
        isUnwanted = true
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
  )
  const add = (data: Uint8Array): void => {
    if (!isUnwanted && data.length > 0) controller?.enqueue(data)
  }
  const incoming: IncomingBody = {
    isChunked: chunks !== undefined,
    feed(bytes) {
      let used: number
      if (chunks !== undefined) {
        const fed = chunks.feed(bytes)
        used = fed.used
        add(bytes.subarray(0, fed.data))
        isDone = chunks.isComplete
      } else {
        used = Math.min(left, bytes.length)
        left -= used
        add(bytes.subarray(0, used))
        isDone = left === 0
      }
      if (isDone && !isUnwanted) controller?.close()
      return used
    },
    get isComplete() {
      return isDone
    },
    get bytesLeft() {
      return chunks === undefined ? left : Number.POSITIVE_INFINITY
    },
    get isFull() {
      return !isUnwanted && (controller?.desiredSize ?? 1) <= 0
    },
    fail(error) {
      if (!isDone && !isUnwanted) controller?.error(error)
      isUnwanted = true
    },
    discard() {
      isUnwanted = true
    },
  }
  // chunks are read by the connection, in parts
  const used = chunks === undefined ? incoming.feed(arrived) : 0
  return { whole: undefined, stream, incoming, used }
}
