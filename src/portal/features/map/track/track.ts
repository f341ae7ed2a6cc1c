/** The track of a sensor: its parts between gaps, and its place at a moment. */
import type { FeatureCollection, Position } from 'geojson'

/** Parts of positions with their times. `starts`: first position of each part, after a gap or at the antimeridian. */
export type Track = { times: number[]; places: Position[]; starts: number[]; isCut: boolean }

/** As for the state silent: ten times the usual interval, which is the median of the track's. */
const GAP_INTERVALS = 10
const SHORTEST_GAP_MS = 60_000

/** A new part begins where the positions stopped for long: nobody knows the way between. */
export function breakAtGaps(track: Track): Track {
  const intervals = track.times.slice(1).map((ms, i) => ms - (track.times[i] as number))
  const usual = [...intervals].sort((a, b) => a - b)[intervals.length >> 1] ?? 0
  const gapMs = Math.max(SHORTEST_GAP_MS, GAP_INTERVALS * usual)
  const gaps = intervals.flatMap((ms, i) => (ms > gapMs ? [i + 1] : []))
  return { ...track, starts: [...new Set([...track.starts, ...gaps])].sort((a, b) => a - b) }
}

/** Box of all positions: west, south, east, north. Beyond 180 degrees for a track over the antimeridian. */
export function trackBox({ places }: Track): [number, number, number, number] {
  const [firstX = 0, firstY = 0] = places[0] ?? []
  let [west, south, east, north] = [firstX, firstY, firstX, firstY]
  for (const [longitude = 0, y = 0] of places) {
    const x = longitude - 360 * Math.round((longitude - firstX) / 360)
    west = Math.min(west, x)
    south = Math.min(south, y)
    east = Math.max(east, x)
    north = Math.max(north, y)
  }
  return [west, south, east, north]
}

/** Number of positions up to a moment. */
function countUntil({ times }: Track, ms: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] as number) <= ms) low = middle + 1
    else high = middle
  }
  return low
}

/** The sensor's position at a moment, interpolated on the line between two positions. */
export function placeAt(track: Track, ms: number): { longitude: number; latitude: number; at: number } | undefined {
  const { times, places, starts } = track
  if (times.length === 0) return undefined
  const next = countUntil(track, ms)
  const before = Math.max(0, next - 1)
  const [x = 0, y = 0] = places[before] as Position
  const at = times[before] as number
  const after = times[next]
  if (next === 0 || after === undefined || after === at || starts.includes(next))
    return { longitude: x, latitude: y, at }
  const share = (ms - at) / (after - at)
  const [x2 = 0, y2 = 0] = places[next] as Position
  return { longitude: x + (x2 - x) * share, latitude: y + (y2 - y) * share, at }
}

/** The track as lines, up to a moment. */
export function trackLines(track: Track, untilMs = Number.POSITIVE_INFINITY): FeatureCollection {
  const end = countUntil(track, untilMs)
  const here = Number.isFinite(untilMs) ? placeAt(track, untilMs) : undefined
  const coordinates: Position[][] = []
  for (const [i, start] of track.starts.entries()) {
    const line = track.places.slice(start, Math.min(track.starts[i + 1] ?? track.places.length, end))
    const isLast = start < end && end <= (track.starts[i + 1] ?? track.places.length)
    if (isLast && here !== undefined) line.push([here.longitude, here.latitude])
    if (line.length > 1) coordinates.push(line)
  }
  return {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: {}, geometry: { type: 'MultiLineString', coordinates } }],
  }
}
