/** A zone rule as sent to the worker process that checks a segment. */
import type { Schedule } from '../alerts/rule.ts'
import type { Crossing } from '../stores/postgres/alerts/rule-schema.ts'

export type SegmentRule = {
  id: string
  /** The enterprise's number. */
  enterprise: number
  event: Crossing
  /** Outside of it a crossing is no event. */
  schedule?: Schedule | undefined
  /** Readings received earlier are not checked. */
  sinceMs: number
  /** Numbers of the watched sensors that the segment contains; null for all sensors of the enterprise. */
  sensors: number[] | null
}
