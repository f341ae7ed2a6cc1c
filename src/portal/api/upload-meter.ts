/** Measures an upload: how much has arrived, how fast, and how long the rest takes. */

export type UploadProgress = {
  bytes: number
  sentBytes: number
  /** Over the last seconds; undefined until there is enough to measure. */
  bytesPerSecond: number | undefined
  secondsLeft: number | undefined
  /** `waiting` for the connection, the server or a sign-in; `checking` while the server assembles and scans the file. */
  state: 'sending' | 'waiting' | 'checking'
}

const WINDOW_MS = 8_000
const MIN_MEASURED_MS = 1_000

export function createMeter(bytes: number, onProgress: ((progress: UploadProgress) => void) | undefined) {
  let sentBytes = 0
  let state: UploadProgress['state'] = 'sending'
  /** The oldest within the window first. */
  let points: { ms: number; bytes: number }[] = []

  function speed(): number | undefined {
    const [first, last] = [points[0], points.at(-1)]
    if (first === undefined || last === undefined || last.ms - first.ms < MIN_MEASURED_MS) return undefined
    const measured = ((last.bytes - first.bytes) / (last.ms - first.ms)) * 1000
    return measured > 0 ? measured : undefined
  }

  function report(): void {
    const bytesPerSecond = state === 'sending' ? speed() : undefined
    const secondsLeft = bytesPerSecond === undefined ? undefined : (bytes - sentBytes) / bytesPerSecond
    onProgress?.({ bytes, sentBytes, bytesPerSecond, secondsLeft, state })
  }

  return {
    /** Bytes sent so far, earlier attempts included. */
    at(arrivedBytes: number): void {
      const ms = performance.now()
      // bytes lost with the connection are sent again, and a pause does not count as a slow connection
      if (state !== 'sending' || arrivedBytes < sentBytes) points = []
      state = 'sending'
      sentBytes = Math.min(bytes, arrivedBytes)
      points = [...points.filter((point) => ms - point.ms <= WINDOW_MS), { ms, bytes: sentBytes }]
      report()
    },
    is(next: UploadProgress['state']): void {
      state = next
      report()
    },
  }
}
