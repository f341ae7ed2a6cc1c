/** A cache of one worker process: second inputs of saved tools, read and indexed. */
import { AppError } from '../errors.ts'
import { loadGeos } from '../lib/geo/geometry/geos.ts'

/** Size of the cached inputs, counted as bytes of their files. */
const MAX_CACHED_BYTES = 192 * 2 ** 20
/** A vector file takes more memory than its size on disk. */
const MEMORY_OF_FILE = 2

export type Cached<T> = { value: T; bytes(): number; free(): void }

/** Least recently used first. */
const cache = new Map<string, Cached<unknown>>()

/** Calls back with the cached value of a key, creating the value if it is missing. */
export async function withCached<T, R>(
  key: string,
  make: () => Promise<Cached<T>>,
  use: (value: T) => Promise<R>,
): Promise<R> {
  const found = (cache.get(key) as Cached<T> | undefined) ?? (await make())
  cache.delete(key)
  try {
    const result = await use(found.value)
    cache.set(key, found)
    return result
  } catch (error) {
    // an AppError rejects the input and leaves the value intact; any other error may have damaged it
    if (error instanceof AppError) cache.set(key, found)
    else found.free()
    throw error
  } finally {
    evictOldest()
  }
}

function evictOldest(): void {
  let bytes = cachedBytes()
  for (const [key, oldest] of cache) {
    if (bytes <= MAX_CACHED_BYTES) return
    cache.delete(key)
    bytes -= oldest.bytes()
    oldest.free()
  }
}

/** The memory of what tasks keep between runs beside the cache. */
export const keptMemory: (() => number)[] = []

/** Memory that the process keeps on purpose between runs: the cache, the heap of GEOS, and what tasks keep. */
export async function cacheMemoryBytes(): Promise<number> {
  const kept = keptMemory.reduce((sum, bytes) => sum + bytes(), 0)
  return kept + (cache.size === 0 ? 0 : cachedBytes() * MEMORY_OF_FILE + (await loadGeos()).heapBytes)
}

function cachedBytes(): number {
  let bytes = 0
  for (const item of cache.values()) bytes += item.bytes()
  return bytes
}
