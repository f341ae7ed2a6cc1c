/** Sensors that are met for the first time at about the same moment, as after a start, share one question. */

/** How long questions gather, in milliseconds. */
const GATHER_MS = 3

/**
 * @param ask tells the newest stored time of each sensor that has one
 * @returns a function that resolves with a sensor's newest stored time, -Infinity when it has none; what it was asked
 *   before it resolves is asked together
 */
export function gatherNewestTimes(
  ask: (sensors: readonly number[]) => Promise<Map<number, number>>,
): (sensor: number) => Promise<number> {
  let gathering: { sensors: Set<number>; answer: Promise<Map<number, number>> } | undefined

  function begin() {
    const sensors = new Set<number>()
    const answer = Bun.sleep(GATHER_MS).then(() => {
      gathering = undefined
      return ask([...sensors])
    })
    return { sensors, answer }
  }

  return async (sensor) => {
    gathering ??= begin()
    gathering.sensors.add(sensor)
    const newest = await gathering.answer
    return newest.get(sensor) ?? Number.NEGATIVE_INFINITY
  }
}
