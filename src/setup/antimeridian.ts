/**
 * Polygons of a globe for a flat map. The rings of world-atlas cross the antimeridian, where a flat map would draw them
 * back around the world; here they continue beyond ±180 degrees, which the tiling supports.
 */
import type { Position } from 'geojson'

const ROUND = 360

/**
 * Unwraps a ring so that no step exceeds 180 degrees. @returns the ring, and the distance of its end from its start in
 * degrees
 */
function unwrappedRing(ring: readonly Position[]): { ring: Position[]; net: number } {
  let offset = 0
  const positions = ring.map(([x = 0, y = 0], i): Position => {
    const step = x - (ring[i - 1]?.[0] ?? x)
    if (Math.abs(step) > ROUND / 2) offset -= Math.sign(step) * ROUND
    return [x + offset, y]
  })
  return { ring: positions, net: offset }
}

/** Shifts the ring so that most of it lies within ±180 degrees. */
function centred(ring: Position[]): Position[] {
  const mean = ring.reduce((sum, [x = 0]) => sum + x, 0) / ring.length
  const shift = -Math.round(mean / ROUND) * ROUND
  return shift === 0 ? ring : ring.map(([x = 0, y = 0]) => [x + shift, y])
}

/** A ring around the pole is closed along the lower edge of the map. */
function closedAtPole(ring: Position[]): Position[] {
  const [first = [0, 0], last = [0, 0]] = [ring[0], ring.at(-1)]
  return [...ring, [last[0] ?? 0, -90], [first[0] ?? 0, -90], first]
}

/** @param polygon an outer ring and its holes, which do not cross the antimeridian unless they go around the pole */
export function unwrapped([outer = [], ...holes]: readonly Position[][]): Position[][] {
  const { ring, net } = unwrappedRing(outer)
  const inner = holes.filter((hole) => unwrappedRing(hole).net === 0)
  return [net === 0 ? centred(ring) : closedAtPole(ring), ...inner]
}
