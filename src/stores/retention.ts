/**
 * Retention: how long the readings of an enterprise are kept. The setting is the enterprise's own number of days, or
 * that of its tier (access/plans.ts).
 *
 * - A reading older than the retention is refused when it is sent (ingest/validate.ts), does not count as stored, and
 *   is not returned: a shorter setting hides readings at once.
 * - Rows are deleted later: a shorter setting may be taken back during its grace period (RETENTION_GRACE_MINUTES). Once
 *   the deletion has begun, a longer setting waits until it is done.
 * - A longer setting returns the readings that are still stored.
 *
 * The files that carry this out: postgres/sensors/retentions.ts records settings and deletions, and
 * clickhouse/maintenance/retention.ts changes and deletes rows.
 */
import type { Retention } from './postgres/sensors/retentions.ts'

const MS_PER_DAY = 86_400_000

/** The time of the oldest reading that is accepted and returned. */
export const oldestKeptMs = (retentionDays: number, nowMs: number): number => nowMs - retentionDays * MS_PER_DAY

/** The days that apply now: a longer setting waits for the deletion that has begun under a shorter one. */
export const retentionInForce = (settingDays: number, retention: Retention | null | undefined): number =>
  retention?.isDeleting === true ? Math.min(settingDays, retention.keptDays) : settingDays

/** The days after which ClickHouse deletes rows that are stored now: at least as many as for stored rows. */
export const keptDaysOfNewRows = (inForceDays: number, retention: Retention | null | undefined): number => {
  if (retention?.isDeleting === true) return retention.keptDays
  return Math.max(inForceDays, retention?.keptDays ?? 0)
}
