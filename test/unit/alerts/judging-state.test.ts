/** Segments of a fleet, judged by many rules with restarts in between, make the episodes of the reference. */
import { expect, test } from 'bun:test'
import { type Findings, JudgingState } from '../../../src/alerts/judging/judging-state.ts'
import type { Change } from '../../../src/alerts/judging/run.ts'
import type { LateSpan, WatchedRule, WatchedSensor } from '../../../src/alerts/protocol.ts'
import {
  anyReadings,
  anyRule,
  CHANNELS,
  collectEpisodes,
  placesOf,
  RELATIONS,
  ruleOf,
  SHARP,
} from '../../support/alerts/random-rules.ts'
import { episodesOf, type RefPlace, type RefReading, type RefRule } from '../../support/alerts/reference.ts'
import { type SentCall, segmentOf } from '../../support/alerts/segments.ts'
import { type Random, seeded, testSeed, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'

const SENSORS = 8
const RULES = 12
/** Before all readings. */
const SINCE_MS = Date.UTC(2027, 2, 1)
const LAYERS: Record<string, RefPlace> = {
  blurred: ([longitude]) => RELATIONS[longitude] as ReturnType<RefPlace>,
  sharp: ([longitude]) => SHARP[longitude] as ReturnType<RefPlace>,
}
const layerOf = (rule: RefRule): string => (rule.kind === 'zone' ? 'blurred' : 'sharp')

type Fleet = {
  rules: { rule: RefRule; watched: WatchedRule }[]
  sensors: (WatchedSensor & { isPunctual: boolean })[]
  /** In the order of acceptance, with their readings by time in `inOrder`. */
  calls: (SentCall & { inOrder: RefReading[] })[]
}

function anyFleet(random: Random): Fleet {
  const rules = Array.from({ length: RULES }, (_, i) => {
    const rule = anyRule(random)
    const layer = rule.kind === 'zone' || (rule.kind === 'threshold' && rule.within) ? layerOf(rule) : undefined
    const watched = { ...ruleOf(rule), id: `rule ${i}`, enterprise: 1, sinceMs: SINCE_MS, layer, bufferM: 0 }
    return { rule, watched }
  })
  const sensors = Array.from({ length: SENSORS }, (_, i) => ({
    number: i + 1,
    enterprise: 1,
    channels: Object.fromEntries(CHANNELS.map((name, channel) => [name, 1 + ((channel + i) % 3)])),
    rules: rules.map(({ watched }) => watched.id).filter(() => random() < 0.7),
    quietSinceMs: null,
    activeSinceMs: null,
    usualMs: 0,
    isPunctual: i % 2 === 0,
  }))
  const calls = sensors.flatMap(({ number, channels, isPunctual }) => {
    const own: Fleet['calls'] = []
    for (const reading of anyReadings(random)) {
      const { at, values, location } = reading
      const sent = {
        atMs: at,
        values: new Map(Object.entries(values).map(([name, value]) => [channels[name] as number, value])),
        location,
      }
      const last = own.at(-1)
      if (last !== undefined && !isPunctual && random() < 0.3) {
        // the call is made later and has one more reading, at any place
        last.receivedMs = at
        last.readings.splice(whole(random, last.readings.length + 1), 0, sent)
        last.inOrder.push(reading)
        continue
      }
      const delayMs = !isPunctual && random() < 0.15 ? whole(random, 1_200_000) : 0
      own.push({ sensor: number, receivedMs: at + delayMs, readings: [sent], inOrder: [reading] })
    }
    return own
  })
  return { rules, sensors, calls: calls.toSorted((a, b) => a.receivedMs - b.receivedMs) }
}

function counts(rule: RefRule, { values, location }: RefReading): boolean {
  const has = (channel: string): boolean => Object.hasOwn(values, channel)
  if (rule.kind === 'threshold')
    return rule.conditions.some(({ channel }) => has(channel)) || (rule.within !== undefined && location !== undefined)
  if (rule.kind === 'zone') return location !== undefined
  return rule.channel === undefined || has(rule.channel)
}

/** The readings of a sensor that a rule counts, and the times of those that are late for it. */
function countedBy(rule: RefRule, sensor: number, calls: Fleet['calls']): { counted: RefReading[]; late: number[] } {
  const counted: RefReading[] = []
  const late: number[] = []
  for (const reading of calls.filter((call) => call.sensor === sensor).flatMap(({ inOrder }) => inOrder)) {
    if (!counts(rule, reading)) continue
    if (reading.at > (counted.at(-1)?.at ?? Number.NEGATIVE_INFINITY)) counted.push(reading)
    else late.push(reading.at)
  }
  return { counted, late }
}

type Found = { key: string; change: Change }

/** Judges the calls in segments of any size. Now and then the process is replaced and continues from a snapshot. */
function judged(random: Random, { rules, sensors, calls }: Fleet, untilMs: number) {
  const found = new Map<string, Found[]>()
  const seen = new Set<string>()
  const again: string[] = []
  const spans = new Map<string, LateSpan>()
  const findings: Findings = {
    change({ id }, sensor, change) {
      const text = JSON.stringify([id, sensor, change])
      again.push(text)
      if (seen.has(text)) return
      seen.add(text)
      const key = `${id} ${sensor}`
      found.set(key, [...(found.get(key) ?? []), { key, change }])
    },
    crossing: () => expect.unreachable('an alert rule has no crossings'),
  }
  const started = (snapshot: Buffer[] | undefined): JudgingState => {
    const state = new JudgingState('one', Number.NEGATIVE_INFINITY)
    state.reportTo(findings)
    state.setRules(
      rules.map(({ watched }) => watched),
      1,
      SINCE_MS,
    )
    if (snapshot !== undefined) state.load(snapshot)
    state.setSensors(sensors, true, 1, SINCE_MS)
    state.setPlaces((layer) => placesOf(LAYERS[layer] as RefPlace))
    return state
  }
  const judge = (state: JudgingState, segments: { sequence: number; bytes: Uint8Array }[]): void => {
    for (const span of state.judge(segments, SINCE_MS)) spans.set(JSON.stringify(span), span)
  }
  let state = started(undefined)
  let snapshot: Buffer[] | undefined
  /** Segments after the snapshot, and what was found in them. */
  let retained: { sequence: number; bytes: Uint8Array }[] = []
  let foundSince: string[] = []
  for (let at = 0, sequence = 0; at < calls.length; sequence++) {
    const size = 1 + whole(random, 20)
    retained.push({ sequence, bytes: segmentOf(calls.slice(at, at + size)) })
    at += size
    // those that are judged already are skipped
    judge(state, retained)
    foundSince.push(...again.splice(0))
    const event = random()
    if (event < 0.2) {
      snapshot = Array.from(state.save(), (section) => Buffer.from(section))
      retained = []
      foundSince = []
    } else if (event < 0.4) {
      const before = seen.size
      state = started(snapshot)
      judge(state, retained)
      expect(again.splice(0)).toEqual(foundSince)
      expect(seen.size).toBe(before)
    }
  }
  state.tick(untilMs)
  return { found, spans: [...spans.values()], state }
}

test(`fleets with late readings and restarts, seed ${testSeed}`, () => {
  const random = seeded(testSeed)
  const totals = { episodes: 0, silences: 0, late: 0 }
  for (let round = 0; round < rounds(25, 2_500); round++) {
    const fleet = anyFleet(random)
    const untilMs = (fleet.calls.at(-1)?.receivedMs as number) + whole(random, 7_200_000)
    const { found, spans } = judged(random, fleet, untilMs)
    for (const { rule, watched } of fleet.rules)
      for (const { number, rules, isPunctual } of fleet.sensors) {
        if (!rules.includes(watched.id)) continue
        const { counted, late } = countedBy(rule, number, fleet.calls)
        const own = spans.filter((span) => span.sensor === number && span.rules.includes(watched.id))
        const inSpans = late.filter((at) => own.some(({ firstMs, lastMs }) => at >= firstMs && at <= lastMs))
        expect(inSpans).toEqual(late)
        for (const { firstMs, lastMs } of own) expect(late).toContainValues([firstMs, lastMs])
        totals.late += late.length
        // the delay of a call is a silence by the server's clock
        if (rule.kind === 'silence' && !isPunctual) continue
        const episodes = collectEpisodes()
        for (const { change } of found.get(`${watched.id} ${number}`) ?? []) episodes.apply(change)
        // a preview does not know when the rule was made
        const list = episodes.list().filter(({ startedAt }) => rule.kind !== 'silence' || startedAt !== SINCE_MS)
        const expected = episodesOf(rule, counted, LAYERS[layerOf(rule)], untilMs)
        expect({ round, rule, number, list }).toEqual({ round, rule, number, list: expected })
        totals.episodes += expected.length
        if (rule.kind === 'silence') totals.silences += expected.length
      }
  }
  expect(totals.episodes).toBeGreaterThan(1_000)
  expect(totals.silences).toBeGreaterThan(100)
  expect(totals.late).toBeGreaterThan(1_000)
})
