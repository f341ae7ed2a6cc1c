/** A machine under heavy load needs seconds for work that takes milliseconds otherwise. */
const PATIENCE_MS = 100_000

const SHORTEST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 100

/** Pauses grow with the elapsed time, so that polling costs little compared with the awaited work. */
const pause = (begunMs: number): Promise<void> =>
  Bun.sleep(Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, (Date.now() - begunMs) / 8)))

/** Waits for a condition. @param what completes the sentence "… took longer than …" */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = 'it',
  patienceMs = PATIENCE_MS,
): Promise<void> {
  for (const begunMs = Date.now(); !(await condition()); await pause(begunMs))
    if (Date.now() > begunMs + patienceMs) throw new Error(`${what} took longer than ${patienceMs / 1000} seconds`)
}

/**
 * Repeats assertions until they hold, for content that a page shows a little later than the awaited element. After the
 * timeout of `until`, it fails with the last failure.
 */
export async function eventually(assertions: () => void | Promise<void>): Promise<void> {
  for (const begunMs = Date.now(); ; await pause(begunMs))
    try {
      return await assertions()
    } catch (failure) {
      if (Date.now() > begunMs + PATIENCE_MS) throw failure
    }
}

/** Repeats the work until all of it happens within one minute of the clock, on a machine of any speed. */
export async function inOneMinute<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const minute = Math.floor(Date.now() / 60_000)
    const result = await work()
    if (Math.floor(Date.now() / 60_000) === minute) return result
  }
}
