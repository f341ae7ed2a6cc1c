/** Writes a sequence of chunks to a file. */
import type { FileHandle } from 'node:fs/promises'

/** Bytes per write: one system call for each 64 kB chunk would dominate the time of an upload. */
const WRITE_BYTES = 2 ** 20

/** Chunks are not joined first: copying a megabyte takes the server's thread longer than the rest of an upload. */
async function writeAll(file: FileHandle, chunks: Uint8Array[]): Promise<void> {
  for (let rest = chunks; rest.length > 0; ) {
    let { bytesWritten } = await file.writev(rest)
    const next = rest.findIndex(({ length }) => {
      const isWritten = bytesWritten >= length
      if (isWritten) bytesWritten -= length
      return !isWritten
    })
    if (next < 0) return
    rest = [(rest[next] as Uint8Array).subarray(bytesWritten), ...rest.slice(next + 1)]
  }
}

export class ChunkFile {
  private waiting: Uint8Array[] = []
  private waitingBytes = 0
  private writing: Promise<void> = Promise.resolve()

  /** @param file is closed by `close` only, which waits for the last write */
  constructor(private readonly file: FileHandle) {}

  /** Takes ownership of the chunk: its memory is freed once it is written. */
  async add(chunk: Uint8Array): Promise<void> {
    this.waiting.push(chunk)
    this.waitingBytes += chunk.length
    if (this.waitingBytes >= WRITE_BYTES) await this.write()
  }

  /** Writes the remaining chunks; the file stays open. */
  async flush(): Promise<void> {
    await this.write()
    await this.writing
  }

  async close(): Promise<void> {
    // its error was thrown by `flush`, or the file is discarded
    await this.writing.catch(() => undefined)
    await this.file.close()
  }

  /** Begins a write when the previous one is done; more chunks may arrive meanwhile. */
  private async write(): Promise<void> {
    await this.writing
    const chunks = this.waiting
    this.waiting = []
    this.waitingBytes = 0
    this.writing = writeAll(this.file, chunks).then(() => chunks.forEach(release))
    // thrown by the next call
    this.writing.catch(() => undefined)
  }
}

/**
 * Frees the memory of a chunk at once if the chunk is the whole of its buffer. Left to garbage collection, a body of
 * 500 MB takes 900 MB of memory, and every chunk costs new pages.
 */
function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
