/**
 * The state machine of threshold rules: ok, pending, firing, ok. It runs in the device's own time alone, one counted
 * reading after the other, so the same readings in the same order give the same episodes.
 *
 * - Pending: the conditions hold for `forMs` of time that readings cover. A step between two counted readings that is
 *   longer than `maxGapMs` is a gap: it begins anew (`reset`) or adds nothing (`hold`).
 * - Firing: each condition holds up to its clear value, and keeps its state without a new value. A gap ends nothing.
 * - A rule with steps is judged once for each value; the lowest one decides when the alert begins and ends.
 */
import type { Condition, Operator, ThresholdRule } from './rule.ts'
import { type ChannelHistory, defaultGapMs } from './usual-interval.ts'

/** The newest location: its time, and whether it is in a polygon of the rule's layer. */
export type Place = { atMs: number; isInside: boolean }

export type JudgedReading = {
  atMs: number
  values: ReadonlyMap<string, number>
  /** Whether the reading has a location itself. */
  hasLocation: boolean
  /** The newest location, of this reading or an earlier one. */
  place: Place | undefined
  /** Histories of the channels before this reading. */
  before: ReadonlyMap<string, ChannelHistory>
  isOpen(atMs: number): boolean
}

export type LevelState =
  | { phase: 'pending'; onsetMs: number; coveredMs: number; lastMs: number }
  | { phase: 'firing'; onsetMs: number; firedMs: number; held: readonly boolean[]; endedMs: number | undefined }

/** The state of each level, the lowest first; undefined: ok. */
export type ThresholdState = readonly (LevelState | undefined)[]

/** A reading counts if it has a value of a channel of the rule, or a location that the rule looks at. */
export const counts = (rule: ThresholdRule, { values, hasLocation }: JudgedReading): boolean =>
  (rule.within !== undefined && hasLocation) || rule.conditions.some(({ channel }) => values.has(channel))

/** @param state undefined in the beginning @param reading one that counts, newer than the one before */
export function judgeThreshold(
  rule: ThresholdRule,
  state: ThresholdState | undefined,
  reading: JudgedReading,
): ThresholdState {
  const levels = levelsOf(rule).map((conditions, i) => judgeLevel(rule, conditions, state?.[i], reading))
  return levels
}

/** Conditions of the rule itself, then of each step. */
function levelsOf({ conditions, steps }: ThresholdRule): (readonly Condition[])[] {
  return [
    conditions,
    ...steps.map(({ value, clearValue }) => conditions.map((condition) => ({ ...condition, value, clearValue }))),
  ]
}

function judgeLevel(
  rule: ThresholdRule,
  conditions: readonly Condition[],
  state: LevelState | undefined,
  reading: JudgedReading,
): LevelState | undefined {
  const maxGapMs = rule.maxGapMs ?? defaultGapMs(conditions.map(({ channel }) => reading.before.get(channel)))
  if (state?.phase === 'firing') return goOn(rule, conditions, state, reading)
  const held = heldNow(rule, conditions, reading, maxGapMs)
  if (!isMet(rule, held)) return undefined
  const pending = pendingAfter(rule, state, reading.atMs, maxGapMs)
  if (pending.coveredMs < rule.forMs || !reading.isOpen(reading.atMs)) return pending
  return { phase: 'firing', onsetMs: pending.onsetMs, firedMs: reading.atMs, held, endedMs: undefined }
}

type Pending = Extract<LevelState, { phase: 'pending' }>
type Firing = Extract<LevelState, { phase: 'firing' }>

function pendingAfter({ gap }: ThresholdRule, state: Pending | undefined, atMs: number, maxGapMs: number): Pending {
  const anew = { phase: 'pending', onsetMs: atMs, coveredMs: 0, lastMs: atMs } as const
  if (state === undefined) return anew
  const stepMs = atMs - state.lastMs
  if (stepMs <= maxGapMs) return { ...state, coveredMs: state.coveredMs + stepMs, lastMs: atMs }
  return gap === 'hold' ? { ...state, lastMs: atMs } : anew
}

/** One entry for each condition, and one for `within` if the rule has it. */
function heldNow(
  { within, gap }: ThresholdRule,
  conditions: readonly Condition[],
  { atMs, values, before, place }: JudgedReading,
  maxGapMs: number,
): boolean[] {
  const isKnown = (ms: number | undefined): boolean => ms !== undefined && (gap === 'hold' || atMs - ms <= maxGapMs)
  const held = conditions.map(({ channel, op, value }) => {
    const own = values.get(channel)
    if (own !== undefined) return compare(own, op, Number(value))
    const history = before.get(channel)
    return history !== undefined && isKnown(history.times.at(-1)) && compare(history.value, op, Number(value))
  })
  if (within !== undefined) held.push(place !== undefined && isKnown(place.atMs) && isAt(within, place))
  return held
}

const isAt = (within: 'inside' | 'outside', { isInside }: Place): boolean => isInside === (within === 'inside')

/** `within` is always one more condition that has to hold. */
function isMet({ conditions, match, within }: ThresholdRule, held: readonly boolean[]): boolean {
  const own = held.slice(0, conditions.length)
  return (match === 'all' ? own.every(Boolean) : own.some(Boolean)) && (within === undefined || held.at(-1) === true)
}

function goOn(
  rule: ThresholdRule,
  conditions: readonly Condition[],
  state: Firing,
  { atMs, values, hasLocation, place }: JudgedReading,
): Firing | undefined {
  const held = conditions.map((condition, i) => {
    const value = values.get(condition.channel)
    const before = state.held[i] as boolean
    if (value === undefined) return before
    return before ? goesOn(condition, value) : compare(value, condition.op, Number(condition.value))
  })
  if (rule.within !== undefined)
    held.push(hasLocation && place !== undefined ? isAt(rule.within, place) : (state.held.at(-1) as boolean))
  if (isMet(rule, held)) return { ...state, held, endedMs: undefined }
  const endedMs = state.endedMs ?? atMs
  return atMs - endedMs >= rule.keepFiringMs ? undefined : { ...state, held, endedMs }
}

/** At a clear value of its own a condition has ended, also for `>=` and `<=`. */
function goesOn({ op, value, clearValue }: Condition, now: number): boolean {
  if (clearValue === undefined || clearValue === value) return compare(now, op, Number(value))
  return op === '>' || op === '>=' ? now > clearValue : now < clearValue
}

export function compare(a: number, op: Operator, b: number): boolean {
  switch (op) {
    case '>':
      return a > b
    case '>=':
      return a >= b
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '=':
      return a === b
    case '!=':
      return a !== b
  }
}
