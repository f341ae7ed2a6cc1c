/** Moments and ranges of time in queries. */
import { invalidField } from '../../errors.ts'
import { parseTimestamp } from '../../ingest/timestamp.ts'

// The range of ClickHouse's DateTime64(3): 1900-01-01 to 2299-12-31
export const EARLIEST_MS = -2_208_988_800_000
export const LATEST_MS = 10_413_792_000_000

/** @throws AppError VALIDATION_FAILED */
export function momentOf(field: string, text: string | undefined, fallbackMs: number): number {
  if (text === undefined) return fallbackMs
  const ms = parseTimestamp(text)
  if (Number.isNaN(ms))
    throw invalidField(field, 'date-time', 'must be an RFC 3339 date-time with an offset, as 2026-01-31T12:00:00Z')
  return Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS)
}

export type Range = { fromMs: number; toMs: number }

/** from ≤ at < to. @throws AppError VALIDATION_FAILED */
export function rangeOf(
  query: { from?: string | undefined; to?: string | undefined },
  fallback: Range = { fromMs: EARLIEST_MS, toMs: LATEST_MS },
): Range {
  const toMs = momentOf('query.to', query.to, fallback.toMs)
  const fromMs = momentOf('query.from', query.from, fallback.fromMs)
  if (fromMs > toMs) throw invalidField('query.from', 'order', 'must not be after "to"')
  return { fromMs, toMs }
}

/** A cursor that is the time of the last item of the page before. @throws AppError VALIDATION_FAILED */
export function cursorOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = /^-?\d{1,14}$/.test(text) ? Number(text) : Number.NaN
  if (!(ms >= EARLIEST_MS && ms <= LATEST_MS))
    throw invalidField('query.cursor', 'cursor', 'must be the nextCursor of a page before')
  return ms
}
