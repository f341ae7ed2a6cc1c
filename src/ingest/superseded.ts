/**
 * Marks readings that cannot be their sensor's newest values, because the next reading of the same call supersedes
 * them. The views of newest values and of waiting hours in ClickHouse skip marked rows, which are nearly all rows of
 * calls with many readings (sql/clickhouse/0012-ingestion-cost.sql).
 *
 * The mark is a negative `received_at`, so that earlier releases can load such a segment too: after a rollback only the
 * time of receipt of these readings is wrong.
 */
import { writeInt64 } from '../stores/clickhouse/row-binary.ts'
import type { Batch } from './batch.ts'

const HOUR_MS = 3_600_000
/** Offset of `channels` from a row's start, and of `received_at` and the high byte of `longitude` from its end. */
const CHANNELS = 16
const RECEIVED_AT = 10
const LONGITUDE_HIGH = 19

/**
 * Marks each reading from `first` to `last` whose successor is later, in the same hour, has the same channels, and has
 * a location exactly if this reading has one. Readings in another order, or with other channels, stay unmarked.
 */
export function markSuperseded(batch: Batch, first: number, last: number): void {
  const { rows, view, rowEnds, times, receivedAtMs } = batch
  let start = rowEnds[first] as number
  let end = rowEnds[first + 1] as number
  let hourEndMs = 0
  for (let i = first; i < last; i++) {
    const nextEnd = rowEnds[i + 2] as number
    const atMs = times[i] as number
    const nextMs = times[i + 1] as number
    if (atMs >= hourEndMs || atMs < hourEndMs - HOUR_MS) hourEndMs = (Math.floor(atMs / HOUR_MS) + 1) * HOUR_MS
    if (
      nextMs > atMs &&
      nextMs < hourEndMs &&
      nextEnd - end === end - start &&
      isLocated(rows, end) === isLocated(rows, nextEnd) &&
      haveSameChannels(rows, start, end)
    )
      writeInt64(view, end - RECEIVED_AT, -receivedAtMs)
    start = end
    end = nextEnd
  }
}

/** NaN, which stands for no location, has an exponent of all ones, which no number of degrees has. */
function isLocated(rows: Uint8Array, end: number): boolean {
  return ((rows[end - LONGITUDE_HIGH] as number) & 0x7f) !== 0x7f
}

/** Compares the rows at `a` and `b`, which are equally long. Longer lists than of one length byte count as different. */
function haveSameChannels(rows: Uint8Array, a: number, b: number): boolean {
  const count = rows[a + CHANNELS] as number
  if (count > 127) return false
  for (let i = CHANNELS; i <= CHANNELS + count * 2; i++) if (rows[a + i] !== rows[b + i]) return false
  return true
}
