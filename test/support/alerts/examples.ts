/** Short forms of rules and readings for examples. Times of the examples are in seconds. */
import { episodesOf, type RefPlace, type RefReading, type RefRelation, type RefRule } from './reference.ts'

export type Threshold = Extract<RefRule, { kind: 'threshold' }>
type Silence = Extract<RefRule, { kind: 'silence' }>
type Change = Extract<RefRule, { kind: 'change' }>
export type Zone = Extract<RefRule, { kind: 'zone' }>

export const s = (seconds: number): number => seconds * 1_000

/** Temperature above 30 at once, with gaps beyond 100 s. */
export const threshold = (rule: Partial<Threshold> = {}): Threshold => ({
  kind: 'threshold',
  conditions: [{ channel: 't', op: '>', value: 30 }],
  match: 'all',
  forMs: 0,
  keepFiringMs: 0,
  maxGapMs: s(100),
  gap: 'reset',
  severity: 'warning',
  steps: [],
  ...rule,
})
export const silence = (rule: Partial<Silence> = {}): Silence => ({
  kind: 'silence',
  forMs: s(60),
  severity: 'warning',
  ...rule,
})
export const change = (rule: Partial<Change> = {}): Change => ({
  kind: 'change',
  channel: 't',
  withinMs: s(60),
  by: 10,
  direction: 'up',
  severity: 'warning',
  ...rule,
})
export const zone = (when: Zone['when'], rule: Partial<Zone> = {}): Zone => ({
  kind: 'zone',
  when,
  dwellMs: s(0),
  minReadings: 1,
  minMs: 0,
  severity: 'warning',
  ...rule,
})

/** Readings of `t`: [seconds, value]. */
export const series = (...points: [at: number, value: number][]): RefReading[] =>
  points.map(([at, t]) => ({ at: s(at), values: { t } }))
/** Readings of several channels: [seconds, values]. */
export const readings = (...points: [at: number, values: Record<string, number>][]): RefReading[] =>
  points.map(([at, values]) => ({ at: s(at), values }))
/** The longitude is an index in the list of `places`. */
export const position = (at: number, longitude: number, values: Record<string, number> = {}): RefReading => ({
  at: s(at),
  values,
  location: [longitude, 0],
})
/** Each text has a letter for each polygon: I inside, N near, O outside. */
export const places =
  (list: string[]): RefPlace =>
  ([longitude]) =>
    Array.from(list[longitude]!, (letter): RefRelation => {
      if (letter === 'I') return 'inside'
      return letter === 'N' ? 'near' : 'outside'
    })
/** One position for each entry, every 10 s from 0. */
export const track = (list: string[]): [RefReading[], RefPlace] => [
  list.map((_, i) => position(i * 10, i)),
  places(list),
]

/** [startedAt, firedAt, resolvedAt] in seconds. */
export const times = (rule: RefRule, list: RefReading[], place?: RefPlace, until = 1_000_000): (number | null)[][] =>
  episodesOf(rule, list, place, s(until)).map(({ startedAt, firedAt, resolvedAt }) => [
    startedAt / 1_000,
    firedAt / 1_000,
    resolvedAt === null ? null : resolvedAt / 1_000,
  ])
