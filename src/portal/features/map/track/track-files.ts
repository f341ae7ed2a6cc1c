/** A track as a file: GPX 1.1 for navigation programs, GeoJSON (RFC 7946) for maps. Gaps separate segments and lines. */
import type { FeatureCollection } from 'geojson'
import type { Track } from './track.ts'
import type { Stop, TrackSummary } from './track-summary.ts'

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** XML has no way to write most control characters. */
const xmlText = (text: string): string =>
  text.replace(/[\p{Cc}\ufffe\uffff]/gu, '').replace(/[&<>]/g, (letter) => ESCAPES[letter] ?? '')
const timeText = (ms: number): string => new Date(ms).toISOString()
const stopMinutes = ({ fromMs, toMs }: Stop): number => Math.round((toMs - fromMs) / 60_000)

/** Indices of the positions of each part. */
const partsOf = ({ times, starts }: Track): number[][] =>
  starts.map((start, i) => Array.from({ length: (starts[i + 1] ?? times.length) - start }, (_, k) => start + k))

export function gpxOf(name: string, track: Track, { stops }: TrackSummary): string {
  const point = (tag: string, [x, y]: readonly number[], ms: number, more = ''): string =>
    `<${tag} lat="${y}" lon="${x}"><time>${timeText(ms)}</time>${more}</${tag}>`
  const waypoints = stops.map((stop, i) =>
    point('wpt', stop.place, stop.fromMs, `<name>Stop ${i + 1} (${stopMinutes(stop)} min)</name>`),
  )
  const segments = partsOf(track).map((part) => {
    const points = part.map((i) => point('trkpt', track.places[i] ?? [], track.times[i] ?? 0))
    return `<trkseg>\n${points.join('\n')}\n</trkseg>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<gpx version="1.1" creator="Groundwave" xmlns="http://www.topografix.com/GPX/1/1">',
    ...waypoints,
    `<trk><name>${xmlText(name)}</name>`,
    ...segments,
    '</trk>',
    '</gpx>\n',
  ].join('\n')
}

export function geojsonOf(name: string, track: Track, summary: TrackSummary): FeatureCollection {
  const parts = partsOf(track)
  // a line has at least two positions
  const lines = parts.filter(({ length }) => length > 1)
  const points = parts.flatMap((part) => (part.length === 1 ? part : []))
  return {
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        properties: {
          kind: 'track',
          name,
          distanceM: Math.round(summary.distanceM),
          highestKmh: summary.highest && Math.round(summary.highest.speedKmh * 10) / 10,
          times: lines.map((line) => line.map((i) => timeText(track.times[i] ?? 0))),
        },
        geometry: { type: 'MultiLineString', coordinates: lines.map((line) => line.map((i) => track.places[i] ?? [])) },
      },
      ...points.map((i) => ({
        type: 'Feature' as const,
        properties: { kind: 'position', at: timeText(track.times[i] ?? 0) },
        geometry: { type: 'Point' as const, coordinates: track.places[i] ?? [] },
      })),
      ...summary.stops.map(({ fromMs, toMs, place }) => ({
        type: 'Feature' as const,
        properties: { kind: 'stop', from: timeText(fromMs), to: timeText(toMs), minutes: (toMs - fromMs) / 60_000 },
        geometry: { type: 'Point' as const, coordinates: place },
      })),
    ],
  }
}
