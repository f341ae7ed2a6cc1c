/** Times, time ranges and time cursors of queries. */
import { invalidField } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { parseQueryTimestamp } from '../ingest/timestamp.ts'
import { EARLIEST_MS, LATEST_MS } from '../stores/clickhouse/client.ts'
import { oldestKeptMs } from '../stores/retention.ts'

/** @throws AppError VALIDATION_FAILED */
export function parseTime(field: string, text: string | undefined, fallbackMs: number): number {
  if (text === undefined) return fallbackMs
  const ms = parseQueryTimestamp(text)
  if (Number.isNaN(ms)) throw invalidField(field, 'date-time', fieldText('dateTime'))
  return Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS)
}

export type TimeRange = { fromMs: number; toMs: number }

/** from ≤ at < to. @throws AppError VALIDATION_FAILED */
export function parseRange(
  query: { from?: string | undefined; to?: string | undefined },
  fallback: TimeRange = { fromMs: EARLIEST_MS, toMs: LATEST_MS },
): TimeRange {
  const toMs = parseTime('query.to', query.to, fallback.toMs)
  const fromMs = parseTime('query.from', query.from, fallback.fromMs)
  if (fromMs > toMs) throw invalidField('query.from', 'order', fieldText('notLater', { field: 'query.to' }))
  return { fromMs, toMs }
}

/** How long readings are retained. */
export type RetentionPolicy = { retentionDays: number }

/** Older readings are not returned, although the database may delete them later. */
export const oldestVisibleMs = ({ retentionDays }: RetentionPolicy, nowMs = Date.now()): number =>
  Math.max(EARLIEST_MS, oldestKeptMs(retentionDays, nowMs))

/** As `parseRange`, limited to the retention period. @throws AppError VALIDATION_FAILED */
export function clampToRetention(
  policy: RetentionPolicy,
  query: { from?: string | undefined; to?: string | undefined },
  fallback?: TimeRange,
): TimeRange {
  const { fromMs, toMs } = parseRange(query, fallback)
  const visibleFromMs = Math.max(fromMs, oldestVisibleMs(policy))
  return { fromMs: visibleFromMs, toMs: Math.max(visibleFromMs, toMs) }
}

/** A cursor that is the time of the previous page's last item. @throws AppError VALIDATION_FAILED */
export function parseTimeCursor(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = /^-?\d{1,14}$/.test(text) ? Number(text) : Number.NaN
  if (!(ms >= EARLIEST_MS && ms <= LATEST_MS)) throw invalidField('query.cursor', 'cursor', fieldText('aPreviousPage'))
  return ms
}

/** A cursor of a time and a sensor number. @throws AppError VALIDATION_FAILED */
export function parseTimeAndSensorCursor(text: string | undefined): { ms: number; sensor: number } | undefined {
  if (text === undefined) return undefined
  const [time, number, ...rest] = text.split('.')
  const sensor = /^\d{1,10}$/.test(number ?? '') ? Number(number) : Number.NaN
  if (time === '' || !(sensor <= 0xffffffff) || rest.length > 0)
    throw invalidField('query.cursor', 'cursor', fieldText('aPreviousPage'))
  return { ms: parseTimeCursor(time) as number, sensor }
}
