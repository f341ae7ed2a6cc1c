/**
 * Room for geometries out of large pieces: a buffer for each of a million would cost more in bookkeeping than in
 * coordinates. A piece is given back when nothing in it is used any more, so this is for layers, which go as a whole.
 */
const PIECE_BYTES = 1 << 20

let piece = new Uint8Array(0)
let used = 0

/** Zeros that are nobody else's. */
export function allocate(bytes: number): Uint8Array {
  if (bytes > PIECE_BYTES / 8) return new Uint8Array(bytes)
  if (used + bytes > piece.length) {
    piece = new Uint8Array(PIECE_BYTES)
    used = 0
  }
  const allocated = piece.subarray(used, used + bytes)
  used += bytes
  return allocated
}

/** A copy of part of some bytes. */
export function copyOf(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const copy = allocate(end - start)
  copy.set(bytes.subarray(start, end))
  return copy
}
