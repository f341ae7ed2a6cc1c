/** Which feature a click means: points before lines before areas around it before areas beside it; the uppermost first. */
import type { Touch } from './protocol.ts'
import { LINE, POINT, POLYGON, type Shapes } from './shapes.ts'

/** @returns the index of the feature in the list that the shapes were made from */
export function touched(shapes: Shapes, { x, y, reach, pointReach }: Touch): number | undefined {
  const { kinds, owners, shapeRings, ringCorners, corners, index } = shapes
  const most = Math.max(reach, pointReach)

  /** The distance to a line, and whether an area of these corners contains the place. */
  function nearness(shape: number, px: number): { distance: number; isInside: boolean } {
    let distance = Number.POSITIVE_INFINITY
    let isInside = false
    const lastRing = shapeRings[shape + 1] as number
    for (let ring = shapeRings[shape] as number; ring < lastRing; ring++) {
      const first = ringCorners[ring] as number
      const end = ringCorners[ring + 1] as number
      for (let i = first; i < end; i++) {
        const before = i === first ? i : i - 1
        const [ax, ay] = [corners[before * 2] as number, corners[before * 2 + 1] as number]
        const [bx, by] = [corners[i * 2] as number, corners[i * 2 + 1] as number]
        distance = Math.min(distance, distanceTo(px, y, ax, ay, bx, by))
        if (ay > y !== by > y && px < ((bx - ax) * (y - ay)) / (by - ay) + ax) isInside = !isInside
      }
    }
    return { distance, isInside }
  }

  /** Lower values match a click better; undefined when the feature is too far away. */
  function rankOf(shape: number, px: number): number | undefined {
    const kind = kinds[shape] as number
    const { distance, isInside } = nearness(shape, px)
    if (kind === POINT) return distance <= pointReach ? POINT : undefined
    if (kind === LINE) return distance <= reach ? LINE : undefined
    return isInside ? POLYGON : distance <= reach ? POLYGON + 1 : undefined
  }

  let best: { rank: number; shape: number } | undefined
  for (const shift of [-2, -1, 0, 1, 2]) {
    const px = x - shift
    for (const shape of index?.search(px - most, y - most, px + most, y + most) ?? []) {
      const rank = rankOf(shape, px)
      if (rank === undefined) continue
      if (best === undefined || rank < best.rank || (rank === best.rank && shape > best.shape)) best = { rank, shape }
    }
  }
  return best && (owners[best.shape] as number)
}

function distanceTo(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay]
  const length = dx * dx + dy * dy
  const t = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length))
  return Math.hypot(x - ax - t * dx, y - ay - t * dy)
}
