/**
 * Splits a line where it crosses the antimeridian, as RFC 7946, section 3.1.9, demands: no part crosses it, and the
 * parts meet at longitudes 180 and -180. Of two ways between positions the line takes the shorter one in longitude.
 */
import { inTurns } from '../event-loop-yield.ts'

export type TrackPoint = [ms: number, longitude: number, latitude: number]

export async function splitAtAntimeridian(points: readonly TrackPoint[]): Promise<TrackPoint[][]> {
  const parts: TrackPoint[][] = []
  let part: TrackPoint[] = []
  await inTurns(points.length, (i) => {
    const point = points[i] as TrackPoint
    const last = part.at(-1)
    if (last === undefined || Math.abs(point[1] - last[1]) <= 180) part.push(point)
    else if (Math.abs(point[1]) === 180) part.push(onOtherSide(point))
    else {
      const edge = Math.abs(last[1]) === 180 ? last : crossing(last, point)
      if (edge !== last) part.push(edge)
      // a part that consists of a single position on the antimeridian is not a line
      if (part.length > 1) parts.push(part)
      part = [onOtherSide(edge), point]
    }
  })
  return part.length > 0 ? [...parts, part] : parts
}

/** A position on the antimeridian has two longitudes. */
const onOtherSide = ([ms, longitude, latitude]: TrackPoint): TrackPoint => [ms, -longitude, latitude]

/** The point at which the line between two positions meets the antimeridian, on the side of the first position. */
function crossing([fromMs, from, south]: TrackPoint, [toMs, to, north]: TrackPoint): TrackPoint {
  const edge = from > 0 ? 180 : -180
  const share = (edge - from) / (to + 2 * edge - from)
  return [Math.round(fromMs + share * (toMs - fromMs)), edge, south + share * (north - south)]
}
