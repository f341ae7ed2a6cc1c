/** Outlines around zones on the map, compared with geodesic distances. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import geographicLib from 'geographiclib-geodesic'

type Position = [longitude: number, latitude: number]
type Ring = { geometry: { type: string; coordinates: Position[] } }

/** A square of about two kilometres at 30 degrees north, with points on its edges. */
const CORNERS: Position[] = [
  [31, 30],
  [31.02, 30],
  [31.02, 30.02],
  [31, 30.02],
  [31, 30],
]
const between = ([x1, y1]: Position, [x2, y2]: Position, share: number): Position => [
  x1 + (x2 - x1) * share,
  y1 + (y2 - y1) * share,
]
const edge = CORNERS.slice(1).flatMap((to, i) =>
  Array.from({ length: 400 }, (_, n) => between(CORNERS[i] as Position, to, n / 400)),
)
const metres = ([x1, y1]: Position, [x2, y2]: Position): number =>
  geographicLib.Geodesic.WGS84.Inverse(y1, x1, y2, x2).s12 as number

test('an outline has its distance from the zone everywhere, within two percent', async () => {
  // by a path that the compiler does not follow: it checks the browser's code with other libraries
  const file = join(import.meta.dir, '../../../src/portal/features/zones/buffer-rings.ts')
  const { bufferRings } = (await import(file)) as { bufferRings: (zones: object[], metres: number) => Ring[] }
  const zone = { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [CORNERS] } }
  for (const distance of [50, 800, 10_000]) {
    const rings = bufferRings([zone], distance)
    expect(rings.map(({ geometry }) => geometry.type)).toEqual(['LineString'])
    const ring = rings[0]?.geometry.coordinates ?? []
    expect(ring.length).toBeGreaterThan(20)
    for (const corner of ring) {
      const nearest = Math.min(...edge.map((point) => metres(corner, point)))
      expect(Math.abs(nearest - distance)).toBeLessThan(0.02 * distance + 1)
    }
  }
})
