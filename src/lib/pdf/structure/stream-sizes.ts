/**
 * Limits the decoded size of an untrusted PDF's streams, before a library decodes them. Deflate shrinks a run of equal
 * bytes to a thousandth, LZW further, and several filters multiply, so a small file can hold hours of work. Streams are
 * found by their keywords, like in repairing readers; an encrypted file must be decrypted first.
 */
import { fieldText } from '../../../field-texts/field-text.ts'
import { InputError } from '../../input-error.ts'
import { ascii85Bytes, decodedBytes } from './filter-sizes.ts'
import { fullName, isLossless } from './filters.ts'

/** Limit for one stream that is not an image: page content, a font, a list of objects. */
const MAX_STREAM_BYTES = 64 * 2 ** 20
/** Limit for all such streams together. */
const MAX_TOTAL_BYTES = 256 * 2 ** 20
/** Limits for one image, and for the images of a page on average. */
const MAX_IMAGE_BYTES = 512 * 2 ** 20
const MAX_PAGE_PIXELS = 1e9
/** Limit for all images with several filters or a filter other than Flate, which tools have to decode. */
const MAX_CHAINED_IMAGE_BYTES = 2 ** 30
/** Larger totals are allowed up to this ratio, which scans do not exceed. */
const MAX_CHAINED_RATIO = 50

/** Maximum compression ratio of deflate. */
const MAX_FLATE_RATIO = 1032
const DEFLATE_METHOD = 8
/** A stream's dictionary and the objects before it name few filters, unless crafted to mislead. */
const MAX_CHAINS = 8

type Stream = {
  /** Text between the previous stream and this one, ending with this stream's dictionary; names are unescaped. */
  text: string
  dictionary: string
  data: Buffer
}

/** ISO 32000-1, 7.3.5: any character of a name may be escaped as a number. */
export const unescaped = (text: string): string =>
  text.replace(/#([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

export function* streamsIn(bytes: Buffer): Generator<Stream> {
  let previousEnd = 0
  for (let at = bytes.indexOf('stream'); at >= 0; at = bytes.indexOf('stream', at + 6)) {
    // the "stream" of "endstream"
    if (bytes.toString('latin1', at - 3, at) === 'end') continue
    const start = at + 6 + (bytes[at + 6] === 0x0d ? 1 : 0) + (bytes[at + 7] === 0x0a || bytes[at + 6] === 0x0a ? 1 : 0)
    const text = unescaped(bytes.toString('latin1', previousEnd, at))
    const dictionary = text.slice(text.lastIndexOf('obj') + 1)
    const end = endOf(bytes, start, dictionary)
    yield { text, dictionary, data: bytes.subarray(start, end < 0 ? bytes.length : end) }
    if (end < 0) return
    previousEnd = end
    at = end
  }
}

/** The end of a stream's data, which may itself contain the keyword endstream. */
function endOf(bytes: Buffer, start: number, dictionary: string): number {
  const [, length = '', isReference] = /\/Length\s+(\d+)(\s+\d+\s+R)?/.exec(dictionary) ?? []
  const declared = isReference === undefined ? length : (objectText(bytes, Number(length)).match(/\d+/)?.[0] ?? '')
  const end = start + Number(declared)
  const isRight = declared !== '' && bytes.subarray(end, end + 20).includes('endstream')
  return isRight ? end : bytes.indexOf('endstream', start)
}

const OBJECT_TEXT_BYTES = 1_000
const OBJECT = ' 0 obj'
/** Above the object limit of documents; further objects of a hostile file are not indexed. */
const MAX_OBJECTS = 400_000

/** Offsets of a file's objects, computed once for all streams with references. */
const positions = new WeakMap<Buffer, Map<number, number>>()

function positionsOf(bytes: Buffer): Map<number, number> {
  const known = positions.get(bytes)
  if (known !== undefined) return known
  const found = new Map<number, number>()
  for (let at = bytes.indexOf(OBJECT); at >= 0 && found.size < MAX_OBJECTS; at = bytes.indexOf(OBJECT, at + 1)) {
    const [digits] = /\d+$/.exec(bytes.toString('latin1', Math.max(0, at - 10), at)) ?? []
    if (digits !== undefined) found.set(Number(digits), at + OBJECT.length)
  }
  positions.set(bytes, found)
  return found
}

/** The beginning of an object that is not in an object stream; empty for other objects. */
function objectText(bytes: Buffer, number: number): string {
  const from = positionsOf(bytes).get(number)
  return from === undefined
    ? ''
    : (bytes.toString('latin1', from, from + OBJECT_TEXT_BYTES).split('endobj')[0] as string)
}

/** RFC 1950, section 2.2: the method, and a checksum of the two bytes. */
const isDeflated = (data: Uint8Array): boolean => {
  const [method = 0, flags = 0] = data
  return data.length > 2 && (method & 0x0f) === DEFLATE_METHOD && (method * 256 + flags) % 31 === 0
}

const FILTERS = /\/Filter\s*(\[[^\]]{0,400}\]|\/[^\s/<>[\](){}%]+|\d+\s+\d+\s+R)/g
/** Assumed if the filters are defined in an object stream. */
const POSSIBLE_CHAINS = [
  ['LZWDecode'],
  ['RunLengthDecode'],
  ['ASCII85Decode', 'LZWDecode'],
  ['ASCII85Decode', 'FlateDecode'],
  ['FlateDecode', 'FlateDecode'],
]

/**
 * The possible filter lists of a stream. Trying every list named before the stream is safe, because data decoded by a
 * wrong filter stays small.
 * @throws InputError `decodedBytes` when there are too many
 */
function chainsOf({ text, data }: Stream, file: Buffer): string[][] {
  const chains = new Map<string, string[]>()
  const add = (chain: string[]): unknown => isLossless(chain[0] ?? '') && chains.set(chain.join(), chain)
  const namesIn = (list: string): string[] =>
    [...list.matchAll(/\/([^\s/<>[\](){}%]+)|(\d+)\s+\d+\s+R/g)].flatMap(([, name, reference]) =>
      name === undefined
        ? namesIn(objectText(file, Number(reference)).replace(/\d+\s+\d+\s+R/g, ''))
        : [fullName(name)],
    )
  for (const [, value = ''] of text.matchAll(FILTERS)) {
    const names = namesIn(value)
    if (names.length > 0) add(names)
    else if (/\d/.test(value)) for (const chain of POSSIBLE_CHAINS) add(chain)
    if (chains.size > MAX_CHAINS) throw new InputError('decodedBytes', fieldText('severalFilters'))
  }
  if (isDeflated(data)) add(['FlateDecode'])
  return [...chains.values()]
}

const tooLarge = (
  key: 'pdfImageBytes' | 'pdfStreamBytes' | 'pdfImagesBytes' | 'pdfStreamsBytes',
  limit: number,
): InputError => new InputError('decodedBytes', fieldText(key, { most: limit / 2 ** 20 }))

const numberIn = (dictionary: string, name: string): number =>
  Number(new RegExp(`/${name}\\s+(\\d+)`).exec(dictionary)?.[1] ?? 0)

const isImage = ({ dictionary }: Stream): boolean => /\/Subtype\s*\/Image\b/.test(dictionary)

/** @returns the largest decoded size of a stream over all chains. @throws InputError `decodedBytes` */
async function sizeOf(stream: Stream, chains: readonly string[][], limit: number): Promise<number> {
  const earlyChange = /\/EarlyChange\s+0/.test(stream.dictionary) ? 0 : 1
  let most = 0
  for (const chain of chains)
    most = Math.max(most, await decodedBytes(stream.data, chain, limit, MAX_STREAM_BYTES, earlyChange))
  if (most > limit) throw tooLarge(isImage(stream) ? 'pdfImageBytes' : 'pdfStreamBytes', limit)
  return most
}

const isFlateInText = (chains: readonly string[][]): boolean =>
  chains.every((chain) => chain.join() === 'ASCII85Decode,FlateDecode')

/**
 * Checks streams with several filters or a filter other than Flate, which are decoded even by tools that leave streams
 * unchanged.
 * @throws InputError `decodedBytes`
 */
export async function checkChainedStreams(file: Uint8Array): Promise<void> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  let [total, images, encodedImages] = [0, 0, 0]
  for (const stream of streamsIn(bytes)) {
    const chains = chainsOf(stream, bytes).filter((chain) => chain.length > 1 || chain[0] !== 'FlateDecode')
    if (chains.length === 0) continue
    if (isImage(stream)) {
      images += await sizeOf(stream, chains, MAX_IMAGE_BYTES)
      encodedImages += stream.data.length
      if (images > Math.max(MAX_CHAINED_IMAGE_BYTES, MAX_CHAINED_RATIO * encodedImages))
        throw tooLarge('pdfImagesBytes', MAX_CHAINED_IMAGE_BYTES)
    } else {
      const atBest = isFlateInText(chains) ? ascii85Bytes(stream.data) * MAX_FLATE_RATIO : Number.POSITIVE_INFINITY
      total += atBest + total <= MAX_STREAM_BYTES ? atBest : await sizeOf(stream, chains, MAX_STREAM_BYTES)
    }
    if (total > MAX_TOTAL_BYTES) throw tooLarge('pdfStreamsBytes', MAX_TOTAL_BYTES)
  }
}

/**
 * Checks all streams, for tools that read or draw page content.
 * @param pageCount undefined to skip images
 * @throws InputError `decodedBytes`, `pixels`
 */
export async function checkDecodedSizes(file: Uint8Array, pageCount: number | undefined): Promise<void> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  let total = 0
  let pixels = 0
  for (const stream of streamsIn(bytes)) {
    if (isImage(stream)) {
      if (pageCount === undefined) continue
      pixels += numberIn(stream.dictionary, 'Width') * numberIn(stream.dictionary, 'Height')
      if (pixels > MAX_PAGE_PIXELS * pageCount)
        throw new InputError('pixels', fieldText('pagePixelsOfImages', { most: MAX_PAGE_PIXELS / 1e6 }))
    }
    const limit = isImage(stream) ? MAX_IMAGE_BYTES : MAX_STREAM_BYTES
    const chains = chainsOf(stream, bytes)
    if (chains.length === 0) continue
    // so small that even at the maximum ratio it stays within the limits
    const atBest = stream.data.length * MAX_FLATE_RATIO
    const isPlain = chains.every((chain) => chain.length === 1 && chain[0] === 'FlateDecode')
    const isSmall = isPlain && (isImage(stream) ? atBest <= limit : atBest + total <= MAX_STREAM_BYTES)
    const size = isSmall ? atBest : await sizeOf(stream, chains, limit)
    if (!isImage(stream)) total += size
    if (total > MAX_TOTAL_BYTES) throw tooLarge('pdfStreamsBytes', MAX_TOTAL_BYTES)
  }
}

/** Checks an image for tools that decode images by other means. @throws InputError `decodedBytes` */
export async function checkImageBytes(data: Uint8Array, filters: readonly string[]): Promise<void> {
  if (data.length * MAX_FLATE_RATIO <= MAX_IMAGE_BYTES && filters.length === 1 && filters[0] === 'FlateDecode') return
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length)
  if ((await decodedBytes(bytes, filters, MAX_IMAGE_BYTES, MAX_STREAM_BYTES)) > MAX_IMAGE_BYTES)
    throw tooLarge('pdfImageBytes', MAX_IMAGE_BYTES)
}
