/** Positions and areas on the equator, where lengths and edges are easy to compute. */

type Position = [longitude: number, latitude: number]

/** On the equator, east by a hundredth of a degree a minute: a drive, a stop of ten minutes, a gap, and a drive. */
export function journey(): { at: string; location: Position; values: { a: number } }[] {
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  const minute = (ago: number, longitude: number) => ({
    at: new Date(nowMs - ago * 60_000).toISOString(),
    location: [longitude, 0] as Position,
    values: { a: ago },
  })
  const count = (length: number) => Array.from({ length }, (_, i) => i)
  return [
    ...count(21).map((i) => minute(180 - i, i / 100)),
    ...count(10).map((i) => minute(159 - i, 0.2)),
    ...count(21).map((i) => minute(20 - i, 0.3 + i / 100)),
  ]
}
/** A square of a tenth of a degree around a place on the equator. */
export const squareAround = (name: string, longitude: number) => ({
  type: 'Feature',
  properties: { name },
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [longitude - 0.05, -0.05],
        [longitude + 0.05, -0.05],
        [longitude + 0.05, 0.05],
        [longitude - 0.05, 0.05],
        [longitude - 0.05, -0.05],
      ],
    ],
  },
})
