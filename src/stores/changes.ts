/** Announces changes of the configuration to caches, in this process and in other instances. */

/** A change names the record and the owner that it is about, so that nobody's changes cost other owners their caches. */
export type Change =
  /** Changes of other instances may have been missed: every cache must be cleared. */
  | { kind: 'missed' }
  | { kind: 'sensor'; id: string; ownerId: string; deleted: boolean }
  | { kind: 'enterprise'; id: string }
  | { kind: 'person'; id: string }
  /** Limits of tiers and plans. */
  | { kind: 'tiers' }
  | { kind: 'asset'; id: string; ownerId: string }
  /** A map layer: its features, its owner, or its deletion. */
  | { kind: 'layer'; id: string; deleted: boolean }
  /** An owner's file: its versions, their scan results, its owner, or its deletion. */
  | { kind: 'file'; id: string; storageKeys?: string[] }
  | { kind: 'tool-api'; id: string }
  | { kind: 'zone-rule'; id: string }
  /** An account: its sessions, its name, its role as operator. */
  | { kind: 'account'; id: string }
  /** Members, applications and their keys, of an enterprise; or a token of an operator. */
  | { kind: 'access'; id: string }
  /** An archive of everything of an owner is to be made. */
  | { kind: 'data-export' }
  /** Readings are to be deleted. */
  | { kind: 'reading-deletion' }
  /** A job that was queued or dismissed. */
  | { kind: 'job'; id: string; dismissed: boolean }

/** The record that a change is about, and its owner; nothing for what concerns everybody. */
export function subjectsOf(change: Change): readonly string[] {
  const { kind, id, ownerId } = change as { kind: Change['kind']; id?: string; ownerId?: string }
  // an instance of an earlier release does not name all of them
  if (id === undefined || ((kind === 'sensor' || kind === 'asset') && ownerId === undefined)) return []
  return ownerId === undefined ? [id] : [id, ownerId]
}

export type Changes = {
  subscribe(listener: (change: Change) => void): void
  /** Await it after the commit and before the response, so that the client's next request sees the change. */
  publish(change: Change): Promise<void>
  /** Handles a change made by another instance. */
  receive(change: Change): void
}

/** @param notifyOthers publishes a change to the other instances */
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
