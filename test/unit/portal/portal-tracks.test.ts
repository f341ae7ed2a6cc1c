/** The summary and the files of a track, compared with closed forms of the ellipsoid and with GDAL as a reader. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Position } from 'geojson'
import { distanceM as geodesicM } from '../../../src/lib/geo/geometry/geodesic.ts'
import { areaOf } from '../../../src/portal/features/map/engine/area.ts'
import { distanceM, movementBetween } from '../../../src/portal/features/map/track/geodesic.ts'
import { breakAtGaps, type Track, trackBox } from '../../../src/portal/features/map/track/track.ts'
import { geojsonOf, gpxOf } from '../../../src/portal/features/map/track/track-files.ts'
import { summaryOf } from '../../../src/portal/features/map/track/track-summary.ts'
import { seeded } from '../../support/random.ts'
import { sharedFolder } from '../../support/run-end.ts'

/** An arc of the equator is its angle times the semi-major axis of WGS 84. */
const EQUATOR_DEGREE_M = (6_378_137 * Math.PI) / 180
const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 0, 5)

const trackOf = (positions: [minute: number, x: number, y: number][]): Track =>
  breakAtGaps({
    times: positions.map(([minute]) => START_MS + minute * MINUTE_MS),
    places: positions.map(([, x, y]): Position => [x, y]),
    starts: [0],
    isCut: false,
  })
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/** East on the equator, a hundredth of a degree a minute; a stop with jitter; a gap; and on at twice the speed. */
const journey = trackOf([
  ...range(31).map((i): [number, number, number] => [i, i / 100, 0]),
  ...range(20).map((i): [number, number, number] => [31 + i, 0.3 + (i % 2) / 10_000, 0]),
  ...range(11).map((i): [number, number, number] => [51 + i, 0.3 + (i + 1) / 100, 0]),
  ...range(11).map((i): [number, number, number] => [200 + i, 1 + i / 50, 0]),
])

test('distance, highest speed, stops and gaps of a track agree with closed forms', () => {
  const { distanceM, highest, stops, gaps } = summaryOf(journey)
  // 0 to 0.41 and 1 to 1.2 degrees; from the last position of the stop, which is 0.0001 ahead of its first
  expect(distanceM).toBeCloseTo((0.3 + 0.1099 + 0.2) * EQUATOR_DEGREE_M, 3)
  expect(highest?.speedKmh).toBeCloseTo((EQUATOR_DEGREE_M / 50 / 1000) * 60, 6)
  expect(stops).toEqual([{ fromMs: START_MS + 30 * MINUTE_MS, toMs: START_MS + 50 * MINUTE_MS, place: [0.3, 0] }])
  expect(gaps).toEqual([{ fromMs: START_MS + 61 * MINUTE_MS, toMs: START_MS + 200 * MINUTE_MS }])
  expect(trackBox(journey)).toEqual([0, 0, 1.2, 0])
})

test('a quarter of the meridian has the length of the ellipsoid, and a step over the antimeridian is short', () => {
  const north = trackOf(range(91).map((i) => [i, 0, i]))
  // the quarter meridian of WGS 84, by its elliptic integral
  expect(summaryOf(north).distanceM).toBeCloseTo(10_001_965.7293, 3)
  const fiji: Track = {
    times: [0, 60_000, 60_000, 120_000],
    places: [
      [179.99, 0],
      [180, 0],
      [-180, 0],
      [-179.99, 0],
    ],
    starts: [0, 2],
    isCut: false,
  }
  const { distanceM, gaps } = summaryOf(fiji)
  expect([gaps, trackBox(fiji).map((degrees) => Math.round(degrees * 100) / 100)]).toEqual([[], [179.99, 0, 180.01, 0]])
  expect(distanceM).toBeCloseTo(0.02 * EQUATOR_DEGREE_M, 6)
})

test('short distances agree with GeographicLib to a tenth of a millimetre', () => {
  const random = seeded(11)
  let worst = 0
  for (let i = 0; i < 2_000; i++) {
    const [x, y] = [random() * 360 - 180, random() * 160 - 80]
    const [x2, y2] = [x + random() / 50 - 0.01, y + random() / 50 - 0.01]
    worst = Math.max(worst, Math.abs(distanceM([x, y], [x2, y2]) - geodesicM(x, y, x2, y2)))
  }
  expect(worst).toBeLessThan(1e-4)
})

test('time in a zone is divided where the track crosses its edge, and a gap belongs to no zone', () => {
  const box = (west: number, east: number) =>
    areaOf([
      [
        [
          [west, -1],
          [east, -1],
          [east, 1],
          [west, 1],
          [west, -1],
        ],
      ],
    ])
  const { zones } = summaryOf(journey, [
    { name: 'Harbour', area: box(0.025, 0.1) },
    { name: 'Gap', area: box(0.4, 1.1) },
    { name: 'Elsewhere', area: box(5, 6) },
  ])
  // a hundredth of a degree a minute: 7.5 minutes; one minute before the gap, five after it
  expect(zones.map(({ name }) => name)).toEqual(['Harbour', 'Gap'])
  expect(zones[0]?.ms).toBeCloseTo(7.5 * MINUTE_MS, -1)
  expect(zones[1]?.ms).toBeCloseTo(6 * MINUTE_MS, -1)
})

test('speed and heading come from two positions, and a standing receiver has no heading', () => {
  const [from, minute] = [[0, 0], MINUTE_MS] as const
  const east = movementBetween([...from], 0, [0.01, 0], minute)
  expect(east?.headingDegrees).toBeCloseTo(90, 9)
  expect(east?.speedKmh).toBeCloseTo((EQUATOR_DEGREE_M / 100 / 1000) * 60, 6)
  expect(movementBetween([0.01, 0], 0, [0, 0], minute)?.headingDegrees).toBeCloseTo(270, 9)
  expect(movementBetween([...from], 0, [0.00005, 0], minute)).toEqual({ speedKmh: 0, headingDegrees: undefined })
  expect(movementBetween([...from], minute, [1, 0], minute)).toBeUndefined()
})

/** Layers, counts and extents of a file, as GDAL reads it. */
async function asRead(path: string): Promise<string> {
  const program = Bun.spawn(['ogrinfo', '-al', '-ro', path], { stdout: 'pipe', stderr: 'pipe' })
  const [text, faults, code] = await Promise.all([
    new Response(program.stdout).text(),
    new Response(program.stderr).text(),
    program.exited,
  ])
  expect([code, faults]).toEqual([0, ''])
  return text
}

test('GDAL reads the exported GPX and GeoJSON with their segments, times and stops', async () => {
  const folder = sharedFolder('tracks')
  const name = 'Truck <1> & "شاحنة"\u0007'
  const summary = summaryOf(journey)
  await Bun.write(join(folder, 'track.gpx'), gpxOf(name, journey, summary))
  const gpx = await asRead(join(folder, 'track.gpx'))
  expect(gpx).toContain('name (String) = Truck <1> & "شاحنة"\n')
  expect(gpx.match(/track_seg_id \(Integer\) = (\d)/g)?.filter((text) => text.endsWith('1')).length).toBe(11)
  expect(gpx).toContain('time (DateTime) = 2026/01/05 00:00:00+00')
  expect(gpx).toContain('name (String) = Stop 1 (20 min)')
  expect(gpx).toContain('Extent: (0.000000, 0.000000) - (1.200000, 0.000000)')

  await Bun.write(join(folder, 'track.geojson'), JSON.stringify(geojsonOf(name, journey, summary)))
  const geojson = await asRead(join(folder, 'track.geojson'))
  expect(geojson).toContain('Feature Count: 2')
  expect(geojson).toContain('Extent: (0.000000, 0.000000) - (1.200000, 0.000000)')
  expect(geojson).toContain('minutes (Integer) = 20')
  expect(geojson).toContain(`distanceM (Integer) = ${Math.round(summary.distanceM)}`)
})
