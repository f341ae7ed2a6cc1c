/** Announces changes of the configuration to caches, in this process and in other instances. */

/** A change names its record and owner, so that it invalidates no caches of other owners. */
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
  /** A fleet key: its settings, its secrets, or what waits for approval. */
  | { kind: 'fleet-key'; id: string; ownerId: string }
  | { kind: 'zone-rule'; id: string }
  /** Alerts of an enterprise, by its id: they fired, changed their severity, or were resolved. */
  | { kind: 'alerts'; id: string }
  /** An account: its sessions, its name, its role as operator. */
  | { kind: 'account'; id: string }
  /** Members, applications and keys of an enterprise; or an operator's token. */
  | { kind: 'access'; id: string }
  /** A full export of an owner's data was requested. */
  | { kind: 'data-export' }
  /** A deletion of readings was requested. */
  | { kind: 'reading-deletion' }
  /** A long import of sensors was requested. */
  | { kind: 'sensor-import' }
  /** A job that was queued or dismissed. */
  | { kind: 'job'; id: string; dismissed: boolean }

/** The ids of the changed record and its owner; undefined for a change that concerns everybody. */
export function subjectsOf(change: Change): readonly string[] {
  const { kind, id, ownerId } = change as { kind: Change['kind']; id?: string; ownerId?: string }
  // an instance of an earlier release does not name all of them
  if (id === undefined || ((kind === 'sensor' || kind === 'asset') && ownerId === undefined)) return []
  return ownerId === undefined ? [id] : [id, ownerId]
}

export type Changes = {
  subscribe(listener: (change: Change) => void): void
  /** To be awaited after the commit and before the response, so that the client's next request sees the change. */
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
