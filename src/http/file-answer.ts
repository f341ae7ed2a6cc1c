/** A successful answer around JSON text in a file. Long text is sent in pieces: it may have tens of megabytes. */
import { type FileHandle, open } from 'node:fs/promises'
import type { Code } from '../errors.ts'
import { inArabic, inEnglish, type Warning } from '../warnings/warning.ts'
import { contentDisposition, outputHeaders, percentEncoded } from './download.ts'
import { JSON_TYPE, respond, successAround } from './envelope.ts'
import { whileAllowed } from './long-answers.ts'
import { requestContextOf } from './request-context.ts'

/** Longer texts are sent in pieces, each when the reader has taken the previous one. */
const WHOLE_BYTES = 256 * 1024
const PIECE_BYTES = 64 * 1024

/** `from` is the byte at which the text starts. */
type TextFile = { path: string; from?: number }

/**
 * The envelope with `before`, the file's text and `after` as its data. The file may be deleted as soon as the promise
 * resolves.
 */
export async function succeedAround(
  request: Request,
  [before, { path, from = 0 }, after]: [before: string, text: TextFile, after: string],
  code: Code = 'SUCCESS',
): Promise<Response> {
  const [head, tail] = successAround(request, code)
  const [start, end] = [Buffer.from(head + before), Buffer.from(after + tail)]
  const file = Bun.file(path).slice(from)
  if (file.size <= WHOLE_BYTES) {
    const text = new Uint8Array(await file.arrayBuffer())
    return respond(request, Buffer.concat([start, text, end]), JSON_TYPE)
  }
  return respond(request, whileAllowed(request, streamOf(start, await open(path), from, end)), JSON_TYPE)
}

/** The envelope with the JSON text as its data. */
export function succeedWithText(request: Request, text: string, code: Code = 'SUCCESS'): Response {
  const [head, tail] = successAround(request, code)
  return respond(request, head + text + tail, JSON_TYPE)
}

/** The envelope with the members of `data` and of the object in the file, which has at least one. */
export function succeedWithFile(request: Request, data: Record<string, unknown>, path: string): Promise<Response> {
  const members = JSON.stringify(data).slice(0, -1)
  return succeedAround(request, [members === '{' ? members : `${members},`, { path, from: 1 }, ''])
}

/** Proxies may refuse a header of more bytes. */
const MAX_WARNING_CHARS = 4_000

/** As many of the texts as have place in a header, and at least the first. */
function listHeader(texts: readonly string[], maxChars: number): string {
  const sent = [...texts]
  while (sent.length > 1 && percentEncoded(JSON.stringify(sent)).length > maxChars) sent.pop()
  return percentEncoded(JSON.stringify(sent.map((text) => text.slice(0, 400))))
}

/**
 * A file that was made for this answer. It may be deleted as soon as the promise resolves.
 * @param warnings for `X-Warnings` in English and `X-Warnings-Ar`, which may have fewer
 */
export async function sendTemporaryFile(
  request: Request,
  { path, filename, mediaType }: { path: string; filename: string; mediaType: string },
  warnings: readonly Warning[],
): Promise<Response> {
  const { size } = Bun.file(path)
  const headers = new Headers({
    'x-request-id': requestContextOf(request).requestId,
    'cache-control': 'private, no-store',
    // a stream has no Content-Length; this header lets a client show the progress of a download
    'x-output-bytes': String(size),
    'content-type': mediaType,
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    'content-disposition': contentDisposition(filename),
    ...outputHeaders(filename, undefined),
  })
  if (warnings.length > 0) {
    const english = listHeader(inEnglish(warnings), MAX_WARNING_CHARS)
    headers.set('x-warnings', english)
    headers.set('x-warnings-ar', listHeader(inArabic(warnings), MAX_WARNING_CHARS - english.length))
  }
  if (request.method === 'HEAD') {
    requestContextOf(request).bytesOfGet = size
    return new Response(null, { headers })
  }
  const nothing = new Uint8Array(0)
  return new Response(whileAllowed(request, streamOf(nothing, await open(path), 0, nothing)), { headers })
}

function streamOf(start: Uint8Array, file: FileHandle, from: number, end: Uint8Array): ReadableStream<Uint8Array> {
  let at = from
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (start.length > 0) controller.enqueue(start)
      },
      async pull(controller) {
        try {
          const { buffer, bytesRead } = await file.read(new Uint8Array(PIECE_BYTES), 0, PIECE_BYTES, at)
          at += bytesRead
          if (bytesRead > 0) {
            controller.enqueue(buffer.subarray(0, bytesRead))
            return
          }
          if (end.length > 0) controller.enqueue(end)
          controller.close()
          await file.close()
        } catch (error) {
          await file.close()
          throw error
        }
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  )
}
