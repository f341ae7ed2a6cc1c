/**
 * A simulated fleet for the bench of alerts: rules of all kinds, a layer, and the calls of each sensor, which depend on the
 * seed and the sensor's number alone. Positions are on a lattice of 20 m at the equator, whose lines are the edges of the
 * zones, so that a plain comparison is an independent truth for `inside` and `near`.
 */
import type { WatchedRule, WatchedSensor } from '../../src/alerts/protocol.ts'
import { polygonWkb } from '../../src/lib/geo/geometry/globe.ts'
import { encodeRecord } from '../../src/lib/geo/layers/layer-records.ts'
import { ruleOf } from '../../test/support/alerts/random-rules.ts'
import type { RefPlace, RefReading, RefRelation, RefRule } from '../../test/support/alerts/reference.ts'
import type { SentCall } from '../../test/support/alerts/segments.ts'
import { type Random, seeded, whole } from '../../test/support/random.ts'

/** Monday. */
export const START_MS = Date.UTC(2027, 2, 22)
const STEP_MS = 900_000
const minutes = (n: number): number => n * 60_000

const LATTICE_M = 20
const LATTICE_DEGREES = LATTICE_M / 111_319.49
const BUFFER_M = 50
/** Rectangles in steps of the lattice. The first two have a common edge. */
const ZONES = [
  { west: 0, south: 0, east: 30, north: 20 },
  { west: 30, south: 0, east: 60, north: 20 },
  { west: 20, south: 26, east: 40, north: 40 },
]

export const layerRecords = (): Buffer =>
  Buffer.concat(
    ZONES.map(({ west, south, east, north }, i) => {
      const ring = [west, south, east, south, east, north, west, north, west, south].map((n) => n * LATTICE_DEGREES)
      return encodeRecord({
        featureId: `zone ${i}`,
        ordinal: i,
        gone: false,
        properties: '{}',
        geometry: polygonWkb([ring]),
      })
    }),
  )

/** Distances of lattice points are never within a metre of the buffer, so a sphere decides right. */
const placeOf =
  (bufferM: number): RefPlace =>
  ([longitude, latitude]) =>
    ZONES.map(({ west, south, east, north }): RefRelation => {
      const [x, y] = [Math.round(longitude / LATTICE_DEGREES), Math.round(latitude / LATTICE_DEGREES)]
      const [dx, dy] = [Math.max(west - x, 0, x - east), Math.max(south - y, 0, y - north)]
      if (dx === 0 && dy === 0) return 'inside'
      return LATTICE_M * Math.hypot(dx, dy) <= bufferM ? 'near' : 'outside'
    })

const threshold = {
  kind: 'threshold' as const,
  match: 'all' as const,
  forMs: 0,
  keepFiringMs: 0,
  gap: 'reset' as const,
  severity: 'warning' as const,
  steps: [],
}
const zone = { kind: 'zone' as const, dwellMs: 0, minReadings: 1, minMs: 0, severity: 'info' as const }
const hot = { channel: 't', op: '>' as const, value: 30 }
const RULES: { rule: RefRule; bufferM?: number }[] = [
  { rule: { ...threshold, conditions: [{ ...hot, clearValue: 28 }], forMs: minutes(45) } },
  {
    rule: {
      ...threshold,
      conditions: [hot],
      severity: 'info',
      steps: [
        { severity: 'warning', value: 34, clearValue: 32 },
        { severity: 'critical', value: 38 },
      ],
    },
  },
  { rule: { ...threshold, conditions: [{ channel: 'b', op: '<', value: 40 }], keepFiringMs: minutes(60) } },
  {
    rule: {
      ...threshold,
      conditions: [hot, { channel: 'd', op: '=', value: 1 }],
      match: 'any',
      gap: 'hold',
      forMs: minutes(30),
      maxGapMs: minutes(20),
    },
  },
  { rule: { ...threshold, conditions: [hot, { channel: 'b', op: '>=', value: 20 }], maxGapMs: minutes(50) } },
  { rule: { ...threshold, conditions: [{ channel: 't', op: '>', value: 22 }], within: { when: 'inside' } } },
  {
    rule: {
      ...threshold,
      conditions: [{ channel: 't', op: '<=', value: 18 }],
      schedule: {
        tz: 'Europe/Berlin',
        weekly: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sun'], from: '22:00', to: '06:00' }],
      },
    },
  },
  { rule: { kind: 'silence', forMs: minutes(60), severity: 'critical' } },
  { rule: { kind: 'silence', channel: 'b', forMs: minutes(200), severity: 'warning' } },
  { rule: { kind: 'change', channel: 't', withinMs: minutes(60), by: 8, direction: 'up', severity: 'warning' } },
  { rule: { kind: 'change', channel: 't', withinMs: minutes(240), by: 11, direction: 'both', severity: 'info' } },
  { rule: { ...zone, when: 'inside', minReadings: 2 } },
  { rule: { ...zone, when: 'outside', minMs: minutes(30) }, bufferM: BUFFER_M },
  { rule: { ...zone, when: 'dwell', dwellMs: minutes(90) }, bufferM: BUFFER_M },
  { rule: { ...zone, when: 'enter', minReadings: 2 } },
  { rule: { ...zone, when: 'leave', minReadings: 2 }, bufferM: BUFFER_M },
]

const hasLayer = (rule: RefRule): boolean => rule.kind === 'zone' || (rule.kind === 'threshold' && !!rule.within)

export const watchedRules = RULES.map(({ rule, bufferM = 0 }, i) => {
  const layer = hasLayer(rule) ? 'layer' : undefined
  const own = { id: `rule ${i}`, enterprise: 1, sinceMs: START_MS, layer, bufferM }
  const watched = { ...ruleOf(rule), ...own } as WatchedRule
  return { rule, watched, place: hasLayer(rule) ? placeOf(bufferM) : undefined }
})

const CHANNELS = { t: 1, b: 2, d: 3 }
/** Every third sensor has a slow network or a wrong clock; the server's clock decides about silences, so they have none. */
const isPunctual = (sensor: number): boolean => sensor % 3 !== 0

/** Three rules for each sensor. */
export const rulesOf = (sensor: number) =>
  watchedRules.filter(({ rule }, i) => {
    const isWanted = [0, 5, 11].some((offset) => (sensor + offset) % RULES.length === i)
    return isWanted && (rule.kind !== 'silence' || isPunctual(sensor))
  })

export const watchedSensor = (number: number): WatchedSensor => ({
  number,
  enterprise: 1,
  channels: CHANNELS,
  rules: rulesOf(number).map(({ watched }) => watched.id),
  quietSinceMs: null,
  activeSinceMs: null,
  usualMs: 0,
})

export type FleetCall = SentCall & { inOrder: RefReading[] }

/** The calls of a sensor in the order of acceptance. */
export function* callsOf(seed: number, sensor: number, endMs: number): Generator<FleetCall> {
  const random = seeded(Bun.hash.crc32(`${seed} ${sensor}`))
  const skewMs = isPunctual(sensor) ? 0 : whole(random, minutes(20)) - minutes(10)
  const offsetMs = whole(random, STEP_MS)
  let held: RefReading[] = []
  let silentUntilMs = 0
  for (const reading of readingsOf(random, START_MS + offsetMs, endMs)) {
    const receivedMs = reading.at
    if (receivedMs < silentUntilMs) continue
    if (random() < 0.004) silentUntilMs = receivedMs + whole(random, minutes(600))
    const sent = { ...reading, at: reading.at + skewMs }
    if (!isPunctual(sensor) && random() < 0.05) {
      // it comes with a later call, or after it
      held.push(sent)
      continue
    }
    const isTaken = held.length > 0 && random() < 0.5
    const isTogether = random() < 0.5
    yield callOf(sensor, receivedMs, isTaken && isTogether ? [sent, ...held] : [sent])
    if (isTaken && !isTogether) yield callOf(sensor, receivedMs + 1, held)
    if (isTaken) held = []
  }
}

function* readingsOf(random: Random, firstMs: number, endMs: number): Generator<RefReading> {
  let [drift, battery, door, x, y] = [random() * 4, 30 + random() * 70, 0, whole(random, 60), whole(random, 40)]
  const [driftStep, drain] = [random() * 0.6, random() * 0.4]
  for (let i = 0; firstMs + i * STEP_MS < endMs; i++) {
    const at = firstMs + i * STEP_MS + whole(random, 30_000)
    drift = Math.max(-6, Math.min(10, drift + (random() - 0.5) * driftStep))
    battery = battery < 5 ? 100 : battery - drain
    if (random() < 0.03) door = 1 - door
    if (random() < 0.6) [x, y] = [x + whole(random, 3) - 1, y + whole(random, 3) - 1]
    const spike = random() < 0.01 ? 6 + random() * 10 : 0
    const isJump = random() < 0.01
    const values: Record<string, number> = {}
    // half degrees, so that values meet limits
    if (random() < 0.9)
      values.t = Math.round((21 + 6 * Math.sin((at / 86_400_000) * 2 * Math.PI) + drift + spike + random()) * 2) / 2
    if (i % 4 === 0) values.b = Math.round(battery)
    if (random() < 0.5) values.d = door
    const location: [number, number] = [(isJump ? x + 10 : x) * LATTICE_DEGREES, y * LATTICE_DEGREES]
    yield { at, values, ...(random() < 0.8 && { location }) }
  }
}

/** The readings of a call count in order of time. */
function callOf(sensor: number, receivedMs: number, list: readonly RefReading[]): FleetCall {
  const readings = list.map(({ at, values, location }) => ({
    atMs: at,
    values: new Map(Object.entries(values).map(([name, value]) => [CHANNELS[name as keyof typeof CHANNELS], value])),
    location,
  }))
  return { sensor, receivedMs, readings, inOrder: list.toSorted((one, other) => one.at - other.at) }
}

/** The readings that a rule counts: those that are late are left out. */
export function countedBy(rule: RefRule, readings: Iterable<RefReading>): RefReading[] {
  const counted: RefReading[] = []
  for (const reading of readings)
    if (counts(rule, reading) && reading.at > (counted.at(-1)?.at ?? Number.NEGATIVE_INFINITY)) counted.push(reading)
  return counted
}

function counts(rule: RefRule, { values, location }: RefReading): boolean {
  if (rule.kind === 'zone') return location !== undefined
  if (rule.kind === 'threshold' && rule.within !== undefined && location !== undefined) return true
  const channels = rule.kind === 'threshold' ? rule.conditions.map(({ channel }) => channel) : [rule.channel]
  return channels.some((channel) => channel === undefined || Object.hasOwn(values, channel))
}
