/** ClickHouse's RowBinary where it is written and read by hand: little-endian Int64, and lengths in LEB128. */

const TWO_32 = 4_294_967_296

/** A whole number of at most 53 bits as a little-endian Int64, without allocating a BigInt. */
export function writeInt64(view: DataView, offset: number, value: number): void {
  const high = Math.floor(value / TWO_32)
  view.setUint32(offset, value - high * TWO_32, true)
  view.setInt32(offset + 4, high, true)
}

export function readInt64(view: DataView, offset: number): number {
  return view.getInt32(offset + 4, true) * TWO_32 + view.getUint32(offset, true)
}

/** Longest length in bytes: 28 bits, far more than any array or text here has. */
const MAX_LENGTH_BYTES = 4

/** The length of an array or a text. @returns the offset after it */
export function writeLength(target: Uint8Array, offset: number, value: number): number {
  let p = offset
  let rest = value
  for (; rest > 127; rest >>>= 7) target[p++] = (rest & 127) | 128
  target[p++] = rest
  return p
}

/** The length at an offset; -1 when the bytes end within it, or when it is longer than any that is written here. */
export function readLength(bytes: Uint8Array, offset: number): number {
  let value = 0
  for (let i = 0; i < MAX_LENGTH_BYTES; i++) {
    const c = bytes[offset + i]
    if (c === undefined) return -1
    value |= (c & 127) << (7 * i)
    if (c < 128) return value
  }
  return -1
}

/** Number of bytes that `writeLength` writes. */
export function lengthBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest > 127; rest >>>= 7) bytes++
  return bytes
}
