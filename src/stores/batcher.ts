/**
 * Collects keys for a moment and looks all of them up at once, so that a fleet that calls at the same time costs one
 * query.
 */

/**
 * @param windowMs how long keys are collected after the first one
 * @param run is given every key once
 * @returns a function that adds a key and resolves with the result of the whole batch
 */
export function createBatcher<K, R>(windowMs: number, run: (keys: readonly K[]) => Promise<R>): (key: K) => Promise<R> {
  let open: { keys: Set<K>; result: Promise<R> } | undefined

  function openBatch() {
    const keys = new Set<K>()
    const result = Bun.sleep(windowMs).then(() => {
      open = undefined
      return run([...keys])
    })
    return { keys, result }
  }

  return (key) => {
    open ??= openBatch()
    open.keys.add(key)
    return open.result
  }
}
