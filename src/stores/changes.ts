/** Tells whoever keeps something in memory that configuration has changed. */

export type Change =
  | { kind: 'sensor'; id: string; deleted: boolean }
  | { kind: 'enterprise'; id: string }
  | { kind: 'asset'; id: string }
  /** Who may come in: members, applications and their keys. */
  | { kind: 'access' }
  /** A job that waits, or that is to end. */
  | { kind: 'job'; id: string; dismissed: boolean }

export type Changes = {
  subscribe(listener: (change: Change) => void): void
  /** To be awaited once the change is committed and before it is answered, so that the next call finds it. */
  publish(change: Change): Promise<void>
  /** A change that another instance made. */
  receive(change: Change): void
}

/** @param tellOthers tells the other instances, where there are any */
export function createChanges(tellOthers: (change: Change) => Promise<void> = async () => undefined): Changes {
  const listeners: ((change: Change) => void)[] = []
  const receive = (change: Change): void => {
    for (const listener of listeners) listener(change)
  }
  return {
    subscribe(listener) {
      listeners.push(listener)
    },
    async publish(change) {
      receive(change)
      await tellOthers(change)
    },
    receive,
  }
}
