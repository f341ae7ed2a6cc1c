/** A machine under heavy load needs seconds for what takes milliseconds otherwise. */
const PATIENCE_MS = 100_000

/** Waits for a condition. @param what completes the sentence "… took longer than …" */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = 'it',
  patienceMs = PATIENCE_MS,
): Promise<void> {
  for (const deadlineMs = Date.now() + patienceMs; !(await condition()); await Bun.sleep(10))
    if (Date.now() > deadlineMs) throw new Error(`${what} took longer than ${patienceMs / 1000} seconds`)
}

/**
 * Repeats assertions until they hold, for what a page shows a little later than the element that was waited for. After
 * the same time as `until`, it fails with the last failure.
 */
export async function eventually(assertions: () => void | Promise<void>): Promise<void> {
  for (const deadlineMs = Date.now() + PATIENCE_MS; ; await Bun.sleep(10))
    try {
      return await assertions()
    } catch (failure) {
      if (Date.now() > deadlineMs) throw failure
    }
}

/** Repeats the work until all of it was in one minute of the clock, however slow the machine is. */
export async function inOneMinute<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const minute = Math.floor(Date.now() / 60_000)
    const result = await work()
    if (Math.floor(Date.now() / 60_000) === minute) return result
  }
}
