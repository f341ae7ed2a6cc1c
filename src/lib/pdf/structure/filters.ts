/** The filters of streams (ISO 32000-1, 7.4): the filters of a stream, and decoding of the lossless ones. */
import { constants, inflateSync } from 'node:zlib'
import type { PDFDict, PDFRawStream } from '@cantoo/pdf-lib'

export type Filter = { name: string; parms: PDFDict | undefined }

/** Readers accept the short names of inline images (table 94) in every stream. */
const FULL_NAMES: Record<string, string> = {
  A85: 'ASCII85Decode',
  AHx: 'ASCIIHexDecode',
  CCF: 'CCITTFaxDecode',
  DCT: 'DCTDecode',
  Fl: 'FlateDecode',
  LZW: 'LZWDecode',
  RL: 'RunLengthDecode',
}
/** @param name without its slash */
export const fullName = (name: string): string => FULL_NAMES[name] ?? name

/** Extra bytes that some producers write after the last row of an image. */
export const MAX_EXTRA_BYTES = 4_096
/** Maximum size of an encoded image behind lossless filters. */
const MAX_ENCODED_BYTES = 128 * 2 ** 20

/** Lossless filters of bytes; the others are for images and encryption. */
const LOSSLESS = new Set(['ASCII85Decode', 'ASCIIHexDecode', 'FlateDecode', 'LZWDecode', 'RunLengthDecode'])
export const isLossless = (name: string): boolean => LOSSLESS.has(name)

/** @returns the filters of a stream in the order of decoding */
export async function filtersOf(dict: PDFDict): Promise<Filter[]> {
  const { PDFArray, PDFDict, PDFName } = await import('@cantoo/pdf-lib')
  const list = (key: string): unknown[] => {
    const value = dict.lookup(PDFName.of(key))
    return value instanceof PDFArray ? value.asArray().map((item) => dict.context.lookup(item)) : [value]
  }
  const parms = list('DecodeParms')
  return list('Filter').flatMap((name, i) => {
    if (!(name instanceof PDFName)) return []
    const given = parms[i]
    return [{ name: fullName(name.decodeText()), parms: given instanceof PDFDict ? given : undefined }]
  })
}

/**
 * Decodes lossless filters.
 * @returns undefined when the data is damaged, has a predictor (qpdf has removed it from streams that it can decode),
 * or decodes to more bytes than the limit at any of the filters
 */
export async function decodeLossless(
  bytes: Uint8Array,
  filters: readonly Filter[],
  limit: number,
): Promise<Uint8Array | undefined> {
  const { PDFName, PDFNumber } = await import('@cantoo/pdf-lib')
  let data = bytes
  for (const { name, parms } of filters) {
    const predictor = parms?.lookup(PDFName.of('Predictor'))
    if (predictor instanceof PDFNumber && predictor.asNumber() > 1) return undefined
    if (name === 'FlateDecode') {
      const inflated = inflateLimited(data, limit)
      if (inflated === undefined) return undefined
      data = inflated
      continue
    }
    try {
      data = await decodedStart(data, name, parms, limit + 1)
    } catch {
      // damaged data in an untrusted file
      return undefined
    }
    if (data.length > limit) return undefined
  }
  return data
}

/** The first bytes that a filter other than Flate decodes to. @throws Error for damaged data */
export async function decodedStart(
  data: Uint8Array,
  name: string,
  parms: PDFDict | undefined,
  limit: number,
): Promise<Uint8Array> {
  if (name === 'ASCII85Decode') return decodedAscii85(data, limit)
  const { PDFContext, PDFDict, PDFName, PDFRawStream, decodePDFRawStream } = await import('@cantoo/pdf-lib')
  const dict = PDFDict.withContext(PDFContext.create())
  dict.set(PDFName.of('Filter'), PDFName.of(name))
  if (parms !== undefined) dict.set(PDFName.of('DecodeParms'), parms)
  const stream = decodePDFRawStream(PDFRawStream.of(dict, data))
  // pdf-lib allocates all requested bytes, and most streams are short
  for (let asked = data.length + 1; ; asked *= 2) {
    const decoded = stream.peekBytes(Math.min(asked, limit))
    if (decoded.length < asked) return new Uint8Array(decoded.buffer, decoded.byteOffset, decoded.length)
  }
}

const [TILDE, SPACE] = [0x7e, 0x20]
/** Digits begin with an exclamation mark; a z stands for five of them. */
const [FIRST_DIGIT, BASE, ZEROS] = [0x21, 85, 0x7a]

/**
 * ISO 32000-1, 7.4.3. Replaces pdf-lib's decoder, which requests every single byte from its source. An index and plain
 * stores are four times as fast as an iterator and `writeUInt32BE`.
 */
function decodedAscii85(data: Uint8Array, limit: number): Uint8Array {
  let [length, group, digits] = [0, 0, 0]
  // a z becomes four bytes
  const bytes = Buffer.allocUnsafe(Math.min(4 * data.length, limit) + 4)
  const write = (value: number): void => {
    bytes[length] = value >>> 24
    bytes[length + 1] = value >>> 16
    bytes[length + 2] = value >>> 8
    bytes[length + 3] = value
    length += 4
  }
  for (let at = 0; at < data.length && length < limit; at++) {
    const byte = data[at] as number
    if (byte === TILDE) break
    if (byte <= SPACE) continue
    const isZeros = byte === ZEROS && digits === 0
    group = isZeros ? 0 : group * BASE + byte - FIRST_DIGIT
    digits = isZeros ? 5 : digits + 1
    if (digits < 5) continue
    write(group)
    group = 0
    digits = 0
  }
  if (digits > 0 && length < limit) {
    const missing = 5 - digits
    for (let i = 0; i < missing; i++) group = group * BASE + BASE - 1
    write(group)
    length -= missing
  }
  return bytes.subarray(0, Math.min(length, limit))
}

/** @returns undefined when the data is not valid, or larger than the limit */
function inflateLimited(bytes: Uint8Array, limit: number): Uint8Array | undefined {
  try {
    // readers tolerate a missing end
    return inflateSync(bytes, { maxOutputLength: limit, finishFlush: constants.Z_SYNC_FLUSH })
  } catch (error) {
    const { code } = error as { code?: string }
    if (code?.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}

/**
 * For a stream whose last filter is an image filter: the input bytes of that filter.
 * @returns undefined for other streams, and damaged ones
 */
export async function imageBytes(stream: PDFRawStream): Promise<{ bytes: Uint8Array; filter: Filter } | undefined> {
  const filters = await filtersOf(stream.dict)
  const filter = filters.pop()
  if (filter === undefined || isLossless(filter.name) || !filters.every(({ name }) => isLossless(name)))
    return undefined
  const bytes = await decodeLossless(stream.getContents(), filters, MAX_ENCODED_BYTES)
  return bytes && { bytes, filter }
}
