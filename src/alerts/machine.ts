/**
 * Judges the readings of one sensor by one rule, in order, and says what begins, changes and ends. Live checks and
 * previews use it, so both find the same episodes. Late readings do not come here.
 */
import { type ChangeState, judgeChange } from './change.ts'
import type { AlertRule, Severity, ThresholdRule, ZoneAlertRule } from './rule.ts'
import { isInSchedule } from './schedule.ts'
import { silenceBetween } from './silence.ts'
import { counts, type JudgedReading, judgeThreshold, type Place, type ThresholdState } from './threshold.ts'
import { type ChannelHistory, withValue } from './usual-interval.ts'
import { judgeZone, type Position, type ZoneAlertState } from './zone-side.ts'

/** Booleans are 1 and 0. `positions`: where the location is, for each polygon of the rule's layer. */
export type Reading = {
  atMs: number
  values: ReadonlyMap<string, number>
  positions: readonly Position[] | undefined
}

/**
 * `polygon`: its index in the layer, for `dwell`. `values`: the newest ones of the rule's channels. A change of severity
 * names the one before.
 */
export type AlertChange =
  | {
      type: 'firing'
      startedMs: number
      firedMs: number
      severity: Severity
      values: ReadonlyMap<string, number>
      polygon: number | undefined
    }
  | { type: 'severity'; atMs: number; severity: Severity; previousSeverity: Severity }
  | { type: 'resolved'; resolvedMs: number; polygon: number | undefined }

/** What is remembered of a sensor for one rule. */
export type Memory = {
  histories: ReadonlyMap<string, ChannelHistory>
  place: Place | undefined
  threshold: ThresholdState | undefined
  change: ChangeState | undefined
  /** For each polygon, or one for the layer as a whole. */
  zones: readonly (ZoneAlertState | undefined)[]
  /** The newest reading of the sensor, or of the channel of a silence. */
  lastMs: number | undefined
  /** The value of the channel of a silence in that reading. */
  lastValues: ReadonlyMap<string, number>
}

export const NOTHING: Memory = {
  histories: new Map(),
  place: undefined,
  threshold: undefined,
  change: undefined,
  zones: [],
  lastMs: undefined,
  lastValues: new Map(),
}

/** @param memory changes are made in a copy @returns the memory after the reading, and what it changed */
export function judge(rule: AlertRule, memory: Memory, reading: Reading): { memory: Memory; changes: AlertChange[] } {
  switch (rule.kind) {
    case 'threshold':
      return judgeByThreshold(rule, memory, reading)
    case 'change':
      return judgeByChange(rule, memory, reading)
    case 'zone':
      return judgeByZone(rule, memory, reading)
    case 'silence':
      return judgeBySilence(rule, memory, reading)
  }
}

const opens =
  ({ schedule }: AlertRule) =>
  (atMs: number): boolean =>
    schedule === undefined || isInSchedule(schedule, atMs)

function judgeByThreshold(rule: ThresholdRule, memory: Memory, reading: Reading) {
  const { atMs, values, positions } = reading
  const place =
    positions === undefined ? memory.place : { atMs, isInside: positions.some((position) => position === 'inside') }
  const judged: JudgedReading = {
    atMs,
    values,
    hasLocation: positions !== undefined,
    place,
    before: memory.histories,
    isOpen: opens(rule),
  }
  if (!counts(rule, judged)) return { memory, changes: [] }
  const histories = new Map(memory.histories)
  for (const channel of new Set(rule.conditions.map((condition) => condition.channel))) {
    const value = values.get(channel)
    if (value !== undefined) histories.set(channel, withValue(histories.get(channel), value, atMs))
  }
  const threshold = judgeThreshold(rule, memory.threshold, judged)
  const known = new Map([...histories].map(([channel, { value }]) => [channel, value]))
  const changes = thresholdChanges(rule, memory.threshold, threshold, atMs, known)
  return { memory: { ...memory, histories, place, threshold }, changes }
}

/** The severity of the highest level that fires. */
function severityOf({ severity, steps }: ThresholdRule, state: ThresholdState): Severity {
  const highest = state.findLastIndex((level) => level?.phase === 'firing')
  return highest <= 0 ? severity : (steps[highest - 1]?.severity ?? severity)
}

function thresholdChanges(
  rule: ThresholdRule,
  before: ThresholdState | undefined,
  after: ThresholdState,
  atMs: number,
  values: ReadonlyMap<string, number>,
): AlertChange[] {
  const [lowest] = after
  const wasFiring = before?.[0]?.phase === 'firing'
  if (lowest?.phase !== 'firing') return wasFiring ? [{ type: 'resolved', resolvedMs: atMs, polygon: undefined }] : []
  const severity = severityOf(rule, after)
  if (!wasFiring) {
    const { onsetMs, firedMs } = lowest
    return [{ type: 'firing', startedMs: onsetMs, firedMs, severity, values, polygon: undefined }]
  }
  const previousSeverity = severityOf(rule, before as ThresholdState)
  return severity === previousSeverity ? [] : [{ type: 'severity', atMs, severity, previousSeverity }]
}

function judgeByChange(rule: Extract<AlertRule, { kind: 'change' }>, memory: Memory, { atMs, values }: Reading) {
  const value = values.get(rule.channel)
  if (value === undefined) return { memory, changes: [] }
  const change = judgeChange(rule, memory.change, atMs, value, opens(rule))
  const before = memory.change?.firedMs
  const changes: AlertChange[] = []
  if (before !== undefined && change.firedMs === undefined)
    changes.push({ type: 'resolved', resolvedMs: atMs, polygon: undefined })
  if (before === undefined && change.firedMs !== undefined)
    changes.push(firing(rule, change.onsetMs as number, change.firedMs, new Map([[rule.channel, value]])))
  return { memory: { ...memory, change }, changes }
}

function judgeByZone(rule: ZoneAlertRule, memory: Memory, { atMs, positions }: Reading) {
  if (positions === undefined) return { memory, changes: [] }
  const isOpen = opens(rule)
  const own = rule.when === 'dwell' ? positions : [nearest(positions)]
  const changes: AlertChange[] = []
  const zones = own.map((position, i) => {
    const before = memory.zones[i]
    const after = judgeZone(rule, before, atMs, position, isOpen)
    const polygon = rule.when === 'dwell' ? i : undefined
    if (before?.firedMs !== undefined && after.firedMs === undefined)
      changes.push({ type: 'resolved', resolvedMs: atMs, polygon })
    if (before?.firedMs === undefined && after.firedMs !== undefined)
      changes.push(firing(rule, after.sinceMs, after.firedMs, new Map(), polygon))
    return after
  })
  return { memory: { ...memory, zones }, changes }
}

/** Where a location is for the layer as a whole. */
function nearest(positions: readonly Position[]): Position {
  if (positions.includes('inside')) return 'inside'
  return positions.includes('near') ? 'near' : 'outside'
}

type SilenceAlertRule = Extract<AlertRule, { kind: 'silence' }>

/** The usual interval between calls is not in the memory of a rule, so the caller sets the default. */
function forMsOf({ forMs }: SilenceAlertRule): number {
  if (forMs === undefined) throw new Error('the rule of a silence has no length')
  return forMs
}

function judgeBySilence(rule: SilenceAlertRule, memory: Memory, { atMs, values }: Reading) {
  const { channel } = rule
  if (channel !== undefined && !values.has(channel)) return { memory, changes: [] }
  const changes = silenceChanges(rule, memory, atMs, atMs)
  const known = channel === undefined ? [] : [[channel, values.get(channel) as number] as const]
  return { memory: { ...memory, lastMs: atMs, lastValues: new Map(known) }, changes }
}

function silenceChanges(
  rule: SilenceAlertRule,
  { lastMs, lastValues }: Memory,
  nextMs: number | undefined,
  nowMs: number,
): AlertChange[] {
  const silence =
    lastMs === undefined ? undefined : silenceBetween({ ...rule, forMs: forMsOf(rule) }, lastMs, nextMs, nowMs)
  if (silence === undefined) return []
  const { startedMs, firedMs, resolvedMs } = silence
  const begin = firing(rule, startedMs, firedMs, lastValues)
  return resolvedMs === undefined ? [begin] : [begin, { type: 'resolved', resolvedMs, polygon: undefined }]
}

/** A silence that lasts until now: no reading ended it yet. */
export const silenceUntil = (rule: AlertRule, memory: Memory, nowMs: number): AlertChange[] =>
  rule.kind === 'silence' ? silenceChanges(rule, memory, undefined, nowMs) : []

function firing(
  { severity }: AlertRule,
  startedMs: number,
  firedMs: number,
  values: ReadonlyMap<string, number>,
  polygon?: number,
): AlertChange {
  return { type: 'firing', startedMs, firedMs, severity, values, polygon }
}
