/** Memory given back in the middle of a run. */

const STEP_BYTES = 128 * 2 ** 20
let keptBytes = 0

/**
 * Collects what nobody needs, when the process has grown much since it last did: Bun does not know of memory that
 * native libraries and WebAssembly hold for objects of its own. Elsewhere it does nothing.
 */
export function relieve(): void {
  if (process.versions.bun === undefined) return
  const bytes = process.memoryUsage.rss()
  if (bytes < keptBytes + STEP_BYTES) {
    keptBytes = Math.min(keptBytes, bytes)
    return
  }
  Bun.gc(true)
  keptBytes = process.memoryUsage.rss()
}
