/** Storage limits of owners: a quota of bytes, a file lifetime, and free space reserved for readings. */

import { AppError } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { Changes } from '../stores/changes.ts'
import type { FreeDisk } from '../stores/free-disk.ts'
import { isPerson } from '../stores/postgres/accounts/owners.ts'
import type { Database } from '../stores/postgres/client.ts'
import { isNeededByJob, neededByJob } from '../stores/postgres/files/given-files.ts'
import {
  type Expiring,
  expiringFiles,
  expiryOfFiles,
  forgetFiles,
  lockExpiredFiles,
  noteServerLifetime,
  type StorageUse,
  storageUse,
} from '../stores/postgres/files/stored-files.ts'
import { forgetOldAnswers } from '../stores/postgres/runs/run-answers.ts'
import type { RunScope } from '../stores/postgres/runs/run-scope.ts'
import { lockStoredFile } from '../stores/postgres/runs/runs.ts'
import type { FileRemovals } from './file-removals.ts'

export type Storage = {
  /**
   * Called before a call with files is received.
   * @throws AppError STORAGE_FULL, STORAGE_QUOTA_EXCEEDED when the quota is used up
   */
  admit(ownerId: string): Promise<void>
  /**
   * Stores and records files or features of an owner, reserving quota meanwhile.
   * @throws AppError STORAGE_QUOTA_EXCEEDED when they do not fit; then `store` is not called
   */
  within<T>(ownerId: string, bytes: number, store: () => Promise<T>): Promise<T>
  /** @throws AppError NOT_FOUND, CONFLICT while a job needs the file */
  delete(scope: RunScope, key: string): Promise<{ filename: string; bytes: number }>
  /** An owner's stored bytes, and upcoming deletions. */
  useOf(ownerId: string): Promise<{ bytes: number; quotaBytes: number; expiring: Expiring }>
  /** Deletion times of the stored files among the keys. */
  expiryOf(keys: readonly string[]): Promise<ReadonlyMap<string, Date>>
  stop(): void
}

export type StorageDeps = {
  db: Database
  changes: Changes
  fileRemovals: FileRemovals
  disk: FreeDisk
  /** Default quota of enterprises. */
  storedMb: number
  personStoredMb: number
  /** Default file lifetime of owners. */
  storedDays: number
  /** Minimum time files are kept after a change of the lifetime, and lead time of deletion notices. */
  storedGraceDays: number
  onError(error: unknown): void
}

/** An owner's stored bytes as last read, and bytes recorded by this instance since. */
type Account = { use: Promise<StorageUse>; addedBytes: number; atMs: number }

const MIB = 2 ** 20
/** An owner's sum is reread after this time, to include files stored by other instances. */
const MAX_AGE_MS = 10_000
/**
 * Above this share of the quota the sum is read for every call, because files stored by other instances may fill the
 * rest.
 */
const EXACT_FROM = 0.9
const MAX_ACCOUNTS = 10_000
const SWEEP_MS = 3_600_000
/** Files per transaction, which locks them. */
const SWEEP_FILES = 100
/**
 * How long a deletion waits for the removal of its objects, whose keys a trigger notes; removal then continues in the
 * background.
 */
const REMOVAL_WAIT_MS = 2_000

export function createStorage(deps: StorageDeps): Storage {
  const { db, changes, fileRemovals, disk, onError } = deps
  const lifetimes = { defaultDays: deps.storedDays, graceDays: deps.storedGraceDays }
  const accounts = new Map<string, Account>()
  const held = new Map<string, number>()
  let stopped = false
  let isNoted = false
  changes.subscribe((change) => {
    if (change.kind === 'enterprise') accounts.delete(change.id)
    if (change.kind === 'missed') accounts.clear()
  })

  const quotaMbOf = (ownerId: string, { quotaMb }: StorageUse): number =>
    isPerson(ownerId) ? deps.personStoredMb : (quotaMb ?? deps.storedMb)

  function read(ownerId: string): Account {
    if (accounts.size >= MAX_ACCOUNTS) accounts.clear()
    const account: Account = { use: storageUse(db, ownerId), addedBytes: 0, atMs: performance.now() }
    accounts.set(ownerId, account)
    account.use.catch(() => accounts.delete(ownerId))
    return account
  }

  /**
   * Reserves the bytes if they fit into a share of the quota. Files stored by this instance count at once.
   * @returns the quota if they do not fit
   */
  async function take(account: Account, ownerId: string, bytes: number, share = 1): Promise<number | undefined> {
    const use = await account.use
    const most = quotaMbOf(ownerId, use)
    const heldBytes = held.get(ownerId) ?? 0
    if (use.bytes + account.addedBytes + heldBytes + bytes > share * most * MIB) return most
    held.set(ownerId, heldBytes + bytes)
    return undefined
  }

  /** @throws AppError STORAGE_QUOTA_EXCEEDED, always based on a fresh sum */
  async function hold(ownerId: string, bytes: number): Promise<(recorded: boolean) => void> {
    const known = accounts.get(ownerId)
    const isRecent = known !== undefined && performance.now() - known.atMs < MAX_AGE_MS
    if (!isRecent || (await take(known, ownerId, bytes, EXACT_FROM)) !== undefined) {
      const quotaMb = await take(read(ownerId), ownerId, bytes)
      if (quotaMb !== undefined)
        throw new AppError('STORAGE_QUOTA_EXCEEDED', {
          message: fieldText('quotaWouldExceed', { most: quotaMb }),
        })
    }
    return (recorded) => {
      const left = (held.get(ownerId) ?? 0) - bytes
      if (left > 0) held.set(ownerId, left)
      else held.delete(ownerId)
      const account = accounts.get(ownerId)
      if (recorded && account !== undefined) account.addedBytes += bytes
    }
  }

  async function sweep(): Promise<void> {
    try {
      if (!isNoted) await noteServerLifetime(db, lifetimes)
      isNoted = true
      while (!stopped && (await forgetOldAnswers(db, lifetimes, SWEEP_FILES)) === SWEEP_FILES);
      while (!stopped) {
        const count = await db.transaction(async (tx) => {
          const expired = await lockExpiredFiles(tx, lifetimes, SWEEP_FILES)
          await forgetFiles(tx, expired)
          return expired.length
        })
        if (count === 0) return
        await fileRemovals.remove(REMOVAL_WAIT_MS)
      }
    } catch (error) {
      if (!stopped) onError(error)
    }
  }
  const timer = setInterval(() => void sweep(), SWEEP_MS)
  timer.unref()
  void sweep()

  return {
    async admit(ownerId) {
      await disk.require()
      const release = await hold(ownerId, 1)
      release(false)
    },
    async within(ownerId, bytes, store) {
      if (bytes === 0) return store()
      const release = await hold(ownerId, bytes)
      let recorded = false
      try {
        const result = await store()
        recorded = true
        return result
      } finally {
        release(recorded)
      }
    },
    async delete(scope, key) {
      const { filename, bytes } = await db.transaction(async (tx) => {
        const file = await lockStoredFile(tx, scope, key)
        if (await isNeededByJob(tx, scope.ownerId, [key])) throw neededByJob()
        await forgetFiles(tx, [key])
        return file
      })
      await fileRemovals.remove(REMOVAL_WAIT_MS)
      accounts.delete(scope.ownerId)
      return { filename, bytes }
    },
    async useOf(ownerId) {
      const [use, expiring] = await Promise.all([storageUse(db, ownerId), expiringFiles(db, ownerId, lifetimes)])
      return { bytes: use.bytes, quotaBytes: quotaMbOf(ownerId, use) * MIB, expiring }
    },
    expiryOf: (keys) => expiryOfFiles(db, keys, lifetimes),
    stop() {
      stopped = true
      clearInterval(timer)
    },
  }
}
