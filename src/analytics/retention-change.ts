/** The effect of a shorter retention on stored readings. */
import { AppError } from '../errors.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { countReadings } from '../stores/clickhouse/maintenance/retention-statements.ts'
import { oldestKeptMs } from '../stores/retention.ts'
import { oldestVisibleMs } from './time-range.ts'

export type RetentionChange = {
  /** Stored readings that are hidden from now on; null if they could not be counted. */
  affectedReadings: number | null
  /** When they will be deleted, unless the retention is longer again by then. */
  deletionAt: string | null
}

/** @param enterprises their numbers */
export async function retentionChange(
  clickhouse: ClickHouse,
  enterprises: readonly number[],
  { fromDays, toDays }: { fromDays: number; toDays: number },
  graceMs: number,
): Promise<RetentionChange> {
  if (enterprises.length === 0 || toDays >= fromDays) return { affectedReadings: 0, deletionAt: null }
  const nowMs = Date.now()
  const range = { fromMs: oldestVisibleMs({ retentionDays: fromDays }, nowMs), toMs: oldestKeptMs(toDays, nowMs) }
  return {
    affectedReadings: await countedOrNull(countReadings(clickhouse, enterprises, range)),
    deletionAt: new Date(nowMs + graceMs).toISOString(),
  }
}

/** All readings of an enterprise, by its number; null if they could not be counted in time. */
export const storedReadings = (clickhouse: ClickHouse, enterprise: number): Promise<number | null> =>
  countedOrNull(countReadings(clickhouse, [enterprise], { fromMs: 0, toMs: Date.now() }))

/** A count that fails or takes too long must not fail the operation that it is part of. */
export async function countedOrNull<T>(counting: Promise<T>): Promise<T | null> {
  try {
    return await counting
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
