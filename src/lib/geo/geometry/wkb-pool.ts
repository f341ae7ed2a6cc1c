/**
 * Allocates geometries from large blocks, because a separate buffer for each of a million geometries would cost more
 * than their coordinates. A block is freed once nothing in it is referenced, so use this only for layers, whose
 * geometries are released together.
 */
const BLOCK_BYTES = 1 << 20

let block = new Uint8Array(0)
let used = 0

/** Returns zeroed bytes that nothing else uses. */
export function allocate(bytes: number): Uint8Array {
  if (bytes > BLOCK_BYTES / 8) return new Uint8Array(bytes)
  if (used + bytes > block.length) {
    block = new Uint8Array(BLOCK_BYTES)
    used = 0
  }
  const allocated = block.subarray(used, used + bytes)
  used += bytes
  return allocated
}

/** Copies a range of bytes. */
export function copyOf(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const copy = allocate(end - start)
  copy.set(bytes.subarray(start, end))
  return copy
}
