/** A document that never changes. Answers share its bytes, and it is compressed once. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { turnOfDocument } from '../event-loop-yield.ts'
import { JSON_TYPE, respond } from './envelope.ts'

export const gzipInOtherThread = promisify(gzip)

export const acceptsGzip = ({ headers }: Request): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers.get('accept-encoding') ?? '')

/** @param make is called once, for the first answer */
export function fixedJson(make: () => object): (request: Request) => Promise<Response> {
  let made: Promise<{ plain: Blob; compressed: Blob }> | undefined
  async function read() {
    const text = JSON.stringify(make())
    return { plain: new Blob([text]), compressed: new Blob([await gzipInOtherThread(text)]) }
  }
  return async (request) => {
    made ??= read()
    const { plain, compressed } = await made
    await turnOfDocument()
    const isCompressed = acceptsGzip(request)
    const response = respond(request, isCompressed ? compressed : plain, JSON_TYPE)
    response.headers.set('vary', 'accept-encoding')
    if (isCompressed) response.headers.set('content-encoding', 'gzip')
    return response
  }
}
