/** Runs find the episodes of a slow reference that was written separately. */
import { expect, test } from 'bun:test'
import { createRun } from '../../../src/alerts/judging/create-run.ts'
import type { Run, Sink } from '../../../src/alerts/judging/run.ts'
import { SnapshotReader, SnapshotWriter } from '../../../src/alerts/judging/snapshot-bytes.ts'
import {
  anyReadings,
  anyRule,
  collectEpisodes,
  placesOf,
  RELATIONS,
  ruleOf,
  SHARP,
} from '../../support/alerts/random-rules.ts'
import {
  episodesOf,
  type RefEpisode,
  type RefPlace,
  type RefReading,
  type RefRule,
} from '../../support/alerts/reference.ts'
import { seeded, testSeed, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'

/** The run after a restart from a snapshot. */
function restarted(run: Run, make: () => Run): Run {
  const writer = new SnapshotWriter()
  run.save(writer)
  const next = make()
  next.load(new SnapshotReader(Buffer.from(writer.take())))
  return next
}

/** What a run finds, in the form of the reference. It is restarted after each reading. */
function found(rule: RefRule, readings: readonly RefReading[], place: RefPlace, untilMs: number): RefEpisode[] {
  const episodes = collectEpisodes()
  const sink: Sink = {
    change: (_, change) => episodes.apply(change),
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
  return episodes.list()
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
