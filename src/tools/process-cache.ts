/** What a process keeps from one run to the next: second inputs of saved tools, read and indexed. */
import { AppError } from '../errors.ts'
import { loadGeos } from '../lib/geo/geos.ts'

/** Of files that are kept by what was made of them. */
const MAX_KEPT_BYTES = 192 * 2 ** 20
/** A file of a vector format takes more memory than its bytes once it is read. */
const MEMORY_OF_FILE = 2

export type Kept<T> = { value: T; bytes(): number; free(): void }

/** In the order of their last use. */
const kept = new Map<string, Kept<unknown>>()

/** Runs something over what was kept under a key, or is made now; it is kept for the next. */
export async function keep<T, R>(key: string, make: () => Promise<Kept<T>>, use: (value: T) => Promise<R>): Promise<R> {
  const found = (kept.get(key) as Kept<T> | undefined) ?? (await make())
  kept.delete(key)
  try {
    const result = await use(found.value)
    kept.set(key, found)
    return result
  } catch (error) {
    // a refusal leaves it as it was; after anything else it is not to be trusted
    if (error instanceof AppError) kept.set(key, found)
    else found.free()
    throw error
  } finally {
    dropOldest()
  }
}

function dropOldest(): void {
  let bytes = keptBytes()
  for (const [key, oldest] of kept) {
    if (bytes <= MAX_KEPT_BYTES) return
    kept.delete(key)
    bytes -= oldest.bytes()
    oldest.free()
  }
}

/** Memory that the process holds on purpose after a run: what it keeps, and what GEOS has had to read of it. */
export async function keptMemoryBytes(): Promise<number> {
  return kept.size === 0 ? 0 : keptBytes() * MEMORY_OF_FILE + (await loadGeos()).heapBytes
}

function keptBytes(): number {
  let bytes = 0
  for (const item of kept.values()) bytes += item.bytes()
  return bytes
}
