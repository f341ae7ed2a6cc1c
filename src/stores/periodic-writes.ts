/** Flushes data gathered in memory to a store periodically, one write at a time. */

export type PeriodicWrites = {
  /** Resolves once all data gathered before the call is written, or its write has failed. */
  flush(): Promise<void>
  /** Writes the remaining data, and stops. */
  stop(): Promise<void>
}

export function startWrites(
  everyMs: number,
  write: () => Promise<void>,
  onError: (error: unknown) => void,
): PeriodicWrites {
  let last = Promise.resolve()
  /** A write that has not begun. */
  let next: Promise<void> | undefined

  function flush(): Promise<void> {
    next ??= last.then(() => {
      next = undefined
      return write().catch(onError)
    })
    last = next
    return last
  }

  const timer = setInterval(() => void flush(), everyMs)
  timer.unref()
  return {
    flush,
    stop() {
      clearInterval(timer)
      return flush()
    },
  }
}
