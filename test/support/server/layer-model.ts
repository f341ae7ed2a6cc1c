/** A layer as a plain list, with a copy of each version, to compare the store with. */
import { type Random, whole } from '../random.ts'

export type Feature = { type: 'Feature'; id: string; properties: Record<string, unknown>; geometry: object | null }

const VALUES: unknown[] = [null, true, false, 0, -1.5, 12, '', 'عقدة', '<b>x</b>', '\u202eabc', { a: [1] }, [1, 'x']]
const some = <T>(random: Random, list: readonly T[]): T => list[whole(random, list.length)] as T

export function anyFeature(random: Random, id: string): Feature {
  const properties: Record<string, unknown> = {}
  for (const name of ['name', 'n', 'العمق', '__proto__x']) if (random() < 0.7) properties[name] = some(random, VALUES)
  const [x, y] = [whole(random, 100), whole(random, 80)]
  const shapes = [
    null,
    { type: 'Point', coordinates: [x, y] },
    {
      type: 'LineString',
      coordinates: [
        [x, y],
        [x + 1, y + 1],
      ],
    },
    {
      type: 'Polygon',
      coordinates: [
        [
          [x, y],
          [x + 1, y],
          [x + 1, y + 1],
          [x, y],
        ],
      ],
    },
  ]
  return { type: 'Feature', id, properties, geometry: some(random, shapes) }
}

/** Every version as an ordered list. A restored feature returns to its former place. */
export class LayerModel {
  readonly versions = new Map<number, Feature[]>()
  readonly fields = new Map<number, string[]>()
  private places = new Map<string, number>()
  private next = 0
  now: Feature[] = []
  columns: string[] = []
  version = 0

  end(): void {
    this.version++
    this.now = [...this.now].sort((a, b) => this.place(a) - this.place(b))
    this.versions.set(this.version, structuredClone(this.now))
    this.fields.set(this.version, [...this.columns])
  }
  private place({ id }: Feature): number {
    return this.places.get(id) as number
  }
  private put(features: readonly Feature[]): void {
    for (const feature of features) {
      if (!this.places.has(feature.id)) this.places.set(feature.id, this.next)
      this.next++
      this.now = [...this.now.filter(({ id }) => id !== feature.id), feature]
      for (const name in feature.properties) if (!this.columns.includes(name)) this.columns.push(name)
    }
  }
  patch(upsert: readonly Feature[], remove: readonly string[]): void {
    this.now = this.now.filter(({ id }) => !remove.includes(id))
    this.put(upsert)
    this.end()
  }
  replace(features: readonly Feature[]): void {
    this.places = new Map()
    this.next = 0
    this.columns = []
    this.now = []
    this.put(features)
    this.end()
  }
  restore(version: number): void {
    const wanted = this.versions.get(version) as Feature[]
    // in the order of that version; later additions follow
    this.places = new Map(wanted.map(({ id }, i) => [id, i - 1e6 * (this.version + 1)]))
    this.now = [...wanted]
    this.columns = [...(this.fields.get(version) as string[])]
    this.end()
  }
}

const same = (a: Feature, b: Feature): boolean =>
  JSON.stringify([a.properties, a.geometry]) === JSON.stringify([b.properties, b.geometry])

/** Features that differ, ordered by the bytes of their ids. */
export function difference(before: readonly Feature[], after: readonly Feature[]) {
  const [old, now] = [before, after].map((list) => new Map(list.map((feature) => [feature.id, feature])))
  const ids = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].sort((a, b) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  )
  return ids.flatMap((id) => {
    const [a, b] = [old?.get(id), now?.get(id)]
    if (a !== undefined && b !== undefined && same(a, b)) return []
    return [{ id, change: a === undefined ? 'added' : b === undefined ? 'removed' : 'changed', a, b }]
  })
}
