/**
 * Bounds what the streams of an untrusted PDF decode to, before a library decodes them. Deflate shrinks a run of equal
 * bytes to a thousandth, and twice applied to a millionth, so a small file can hold hours of work. Streams are found by
 * their keywords, as repairing readers do; those of an encrypted file are not readable and must be decrypted before.
 */
import { createInflate } from 'node:zlib'
import { InputError } from '../input-error.ts'

/** Of one stream that is not an image: page content, a font, a list of objects. */
const MAX_STREAM_BYTES = 64 * 2 ** 20
/** Of all these together. */
const MAX_TOTAL_BYTES = 256 * 2 ** 20
/** Of one image, and of all images of a page on average. */
const MAX_IMAGE_BYTES = 512 * 2 ** 20
const MAX_PAGE_PIXELS = 1e9

/** What deflate achieves at best. */
const MAX_RATIO = 1032
/** A dictionary lies before its stream; what is further away is not looked at. */
const DICTIONARY_BYTES = 1_024
const CHUNK_BYTES = 2 ** 18
const DEFLATE_METHOD = 8

type Stream = { dictionary: string; data: Buffer }

function* streamsIn(bytes: Buffer): Generator<Stream> {
  let previousEnd = 0
  for (let at = bytes.indexOf('stream'); at >= 0; at = bytes.indexOf('stream', at + 6)) {
    // the "stream" of "endstream"
    if (bytes.toString('latin1', at - 3, at) === 'end') continue
    const start = at + 6 + (bytes[at + 6] === 0x0d ? 1 : 0) + (bytes[at + 7] === 0x0a || bytes[at + 6] === 0x0a ? 1 : 0)
    const end = bytes.indexOf('endstream', start)
    const dictionary = bytes.toString('latin1', Math.max(previousEnd, at - DICTIONARY_BYTES), at)
    yield { dictionary, data: bytes.subarray(start, end < 0 ? bytes.length : end) }
    if (end < 0) return
    previousEnd = end
    at = end
  }
}

/** RFC 1950, section 2.2: the method, and a checksum of the two bytes. */
const isDeflated = (data: Uint8Array): boolean => {
  const [method = 0, flags = 0] = data
  return data.length > 2 && (method & 0x0f) === DEFLATE_METHOD && (method * 256 + flags) % 31 === 0
}

/** @returns how many bytes come out, and the first of them; counts no further than the limit */
async function inflated(data: Buffer, limit: number): Promise<{ bytes: number; head: Buffer }> {
  let bytes = 0
  let head = Buffer.alloc(0)
  const inflate = createInflate({ chunkSize: CHUNK_BYTES })
  inflate.end(data)
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      if (head.length < CHUNK_BYTES) head = Buffer.concat([head, chunk])
      bytes += chunk.length
      if (bytes > limit) break
    }
  } catch {
    // damaged data: readers take what comes out before the damage
  }
  inflate.destroy()
  return { bytes, head }
}

const tooLarge = (what: string, limit: number): InputError =>
  new InputError('decodedBytes', `${what} more than ${limit / 2 ** 20} MB when decompressed`)

const numberIn = (dictionary: string, name: string): number =>
  Number(new RegExp(`/${name}\\s+(\\d+)`).exec(dictionary)?.[1] ?? 0)

/**
 * Streams that are compressed twice: no program writes them, and even tools that leave streams as they are decode them.
 * @throws InputError `decodedBytes`
 */
export async function checkNestedStreams(file: Uint8Array): Promise<void> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  for (const { dictionary, data } of streamsIn(bytes)) {
    if (!/\/Filter\s*\[[^\]]*\/\w+[^\]]*\//.test(dictionary) || !isDeflated(data)) continue
    const { bytes: outer, head } = await inflated(data, MAX_STREAM_BYTES)
    if (isDeflated(head) && outer * MAX_RATIO > MAX_STREAM_BYTES && (await inflated(head, MAX_STREAM_BYTES)).bytes > 0)
      throw tooLarge('contains a stream that is compressed twice and may have', MAX_STREAM_BYTES)
  }
}

/**
 * All streams, for tools that read or draw the content of pages.
 * @param pageCount undefined to leave images out
 * @throws InputError `decodedBytes`, `pixels`
 */
export async function checkDecodedSizes(file: Uint8Array, pageCount: number | undefined): Promise<void> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  let total = 0
  let pixels = 0
  for (const { dictionary, data } of streamsIn(bytes)) {
    const isImage = /\/Subtype\s*\/Image\b/.test(dictionary)
    if (isImage && pageCount === undefined) continue
    if (isImage) pixels += numberIn(dictionary, 'Width') * numberIn(dictionary, 'Height')
    if (pixels > MAX_PAGE_PIXELS * (pageCount ?? 1))
      throw new InputError(
        'pixels',
        `has images of more than ${MAX_PAGE_PIXELS / 1e6} megapixels for each of its pages`,
      )
    const limit = isImage ? MAX_IMAGE_BYTES : MAX_STREAM_BYTES
    if (!isDeflated(data)) continue
    const mayExceed = isImage ? data.length * MAX_RATIO > limit : data.length * MAX_RATIO + total > MAX_STREAM_BYTES
    // so small that even at best it stays within the limits
    const size = mayExceed ? (await inflated(data, limit)).bytes : isImage ? 0 : data.length * MAX_RATIO
    if (size > limit) throw tooLarge(isImage ? 'contains an image of' : 'contains a stream of', limit)
    if (!isImage) total += size
    if (total > MAX_TOTAL_BYTES) throw tooLarge('contains streams of', MAX_TOTAL_BYTES)
  }
}
