/** Loads the track of a sensor in a range, page by page. */
import type { Position } from 'geojson'
import { api, dataOf } from '../../../api/client.ts'
import { breakAtGaps, type Track } from './track.ts'

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
    if (page.nextCursor === null) return breakAtGaps(track)
    if (track.times.length >= MAX_POSITIONS) return { ...breakAtGaps(track), isCut: true }
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
