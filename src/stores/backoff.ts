/** Exponential backoff with a limit. */
export type Backoff = {
  /** Length of the next pause in milliseconds. */
  nextMs(): number
  /** Resolves after the next pause, or as soon as `stop` is aborted. */
  pause(stop: AbortSignal): Promise<void>
  /** To be called after a success: the next pause is the shortest one. */
  reset(): void
}

export function createBackoff(firstMs: number, longestMs: number): Backoff {
  let nextMs = firstMs
  return {
    nextMs: () => nextMs,
    pause(stop) {
      const ms = nextMs
      nextMs = Math.min(longestMs, nextMs * 2)
      return sleep(ms, stop)
    },
    reset() {
      nextMs = firstMs
    },
  }
}

/** Resolves after a time, or as soon as `stop` is aborted, and leaves neither a timer nor a listener behind. */
export function sleep(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) return resolve()
    const timer = setTimeout(end, ms)
    stop.addEventListener('abort', end)
    function end(): void {
      clearTimeout(timer)
      stop.removeEventListener('abort', end)
      resolve()
    }
  })
}
