/**
 * Collects keys for a moment and looks all of them up at once, so that a fleet that calls at the same time costs one
 * query.
 */

/**
 * @param windowMs how long keys are collected after the first one
 * @param run is given every key once
 * @param overlaps whether batches may overlap; otherwise keys are collected for the next batch until the running one
 *   ends
 * @returns a function that adds a key and resolves with the result of the whole batch
 */
export function createBatcher<K, R>(
  windowMs: number,
  run: (keys: readonly K[]) => Promise<R>,
  overlaps = false,
): (key: K) => Promise<R> {
  let open: { keys: Set<K>; result: Promise<R> } | undefined
  let last: Promise<unknown> = Promise.resolve()

  function openBatch() {
    const keys = new Set<K>()
    const result = Promise.all([Bun.sleep(windowMs), last]).then(() => {
      open = undefined
      return run([...keys])
    })
    // the next batch runs whether this one fails or not
    if (!overlaps) last = result.catch(() => undefined)
    return { keys, result }
  }

  return (key) => {
    open ??= openBatch()
    open.keys.add(key)
    return open.result
  }
}
