/** Triggers garbage collection while a long task runs. */

const STEP_BYTES = 128 * 2 ** 20
let bytesAfterCollection = 0

/**
 * Collects garbage when the process has grown by more than STEP_BYTES since the last collection. Bun does not count the
 * memory that native libraries and WebAssembly allocate for JavaScript objects, so it would collect too late. Does
 * nothing in other runtimes.
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
