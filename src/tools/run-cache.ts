/** A worker process's cache between the parts of one run; freed when the process begins another run. */

export type Kept<T> = { value: T; free(): void }

let keptFor = ''
const kept = new Map<string, Kept<unknown>>()

/** Frees the values of all runs except the run of a scratch folder. */
export function releaseOthers(scratch: string): void {
  if (scratch === keptFor) return
  keptFor = scratch
  keepOnly([])
}

/** The value of a key, created if missing. Keys must be unique across runs. */
export function keptForRun<T>(key: string, make: () => Kept<T>): T {
  const found = kept.get(key) ?? make()
  kept.set(key, found)
  return found.value as T
}

/** Frees everything but some keys. */
export function keepOnly(keys: readonly string[]): void {
  for (const key of [...kept.keys()]) if (!keys.includes(key)) release(key)
}

function release(key: string): void {
  kept.get(key)?.free()
  kept.delete(key)
}
