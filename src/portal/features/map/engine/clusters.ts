/**
 * Clusters for a view of the map. The grid is fixed to the ground at each whole zoom, so clusters stay where they are
 * while the map is moved. Costs one pass over the assets: about two milliseconds for 100,000.
 */

/** Columns of the assets; x and y are Web Mercator from 0 to 1, `value` is a class of a value. */
export type Cells = { x: number[]; y: number[]; state: number[]; value: number[]; isShown: number[] }
/** By what assets are coloured: names of states or of classes of a value, and the index of the name for each asset. */
export type Colours = { kinds: readonly string[]; of: readonly number[] }
/** The view of the map: Web Mercator from 0 to 1; beyond that in further copies of the world. */
export type MapView = { west: number; north: number; east: number; south: number; zoom: number }
/** Item n of each list belongs to the same cluster; `ids` and `names` are empty for more than one asset. */
export type Clusters = {
  count: number[]
  x: number[]
  y: number[]
  kinds: readonly string[]
  /** Number of assets of each kind: as many numbers for each cluster as there are kinds. */
  shares: number[]
  ids: string[]
  names: string[]
  /** Box of the assets of each cluster: four numbers. */
  boxes: number[]
}

/** Pixels of the world at zoom 0 (MapLibre's). */
const WORLD_PX = 512
const CELL_PX = 76
/** Clusters whose centres are closer than this are merged. */
const NEAR_PX = 46
/** From here on each asset has its own symbol. */
export const SINGLE_ZOOM = 16
const MAX_SINGLE = 3_000

type Group = {
  count: number
  x: number
  y: number
  shares: Uint32Array
  first: number
  box: [number, number, number, number]
  column: number
  row: number
}

export function clustersOf(
  { x, y, isShown }: Cells,
  { kinds, of }: Colours,
  view: MapView,
  assetAt: (place: number) => { id: string; name: string },
): Clusters {
  const scale = WORLD_PX * 2 ** Math.floor(view.zoom)
  const cell = view.zoom >= SINGLE_ZOOM ? 0 : CELL_PX / scale
  const [west, north] = [view.west - cell, view.north - cell]
  const [east, south] = [view.east + cell, view.south + cell]
  const groups = new Map<number, Group>()
  let singles = 0
  for (let world = Math.floor(west); world <= Math.floor(east); world++) {
    for (let i = 0; i < x.length; i++) {
      if (isShown[i] !== 1) continue
      const px = (x[i] as number) + world
      const py = y[i] as number
      if (px < west || px > east || py < north || py > south) continue
      const column = cell === 0 ? 0 : Math.floor(px / cell)
      const row = cell === 0 ? 0 : Math.floor(py / cell)
      if (cell === 0 && ++singles > MAX_SINGLE) break
      const key = cell === 0 ? singles : column * 67_108_864 + row
      let group = groups.get(key)
      if (group === undefined) {
        group = {
          count: 0,
          x: 0,
          y: 0,
          shares: new Uint32Array(kinds.length),
          first: i,
          box: [px, py, px, py],
          column,
          row,
        }
        groups.set(key, group)
      }
      group.count++
      group.x += px
      group.y += py
      ;(group.shares[of[i] as number] as number)++
      const { box } = group
      if (px < box[0]) box[0] = px
      if (py < box[1]) box[1] = py
      if (px > box[2]) box[2] = px
      if (py > box[3]) box[3] = py
    }
  }
  if (cell > 0) joinNeighbours(groups, NEAR_PX / scale)
  return listsOf([...groups.values()], kinds, assetAt)
}

/** A crowd on the edge of two cells is one cluster, not two overlapping ones. */
function joinNeighbours(groups: Map<number, Group>, near: number): void {
  const bySize = [...groups].sort(([, a], [, b]) => b.count - a.count)
  for (const [key, group] of bySize) {
    if (groups.get(key) !== group) continue
    for (let column = group.column - 1; column <= group.column + 1; column++)
      for (let row = group.row - 1; row <= group.row + 1; row++) {
        const otherKey = column * 67_108_864 + row
        const other = groups.get(otherKey)
        if (other === undefined || other === group) continue
        const distance = Math.hypot(
          group.x / group.count - other.x / other.count,
          group.y / group.count - other.y / other.count,
        )
        if (distance > near) continue
        group.count += other.count
        group.x += other.x
        group.y += other.y
        for (const [i, count] of other.shares.entries()) (group.shares[i] as number) += count
        const [a, b] = [group.box, other.box]
        group.box = [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])]
        groups.delete(otherKey)
      }
  }
}

function listsOf(
  groups: Group[],
  kinds: readonly string[],
  assetAt: (place: number) => { id: string; name: string },
): Clusters {
  const lists: Clusters = { count: [], x: [], y: [], shares: [], kinds, ids: [], names: [], boxes: [] }
  for (const { count, x, y, shares, first, box } of groups) {
    const single = count === 1 ? assetAt(first) : undefined
    lists.count.push(count)
    lists.x.push(x / count)
    lists.y.push(y / count)
    lists.shares.push(...shares)
    lists.ids.push(single?.id ?? '')
    lists.names.push(single?.name ?? '')
    lists.boxes.push(...box)
  }
  return lists
}
