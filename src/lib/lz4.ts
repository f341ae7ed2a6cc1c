/** Decompresses LZ4 blocks (lz4_Block_format.md), for the codecs LZ4_RAW and LZ4 of Parquet. */

const MIN_MATCH = 4

/** @throws RangeError for a damaged block */
export function decompressLz4(input: Uint8Array, outputBytes: number): Uint8Array {
  const output = new Uint8Array(outputBytes)
  let at = 0
  let to = 0
  const lengthOf = (nibble: number): number => {
    let length = nibble
    if (nibble < 15) return length
    for (let byte = 255; byte === 255; ) {
      byte = byteAt(input, at++)
      length += byte
    }
    return length
  }
  while (at < input.length) {
    const token = byteAt(input, at++)
    const literals = lengthOf(token >> 4)
    if (at + literals > input.length || to + literals > outputBytes) throw damaged()
    output.set(input.subarray(at, at + literals), to)
    at += literals
    to += literals
    // the last sequence has no match
    if (at === input.length) break
    const offset = byteAt(input, at++) | (byteAt(input, at++) << 8)
    const length = lengthOf(token & 15) + MIN_MATCH
    if (offset === 0 || offset > to || to + length > outputBytes) throw damaged()
    // a match may overlap its own output
    for (const end = to + length; to < end; to++) output[to] = output[to - offset] as number
  }
  if (to !== outputBytes) throw damaged()
  return output
}

/** Blocks of the older codec: in Hadoop's frames, or without frames from some programs. */
export function decompressHadoopLz4(input: Uint8Array, outputBytes: number): Uint8Array {
  try {
    return unframed(input, outputBytes)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return decompressLz4(input, outputBytes)
  }
}

function unframed(input: Uint8Array, outputBytes: number): Uint8Array {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength)
  const output = new Uint8Array(outputBytes)
  let to = 0
  for (let at = 0; at < input.length; ) {
    const [unpacked, packed] = [view.getUint32(at), view.getUint32(at + 4)]
    if (at + 8 + packed > input.length || to + unpacked > outputBytes) throw damaged()
    output.set(decompressLz4(input.subarray(at + 8, at + 8 + packed), unpacked), to)
    at += 8 + packed
    to += unpacked
  }
  if (to !== outputBytes) throw damaged()
  return output
}

function byteAt(input: Uint8Array, at: number): number {
  const byte = input[at]
  if (byte === undefined) throw damaged()
  return byte
}

const damaged = (): RangeError => new RangeError('the LZ4 block is damaged')
