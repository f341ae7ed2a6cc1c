/** Sorts long lists on the server's thread, in turns. */
import { inTurns } from '../../event-loop-yield.ts'

/** Items sorted in one piece, which takes less than a millisecond. */
const RUN = 1024

/** Stable sort of the items. */
export async function sortInTurns<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  let runs: T[][] = []
  await inTurns(Math.ceil(items.length / RUN), (i) => runs.push(items.slice(i * RUN, (i + 1) * RUN).sort(compare)))
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let i = 0; i < runs.length; i += 2) merged.push(await mergeInTurns(runs[i] as T[], runs[i + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

async function mergeInTurns<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  const merged: T[] = new Array(a.length + b.length)
  let [i, j] = [0, 0]
  await inTurns(merged.length, (at) => {
    const takesFirst = j >= b.length || (i < a.length && compare(a[i] as T, b[j] as T) <= 0)
    merged[at] = (takesFirst ? a[i++] : b[j++]) as T
  })
  return merged
}
