/** Serializes work on the same key; work on different keys runs at the same time. */
export type KeyedMutex<K> = {
  /** Whether the key is locked or awaited. */
  isLocked(key: K): boolean
  /** Resolves once the key is locked for the caller, in the order of the calls. */
  lock(key: K): Promise<void>
  /** Releases the key for the next caller; does nothing if it is not locked. */
  unlock(key: K): void
  /** Runs `work` while holding the key. */
  run<T>(key: K, work: () => Promise<T>): Promise<T>
}

export function createKeyedMutex<K>(): KeyedMutex<K> {
  const last = new Map<K, Promise<void>>()
  const unlocks = new Map<K, () => void>()

  async function lock(key: K): Promise<void> {
    const previous = last.get(key)
    const held = Promise.withResolvers<void>()
    last.set(key, held.promise)
    await previous
    unlocks.set(key, () => {
      unlocks.delete(key)
      if (last.get(key) === held.promise) last.delete(key)
      held.resolve()
    })
  }

  const unlock = (key: K): void => unlocks.get(key)?.()

  return {
    isLocked: (key) => last.has(key),
    lock,
    unlock,
    async run(key, work) {
      await lock(key)
      try {
        return await work()
      } finally {
        unlock(key)
      }
    },
  }
}
