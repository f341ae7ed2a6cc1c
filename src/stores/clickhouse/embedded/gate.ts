/** Limits the number of concurrent calls; further calls wait in order of arrival. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>

export function createGate(places: number): Gate {
  let free = places
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
