const PATIENCE_MS = 60_000

/** Waits for a condition. @param what completes the sentence "… took longer than a minute" */
export async function until(condition: () => boolean | Promise<boolean>, what = 'it'): Promise<void> {
  for (const deadlineMs = Date.now() + PATIENCE_MS; !(await condition()); await Bun.sleep(10))
    if (Date.now() > deadlineMs) throw new Error(`${what} took longer than a minute`)
}
