/** What a connection sends, kept until the socket takes it. */
import type { Socket } from 'bun'

export class ClientGone extends Error {}

export type SocketOutput = {
  /**
   * @returns undefined when the socket has taken everything, and otherwise what resolves then, or rejects with ClientGone
   * @throws ClientGone
   */
  write(bytes: Uint8Array): Promise<void> | undefined
  /** The socket takes more. */
  drain(): void
  /** The socket is closed. */
  close(): void
}

/** A client that does not read may not keep the whole block of memory that other answers shared with its own. */
const alone = (bytes: Uint8Array): Uint8Array =>
  bytes.length < bytes.buffer.byteLength / 4 ? new Uint8Array(bytes) : bytes

/** @param onActivity called when something is sent */
export function socketOutput<Data>(socket: Socket<Data>, onActivity: () => void): SocketOutput {
  const unwritten: Uint8Array[] = []
  let drained: PromiseWithResolvers<void> | undefined
  let isClosed = false
  return {
    write(bytes) {
      if (isClosed) throw new ClientGone()
      onActivity()
      if (drained === undefined) {
        const written = Math.max(socket.write(bytes), 0)
        if (written === bytes.length) return undefined
        drained = Promise.withResolvers<void>()
        // nobody waits for it when the client goes
        drained.promise.catch(() => undefined)
        unwritten.push(alone(bytes.subarray(written)))
      } else unwritten.push(alone(bytes))
      return drained.promise
    },
    drain() {
      onActivity()
      while (unwritten.length > 0) {
        const bytes = unwritten[0] as Uint8Array
        const written = Math.max(socket.write(bytes), 0)
        if (written < bytes.length) {
          unwritten[0] = bytes.subarray(written)
          return
        }
        unwritten.shift()
      }
      const waiting = drained
      drained = undefined
      waiting?.resolve()
    },
    close() {
      isClosed = true
      drained?.reject(new ClientGone())
    },
  }
}
