/** Writes chunks that arrive one after the other to a file. */
import type { FileHandle } from 'node:fs/promises'

/** Bytes per write: one system call for each 64 kB chunk would dominate the time of an upload. */
const WRITE_BYTES = 2 ** 20

/** Chunks are not joined first: copying a megabyte takes the server's thread longer than all else of an upload. */
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

  /** @param onWritten gets chunks that are not needed here any more */
  constructor(
    private readonly file: FileHandle,
    private readonly onWritten: (chunk: Uint8Array) => void = () => undefined,
  ) {}

  async add(chunk: Uint8Array): Promise<void> {
    this.waiting.push(chunk)
    this.waitingBytes += chunk.length
    if (this.waitingBytes >= WRITE_BYTES) await this.flush()
  }

  /** Writes what is left; the file stays open. */
  async flush(): Promise<void> {
    const chunks = this.waiting
    this.waiting = []
    this.waitingBytes = 0
    await writeAll(this.file, chunks)
    chunks.forEach(this.onWritten)
  }
}
