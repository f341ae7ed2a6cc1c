/**
 * Caches results of a store in memory until a change makes them stale.
 *
 * - Single flight: callers that ask for the same key at the same time share one load.
 * - A load that began before an invalidation still answers its callers, but its result is not cached.
 * - Two generations approximate LRU: new and recently used entries are in the young one; when that is full it becomes
 *   the old one, and the previous old one is dropped. A hit in the young generation is one map lookup and allocates
 *   nothing.
 * - Keys that do not exist are cached too, in a separate space, so that a flood of unknown keys cannot evict
 *   known ones.
 */
import { type Change, type Changes, subjectsOf } from './changes.ts'

type Present<V> = Exclude<V, undefined>

export type ChangeCacheOptions<K, V> = {
  /** Undefined means that the key does not exist. */
  load(key: K): Promise<V>
  /** Upper bound in units of `sizeOf`; the most recently used half always stays. */
  maxSize: number
  /** Bytes, for example; each entry counts as one by default. Must return the same number for the same value. */
  sizeOf?(value: Present<V>): number
  maxUnknownKeys?: number
  /** Changes of these kinds drop the entries that they concern, or all of them. */
  invalidatedBy?: {
    changes: Changes
    kinds: readonly Change['kind'][]
    /** @param ids of the changed record and its owner; the value is undefined for a key that does not exist */
    concerns?(ids: readonly string[], value: Present<V> | undefined, key: K): boolean
  }
}

export type ChangeCache<K, V> = {
  /** The value if it is in memory; undefined if it is not, or if the key does not exist. */
  peek(key: K): V | undefined
  get(key: K): Promise<V>
  delete(key: K): void
  deleteWhere(matches: (value: Present<V> | undefined, key: K) => boolean): void
  clear(): void
}

const MAX_UNKNOWN_KEYS = 5_000
/** Callers choose unknown keys, so long ones are not cached. */
const MAX_UNKNOWN_KEY_LENGTH = 128

export function createChangeCache<K, V>(options: ChangeCacheOptions<K, V>): ChangeCache<K, V> {
  const values = createGenerations<K, Present<V>>(options.maxSize, options.sizeOf ?? (() => 1))
  const unknown = createGenerations<K, true>(options.maxUnknownKeys ?? MAX_UNKNOWN_KEYS, () => 1)
  const loads = new Map<K, Promise<V>>()

  function store(key: K, value: V): void {
    if (value !== undefined) values.set(key, value as Present<V>)
    else if (String(key).length <= MAX_UNKNOWN_KEY_LENGTH) unknown.set(key, true)
  }

  function load(key: K): Promise<V> {
    const running = loads.get(key)
    if (running !== undefined) return running
    const loading: Promise<V> = options
      .load(key)
      .then((value) => {
        // an invalidation meanwhile has removed this load from the map
        if (loads.get(key) === loading) store(key, value)
        return value
      })
      .finally(() => {
        if (loads.get(key) === loading) loads.delete(key)
      })
    loads.set(key, loading)
    return loading
  }

  function clear(): void {
    loads.clear()
    values.clear()
    unknown.clear()
  }

  function deleteWhere(matches: (value: Present<V> | undefined, key: K) => boolean): void {
    loads.clear()
    values.deleteWhere(matches)
    unknown.deleteWhere((_, key) => matches(undefined, key))
  }

  const { changes, kinds, concerns } = options.invalidatedBy ?? {}
  changes?.subscribe((change) => {
    if (!kinds?.includes(change.kind)) return
    const ids = subjectsOf(change)
    if (concerns === undefined || ids.length === 0) clear()
    else deleteWhere((value, key) => concerns(ids, value, key))
  })

  return {
    peek: values.get,
    async get(key) {
      const value = values.get(key)
      if (value !== undefined) return value
      // only a load that returned undefined puts a key there, so V includes it
      return unknown.get(key) === undefined ? load(key) : (undefined as V)
    },
    delete(key) {
      loads.delete(key)
      values.delete(key)
      unknown.delete(key)
    },
    deleteWhere,
    clear,
  }
}

/** A map that keeps the most recently used entries, at least half of `maxSize`. */
export function createGenerations<K, V>(maxSize: number, sizeOf: (value: V) => number) {
  let young = new Map<K, V>()
  let old = new Map<K, V>()
  let youngSize = 0

  /** A value larger than half of the bound is alone in its generation. */
  function set(key: K, value: V): void {
    remove(key)
    const size = sizeOf(value)
    if (young.size > 0 && youngSize + size > maxSize / 2) {
      old = young
      young = new Map()
      youngSize = 0
    }
    young.set(key, value)
    youngSize += size
  }

  function remove(key: K): void {
    old.delete(key)
    const value = young.get(key)
    if (value === undefined) return
    young.delete(key)
    youngSize -= sizeOf(value)
  }

  return {
    get(key: K): V | undefined {
      const value = young.get(key)
      if (value !== undefined) return value
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    set,
    delete: remove,
    deleteWhere(matches: (value: V, key: K) => boolean): void {
      for (const generation of [young, old]) for (const [key, value] of generation) if (matches(value, key)) remove(key)
    },
    clear(): void {
      young = new Map()
      old = new Map()
      youngSize = 0
    },
  }
}
