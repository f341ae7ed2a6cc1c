/**
 * What happened on a track: stops, distance, highest speed, and time in zones. A stop is a run of positions within
 * `STOP_M` of its first position, of at least `STOP_MS` (Li et al., Mining user similarity based on location history,
 * 2008). Positions of a receiver that stands still differ by metres, so nothing within a stop is distance or speed. A
 * part of a track ends where its positions stop for long (`breakAtGaps`); nothing is computed between two parts.
 */
import type { Position } from 'geojson'
import { type Area, containsPosition } from '../engine/area.ts'
import { distanceM } from './geodesic.ts'
import type { Track } from './track.ts'

export const STOP_M = 50
export const STOP_MS = 3 * 60_000
/** A shorter time between two positions exaggerates their errors as speed. */
const SPEED_MS = 10_000
const HOUR_MS = 3_600_000
/** Halvings of the time between two positions, to find when an edge was crossed: a day becomes less than a second. */
const HALVINGS = 17

export type Stop = { fromMs: number; toMs: number; place: Position }
export type Gap = { fromMs: number; toMs: number }
export type Zone = { name: string; area: Area }
export type TrackSummary = {
  distanceM: number
  /** Undefined where no two positions of a part are far enough apart in time. */
  highest: { speedKmh: number; atMs: number; place: Position } | undefined
  stops: Stop[]
  gaps: Gap[]
  zones: { name: string; ms: number }[]
}

type Part = { times: number[]; places: Position[] }

function partsOf({ times, places, starts }: Track): Part[] {
  return starts.map((start, i) => {
    const end = starts[i + 1] ?? times.length
    return { times: times.slice(start, end), places: places.slice(start, end) }
  })
}

/** Stops of a part, as the indices of their first and last positions. */
function stopsOf({ times, places }: Part): [first: number, last: number][] {
  const stops: [number, number][] = []
  for (let first = 0; first < times.length; ) {
    let last = first
    while (last + 1 < times.length && distanceM(places[first] as Position, places[last + 1] as Position) <= STOP_M)
      last++
    const isStop = (times[last] as number) - (times[first] as number) >= STOP_MS
    if (isStop) stops.push([first, last])
    first = isStop ? last + 1 : first + 1
  }
  return stops
}

/** The length from the start of a part to each of its positions, without the movements within stops. */
function lengthsOf({ places }: Part, stops: readonly [number, number][]): number[] {
  const lengths = [0]
  let stop = 0
  for (let i = 1; i < places.length; i++) {
    while (i > (stops[stop]?.[1] ?? places.length)) stop++
    const isStanding = i > (stops[stop]?.[0] ?? places.length)
    const step = isStanding ? 0 : distanceM(places[i - 1] as Position, places[i] as Position)
    lengths.push((lengths[i - 1] as number) + step)
  }
  return lengths
}

function highestOf({ times, places }: Part, lengths: readonly number[]): TrackSummary['highest'] {
  let highest: TrackSummary['highest']
  let first = 0
  for (const [last, toMs] of times.entries()) {
    // the shortest span that ends here and is long enough
    while (toMs - (times[first + 1] ?? toMs) >= SPEED_MS) first++
    const ms = toMs - (times[first] as number)
    if (ms < SPEED_MS) continue
    const speedKmh = ((lengths[last] as number) - (lengths[first] as number)) / 1000 / (ms / HOUR_MS)
    if (speedKmh > 0 && speedKmh > (highest?.speedKmh ?? 0))
      highest = { speedKmh, atMs: toMs, place: places[last] as Position }
  }
  return highest
}

const between = (from: Position, to: Position, share: number): [number, number] => [
  (from[0] as number) + ((to[0] as number) - (from[0] as number)) * share,
  (from[1] as number) + ((to[1] as number) - (from[1] as number)) * share,
]

/** Milliseconds inside an area. Between two positions on the same side of its edge, the side is assumed to stay. */
function timeInside({ times, places }: Part, area: Area): number {
  let total = 0
  let wasInside = false
  for (const [i, place] of places.entries()) {
    const isInside = containsPosition(area, place[0] as number, place[1] as number)
    if (i > 0) {
      const before = places[i - 1] as Position
      const ms = (times[i] as number) - (times[i - 1] as number)
      if (isInside && wasInside) total += ms
      else if (isInside !== wasInside) {
        let [low, high] = [0, 1]
        for (let k = 0; k < HALVINGS; k++) {
          const middle = (low + high) / 2
          const [x, y] = between(before, place, middle)
          if (containsPosition(area, x, y) === wasInside) low = middle
          else high = middle
        }
        total += ms * (wasInside ? low : 1 - low)
      }
    }
    wasInside = isInside
  }
  return total
}

export function summaryOf(track: Track, zones: readonly Zone[] = []): TrackSummary {
  const parts = partsOf(track)
  const summary: TrackSummary = { distanceM: 0, highest: undefined, stops: [], gaps: [], zones: [] }
  for (const [i, part] of parts.entries()) {
    const stops = stopsOf(part)
    const lengths = lengthsOf(part, stops)
    summary.distanceM += lengths.at(-1) ?? 0
    const highest = highestOf(part, lengths)
    if ((highest?.speedKmh ?? 0) > (summary.highest?.speedKmh ?? 0)) summary.highest = highest
    for (const [first, last] of stops)
      summary.stops.push({
        fromMs: part.times[first] as number,
        toMs: part.times[last] as number,
        place: part.places[first] as Position,
      })
    const [fromMs, toMs] = [parts[i - 1]?.times.at(-1), part.times[0]]
    // parts on the two sides of the antimeridian meet without a gap
    if (fromMs !== undefined && toMs !== undefined && toMs > fromMs) summary.gaps.push({ fromMs, toMs })
  }
  for (const { name, area } of zones) {
    const ms = parts.reduce((sum, part) => sum + timeInside(part, area), 0)
    if (ms > 0) summary.zones.push({ name, ms })
  }
  summary.zones.sort((a, b) => b.ms - a.ms)
  return summary
}
