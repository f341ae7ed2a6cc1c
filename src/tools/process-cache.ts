/** What a process keeps from one run to the next: second inputs of saved tools, read and indexed. */
import { AppError } from '../errors.ts'
import { loadGeos } from '../lib/geo/geos.ts'

/** Of files that are kept by what was made of them. */
const MAX_CACHED_BYTES = 192 * 2 ** 20
/** A file of a vector format takes more memory than its bytes once it is read. */
const MEMORY_OF_FILE = 2

export type Cached<T> = { value: T; bytes(): number; free(): void }

/** In the order of their last use. */
const cache = new Map<string, Cached<unknown>>()

/** Runs something over what was kept under a key, or is made now; it is kept for the next. */
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
    // a refusal leaves it as it was; after anything else it is not to be trusted
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

/** Memory that the process holds on purpose after a run: what it keeps, and what GEOS has had to read of it. */
export async function cacheMemoryBytes(): Promise<number> {
  return cache.size === 0 ? 0 : cachedBytes() * MEMORY_OF_FILE + (await loadGeos()).heapBytes
}

function cachedBytes(): number {
  let bytes = 0
  for (const item of cache.values()) bytes += item.bytes()
  return bytes
}
