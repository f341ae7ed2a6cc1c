/** Memory given back in the middle of a run. */

const STEP_BYTES = 128 * 2 ** 20
let bytesAfterCollection = 0

/**
 * Collects what nobody needs, when the process has grown much since it last did: Bun does not know of memory that
 * native libraries and WebAssembly hold for objects of its own. Elsewhere it does nothing.
 */
export function collectGarbageIfGrown(): void {
  if (process.versions.bun === undefined) return
  const bytes = process.memoryUsage.rss()
  if (bytes < bytesAfterCollection + STEP_BYTES) {
    bytesAfterCollection = Math.min(bytesAfterCollection, bytes)
    return
  }
  Bun.gc(true)
  bytesAfterCollection = process.memoryUsage.rss()
}
