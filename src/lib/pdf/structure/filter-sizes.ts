/**
 * Counts the decoded bytes of untrusted streams, at the cost of reading the encoded bytes: LZW reaches ratios of up to
 * 1 : 2,700, so its output is never built. Damaged data counts as far as readers decode it.
 */
import { constants, createInflate, inflateSync } from 'node:zlib'
import { decodedStart, isLossless } from './filters.ts'

const CHUNK_BYTES = 2 ** 18
/** Data that inflates to at most 4 MB is inflated in one call: a stream takes ten times as long for most pages. */
const SMALL_BYTES = 4_096

/**
 * @param chain names of filters in the order of decoding; counting ends at the first image filter
 * @param maxBetween limit for the bytes passed from one filter to the next
 * @returns the number of decoded bytes, counted up to the limit; infinity when `maxBetween` is exceeded
 */
export async function decodedBytes(
  data: Buffer,
  chain: readonly string[],
  limit: number,
  maxBetween: number,
  earlyChange: 0 | 1 = 1,
): Promise<number> {
  const end = chain.findIndex((name) => !isLossless(name))
  const filters = end < 0 ? chain : chain.slice(0, end)
  let current = data
  for (const name of filters.slice(0, -1)) {
    const decoded = await start(current, name, maxBetween + 1)
    if (decoded.length > maxBetween) return Number.POSITIVE_INFINITY
    current = decoded
  }
  switch (filters.at(-1)) {
    case 'FlateDecode':
      return inflatedBytes(current, limit)
    case 'LZWDecode':
      return lzwBytes(current, limit, earlyChange)
    case 'RunLengthDecode':
      return runLengthBytes(current, limit)
    case 'ASCII85Decode':
      return ascii85Bytes(current)
    case 'ASCIIHexDecode':
      return Math.ceil(current.length / 2)
    default:
      return current.length
  }
}

/** The first bytes that a filter decodes to. */
async function start(data: Buffer, name: string, limit: number): Promise<Buffer> {
  if (name === 'FlateDecode') {
    const parts: Buffer[] = []
    await inflatedBytes(data, limit, (part) => parts.push(part))
    return Buffer.concat(parts)
  }
  const bytes = await decodedStart(data, name, undefined, limit)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

async function inflatedBytes(data: Buffer, limit: number, onPart?: (part: Buffer) => void): Promise<number> {
  const small = data.length <= SMALL_BYTES ? inflatedSmall(data) : undefined
  if (small !== undefined) {
    onPart?.(small)
    return small.length
  }
  let bytes = 0
  const inflate = createInflate({ chunkSize: CHUNK_BYTES })
  inflate.end(data)
  try {
    for await (const part of inflate as AsyncIterable<Buffer>) {
      onPart?.(part)
      bytes += part.length
      if (bytes > limit) break
    }
  } catch {
    // damaged data: readers use the output before the damage
  }
  inflate.destroy()
  return bytes
}

/** @returns undefined for damaged data */
function inflatedSmall(data: Buffer): Buffer | undefined {
  try {
    // readers tolerate a missing end
    return inflateSync(data, { finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    // the output before the damage is counted by streaming
    return undefined
  }
}

const [CLEAR_TABLE, END_OF_DATA, MAX_CODES] = [256, 257, 4_096]
const [SMALLEST_CODE, LARGEST_CODE] = [9, 12]

/** ISO 32000-1, 7.4.4.2: each code stands for a sequence of bytes; only the length is kept. */
function lzwBytes(data: Buffer, limit: number, earlyChange: 0 | 1): number {
  const lengths = new Uint16Array(MAX_CODES).fill(1)
  let [total, next, previous, codeBits] = [0, END_OF_DATA + 1, 0, SMALLEST_CODE]
  let [window, windowBits] = [0, 0]
  for (const byte of data) {
    window = ((window << 8) | byte) & 0xfffff
    windowBits += 8
    if (windowBits < codeBits) continue
    windowBits -= codeBits
    const code = (window >> windowBits) & ((1 << codeBits) - 1)
    if (code === END_OF_DATA) break
    if (code === CLEAR_TABLE) {
      ;[next, previous, codeBits] = [END_OF_DATA + 1, 0, SMALLEST_CODE]
      continue
    }
    if (code > next) break
    const length = code === next ? previous + 1 : (lengths[code] as number)
    if (previous > 0 && next < MAX_CODES) lengths[next++] = previous + 1
    total += length
    previous = length
    if (total > limit) break
    if (next + earlyChange >= 1 << codeBits && codeBits < LARGEST_CODE) codeBits++
  }
  return total
}

/** ISO 32000-1, 7.4.5. */
function runLengthBytes(data: Buffer, limit: number): number {
  const END = 128
  let total = 0
  for (let at = 0; at < data.length && total <= limit; ) {
    const length = data[at] as number
    if (length === END) break
    total += length < END ? length + 1 : 257 - length
    at += length < END ? length + 2 : 2
  }
  return total
}

/** Five characters for four bytes; a z stands for four zeros. */
export function ascii85Bytes(data: Buffer): number {
  const ZEROS = 0x7a
  let zeros = 0
  // an iterator takes several times as long
  for (let at = 0; at < data.length; at++) if (data[at] === ZEROS) zeros++
  return 4 * zeros + Math.ceil((4 * (data.length - zeros)) / 5)
}
