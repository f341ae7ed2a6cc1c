/** Calls of one sensor that have to wait for an answer go one after the other. */
export type Turns = {
  taken(sensor: number): boolean
  /** Resolves when it is the caller's turn, which lasts until `end`. */
  take(sensor: number): Promise<void>
  /** Ends the turn at hand; nothing when there is none. */
  end(sensor: number): void
}

export function createTurns(): Turns {
  const last = new Map<number, Promise<void>>()
  const endings = new Map<number, () => void>()
  return {
    taken: (sensor) => last.has(sensor),
    async take(sensor) {
      const previous = last.get(sensor)
      const turn = Promise.withResolvers<void>()
      last.set(sensor, turn.promise)
      await previous
      endings.set(sensor, () => {
        endings.delete(sensor)
        if (last.get(sensor) === turn.promise) last.delete(sensor)
        turn.resolve()
      })
    },
    end(sensor) {
      endings.get(sensor)?.()
    },
  }
}
