/** Tells whoever keeps something in memory that configuration has changed. */

export type Change =
  /** Others may not have been heard for a while: whatever is kept is to be looked up again. */
  | { kind: 'missed' }
  | { kind: 'sensor'; id: string; deleted: boolean }
  | { kind: 'enterprise'; id: string }
  | { kind: 'person'; id: string }
  /** What tiers and plans grant. */
  | { kind: 'tiers' }
  | { kind: 'asset'; id: string }
  /** A map layer of an owner's: its features, its owner, or that it is gone. */
  | { kind: 'layer'; id: string; deleted: boolean }
  /** A file of an owner's: its versions and what scans found in them, its owner, or that it is gone. */
  | { kind: 'file'; id: string; storageKeys?: string[] }
  | { kind: 'tool-api'; id: string }
  | { kind: 'zone-rule'; id: string }
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

/** @param notifyOthers tells the other instances, where there are any */
export function createChanges(notifyOthers: (change: Change) => Promise<void> = async () => undefined): Changes {
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
      await notifyOthers(change)
    },
    receive,
  }
}
