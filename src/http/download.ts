/** Serves a stored file with ranges (RFC 9110, 14), entity tags and its file name. */

import type { BunFile, S3File } from 'bun'
import { AppError } from '../errors.ts'
import { turnOfDocument } from '../event-loop-yield.ts'
import { inField } from '../field-texts/bilingual.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { failureResponse } from './envelope.ts'
import { whileAllowed } from './long-answers.ts'
import { requestContextOf } from './request-context.ts'

export type Download = {
  /** The key is the entity tag: stored files never change. */
  key: string
  filename: string
  mediaType: string
  bytes: number
  crs: string | null
  content: BunFile | S3File
}

/** `attachment` with an ASCII name for old clients and the real name (RFC 6266). */
export function contentDisposition(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  return `attachment; filename="${ascii}"; filename*=UTF-8''${percentEncoded(filename)}`
}

/** Percent-encoded as an ext-value of RFC 8187: everything but letters, digits and a few marks. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Headers that describe an output file. */
export function outputHeaders(filename: string, crs: string | null | undefined): Record<string, string> {
  return { 'x-output-filename': percentEncoded(filename), ...(crs && { 'x-crs': crs }) }
}

export async function download(request: Request, file: Download): Promise<Response> {
  await turnOfDocument()
  const { bytes, mediaType, filename, crs, content } = file
  const etag = `"${file.key}"`
  const headers = new Headers({
    'x-request-id': requestContextOf(request).requestId,
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=31536000, immutable',
    etag,
    // an uploaded file must never run as a page of this server
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    'content-disposition': contentDisposition(filename),
    ...outputHeaders(filename, crs),
  })
  const known = request.headers.get('if-none-match')
  if (
    known !== null &&
    (known.trim() === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))
  )
    return new Response(null, { status: 304, headers })
  if (!isObject(content) && content.size !== bytes) throw new Error(`the stored file ${file.key} has another length`)
  headers.set('content-type', mediaType)
  const condition = request.headers.get('if-range')
  // a range is for GET only (RFC 9110, 14.2)
  const rangeHeader = request.method === 'GET' ? request.headers.get('range') : null
  const range =
    rangeHeader === null || (condition !== null && condition !== etag) ? undefined : rangeOf(rangeHeader, bytes)
  if (range === 'outside') {
    const message = inField('Range', fieldText('withinFile', { bytes }))
    const response = failureResponse(request, new AppError('RANGE_NOT_SATISFIABLE', { message }))
    response.headers.set('content-range', `bytes */${bytes}`)
    return response
  }
  if (range === undefined) {
    headers.set('content-length', String(bytes))
    if (request.method === 'HEAD') requestContextOf(request).bytesOfGet = bytes
    return new Response(bodyOf(request, content, bytes), { headers })
  }
  const [first, last] = range
  headers.set('content-range', `bytes ${first}-${last}/${bytes}`)
  headers.set('content-length', String(last - first + 1))
  return new Response(bodyOf(request, content.slice(first, last + 1), last - first + 1), { status: 206, headers })
}

/** Whether an answer of `download` contains a part of the file. */
export const sendsContent = (request: Request, { status }: Response): boolean =>
  request.method !== 'HEAD' && (status === 200 || status === 206)

const isObject = (content: Blob): boolean => 'presign' in content

/** A local file up to this size is sent whole: about as much as the kernel accepts from the server at once. */
const WHOLE_BYTES = 4 * 2 ** 20

/** Memory that an unread answer takes; the stream of a file would take 2 MB. */
const PIECE_BYTES = 64 * 1024

/** S3 objects are streamed: for an S3File as body Bun would redirect the caller to the bucket. */
function bodyOf(request: Request, content: Blob, bytes: number): Blob | ReadableStream | null {
  if (request.method === 'HEAD') return null
  if (isObject(content)) return whileAllowed(request, content.stream())
  return bytes > WHOLE_BYTES ? whileAllowed(request, piecesOf(content, bytes)) : content
}

function piecesOf(content: Blob, bytes: number): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await content.slice(at, Math.min(at + PIECE_BYTES, bytes)).bytes()
        if (piece.length === 0) throw new Error('a stored file became shorter while it was sent')
        controller.enqueue(piece)
        at += piece.length
        if (at >= bytes) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

/** First and last byte; undefined for several ranges or another unit, for which the whole file is sent. */
function rangeOf(header: string, bytes: number): [first: number, last: number] | 'outside' | undefined {
  const found = /^bytes=(\d*)-(\d*)$/i.exec(header.trim())
  if (found === null || (found[1] === '' && found[2] === '')) return undefined
  const [, from = '', to = ''] = found
  const first = from === '' ? Math.max(0, bytes - Number(to)) : Number(from)
  const last = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1)
  return first > last || first >= bytes ? 'outside' : [first, last]
}
