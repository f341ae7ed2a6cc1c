/** The tags of an enterprise's sensors with the number of sensors for each, counted lazily after a change. */
import { inTurns } from '../../event-loop-yield.ts'
import { type CountsPage, type CountsQuery, countsPage } from './counts-page.ts'
import type { Fleet, FleetRow } from './fleet-index.ts'
import { sortInTurns } from './sort-in-turns.ts'

export type TagCount = { tag: string; count: number }

/** Counts by the list of sensors, which is replaced after each change of a sensor. */
const counted = new WeakMap<readonly FleetRow[], Promise<TagCount[]>>()

async function count(byName: readonly FleetRow[]): Promise<TagCount[]> {
  const counts = new Map<string, number>()
  await inTurns(byName.length, (i) => {
    for (const tag of (byName[i] as FleetRow).tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  })
  const tags = Array.from(counts, ([tag, count]) => ({ tag, count }))
  return sortInTurns(tags, (a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1))
}

/** The most used first. @throws AppError VALIDATION_FAILED */
export async function listTags({ byName }: Fleet, query: CountsQuery): Promise<CountsPage<TagCount>> {
  let all = counted.get(byName)
  if (all === undefined) {
    all = count(byName)
    counted.set(byName, all)
  }
  return countsPage(await all, ({ tag }) => tag, query)
}

/** Keeps the items of assets with a sensor that is wanted. */
export async function ofAssetsWith<T extends { assetId: string }>(
  items: readonly T[],
  { byName }: Fleet,
  isWanted: (row: FleetRow) => boolean,
): Promise<T[]> {
  const assets = new Set<string>()
  await inTurns(byName.length, (i) => {
    const row = byName[i] as FleetRow
    if (isWanted(row)) assets.add(row.assetId)
  })
  const found: T[] = []
  await inTurns(items.length, (i) => {
    const item = items[i] as T
    if (assets.has(item.assetId)) found.push(item)
  })
  return found
}
