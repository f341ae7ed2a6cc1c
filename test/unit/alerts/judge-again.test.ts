/** Late readings: what the second judgement records, compared with the slow reference over all readings. */
import { expect, test } from 'bun:test'
import { createRun } from '../../../src/alerts/judging/create-run.ts'
import { type AgainResult, judgeAgain, type Recorded } from '../../../src/alerts/judging/judge-again.ts'
import type { Change, Places } from '../../../src/alerts/judging/run.ts'
import { anyReadings, anyRule, RELATIONS, ruleOf, SHARP } from '../../support/alerts/random-rules.ts'
import {
  episodesOf,
  type RefEpisode,
  type RefPlace,
  type RefReading,
  type RefRule,
} from '../../support/alerts/reference.ts'
import { type Random, seeded, testSeed, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'

type Alert = {
  polygon: string | undefined
  startedMs: number
  firedMs: number
  resolvedMs: number | null
  late: boolean
}

const placesOf = (place: RefPlace): Places => ({
  around(longitude, latitude) {
    const relations = place([longitude, latitude])
    const of = (wanted: string): number[] => [...relations.keys()].filter((i) => relations[i] === wanted)
    return { inside: of('inside'), near: of('near') }
  },
  idOf: (polygon) => `polygon ${polygon}`,
})
const idOf = (polygon: number | undefined): string | undefined =>
  polygon === undefined ? undefined : `polygon ${polygon}`

/** Calls with readings, some of which arrive after newer ones. */
function callsOf(random: Random, readings: readonly RefReading[]): RefReading[][] {
  const calls: RefReading[][] = []
  let held: RefReading[] = []
  for (let next = 0; next < readings.length; ) {
    const call = readings.slice(next, next + 1 + whole(random, 8))
    next += call.length
    const [late, onTime] = [call.filter(() => random() < 0.15), [] as RefReading[]]
    onTime.push(...call.filter((reading) => !late.includes(reading)))
    const due = held.filter(() => random() < 0.4)
    held = [...held.filter((reading) => !due.includes(reading)), ...late]
    calls.push([...onTime, ...due].sort((a, b) => a.at - b.at))
  }
  return [...calls, held.sort((a, b) => a.at - b.at)]
}

/** Live judging that judges again after each call with late readings. */
function simulate(rule: RefRule, place: RefPlace) {
  const alerts: Alert[] = []
  const found: Change[] = []
  const own = ruleOf(rule)
  let live = 0
  const record = (change: Change): void => {
    const { polygon, startedMs } = change
    if (change.type === 'firing')
      alerts.push({ polygon, startedMs, firedMs: change.firedMs, resolvedMs: null, late: change.late })
    else if (change.type === 'resolved') {
      const open = alerts.find(
        (alert) => alert.polygon === polygon && alert.startedMs === startedMs && alert.resolvedMs === null,
      )
      if (open !== undefined) open.resolvedMs = change.resolvedMs
    }
  }
  const run = createRun(own, {
    // a silence that only the next reading shows is late, which is not compared here
    change: (slot, change) =>
      slot === live ? record('late' in change ? { ...change, late: false } : change) : found.push(change),
    crossing: () => undefined,
  })
  if (own.kind === 'zone' || (own.kind === 'threshold' && own.within !== undefined)) run.places = placesOf(place)
  live = run.add(Number.NEGATIVE_INFINITY)
  const valuesOf = ({ values }: RefReading): Float64Array =>
    Float64Array.from(run.channels.map((channel) => values[channel] ?? Number.NaN))
  const stored: RefReading[] = []
  let newestMs = Number.NEGATIVE_INFINITY

  function again(firstMs: number, lastMs: number): void {
    let result: AgainResult = { needs: 'more' }
    for (let reachMs = 60_000; result.needs === 'more'; reachMs *= 8) {
      const [fromMs, toMs] = [firstMs - reachMs, lastMs + reachMs]
      const slot = run.add(Number.NEGATIVE_INFINITY)
      found.length = 0
      result = judgeAgain({
        rule: own,
        run,
        slot,
        found,
        live: run.stateOf(live),
        newestMs,
        present: run.channels.map((channel) => stored.some(({ values }) => channel in values)),
        firstMs,
        lastMs,
        recorded: alerts as Recorded[],
        readings: stored
          .filter(({ at }) => at >= fromMs && at < toMs)
          .map((reading) => ({
            atMs: reading.at,
            receivedMs: reading.at,
            values: valuesOf(reading),
            longitude: reading.location?.[0] ?? Number.NaN,
            latitude: reading.location?.[1] ?? Number.NaN,
          })),
        isWhole: stored.every(({ at }) => at >= fromMs && at < toMs),
        toMs,
      })
      if (result.needs === undefined && result.adopts) {
        run.remove(live)
        live = slot
      } else run.remove(slot)
    }
    if (result.needs === undefined) for (const change of result.episodes.flat()) record(change)
  }

  return {
    alerts,
    /** @returns the times of late readings */
    call(readings: readonly RefReading[]): number[] {
      const late: number[] = []
      for (const reading of readings) {
        stored.push(reading)
        run.values.set(valuesOf(reading))
        const [x, y] = reading.location ?? [Number.NaN, Number.NaN]
        if (!run.push(live, reading.at, reading.at, x, y)) late.push(reading.at)
        else if (counts(rule, reading)) newestMs = reading.at
      }
      stored.sort((a, b) => a.at - b.at)
      if (late.length > 0) again(late[0]!, late.at(-1)!)
      return late
    },
  }
}

function counts(rule: RefRule, { values, location }: RefReading): boolean {
  if (rule.kind === 'zone') return location !== undefined
  if (rule.kind === 'silence') return rule.channel === undefined || rule.channel in values
  if (rule.kind === 'change') return rule.channel in values
  return (
    rule.conditions.some(({ channel }) => channel in values) || (rule.within !== undefined && location !== undefined)
  )
}

/** The same by the reference: live judging over the readings that count, and after late ones over all. */
function expectation(rule: RefRule, place: RefPlace) {
  const alerts: Alert[] = []
  let judged: RefReading[] = []
  const all: RefReading[] = []
  const end = ({ resolvedMs }: { resolvedMs: number | null }): number => resolvedMs ?? Number.POSITIVE_INFINITY
  const alertOf = ({ polygon, startedAt, firedAt, resolvedAt }: RefEpisode, late: boolean): Alert => ({
    polygon: idOf(polygon),
    startedMs: startedAt,
    firedMs: firedAt,
    resolvedMs: resolvedAt,
    late,
  })
  const find = (readings: RefReading[]): RefEpisode[] =>
    episodesOf(rule, readings, place, readings.at(-1)?.at ?? Number.NEGATIVE_INFINITY)

  return {
    alerts,
    /** @returns the times of late readings */
    call(readings: readonly RefReading[]): number[] {
      const counted = readings.filter((reading) => counts(rule, reading))
      const before = judged.at(-1)?.at ?? Number.NEGATIVE_INFINITY
      const late = counted.filter(({ at }) => at <= before).map(({ at }) => at)
      judged = [...judged, ...counted.filter(({ at }) => at > before)]
      all.push(...counted)
      all.sort((a, b) => a.at - b.at)
      const live = find(judged)
      for (const alert of live.map((episode) => alertOf(episode, false))) {
        const known = alerts.find((one) => one.polygon === alert.polygon && one.startedMs === alert.startedMs)
        if (known !== undefined) known.resolvedMs ??= end(alert) > before ? alert.resolvedMs : null
        // a silence fires before the reading that shows it
        else if (alert.firedMs > before || (rule.kind === 'silence' && end(alert) > before)) alerts.push(alert)
      }
      if (late.length === 0) return late
      const second = find(all)
      const revealed = second
        .map((episode) => alertOf(episode, true))
        .filter((alert) => end(alert) >= late[0]!)
        .filter(
          (alert) =>
            !alerts.some(
              (one) => one.polygon === alert.polygon && alert.startedMs <= end(one) && end(alert) >= one.startedMs,
            ),
        )
      const isOpen = (one: { resolvedMs: number | null }): boolean => one.resolvedMs === null
      const isFiring = live.some(({ resolvedAt }) => resolvedAt === null)
      const opened = second.filter(({ resolvedAt }) => resolvedAt === null)
      const adopts = !isFiring && opened.length === revealed.filter(isOpen).length
      alerts.push(...revealed.filter((alert) => adopts || !isOpen(alert)))
      if (adopts) judged = [...all]
      return late
    },
  }
}

const order = (a: Alert, b: Alert): number =>
  a.startedMs - b.startedMs || (a.polygon ?? '').localeCompare(b.polygon ?? '')

test(`random rules over readings that arrive late, seed ${testSeed}`, () => {
  const random = seeded(testSeed)
  let late = 0
  for (let round = 0; round < rounds(300, 20_000); round++) {
    const rule = anyRule(random)
    const relations = rule.kind === 'zone' ? RELATIONS : SHARP
    const place: RefPlace = ([longitude]) => relations[longitude] as ReturnType<RefPlace>
    const calls = callsOf(random, anyReadings(random))
    const product = simulate(rule, place)
    const expected = expectation(rule, place)
    for (const [n, call] of calls.entries()) {
      const lateOf = { product: product.call(call), reference: expected.call(call) }
      expect({ round, n, rule, late: lateOf.product, alerts: product.alerts.toSorted(order) }).toEqual({
        round,
        n,
        rule,
        late: lateOf.reference,
        alerts: expected.alerts.toSorted(order),
      })
    }
    late += expected.alerts.filter((alert) => alert.late).length
  }
  expect(late).toBeGreaterThan(5)
})
