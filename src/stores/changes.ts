/** Tells whoever keeps something in memory that configuration has changed. */

export type Change =
  | { kind: 'sensor'; id: string; deleted: boolean }
  | { kind: 'enterprise'; id: string }
  | { kind: 'asset'; id: string }

export type Changes = {
  subscribe(listener: (change: Change) => void): void
  /** To be called once the change is committed and before it is answered, so that the next call finds it. */
  publish(change: Change): void
}

export function createChanges(): Changes {
  const listeners: ((change: Change) => void)[] = []
  return {
    subscribe(listener) {
      listeners.push(listener)
    },
    publish(change) {
      for (const listener of listeners) listener(change)
    },
  }
}
