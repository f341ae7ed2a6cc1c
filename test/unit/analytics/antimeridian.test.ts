/** Lines across the antimeridian: the example of RFC 7946, closed forms, and random walks on a globe. */
import { expect, test } from 'bun:test'
import { splitAtAntimeridian, type TrackPoint } from '../../../src/analytics/antimeridian.ts'
import { seeded } from '../../support/random.ts'

const places = (points: readonly TrackPoint[]): number[][] =>
  points.map(([, longitude, latitude]) => [longitude, latitude])

const CASES: [string, TrackPoint[], number[][][]][] = [
  // RFC 7946, section 3.1.9
  [
    'the example of the standard',
    [
      [0, 170, 45],
      [10, -170, 45],
    ],
    [
      [
        [170, 45],
        [180, 45],
      ],
      [
        [-180, 45],
        [-170, 45],
      ],
    ],
  ],
  [
    'a slope from east to west',
    [
      [0, -170, 0],
      [10, 160, 30],
    ],
    [
      [
        [-170, 0],
        [-180, 10],
      ],
      [
        [180, 10],
        [160, 30],
      ],
    ],
  ],
  [
    'no crossing',
    [
      [0, 0, 1],
      [1, 170, 2],
    ],
    [
      [
        [0, 1],
        [170, 2],
      ],
    ],
  ],
  ['nothing', [], []],
  ['one position', [[0, 180, 1]], [[[180, 1]]]],
  [
    'a position on the line, seen from the other side',
    [
      [0, 179, 1],
      [1, -180, 2],
    ],
    [
      [
        [179, 1],
        [180, 2],
      ],
    ],
  ],
  [
    'through a position on the line',
    [
      [0, 179, 1],
      [1, -180, 2],
      [2, -179, 3],
    ],
    [
      [
        [179, 1],
        [180, 2],
      ],
      [
        [-180, 2],
        [-179, 3],
      ],
    ],
  ],
  [
    'away from a position on the line',
    [
      [0, 180, 2],
      [1, -179, 3],
    ],
    [
      [
        [-180, 2],
        [-179, 3],
      ],
    ],
  ],
  [
    'to the line and back',
    [
      [0, 179, 1],
      [1, 180, 2],
      [2, 179, 3],
    ],
    [
      [
        [179, 1],
        [180, 2],
        [179, 3],
      ],
    ],
  ],
  [
    'across and back',
    [
      [0, 179, 0],
      [2, -179, 0],
      [4, 179, 0],
    ],
    [
      [
        [179, 0],
        [180, 0],
      ],
      [
        [-180, 0],
        [-179, 0],
        [-180, 0],
      ],
      [
        [180, 0],
        [179, 0],
      ],
    ],
  ],
]
test.each(CASES)('%s', async (_, points, parts) => {
  expect((await splitAtAntimeridian(points)).map(places)).toEqual(parts)
})

test('the time at the antimeridian is interpolated', async () => {
  expect(
    await splitAtAntimeridian([
      [1000, 178, 0],
      [2000, -176, 0],
    ]),
  ).toEqual([
    [
      [1000, 178, 0],
      [1333, 180, 0],
    ],
    [
      [1333, -180, 0],
      [2000, -176, 0],
    ],
  ])
})

test('random walks: every part is a line on one side, and unrolled they are the walk itself', async () => {
  const random = seeded(11)
  for (let walk = 0; walk < 300; walk++) {
    let longitude = random() * 1000
    let latitude = 0
    const unrolled: number[] = []
    const points = Array.from({ length: 30 }, (_, i): TrackPoint => {
      longitude += (random() - 0.5) * 300
      latitude += random() - 0.5
      unrolled.push(longitude)
      return [i, ((((longitude + 180) % 360) + 360) % 360) - 180, latitude]
    })
    const parts = await splitAtAntimeridian(points)
    for (const part of parts) {
      expect(part.length).toBeGreaterThan(1)
      for (const [i, [, east]] of part.entries())
        if (i > 0) expect(Math.abs(east - (part[i - 1] as TrackPoint)[1])).toBeLessThanOrEqual(180)
    }
    const length = (lines: readonly (readonly number[])[]): number =>
      lines.reduce(
        (sum, line) =>
          sum + line.reduce((all, east, i) => (i === 0 ? 0 : all + Math.abs(east - (line[i - 1] as number))), 0),
        0,
      )
    expect(length(parts.map((part) => part.map(([, east]) => east)))).toBeCloseTo(length([unrolled]), 6)
    expect(parts.length - 1).toBe(crossings(unrolled))
  }
})

/** How often an unrolled walk changes between turns around the globe. */
const crossings = (unrolled: readonly number[]): number => {
  const turns = unrolled.map((longitude) => Math.floor((longitude + 180) / 360))
  return turns.filter((turn, i) => i > 0 && turn !== turns[i - 1]).length
}
