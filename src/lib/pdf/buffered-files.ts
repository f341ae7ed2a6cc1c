/**
 * Buffers the reads and writes of Emscripten's file system on real folders. C's library reads and writes a kilobyte at a
 * time, and each of them would be a system call: most of the time that qpdf takes for short files.
 */

/** The operations on open files; their other members have names that a minifier chose. */
type Operation = (stream: Stream, ...rest: never[]) => unknown
type Stream = object
type Transfer = (stream: Stream, bytes: Uint8Array, offset: number, length: number, position: number) => number
type StreamOperations = Record<string, Operation> & { read: Transfer; write: Transfer }

type Buffered = {
  bytes: Uint8Array
  /** Where the bytes are in the file, and how many of them count. */
  start: number
  length: number
  isWritten: boolean
}

const BLOCK_BYTES = 32 * 1024

/**
 * @param fileSystem whose operations are replaced, once
 * @param onFailedWrite called with the error of each write that fails. Programs in C rarely check the last one, which
 * happens when a file is closed
 */
export function bufferFiles(fileSystem: object, onFailedWrite: (error: unknown) => void): void {
  const operations = Object.values(fileSystem).find(isOperations)
  if (operations === undefined) throw new Error('the file system has no operations to read and write')
  const { read, write: writeThrough } = operations
  const write: Transfer = (...given) => {
    try {
      return writeThrough(...given)
    } catch (error) {
      onFailedWrite(error)
      throw error
    }
  }
  const open = new WeakMap<Stream, Buffered>()
  const bufferOf = (stream: Stream): Buffered => {
    let found = open.get(stream)
    if (found === undefined) {
      found = { bytes: new Uint8Array(BLOCK_BYTES), start: 0, length: 0, isWritten: false }
      open.set(stream, found)
    }
    return found
  }
  function flush(stream: Stream): void {
    const buffer = open.get(stream)
    if (buffer === undefined || !buffer.isWritten) return
    const { bytes, start, length } = buffer
    buffer.isWritten = false
    buffer.length = 0
    try {
      for (let at = 0; at < length; ) at += write(stream, bytes, at, length - at, start + at)
    } catch {
      // reported; what asked for something else than to write, as to close the file, is still done
    }
  }
  for (const [name, operation] of Object.entries(operations))
    operations[name] = (stream, ...rest) => {
      flush(stream)
      return operation(stream, ...rest)
    }
  operations.read = (stream, bytes, offset, length, position) => {
    flush(stream)
    if (length > BLOCK_BYTES / 2) return read(stream, bytes, offset, length, position)
    const buffer = bufferOf(stream)
    if (position < buffer.start || position + length > buffer.start + buffer.length) {
      buffer.start = position
      buffer.length = read(stream, buffer.bytes, 0, BLOCK_BYTES, position)
    }
    const from = position - buffer.start
    const taken = Math.max(0, Math.min(length, buffer.length - from))
    bytes.set(buffer.bytes.subarray(from, from + taken), offset)
    return taken
  }
  operations.write = (stream, bytes, offset, length, position) => {
    const buffer = bufferOf(stream)
    if (!buffer.isWritten || position !== buffer.start + buffer.length || buffer.length + length > BLOCK_BYTES)
      flush(stream)
    if (length > BLOCK_BYTES / 2) return write(stream, bytes, offset, length, position)
    if (!buffer.isWritten) Object.assign(buffer, { start: position, length: 0, isWritten: true })
    buffer.bytes.set(bytes.subarray(offset, offset + length), buffer.length)
    buffer.length += length
    return length
  }
}

function isOperations(value: unknown): value is StreamOperations {
  if (typeof value !== 'object' || value === null) return false
  return ['read', 'write'].every((name) => typeof (value as Record<string, unknown>)[name] === 'function')
}
