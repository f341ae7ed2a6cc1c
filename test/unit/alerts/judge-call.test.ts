/** The readings of a call that are judged in one step find what they find one after the other. */
import { expect, test } from 'bun:test'
import { createRun } from '../../../src/alerts/judging/create-run.ts'
import { judgeCall } from '../../../src/alerts/judging/judge-call.ts'
import type { Places, Run, Sink } from '../../../src/alerts/judging/run.ts'
import { CallReadings } from '../../../src/alerts/judging/segment-readings.ts'
import type { SilenceRule, ZoneCrossingRule } from '../../../src/alerts/rule.ts'
import { anyRule, CHANNELS, ruleOf, some } from '../../support/alerts/random-rules.ts'
import { type SentCall, type SentReading, segmentOf } from '../../support/alerts/segments.ts'
import { type Random, seeded, testSeed, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'

const START_MS = Date.UTC(2027, 2, 28)

/** Squares of a degree: every third one is inside polygon 0, every fourth one near polygon 1. */
function squares(): Places {
  const places = {
    steadyDegrees: 0,
    around(longitude: number) {
      const square = Math.floor(longitude)
      places.steadyDegrees = 1
      return { inside: square % 3 === 0 ? [0] : [], near: square % 4 === 0 ? [1] : [] }
    },
    idOf: (polygon: number) => `polygon ${polygon}`,
  }
  return places
}

/** Calls whose values and places change little within a call, and much from one to the next. */
function steadyCalls(random: Random): SentCall[] {
  let at = START_MS + whole(random, 86_400_000)
  return Array.from({ length: 1 + whole(random, 30) }, () => {
    at += some(random, [1, 1_000, 60_000, 7_200_000])
    const stepMs = some(random, [1_000, 1_000, 20_000, 700_000])
    const sent = CHANNELS.filter(() => random() < 0.95)
    const bases = sent.map(() => whole(random, 10))
    const [longitude, isMoving, isPlaced] = [whole(random, 20), random() < 0.2, random() < 0.7]
    const shake = some(random, [() => 0, () => random(), () => whole(random, 3)])
    const readings = Array.from({ length: 1 + whole(random, 40) }, (): SentReading => {
      at += random() < 0.01 ? 10 * stepMs : stepMs
      const values = new Map<number, number>()
      for (const [i, channel] of sent.entries())
        if (random() < 0.995) values.set(CHANNELS.indexOf(channel) + 1, (bases[i] as number) + shake())
      const place = longitude + random() * (isMoving ? 3 : 0.99)
      return { atMs: at, values, location: isPlaced && random() < 0.999 ? [place, 0.5] : undefined }
    })
    // some are not in order, or late
    if (random() < 0.1) readings.reverse()
    if (random() < 0.05) at -= whole(random, 20) * stepMs
    return { sensor: 1, receivedMs: at + whole(random, 3) * 40_000, readings }
  })
}

function anyRun(random: Random): (sink: Sink) => Run {
  const common = { severity: 'info' as const, layer: 'squares', minReadings: 1 + whole(random, 3), minMs: 0 }
  const crossing: ZoneCrossingRule = { kind: 'zone', when: some(random, ['enter', 'leave'] as const), ...common }
  const channel = random() < 0.5 ? undefined : 'a'
  const silence: SilenceRule = { kind: 'silence', channel, forMs: some(random, [undefined, 19_500, 20_000]), ...common }
  const rule = random() < 0.2 ? some(random, [crossing, silence]) : ruleOf(anyRule(random))
  const places = squares()
  return (sink) => {
    const run = createRun(rule, sink)
    run.places = places
    return run
  }
}

function sinkTo(list: unknown[]): Sink {
  return { change: (_, change) => list.push(change), crossing: (_, crossing) => list.push(crossing) }
}

test(`random rules over calls, seed ${testSeed}`, () => {
  const random = seeded(testSeed)
  const steps = new Map<string, number>()
  let found = 0
  for (let round = 0; round < rounds(3_000, 100_000); round++) {
    const create = anyRun(random)
    const [single, atOnce]: [unknown[], unknown[]] = [[], []]
    const one = create(sinkTo(single))
    const other = create(sinkTo(atOnce))
    const { kind } = one.rule
    const pushRest = other.pushRest.bind(other)
    other.pushRest = (...args) => {
      const isDone = pushRest(...args)
      if (isDone) steps.set(kind, (steps.get(kind) ?? 0) + 1)
      return isDone
    }
    const slot = one.add(Number.NEGATIVE_INFINITY)
    expect(other.add(Number.NEGATIVE_INFINITY)).toBe(slot)
    const call = new CallReadings()
    for (const sent of steadyCalls(random)) {
      const readings = sent.readings.toSorted((a, b) => a.atMs - b.atMs)
      const [late, lateAtOnce]: [number[], number[]] = [[], []]
      for (const [i, { atMs, values, location }] of readings.entries()) {
        const [longitude, latitude] = location ?? [Number.NaN, Number.NaN]
        for (const [j, channel] of one.channels.entries())
          one.values[j] = values.get(CHANNELS.indexOf(channel) + 1) ?? Number.NaN
        if (!one.push(slot, atMs, sent.receivedMs, longitude, latitude)) late.push(i)
      }
      const columnsOf = () => other.channels.map((channel) => call.column(CHANNELS.indexOf(channel) + 1))
      call.each(
        segmentOf([sent]),
        () => true,
        () => judgeCall(other, slot, call, columnsOf(), lateAtOnce),
      )
      if (random() < 0.2) {
        const clockMs = sent.receivedMs + whole(random, 7_200_000)
        for (const run of [one, other]) run.tick(clockMs)
      }
      expect({ round, rule: one.rule, late: lateAtOnce }).toEqual({ round, rule: one.rule, late })
      expect({ round, rule: one.rule, found: atOnce }).toEqual({ round, rule: one.rule, found: single })
      expect(other.stateOf(slot)).toEqual(one.stateOf(slot))
    }
    found += single.length
  }
  expect(found).toBeGreaterThan(10_000)
  for (const kind of ['threshold', 'change', 'silence', 'zone']) expect(steps.get(kind)).toBeGreaterThan(1_000)
})
