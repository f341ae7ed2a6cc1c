/** Rules as PostgreSQL stores them, and as the state machine reads them. */
import type { RuleDefinition, zoneRules } from '../stores/postgres/alerts/rule-schema.ts'
import type { WatchedRule } from './protocol.ts'
import type { AlertRule, ZoneCrossingRule } from './rule.ts'

export type RuleRow = Pick<
  typeof zoneRules.$inferSelect,
  'kind' | 'severity' | 'schedule' | 'event' | 'layerId' | 'definition'
>
type Defined<K extends keyof RuleDefinition> = Required<Pick<RuleDefinition, K>>

/** Defaults of the fields of each kind. Fields without a default are required. */
export const DEFAULTS = {
  threshold: {
    match: 'all',
    steps: [],
    forSeconds: 0,
    keepFiringSeconds: 0,
    maxGapSeconds: null,
    gap: 'reset',
    within: null,
  } satisfies RuleDefinition,
  silence: { channel: null, forSeconds: null } satisfies RuleDefinition,
  change: {} satisfies RuleDefinition,
  zone: { dwellSeconds: null, minReadings: 1, minSeconds: 0, bufferM: 0 } satisfies RuleDefinition,
} as const

const msOf = (seconds: number): number => seconds * 1_000
const msOrDefault = (seconds: number | null | undefined): number | undefined =>
  seconds == null ? undefined : msOf(seconds)

/** @returns the fields of the rule's kind, with their defaults: rules of earlier releases have none */
export const definitionOf = ({ kind, definition }: Pick<RuleRow, 'kind' | 'definition'>): RuleDefinition => ({
  ...DEFAULTS[kind],
  ...definition,
})

export function toAlertRule(row: RuleRow): AlertRule | ZoneCrossingRule {
  const { kind, severity } = row
  const common = { severity, schedule: row.schedule ?? undefined }
  const definition = definitionOf(row)
  switch (kind) {
    case 'threshold': {
      const { conditions, match, steps, gap, ...own } = definition as Defined<keyof RuleDefinition>
      return {
        ...common,
        kind,
        conditions,
        match,
        steps,
        forMs: msOf(own.forSeconds as number),
        keepFiringMs: msOf(own.keepFiringSeconds),
        maxGapMs: msOrDefault(own.maxGapSeconds),
        gap,
        within: own.within?.when,
      }
    }
    case 'silence':
      return { ...common, kind, channel: definition.channel ?? undefined, forMs: msOrDefault(definition.forSeconds) }
    case 'change': {
      const { channel, withinSeconds, by, direction } = definition as Defined<keyof RuleDefinition>
      return { ...common, kind, channel: channel as string, withinMs: msOf(withinSeconds), by, direction }
    }
    case 'zone': {
      const { minReadings, minSeconds, dwellSeconds } = definition as Defined<keyof RuleDefinition>
      const debounced = { ...common, kind, minReadings, minMs: msOf(minSeconds) }
      // zone rules have an event
      const when = row.event as NonNullable<RuleRow['event']>
      return when === 'enter' || when === 'leave'
        ? { ...debounced, when }
        : { ...debounced, when, dwellMs: msOf(dwellSeconds ?? 0) }
    }
  }
}

/** @param enterprise its number */
export const toWatchedRule = (row: RuleRow & { id: string; since: Date }, enterprise: number): WatchedRule => ({
  ...toAlertRule(row),
  id: row.id,
  enterprise,
  sinceMs: row.since.getTime(),
  layer: row.layerId ?? undefined,
  bufferM: definitionOf(row).bufferM ?? 0,
})
