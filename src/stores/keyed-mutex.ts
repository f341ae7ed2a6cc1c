/** Calls of one sensor that have to wait for an answer go one after the other. */
export type KeyedMutex = {
  isLocked(key: number): boolean
  /** Resolves when it is the caller's turn, which lasts until `end`. */
  lock(key: number): Promise<void>
  /** Ends the turn at hand; nothing when there is none. */
  unlock(key: number): void
}

export function createKeyedMutex(): KeyedMutex {
  const last = new Map<number, Promise<void>>()
  const unlocks = new Map<number, () => void>()
  return {
    isLocked: (key) => last.has(key),
    async lock(key) {
      const previous = last.get(key)
      const held = Promise.withResolvers<void>()
      last.set(key, held.promise)
      await previous
      unlocks.set(key, () => {
        unlocks.delete(key)
        if (last.get(key) === held.promise) last.delete(key)
        held.resolve()
      })
    },
    unlock(key) {
      unlocks.get(key)?.()
    },
  }
}
