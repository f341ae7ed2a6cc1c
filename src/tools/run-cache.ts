/** What a worker process keeps between the parts of one run; it is freed when the process begins another run. */

export type Kept<T> = { value: T; free(): void }

let keptFor = ''
const kept = new Map<string, Kept<unknown>>()

/** Frees what belongs to other runs than the one of a scratch folder. */
export function releaseOthers(scratch: string): void {
  if (scratch === keptFor) return
  keptFor = scratch
  keepOnly([])
}

/** The value of a key, which is made when it is missing. The key must differ from those of other runs. */
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
