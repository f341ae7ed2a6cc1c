/**
 * The current and recent number of instances. When an instance is killed and Redis loses its memory at the same time,
 * no other instance knows the readings in the killed instance's log: another instance would accept them again.
 */

const COUNT_MS = 1_000
/** How long others wait for a missing instance. A restart takes a few seconds. */
const MISSED_MS = 30_000
const LOOK_AGAIN_MS = 50

export type InstanceCount = {
  /**
   * Resolves once there are as many instances as at any time in the last half minute.
   * @throws Error if that takes longer than `patienceMs`
   */
  untilAllAreBack(patienceMs: number): Promise<void>
}

/** @param count how many instances receive messages now */
export function countInstances(count: () => Promise<number>): InstanceCount {
  // decreasing counts, each with the last time at which there were at least that many
  const seen: { count: number; atMs: number }[] = []

  async function look(): Promise<number> {
    const now = await count()
    while ((seen.at(-1)?.count ?? Number.POSITIVE_INFINITY) <= now) seen.pop()
    seen.push({ count: now, atMs: performance.now() })
    return now
  }
  function most(): number {
    while ((seen[0]?.atMs ?? Number.POSITIVE_INFINITY) < performance.now() - MISSED_MS) seen.shift()
    return seen[0]?.count ?? 0
  }

  async function wait(patienceMs: number): Promise<void> {
    const deadlineMs = performance.now() + patienceMs
    while ((await look()) < most()) {
      if (performance.now() > deadlineMs)
        throw new Error('an instance is missing that may have readings which Redis has lost')
      await Bun.sleep(LOOK_AGAIN_MS)
    }
  }

  // the connection itself reports its loss
  const timer = setInterval(() => void look().catch(() => undefined), COUNT_MS)
  timer.unref()

  let waiting: Promise<void> | undefined
  return {
    untilAllAreBack(patienceMs) {
      waiting ??= wait(patienceMs).finally(() => {
        waiting = undefined
      })
      return waiting
    },
  }
}
