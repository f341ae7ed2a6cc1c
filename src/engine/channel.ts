/**
 * The channel between the server and a worker process: frames with their length in front, on a socket that the process
 * inherits. Only this code reads the data from a process, and it never holds more than one frame in memory.
 */
import type { Socket } from 'bun'

export type Channel = {
  send(text: string): void
  /** Resets the limits on bytes and frames, for the next run. */
  renew(): void
}

type Handlers = {
  receive(bytes: Buffer): void
  /** The other side has closed the channel or broken the protocol. */
  ended(why?: string): void
}

/** Limits for a worker process: size of one frame, and bytes and frames per second of a run. */
export const MAX_FRAME_BYTES = 2 ** 20
const MAX_BYTES_PER_SECOND = 4 * 2 ** 20
const MAX_FRAMES_PER_SECOND = 10_000
const SECOND_MS = 1_000
const HEAD_BYTES = 4

export function frameOf(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const frame = Buffer.allocUnsafe(HEAD_BYTES + length)
  frame.writeUInt32LE(length)
  frame.write(text, HEAD_BYTES)
  return frame
}

/** @returns a function that takes received chunks; false once a frame is longer than allowed */
export function frameReader(maxBytes: number, receive: (bytes: Buffer) => void): (chunk: Buffer) => boolean {
  const head = Buffer.alloc(HEAD_BYTES)
  let body: Buffer | undefined
  let filled = 0
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      const target = body ?? head
      const taken = chunk.copy(target, filled, at)
      at += taken
      filled += taken
      if (filled < target.length) continue
      filled = 0
      if (body === undefined) {
        const length = head.readUInt32LE()
        if (length === 0 || length > maxBytes) return false
        body = Buffer.allocUnsafe(length)
      } else {
        const frame = body
        body = undefined
        receive(frame)
      }
    }
    return true
  }
}

/** In Bun. @param fd owned by the channel from now on @param isTrusted whether the other side is the server */
export function openChannel(fd: number, on: Handlers, isTrusted: boolean): Channel {
  let socket: Socket | undefined
  let isClosed = false
  let waiting: Buffer[] = []
  const end = (why?: string): void => {
    if (isClosed) return
    isClosed = true
    waiting = []
    socket?.terminate()
    on.ended(why)
  }
  const flush = (): void => {
    for (let first = waiting[0]; socket !== undefined && first !== undefined; first = waiting[0]) {
      const written = socket.write(first)
      if (written < 0) {
        end()
        return
      }
      if (written < first.length) {
        waiting[0] = first.subarray(written)
        return
      }
      waiting.shift()
    }
  }
  const spent = { sinceMs: 0, bytes: 0, frames: 0 }
  const renew = (nowMs = 0): void => void Object.assign(spent, { sinceMs: nowMs, bytes: 0, frames: 0 })
  const read = frameReader(isTrusted ? 2 ** 31 : MAX_FRAME_BYTES, (bytes) => {
    spent.frames++
    if (!isClosed) on.receive(bytes)
  })
  const data = (_: Socket, chunk: Buffer): void => {
    if (isClosed) return
    const nowMs = performance.now()
    if (nowMs - spent.sinceMs > SECOND_MS) renew(nowMs)
    spent.bytes += chunk.length
    if (!read(chunk)) end('it sent a frame that is too long')
    else if (!isTrusted && (spent.bytes > MAX_BYTES_PER_SECOND || spent.frames > MAX_FRAMES_PER_SECOND))
      end('it sent too much in a second')
  }
  // the types of Bun lack a descriptor here
  const connect = Bun.connect as unknown as (options: Bun.FdSocketOptions) => Promise<Socket>
  connect({
    fd,
    socket: {
      open(opened) {
        socket = opened
        if (isClosed) opened.terminate()
        else flush()
      },
      data,
      drain: flush,
      close: () => end(),
      error: () => end(),
    },
  }).catch(() => end())
  return {
    send(text) {
      if (isClosed) return
      waiting.push(frameOf(text))
      if (waiting.length === 1) flush()
    },
    renew,
  }
}
