/** Runs find the episodes of a slow reference that was written separately. */
import { expect, test } from 'bun:test'
import { createRun } from '../../../src/alerts/judging/create-run.ts'
import type { Change, Places, Run, Sink } from '../../../src/alerts/judging/run.ts'
import { SnapshotReader, SnapshotWriter } from '../../../src/alerts/judging/snapshot-bytes.ts'
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

const placesOf = (place: RefPlace): Places => ({
  around(longitude, latitude) {
    const relations = place([longitude, latitude])
    const of = (wanted: string): number[] => [...relations.keys()].filter((i) => relations[i] === wanted)
    return { inside: of('inside'), near: of('near') }
  },
  idOf: (polygon) => `polygon ${polygon}`,
})

/** The run after a restart from a snapshot. */
function restarted(run: Run, make: () => Run): Run {
  const writer = new SnapshotWriter()
  run.save(writer)
  const next = make()
  next.load(new SnapshotReader(Buffer.from(writer.written())))
  return next
}

/** What a run finds, in the form of the reference. It is restarted after each reading. */
function found(rule: RefRule, readings: readonly RefReading[], place: RefPlace, untilMs: number): RefEpisode[] {
  const episodes: (RefEpisode & { isOpen: boolean })[] = []
  const openOne = (startedMs: number, polygon: number | undefined) =>
    episodes.findLast(
      (episode) => episode.isOpen && episode.polygon === polygon && episode.startedAt === startedMs,
    ) as RefEpisode & { isOpen: boolean }
  const apply = (change: Change): void => {
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
  }
  const sink: Sink = {
    change: (_, change) => apply(change),
    crossing: () => expect.unreachable('an alert rule has no crossings'),
  }
  const make = (): Run => {
    const run = createRun(ruleOf(rule), sink)
    run.places = placesOf(place)
    return run
  }
  let run = make()
  let late = 0
  const slot = run.add(Number.NEGATIVE_INFINITY)
  for (const { at, values, location: [longitude, latitude] = [Number.NaN, Number.NaN] } of readings) {
    for (const [i, channel] of run.channels.entries()) run.values[i] = values[channel] ?? Number.NaN
    if (!run.push(slot, at, at, longitude, latitude)) late++
    run = restarted(run, make)
  }
  run.tick(untilMs)
  expect(late).toBe(0)
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
