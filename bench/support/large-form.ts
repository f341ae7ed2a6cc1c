/**
 * Sends a form with large files as curl does: a megabyte at a time, read while the one before is on its way. fetch
 * copies all files into one body in memory before it sends the first byte, which takes longer than the measured call.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { Socket } from 'bun'

const PIECE_BYTES = 2 ** 20
const BOUNDARY = '------------------------groundwave0123456'

type Form = { fields: Record<string, string>; files: Record<string, string | string[]> }

const filesOf = ({ files }: Form): [field: string, path: string][] =>
  Object.entries(files).flatMap(([field, paths]) => [paths].flat().map((path): [string, string] => [field, path]))

export const fileBytesOf = (form: Form): number => filesOf(form).reduce((sum, [, path]) => sum + statSync(path).size, 0)

/** Texts, and files by their paths. */
function piecesOf(form: Form): (Buffer | { path: string })[] {
  const begin = (field: string, more: string): Buffer =>
    Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="${field}"${more}\r\n\r\n`)
  const end = Buffer.from('\r\n')
  const type = '\r\ncontent-type: application/octet-stream'
  return [
    ...filesOf(form).flatMap(([field, path]) => [begin(field, `; filename="${basename(path)}"${type}`), { path }, end]),
    ...Object.entries(form.fields).flatMap(([field, value]) => [begin(field, ''), Buffer.from(value), end]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]
}

function* bytesOf(pieces: readonly (Buffer | { path: string })[]): Generator<Buffer> {
  const buffer = Buffer.alloc(PIECE_BYTES)
  for (const piece of pieces) {
    if (!('path' in piece)) {
      yield piece
      continue
    }
    const file = openSync(piece.path, 'r')
    try {
      for (;;) {
        const length = readSync(file, buffer)
        if (length === 0) break
        yield buffer.subarray(0, length)
      }
    } finally {
      closeSync(file)
    }
  }
}

/** @returns the body of the answer */
export async function sendLargeForm(to: string, headers: Record<string, string>, form: Form): Promise<string> {
  const { hostname, port, pathname } = new URL(to)
  const pieces = piecesOf(form)
  const length = pieces.reduce((sum, piece) => sum + ('path' in piece ? statSync(piece.path).size : piece.length), 0)
  // an answer to HTTP/1.0 ends with the connection, and has no chunks
  const head = [
    `POST ${pathname} HTTP/1.0`,
    `host: ${hostname}:${port}`,
    `content-type: multipart/form-data; boundary=${BOUNDARY}`,
    `content-length: ${length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  const bytes = bytesOf([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), ...pieces])
  let rest: Buffer = Buffer.alloc(0)
  const answer: Buffer[] = []
  const answered = Promise.withResolvers<void>()
  const send = (socket: Socket): void => {
    for (;;) {
      while (rest.length > 0) {
        const written = socket.write(rest)
        rest = rest.subarray(Math.max(written, 0))
        if (written <= 0 || rest.length > 0) return
      }
      const next = bytes.next()
      if (next.done) return void socket.flush()
      rest = next.value
    }
  }
  await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: send,
      drain: send,
      data: (_socket, chunk) => void answer.push(Buffer.from(chunk)),
      close: () => answered.resolve(),
      error: (_socket, error) => answered.reject(error),
    },
  })
  await answered.promise
  const text = Buffer.concat(answer).toString()
  return text.slice(text.indexOf('\r\n\r\n') + 4)
}
