/**
 * This process's knowledge of the past hours that the rollups hold. Looking them up in ClickHouse (waiting-hours.ts)
 * takes as long as a query of the rollups itself. Only for a ClickHouse in which no other process changes readings.
 *
 * The rollups look at all hours about once a minute (rollups.ts). Changes since a look began are added to its result,
 * so no change is missed, whichever comes first.
 */

/** The time of the oldest change by sensor, in milliseconds since 1970. */
export type OldestChanges = ReadonlyMap<number, number>

export type RolledHours = {
  /** Whether the rollups are known to hold all hours of the sensors that begin before `untilMs`. */
  include(sensors: readonly number[], untilMs: number): boolean
  /** Does work that stores readings, which count as waiting from its beginning. */
  during(oldest: OldestChanges, work: () => Promise<void>): Promise<void>
  /** Must be called after any other change: nothing is known until the rollups have scanned all hours again. */
  forget(): void
  /**
   * Begins a scan of all hours before `untilMs`, the start of an hour.
   * @returns a function that ends it, with the oldest waiting hour of each sensor that has one; undefined if there are
   * too many
   */
  look(untilMs: number): (waiting: OldestChanges | undefined) => void
}

const NEVER_MS = Number.NEGATIVE_INFINITY

export function createRolledHours(): RolledHours {
  /** Hours that begin earlier are in the rollups, except the hours in `waiting`. */
  let knownUntilMs = NEVER_MS
  let waiting = new Map<number, number>()
  /** The running scan, and the changes since it began. */
  let running: { untilMs: number; changed: Map<number, number> } | undefined
  const beingStored = new Set<OldestChanges>()

  function note(oldest: OldestChanges): void {
    addOlder(waiting, oldest, knownUntilMs)
    if (running !== undefined) addOlder(running.changed, oldest, running.untilMs)
  }

  function forget(): void {
    knownUntilMs = NEVER_MS
    waiting.clear()
    running = undefined
  }

  return {
    include: (sensors, untilMs) =>
      untilMs <= knownUntilMs &&
      (waiting.size === 0 || sensors.every((sensor) => (waiting.get(sensor) ?? untilMs) >= untilMs)),

    async during(oldest, work) {
      note(oldest)
      beingStored.add(oldest)
      try {
        await work()
      } catch (error) {
        // a statement that failed may have stored something
        forget()
        throw error
      } finally {
        beingStored.delete(oldest)
      }
    },

    forget,

    look(untilMs) {
      const look = { untilMs, changed: new Map<number, number>() }
      running = look
      for (const oldest of beingStored) addOlder(look.changed, oldest, untilMs)
      return (found) => {
        // invalidated meanwhile, or another scan has begun
        if (running !== look) return
        running = undefined
        if (found === undefined) return forget()
        addOlder(look.changed, found, untilMs)
        waiting = look.changed
        knownUntilMs = untilMs
      }
    },
  }
}

/** Adds changes before `untilMs`, the start of an hour: they are in earlier hours. */
function addOlder(all: Map<number, number>, oldest: OldestChanges, untilMs: number): void {
  for (const [sensor, ms] of oldest) if (ms < untilMs && ms < (all.get(sensor) ?? untilMs)) all.set(sensor, ms)
}
