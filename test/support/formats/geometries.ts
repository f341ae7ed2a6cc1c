/** Geometries for tests: random ones, and difficult ones. */

type Ring = number[][]
const polygon = (...rings: Ring[]) => ({ type: 'Polygon', coordinates: rings })

/** A star-shaped ring around a centre, without self-intersections. */
export function star(random: () => number, x: number, y: number, radius: number, corners: number): Ring {
  const ring = Array.from({ length: corners }, (_, k) => {
    const angle = (2 * Math.PI * k) / corners
    const r = radius * (0.5 + random() / 2)
    return [x + r * Math.cos(angle), y + r * Math.sin(angle)]
  })
  return [...ring, ring[0] as number[]]
}

export function randomPolygons(random: () => number, count: number, extent: number, radius: number) {
  return Array.from({ length: count }, () => {
    const [x, y] = [random() * extent, random() * extent]
    return polygon(star(random, x, y, radius, 5 + Math.floor(random() * 12)))
  })
}

/** Slivers, shared edges, holes, bow-ties and repeated points. */
export const AWKWARD = [
  polygon([
    [0, 0],
    [4, 0],
    [4, 1e-7],
    [0, 1e-7],
    [0, 0],
  ]),
  polygon([
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
    [0, 0],
  ]),
  polygon([
    [1, 0],
    [2, 0],
    [2, 1],
    [1, 1],
    [1, 0],
  ]),
  polygon(
    [
      [0, 0],
      [5, 0],
      [5, 5],
      [0, 5],
      [0, 0],
    ],
    [
      [1, 1],
      [1, 4],
      [4, 4],
      [4, 1],
      [1, 1],
    ],
  ),
  polygon([
    [2, 2],
    [4, 4],
    [4, 2],
    [2, 4],
    [2, 2],
  ]),
  polygon([
    [3, 3],
    [3, 3],
    [4, 3],
    [4, 3],
    [4, 4],
    [3, 4],
    [3, 4],
    [3, 3],
  ]),
  {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [0, 3],
          [1, 3],
          [1, 4],
          [0, 4],
          [0, 3],
        ],
      ],
      [
        [
          [1, 4],
          [2, 4],
          [2, 5],
          [1, 5],
          [1, 4],
        ],
      ],
    ],
  },
]
