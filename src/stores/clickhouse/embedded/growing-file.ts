/** Reads a file while chDB writes it, so that an export begins before its file is complete. */
import { open } from 'node:fs/promises'

const PIECE_BYTES = 1 << 20
/** chDB writes a megabyte at a time, which takes some milliseconds. */
const POLL_MS = 5

/**
 * @param path a new file, which is created
 * @param write begins the statement that appends to the file; its error is thrown here
 */
export async function* readWhileWritten(path: string, write: () => Promise<unknown>): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'ax+', 0o600)
  try {
    let isWritten = false
    const writing = write().then(() => {
      isWritten = true
    })
    // thrown below, unless the reader has left
    writing.catch(() => undefined)
    for (let position = 0, piece = Buffer.allocUnsafe(PIECE_BYTES); ; ) {
      // checked before reading, so that all bytes written until then are read
      const isLast = isWritten
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, position)
      if (bytesRead > 0) {
        position += bytesRead
        yield piece.subarray(0, bytesRead)
        piece = Buffer.allocUnsafe(PIECE_BYTES)
      } else if (isLast) return
      else await Promise.race([writing, Bun.sleep(POLL_MS)])
    }
  } finally {
    await file.close()
  }
}
