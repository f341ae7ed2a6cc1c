/** The track of a sensor in a range, and its place at a moment of it. */
import type { FeatureCollection, Position } from 'geojson'
import { api, dataOf } from '../../../api/client.ts'

/** Lines of positions with their times; more than one line where the track crosses the antimeridian. */
export type Track = { times: number[]; places: Position[]; starts: number[]; isCut: boolean }

const PAGE = 20_000
const MAX_POSITIONS = 100_000

type Page = {
  nextCursor: string | null
  properties: { times: (string | string[])[] }
  geometry: { type: string; coordinates: unknown[] } | null
}

export async function loadTrack(sensorId: string, from: string, to: string, signal: AbortSignal): Promise<Track> {
  const track: Track = { times: [], places: [], starts: [], isCut: false }
  for (let cursor: string | undefined; ; ) {
    const query = { from, to, limit: PAGE, ...(cursor !== undefined && { cursor }) }
    const page = (await dataOf(
      api.GET('/enterprise/v1/assets/tracks/{sensorId}', { params: { path: { sensorId }, query }, signal }),
    )) as unknown as Page
    add(track, page, cursor !== undefined)
    if (page.nextCursor === null) return track
    if (track.times.length >= MAX_POSITIONS) return { ...track, isCut: true }
    cursor = page.nextCursor
  }
}

function add(track: Track, { geometry, properties: { times } }: Page, isContinued: boolean): void {
  if (geometry === null) return
  const lines = (
    geometry.type === 'MultiLineString'
      ? geometry.coordinates
      : [geometry.type === 'Point' ? [geometry.coordinates] : geometry.coordinates]
  ) as Position[][]
  const lists = (geometry.type === 'MultiLineString' ? times : [times]) as string[][]
  for (const [i, line] of lines.entries()) {
    if (i > 0 || !isContinued) track.starts.push(track.places.length)
    // not push(...line): a track may have more positions than a call takes arguments
    for (const place of line) track.places.push(place)
    for (const time of lists[i] ?? []) track.times.push(Date.parse(time))
  }
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
