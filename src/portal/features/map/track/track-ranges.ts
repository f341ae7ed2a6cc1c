/** The ranges of a track, which end now. */
const HOUR_MS = 3_600_000
export const RANGES = {
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 168 * HOUR_MS,
  '30d': 720 * HOUR_MS,
}
export type TrackRange = keyof typeof RANGES

export const trackRangeOf = (text: string | undefined): TrackRange | undefined =>
  text !== undefined && text in RANGES ? (text as TrackRange) : undefined

/** Of the link to a moment, the part of an hour in which the person opens it. */
const MARGIN_MS = 10 * 60_000

/** The shortest range with a moment in it; undefined for an older one. */
export const trackAround = (ms: number): TrackRange | undefined =>
  (Object.keys(RANGES) as TrackRange[]).find((range) => ms - MARGIN_MS > Date.now() - RANGES[range])
