/** Alert rules as the state machine reads them. Times are in milliseconds, of the device's own clock. */
import type { Severity } from '../stores/postgres/alerts/rule-schema.ts'

export type { Severity }
/** From the least to the worst. Written again, because the table's file would load a database driver into the judging process. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const satisfies readonly Severity[]

export const OPERATORS = ['>', '>=', '<', '<=', '=', '!='] as const
export type Operator = (typeof OPERATORS)[number]

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** `from` and `to` are `HH:MM`, `to` up to `24:00`; a window whose `from` is later than its `to` ends on the next day. */
export type Window = { days: readonly Weekday[]; from: string; to: string }
/** Outside of it a rule does not begin to fire. `tz` is an IANA zone. */
export type Schedule = { tz: string; weekly: readonly Window[] }

export type Condition = {
  channel: string
  op: Operator
  value: number | boolean
  clearValue?: number | undefined
}
/** The condition with another value, and the severity that the alert has while this one holds. */
export type Step = { severity: Severity; value: number; clearValue?: number | undefined }

type Common = { severity: Severity; schedule?: Schedule | undefined }

export type ThresholdRule = Common & {
  kind: 'threshold'
  conditions: readonly Condition[]
  match: 'all' | 'any'
  /** Only for rules with one condition; each is worse than the one before. */
  steps: readonly Step[]
  forMs: number
  keepFiringMs: number
  /** undefined: three times the usual interval. */
  maxGapMs: number | undefined
  gap: 'reset' | 'hold'
  within: 'inside' | 'outside' | undefined
}

/** `forMs`: undefined: ten times the usual interval. */
export type SilenceRule = Common & { kind: 'silence'; channel: string | undefined; forMs: number | undefined }

export type ChangeRule = Common & {
  kind: 'change'
  channel: string
  withinMs: number
  by: number
  direction: 'up' | 'down' | 'both'
}

/** A side of a zone changes after `minReadings` in a row on the other side that span `minMs`. */
type ZoneRule = Common & { kind: 'zone'; minReadings: number; minMs: number }
export type ZoneAlertRule = ZoneRule & { when: 'inside' | 'outside' | 'dwell'; dwellMs: number }
/** Makes zone events, no alerts. */
export type ZoneCrossingRule = ZoneRule & { when: 'enter' | 'leave' }

export type AlertRule = ThresholdRule | SilenceRule | ChangeRule | ZoneAlertRule
