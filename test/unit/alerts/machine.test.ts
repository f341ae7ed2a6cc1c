/** The state machine of alerts finds the episodes of a slow reference that was written separately. */
import { expect, test } from 'bun:test'
import { judge, type Memory, NOTHING, type Reading, silenceUntil } from '../../../src/alerts/machine.ts'
import type { Severity } from '../../../src/alerts/rule.ts'
import { anyReadings, anyRule, RELATIONS, ruleOf, SHARP } from '../../support/alerts/random-rules.ts'
import {
  episodesOf,
  type RefEpisode,
  type RefPlace,
  type RefReading,
  type RefRule,
} from '../../support/alerts/reference.ts'
import { seeded, testSeed, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'

const SEVERITIES = ['info', 'warning', 'critical'] as const

/** What the state machine finds, in the form of the reference. */
function found(rule: RefRule, readings: readonly RefReading[], place: RefPlace, untilMs: number): RefEpisode[] {
  const own = ruleOf(rule)
  const episodes: (RefEpisode & { isOpen: boolean })[] = []
  const openOne = (polygon: number | undefined) =>
    episodes.findLast((episode) => episode.isOpen && episode.polygon === polygon) as RefEpisode & { isOpen: boolean }
  const apply = (changes: ReturnType<typeof judge>['changes']): void => {
    for (const change of changes) {
      if (change.type === 'firing') {
        const { startedMs, firedMs, severity, values, polygon } = change
        episodes.push({
          startedAt: startedMs,
          firedAt: firedMs,
          resolvedAt: null,
          severity,
          severities: [{ at: firedMs, severity }],
          values: Object.fromEntries(values),
          ...(polygon !== undefined && { polygon }),
          isOpen: true,
        })
      } else if (change.type === 'severity') {
        const episode = openOne(undefined)
        const { atMs, severity, previousSeverity } = change
        expect(episode.severities.at(-1)?.severity).toBe(previousSeverity)
        episode.severities.push({ at: atMs, severity })
        const worse = (a: Severity, b: Severity): Severity => (SEVERITIES.indexOf(a) > SEVERITIES.indexOf(b) ? a : b)
        episode.severity = worse(episode.severity, severity)
      } else {
        const episode = openOne(change.polygon)
        episode.resolvedAt = change.resolvedMs
        episode.isOpen = false
      }
    }
  }
  let memory: Memory = NOTHING
  for (const { at, values, location } of readings) {
    const reading: Reading = {
      atMs: at,
      values: new Map(Object.entries(values)),
      positions: location && place(location),
    }
    const judged = judge(own, memory, reading)
    // what is stored between two readings is plain data
    memory = structuredClone(judged.memory)
    apply(judged.changes)
  }
  apply(silenceUntil(own, memory, untilMs))
  return episodes
    .map(({ isOpen: _, ...episode }) => episode)
    .toSorted((a, b) => a.startedAt - b.startedAt || (a.polygon ?? 0) - (b.polygon ?? 0))
}

test(`random rules over random readings, seed ${testSeed}`, () => {
  const random = seeded(testSeed)
  const kinds = new Map<string, number>()
  for (let round = 0; round < rounds(1_000, 100_000); round++) {
    const rule = anyRule(random)
    const readings = anyReadings(random)
    const relations = rule.kind === 'zone' ? RELATIONS : SHARP
    const place: RefPlace = ([longitude]) => relations[longitude] as ReturnType<RefPlace>
    const untilMs = (readings.at(-1)?.at as number) + whole(random, 7_200_000)
    const expected = episodesOf(rule, readings, place, untilMs)
    expect({ round, rule, episodes: found(rule, readings, place, untilMs) }).toEqual({
      round,
      rule,
      episodes: expected,
    })
    kinds.set(rule.kind, (kinds.get(rule.kind) ?? 0) + expected.length)
  }
  for (const kind of ['threshold', 'change', 'silence', 'zone']) expect(kinds.get(kind)).toBeGreaterThan(60)
})
