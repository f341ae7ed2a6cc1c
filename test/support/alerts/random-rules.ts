/** Random rules and readings, and what the product finds in the form of the reference. */
import { expect } from 'bun:test'
import type { Change, Places } from '../../../src/alerts/judging/run.ts'
import { type AlertRule, SEVERITIES, type Severity } from '../../../src/alerts/rule.ts'
import { type Random, whole } from '../random.ts'
import type { RefCondition, RefEpisode, RefPlace, RefReading, RefRule } from './reference.ts'
import type { RefSchedule } from './reference-schedule.ts'

export const CHANNELS = ['a', 'b', 'c']
export const some = <T>(random: Random, list: readonly T[]): T => list[whole(random, list.length)] as T
const maybe = <T>(random: Random, share: number, make: () => T): T | undefined =>
  random() < share ? make() : undefined

/** A locations' longitude is an index in a list of relations to two polygons. */
export const RELATIONS = (['inside', 'near', 'outside'] as const).flatMap((first) =>
  (['inside', 'near', 'outside'] as const).map((second) => [first, second]),
)
/** `within` has no buffer, so nothing is near. */
export const SHARP = RELATIONS.map((list) => list.map((relation) => (relation === 'near' ? 'outside' : relation)))

/** Sunday, 28 March 2027, 00:00 UTC: an hour later the clocks of Berlin go forward. */
const START_MS = Date.UTC(2027, 2, 28)

function anySchedule(random: Random): RefSchedule {
  const hour = (most: number): string => `${String(whole(random, most)).padStart(2, '0')}:${some(random, ['00', '30'])}`
  const weekly = Array.from({ length: 1 + whole(random, 2) }, () => {
    const [from, to] = [hour(24), random() < 0.2 ? '24:00' : hour(24)]
    return { days: some(random, [['sun', 'mon'], ['sat'], ['sun'], ['mon', 'tue', 'wed']] as const).slice(), from, to }
  }).filter(({ from, to }) => from !== to)
  if (weekly.length === 0) return anySchedule(random)
  return { tz: some(random, ['Europe/Berlin', 'Asia/Riyadh', 'America/St_Johns', 'UTC']), weekly }
}

function anyCondition(random: Random): RefCondition {
  const op = some(random, ['>', '>=', '<', '<=', '=', '!='] as const)
  const value = 3 + whole(random, 4)
  const isOrdered = op !== '=' && op !== '!='
  const clearValue = isOrdered
    ? maybe(random, 0.5, () => value + (op.startsWith('>') ? -1 : 1) * whole(random, 3))
    : undefined
  return { channel: some(random, CHANNELS), op, value, clearValue }
}

export function anyRule(random: Random): RefRule {
  const schedule = maybe(random, 0.2, () => anySchedule(random))
  const common = { severity: 'info' as const, ...(schedule && { schedule }) }
  const kind = some(random, ['threshold', 'threshold', 'threshold', 'change', 'silence', 'zone'] as const)
  if (kind === 'change') {
    const direction = some(random, ['up', 'down', 'both'] as const)
    return { kind, channel: 'a', withinMs: 60_000 * whole(random, 60), by: 1 + whole(random, 6), direction, ...common }
  }
  if (kind === 'silence') {
    const channel = maybe(random, 0.5, () => 'a')
    return { kind, ...(channel && { channel }), forMs: 60_000 * (1 + whole(random, 120)), ...common }
  }
  if (kind === 'zone') {
    const when = some(random, ['inside', 'outside', 'dwell'] as const)
    const debounce = { minReadings: 1 + whole(random, 3), minMs: some(random, [0, 0, 600_000]) }
    return { kind, when, dwellMs: 60_000 * (1 + whole(random, 60)), ...debounce, ...common }
  }
  const conditions = Array.from({ length: some(random, [1, 1, 2, 3]) }, () => anyCondition(random))
  const [first] = conditions as [RefCondition]
  const sign = first.op.startsWith('>') ? 1 : -1
  const hasSteps = conditions.length === 1 && /[<>]/.test(first.op) && random() < 0.5
  const steps = hasSteps
    ? (['warning', 'critical'] as const).slice(0, 1 + whole(random, 2)).map((severity, i) => {
        const value = first.value + sign * (i + 1)
        return { severity, value, clearValue: maybe(random, 0.5, () => value - sign * whole(random, 2)) }
      })
    : []
  const maxGapMs = maybe(random, 0.6, () => some(random, [300_000, 600_000, 1_200_000]))
  const within = maybe(random, 0.25, () => ({ when: some(random, ['inside', 'outside'] as const) }))
  return {
    kind,
    conditions,
    match: some(random, ['all', 'any']),
    forMs: some(random, [0, 0, 300_000, 900_000]),
    keepFiringMs: some(random, [0, 0, 600_000]),
    gap: some(random, ['reset', 'hold']),
    steps,
    ...(maxGapMs && { maxGapMs }),
    ...(within && { within }),
    ...common,
  }
}

export function anyReadings(random: Random): RefReading[] {
  const usualMs = some(random, [1_000, 60_000, 300_000])
  let at = START_MS + whole(random, 48 * 3_600_000)
  const values: Record<string, number> = { a: 5, b: 5, c: 5 }
  return Array.from({ length: 1 + whole(random, 80) }, () => {
    at += 1 + whole(random, 2 * usualMs) + (random() < 0.08 ? whole(random, 20 * usualMs) : 0)
    const sent: Record<string, number> = {}
    for (const channel of CHANNELS) {
      values[channel] = Math.max(0, Math.min(9, (values[channel] as number) + whole(random, 5) - 2))
      if (random() < 0.7) sent[channel] = values[channel] as number
    }
    const isPlaced = random() < 0.6
    return { at, values: sent, ...(isPlaced && { location: [whole(random, RELATIONS.length), 0] as [number, number] }) }
  })
}

export const ruleOf = (rule: RefRule): AlertRule => {
  if (rule.kind === 'threshold') return { ...rule, maxGapMs: rule.maxGapMs, within: rule.within?.when } as AlertRule
  return { channel: undefined, ...rule } as AlertRule
}

export const placesOf = (place: RefPlace): Places => ({
  around(longitude, latitude) {
    const relations = place([longitude, latitude])
    const of = (wanted: string): number[] => [...relations.keys()].filter((i) => relations[i] === wanted)
    return { inside: of('inside'), near: of('near') }
  },
  idOf: (polygon) => `polygon ${polygon}`,
})

/** Collects the episodes of a rule and sensor from the changes. */
export function collectEpisodes(): { apply(change: Change): void; list(): RefEpisode[] } {
  const episodes: (RefEpisode & { isOpen: boolean })[] = []
  const openOne = (startedMs: number, polygon: number | undefined) =>
    episodes.findLast(
      (episode) => episode.isOpen && episode.polygon === polygon && episode.startedAt === startedMs,
    ) as RefEpisode & { isOpen: boolean }
  return {
    apply(change) {
      const polygon = change.polygon === undefined ? undefined : Number(change.polygon.split(' ')[1])
      if (change.type === 'firing') {
        const { startedMs, firedMs, severity, values } = change
        episodes.push({
          startedAt: startedMs,
          firedAt: firedMs,
          resolvedAt: null,
          severity,
          severities: [{ at: firedMs, severity }],
          values,
          ...(polygon !== undefined && { polygon }),
          isOpen: true,
        })
      } else if (change.type === 'severity') {
        const episode = openOne(change.startedMs, undefined)
        const { atMs, severity, previousSeverity } = change
        expect(episode.severities.at(-1)?.severity).toBe(previousSeverity)
        episode.severities.push({ at: atMs, severity })
        const worse = (a: Severity, b: Severity): Severity => (SEVERITIES.indexOf(a) > SEVERITIES.indexOf(b) ? a : b)
        episode.severity = worse(episode.severity, severity)
      } else {
        const episode = openOne(change.startedMs, polygon)
        episode.resolvedAt = change.resolvedMs
        episode.isOpen = false
      }
    },
    list: () =>
      episodes
        .map(({ isOpen: _, ...episode }) => episode)
        .toSorted((a, b) => a.startedAt - b.startedAt || (a.polygon ?? 0) - (b.polygon ?? 0)),
  }
}
