/**
 * The live assets of a fleet: filtered, counted, in the order of the list, and gathered into clusters for the map. Runs in
 * a worker, so that a fleet of any size does not delay the page.
 */

import { classOf, NO_VALUE, scaleOf, VALUE_CLASSES, type ValueScale } from '../value-scale.ts'
import { type Area, containsPosition } from './area.ts'
import { type Cells, type Clusters, clustersOf, type MapView } from './clusters.ts'

/** `GET /enterprise/v1/assets/live?format=columns`: item n of each list belongs to the same asset. */
export type Columns = {
  states: string[]
  base: number
  ids: string[]
  sensorIds: string[]
  names: string[]
  lon: number[]
  lat: number[]
  state: number[]
  at: number[]
}
/** One asset. `at` is in milliseconds since 1970. */
export type Asset = {
  id: string
  sensorId: string
  name: string
  longitude: number
  latitude: number
  state: string
  at: number
}
export type Moved = Omit<Asset, 'state'>
export type StateChange = { assetId: string; state: string }
/** `GET /enterprise/v1/assets/live/values`: item n of each list belongs to the same asset. */
export type AssetValues = {
  measurements: string[]
  units: string[]
  ids: string[]
  values: number[]
  /** Seconds until the value is older than the rhythm of its sensor. */
  lateIn: number[]
}
/** The colours of values. `units` has every unit that the channel has in a sensor. */
export type Colouring = { scale: ValueScale | undefined; units: string[]; isBoolean: boolean }
export type Filter = { text: string; states: string[] }
export type Summary = {
  total: number
  matching: number
  byState: Record<string, number>
  colouring: Colouring | undefined
}

const RADIANS = Math.PI / 180
const MAX_LATITUDE = 85.051129

/** Web Mercator from 0 to 1, as MapLibre has it. */
export const mercatorX = (longitude: number): number => longitude / 360 + 0.5
export function mercatorY(latitude: number): number {
  const clamped = Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, latitude))
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + (clamped * RADIANS) / 2)) / (2 * Math.PI)
}

/** A typed name matches in any case, with or without accents and Arabic vowel marks. */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u064b-\u065f\u0670\u0640]/g, '')
    .toLowerCase()

export function createAssetIndex() {
  let states: string[] = []
  const assets: Asset[] = []
  const places = new Map<string, number>()
  const cells: Cells = { x: [], y: [], state: [], value: [], isShown: [] }
  /** Names as they are searched; made at the first search. */
  let searched: string[] = []
  let filter: Filter = { text: '', states: [] }
  /** Ids of the assets to which the page is limited; undefined for all. */
  let limited: ReadonlySet<string> | undefined
  let colouring: Colouring | undefined
  /** The values by which assets are coloured, with the time from which on they are late. */
  let values = new Map<string, { value: number; lateMs: number }>()
  /** Positions in the order of names, and of the list; undefined until they are first needed. */
  let byName: number[] | undefined
  let order: number[] | undefined

  const stateNumber = (state: string): number => {
    const known = states.indexOf(state)
    return known >= 0 ? known : states.push(state) - 1
  }
  function matches(place: number): boolean {
    const asset = assets[place] as Asset
    if (filter.states.length > 0 && !filter.states.includes(asset.state)) return false
    if (limited !== undefined && !limited.has(asset.id)) return false
    if (filter.text === '') return true
    searched[place] ??= folded(asset.name)
    return searched[place].includes(filter.text) || asset.id === filter.text || asset.sensorId === filter.text
  }
  function current({ id }: Asset, nowMs: number): number | undefined {
    const known = values.get(id)
    return known !== undefined && known.lateMs > nowMs ? known.value : undefined
  }
  const classFor = (value: number | undefined): number =>
    value === undefined || colouring?.scale === undefined ? NO_VALUE : classOf(colouring.scale, value)
  /** The classes span the current values of the assets on the map. */
  function recolour(): void {
    if (colouring === undefined) return
    const nowMs = Date.now()
    const found = assets.map((asset) => current(asset, nowMs))
    const shown = found.filter((value) => value !== undefined)
    colouring = { ...colouring, scale: scaleOf(shown, colouring.isBoolean) }
    cells.value = found.map(classFor)
  }
  function put(place: number, asset: Asset): void {
    const before = assets[place]
    assets[place] = asset
    cells.x[place] = mercatorX(asset.longitude)
    cells.y[place] = mercatorY(asset.latitude)
    if (before?.name !== asset.name) {
      delete searched[place]
      byName = undefined
    }
    mark(place, asset.state)
  }
  function mark(place: number, state: string): void {
    const number = stateNumber(state)
    const shown = matches(place) ? 1 : 0
    if (cells.state[place] !== number || cells.isShown[place] !== shown) order = undefined
    cells.state[place] = number
    cells.value[place] = colouring === undefined ? NO_VALUE : classFor(current(assets[place] as Asset, Date.now()))
    cells.isShown[place] = shown
  }

  /** States from worst to best, as the server lists them; equal ones by name. */
  function ordered(): number[] {
    if (order !== undefined) return order
    if (byName === undefined) {
      const { compare } = new Intl.Collator(['en', 'ar'], { numeric: true })
      byName = assets.map((_, place) => place)
      byName.sort((a, b) => compare((assets[a] as Asset).name, (assets[b] as Asset).name))
    }
    const groups: number[][] = states.map(() => [])
    for (const place of byName) if (cells.isShown[place] === 1) groups[cells.state[place] as number]?.push(place)
    order = groups.flat()
    return order
  }

  return {
    load(columns: Columns): void {
      states = [...columns.states]
      assets.length = 0
      places.clear()
      searched = []
      byName = undefined
      order = undefined
      for (const list of Object.values(cells)) list.length = 0
      for (const [i, id] of columns.ids.entries()) {
        places.set(id, i)
        put(i, {
          id,
          sensorId: columns.sensorIds[i] as string,
          name: columns.names[i] as string,
          longitude: columns.lon[i] as number,
          latitude: columns.lat[i] as number,
          state: states[columns.state[i] as number] ?? 'new',
          at: (columns.base + (columns.at[i] as number)) * 1000,
        })
      }
      recolour()
    },
    move(moved: readonly Moved[]): void {
      for (const asset of moved) {
        const place = places.get(asset.id) ?? assets.length
        const known = assets[place]
        // an answer may be older than an event that arrived before it
        if (known !== undefined && known.at > asset.at) continue
        places.set(asset.id, place)
        put(place, { ...asset, state: known?.state ?? 'sending' })
        if (known === undefined) byName = undefined
      }
    },
    remove(ids: readonly string[]): void {
      for (const id of ids) {
        const place = places.get(id)
        if (place === undefined) continue
        places.delete(id)
        const last = assets.length - 1
        for (const list of [assets, searched, ...Object.values(cells)] as unknown[][]) {
          list[place] = list[last]
          list.length = Math.min(list.length, last)
        }
        if (place !== last) places.set((assets[place] as Asset).id, place)
        byName = undefined
        order = undefined
      }
    },
    setStates(changes: readonly StateChange[]): void {
      for (const { assetId, state } of changes) {
        const place = places.get(assetId)
        if (place === undefined) continue
        assets[place] = { ...(assets[place] as Asset), state }
        mark(place, state)
      }
    },
    setFilter({ text, states: wanted }: Filter): void {
      filter = { text: folded(text.trim()), states: wanted }
      for (const [place, asset] of assets.entries()) mark(place, asset.state)
    },
    setLimit(ids: readonly string[] | undefined): void {
      limited = ids && new Set(ids)
      for (const [place, asset] of assets.entries()) mark(place, asset.state)
    },
    /** Colours assets by a value instead of their state, or by their state again. */
    setValues(found: AssetValues | undefined): void {
      const nowMs = Date.now()
      values = new Map(
        found?.ids.map((id, i) => [
          id,
          { value: found.values[i] as number, lateMs: nowMs + (found.lateIn[i] as number) * 1000 },
        ]),
      )
      colouring = found && {
        scale: undefined,
        units: found.units,
        isBoolean: found.measurements.every((measurement) => measurement === 'boolean'),
      }
      recolour()
    },
    summary(): Summary {
      const byState: Record<string, number> = Object.fromEntries(states.map((state) => [state, 0]))
      let matching = 0
      for (const [place, { state }] of assets.entries()) {
        byState[state] = (byState[state] ?? 0) + 1
        matching += cells.isShown[place] as number
      }
      return { total: assets.length, matching, byState, colouring }
    },
    rows: (from: number, to: number): Asset[] =>
      ordered()
        .slice(from, to)
        .map((place) => assets[place] as Asset),
    /** @returns -1 for an asset that the list does not have */
    rowOf: (id: string): number => ordered().indexOf(places.get(id) ?? -1),
    find: (id: string): Asset | undefined => assets[places.get(id) ?? -1],
    /** What the map draws an asset as: its state, or the class of its value. */
    drawnAs(id: string): string {
      const place = places.get(id) ?? -1
      return colouring === undefined
        ? (states[cells.state[place] as number] ?? 'new')
        : (VALUE_CLASSES[cells.value[place] ?? NO_VALUE] as string)
    },
    clusters: (view: MapView): Clusters =>
      clustersOf(
        cells,
        colouring === undefined ? { kinds: states, of: cells.state } : { kinds: VALUE_CLASSES, of: cells.value },
        view,
        (place) => assets[place] as Asset,
      ),
    /** Box of the matches: west, south, east, north; undefined if there are none. */
    box(): [number, number, number, number] | undefined {
      let box: [number, number, number, number] | undefined
      for (const [place, { longitude: x, latitude: y }] of assets.entries()) {
        if (cells.isShown[place] !== 1) continue
        box ??= [x, y, x, y]
        box = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)]
      }
      return box
    },
    /** Assets in an area, in the order of names, up to a number of them. */
    inside(area: Area, most: number): { count: number; assets: Asset[] } {
      const found = assets.filter(({ longitude, latitude }) => containsPosition(area, longitude, latitude))
      found.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
      return { count: found.length, assets: found.slice(0, most) }
    },
  }
}
