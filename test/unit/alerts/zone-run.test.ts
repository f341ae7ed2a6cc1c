/** Zone rules find the episodes and crossings of a slow reference, and of tracks over real polygons. */
import { afterAll, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Change, Crossing, Places, RunState, Sink } from '../../../src/alerts/judging/run.ts'
import { SnapshotReader, SnapshotWriter } from '../../../src/alerts/judging/snapshot-bytes.ts'
import { placesOf } from '../../../src/alerts/zones/layer-places.ts'
import type { AnyZoneRule } from '../../../src/alerts/zones/zone-memory.ts'
import { ZoneRun } from '../../../src/alerts/zones/zone-run.ts'
import { loadGeos } from '../../../src/lib/geo/geometry/geos.ts'
import { polygonWkb } from '../../../src/lib/geo/geometry/globe.ts'
import { CachedLayer } from '../../../src/lib/geo/layers/cached-layer.ts'
import { encodeRecord } from '../../../src/lib/geo/layers/layer-records.ts'
import {
  crossingsOf,
  episodesOf,
  type RefReading,
  type RefRelation,
  type RefRule,
} from '../../support/alerts/reference.ts'
import { type Random, seeded, testSeed, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'

const folder = mkdtempSync(join(tmpdir(), 'zone-run-'))
afterAll(() => rmSync(folder, { recursive: true }))

type ZoneRule = Extract<RefRule, { kind: 'zone' }>
const some = <T>(random: Random, list: readonly T[]): T => list[whole(random, list.length)] as T
const WHEN = ['enter', 'leave', 'inside', 'outside', 'dwell'] as const
const RELATIONS = ['inside', 'near', 'outside'] as const
/** A location's longitude is an index in a list of relations to three polygons. */
const PLACES = RELATIONS.flatMap((a) => RELATIONS.flatMap((b) => RELATIONS.map((c) => [a, b, c])))

const fakePlaces: Places = {
  around: (longitude) => {
    const relations = PLACES[longitude] as RefRelation[]
    const slotsOf = (wanted: RefRelation) => [0, 1, 2].filter((slot) => relations[slot] === wanted)
    return { inside: slotsOf('inside'), near: slotsOf('near') }
  },
  idOf: (slot) => `zone ${slot}`,
}

type Found = { changes: Change[]; crossings: Crossing[] }

/** Runs for several sensors, which continue from a snapshot whenever `restart` is called. */
function watch(rule: ZoneRule, sensors: number, places: Places = fakePlaces) {
  const found = Array.from({ length: sensors }, (): Found => ({ changes: [], crossings: [] }))
  const sink: Sink = {
    change: (slot, change) => found[slot]?.changes.push(change),
    crossing: (slot, crossing) => found[slot]?.crossings.push(crossing),
  }
  const begun = (): ZoneRun => {
    const run = new ZoneRun(rule as AnyZoneRule, sink)
    run.places = places
    return run
  }
  let run = begun()
  for (let sensor = 0; sensor < sensors; sensor++) expect(run.add(Number.NEGATIVE_INFINITY)).toBe(sensor)
  return {
    found,
    push: (sensor: number, { at, location = [Number.NaN, Number.NaN] }: RefReading) =>
      run.push(sensor, at, at, ...location),
    stateOf: (sensor: number): RunState => run.stateOf(sensor),
    restart() {
      const writer = new SnapshotWriter()
      run.save(writer)
      run = begun()
      run.load(new SnapshotReader(Buffer.from(writer.take())))
    },
  }
}

type Episode = { polygon: string | undefined; startedAt: number; firedAt: number; resolvedAt: number | null }
const inOrder = (list: Episode[]): Episode[] =>
  list.toSorted((a, b) => a.startedAt - b.startedAt || (a.polygon ?? '').localeCompare(b.polygon ?? ''))

function episodesIn({ changes }: Found): Episode[] {
  const episodes: Episode[] = []
  for (const change of changes) {
    if (change.type === 'firing')
      episodes.push({ polygon: change.polygon, startedAt: change.startedMs, firedAt: change.firedMs, resolvedAt: null })
    if (change.type !== 'resolved') continue
    const open = episodes.filter(({ polygon, resolvedAt }) => polygon === change.polygon && resolvedAt === null)
    // the end names its alert
    expect(open.map(({ startedAt }) => startedAt)).toEqual([change.startedMs])
    ;(open[0] as Episode).resolvedAt = change.resolvedMs
  }
  return inOrder(episodes)
}

function anyRule(random: Random): ZoneRule {
  return {
    kind: 'zone',
    when: some(random, WHEN),
    dwellMs: 60_000 * whole(random, 30),
    minReadings: 1 + whole(random, 3),
    minMs: some(random, [0, 0, 240_000]),
    severity: 'warning',
    ...(random() < 0.2 && {
      schedule: { tz: 'Africa/Cairo', weekly: [{ days: ['mon', 'tue'] as const, from: '09:00', to: '15:30' }] },
    }),
  } as ZoneRule
}

/** Mostly steps to a similar place; some readings have no location, or are late. */
function anyTrack(random: Random): RefReading[] {
  let at = Date.UTC(2026, 10, 23, 6) + whole(random, 10_000)
  let place = whole(random, PLACES.length)
  return Array.from({ length: 60 }, (): RefReading => {
    at += 1 + whole(random, 300_000)
    if (random() < 0.6) place = whole(random, PLACES.length)
    if (random() < 0.1) return { at, values: { t: 1 } }
    return { at, values: {}, location: [place, 0] }
  })
}

test(`random rules and tracks of several sensors with restarts, seed ${testSeed}`, () => {
  const random = seeded(testSeed)
  const counts = { enter: 0, leave: 0, inside: 0, outside: 0, dwell: 0, late: 0 }
  const place = ([longitude]: [number, number]) => PLACES[longitude] as RefRelation[]
  for (let round = 0; round < rounds(100, 5_000); round++) {
    const rule = anyRule(random)
    const tracks = Array.from({ length: 3 }, () => anyTrack(random))
    const watched = watch(rule, tracks.length)
    for (let i = 0; i < 60; i++) {
      tracks.forEach((track, sensor) => {
        const reading = track[i] as RefReading
        expect(watched.push(sensor, reading)).toBe(true)
        if (reading.location === undefined || random() > 0.1) return
        const late = { ...reading, at: reading.at - some(random, [0, 1, 700_000]), location: [whole(random, 27), 0] }
        expect(watched.push(sensor, late as RefReading)).toBe(false)
        counts.late++
      })
      if (random() < 0.05) watched.restart()
    }
    tracks.forEach((track, sensor) => {
      const own = watched.found[sensor] as Found
      const expected = episodesOf(rule, track, place, 0).map(({ startedAt, firedAt, resolvedAt, polygon }) => ({
        polygon: polygon === undefined ? undefined : `zone ${polygon}`,
        startedAt,
        firedAt,
        resolvedAt,
      }))
      expect({ round, rule, episodes: episodesIn(own) }).toEqual({ round, rule, episodes: inOrder(expected) })
      const isFiring = expected.some(({ resolvedAt }) => resolvedAt === null)
      expect(watched.stateOf(sensor).state === 'firing').toBe(isFiring)
      const crossed = crossingsOf(rule, track, place).map(({ at, polygon }) => [at, `zone ${polygon}`] as const)
      const crossings = own.crossings.flatMap(({ atMs, polygons }) => polygons.map((id) => [atMs, id] as const))
      const sorted = (list: (readonly [number, string])[]) =>
        list.toSorted((a, b) => a[0] - b[0] || a[1].localeCompare(b[1]))
      expect({ round, rule, crossings: sorted(crossings) }).toEqual({ round, rule, crossings: sorted(crossed) })
      // one event for polygons that are crossed together, at the first position of the run
      expect(new Set(own.crossings.map(({ atMs }) => atMs)).size).toBe(own.crossings.length)
      for (const { atMs, longitude, latitude } of own.crossings)
        expect([longitude, latitude]).toEqual(track.find(({ at }) => at === atMs)?.location as [number, number])
      counts[rule.when] += expected.length + crossed.length
    })
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(20)
})

// ---- real polygons

type Ring = [longitude: number, latitude: number][]
const METRE = 1 / 111_319.49
/** A square around a place on the equator, in metres. */
const square = (x: number, y: number, halfM: number): Ring =>
  [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
    [-1, -1],
  ].map(([east, north]) => [(x + (east as number) * halfM) * METRE, (y + (north as number) * halfM) * METRE])

const record = (featureId: string, ordinal: number, rings: Ring[] | undefined): Buffer =>
  encodeRecord({
    featureId,
    ordinal,
    gone: rings === undefined,
    properties: '{}',
    geometry: rings === undefined ? null : polygonWkb(rings.map((ring) => ring.flat())),
  })

const geos = await loadGeos()
const path = join(folder, 'layer')
const HOLED = [square(0, 0, 1_000), square(0, 0, 300)]
writeFileSync(path, Buffer.concat([record('holed', 1, HOLED), record('beside', 2, [square(3_000, 0, 1_000)])]))
const layer = new CachedLayer(geos, path, 0, statSync(path).size)

const ruleOf = (when: ZoneRule['when'], fields: Partial<ZoneRule> = {}): ZoneRule => ({
  kind: 'zone',
  when,
  dwellMs: 0,
  minReadings: 1,
  minMs: 0,
  severity: 'critical',
  ...fields,
})
/** Positions in metres from the middle of the first polygon, one every ten seconds. */
function along(rule: ZoneRule, bufferM: number, ...positions: [eastM: number, northM: number][]): Found {
  const watched = watch(rule, 1, placesOf(layer, bufferM))
  positions.forEach(([east, north], i) => {
    const location: [number, number] = [east * METRE, north * METRE]
    watched.push(0, { at: i * 10_000, values: {}, location })
  })
  return watched.found[0] as Found
}
const crossingsAlong = (...track: Parameters<typeof along>) =>
  along(...track).crossings.map(({ atMs, polygons }) => [atMs / 10_000, ...polygons])
const episodesAlong = (...track: Parameters<typeof along>) =>
  episodesIn(along(...track)).map(({ polygon, startedAt, firedAt, resolvedAt }) => [
    polygon ?? 'layer',
    startedAt / 10_000,
    firedAt / 10_000,
    resolvedAt === null ? null : resolvedAt / 10_000,
  ])

test('a jump of 200 m out of a zone and back is no event with two readings', () => {
  const jump: [number, number][] = [
    [900, 0],
    [900, 5],
    [1_100, 0],
    [900, 0],
    [900, 10],
    [1_100, 0],
    [1_150, 0],
  ]
  expect(crossingsAlong(ruleOf('leave'), 0, ...jump)).toEqual([
    [2, 'holed'],
    [5, 'holed'],
  ])
  const debounced = along(ruleOf('leave', { minReadings: 2 }), 0, ...jump)
  // the event has the time and position of the first of the two
  expect(debounced.crossings).toEqual([{ atMs: 50_000, longitude: 1_100 * METRE, latitude: 0, polygons: ['holed'] }])
  expect(crossingsAlong(ruleOf('enter', { minReadings: 2 }), 0, ...jump)).toEqual([[0, 'holed']])
  expect(crossingsAlong(ruleOf('leave', { minMs: 10_001 }), 0, ...jump)).toEqual([])
  expect(crossingsAlong(ruleOf('leave', { minMs: 10_000 }), 0, ...jump)).toEqual([[5, 'holed']])
})

test('positions that move along an edge change nothing within the buffer', () => {
  const drift = Array.from({ length: 40 }, (_, i): [number, number] => [1_000 + (i % 2 ? 12 : -12), i - 20])
  expect(crossingsAlong(ruleOf('leave'), 0, ...drift)).toHaveLength(20)
  expect(crossingsAlong(ruleOf('leave'), 15, ...drift)).toEqual([])
  expect(episodesAlong(ruleOf('inside'), 0, ...drift)).toHaveLength(20)
  expect(episodesAlong(ruleOf('inside'), 15, ...drift)).toEqual([['layer', 0, 0, null]])
  // near an unknown zone is outside
  expect(episodesAlong(ruleOf('outside'), 15, [1_010, 0], [1_005, 0], [990, 0], [1_010, 0], [1_016, 0])).toEqual([
    ['layer', 0, 0, 2],
    ['layer', 4, 4, null],
  ])
})

test('edges belong to the inside, holes do not, and a dwell is of one polygon', () => {
  expect(episodesAlong(ruleOf('inside'), 0, [1_000, 0], [1_000.01, 0], [-1_000, -1_000], [0, 0], [300, 0])).toEqual([
    ['layer', 0, 0, 1],
    ['layer', 2, 2, 3],
    ['layer', 4, 4, null],
  ])
  // 280 m from the edge of the hole
  expect(episodesAlong(ruleOf('inside'), 281, [500, 0], [20, 0], [10, 0])).toEqual([['layer', 0, 0, 2]])
  const through: [number, number][] = [
    [900, 0],
    [2_100, 0],
    [2_200, 0],
    [2_300, 0],
    [5_000, 0],
  ]
  expect(episodesAlong(ruleOf('dwell', { dwellMs: 20_000 }), 0, ...through)).toEqual([['beside', 1, 3, 4]])
  // from one polygon of a layer into another one
  expect(episodesAlong(ruleOf('inside'), 0, ...through)).toEqual([['layer', 0, 0, 4]])
})

test(`positions in squares without edges, seed ${testSeed}`, () => {
  const random = seeded(testSeed)
  let steady = 0
  for (let round = 0; round < rounds(20, 2_000); round++) {
    const rule = anyRule(random)
    const bufferM = some(random, [0, 60, 900])
    const known = placesOf(layer, bufferM)
    const watched = watch(rule, 1, known)
    const measured = watch(rule, 1, { around: known.around, idOf: known.idOf })
    let [x, y] = [0, 0]
    for (let i = 0; i < 300; i++) {
      ;[x, y] = [x + (random() - 0.4) * 400, y + (random() - 0.5) * 400]
      if (random() < 0.02) [x, y] = [(random() - 0.5) * 30_000, (random() - 0.5) * 10_000]
      const reading = { at: Date.UTC(2026, 10, 23, 6) + i * 60_000, values: {}, location: [x * METRE, y * METRE] }
      watched.push(0, reading as RefReading)
      if (known.steadyDegrees) steady++
      measured.push(0, reading as RefReading)
      if (random() < 0.01) watched.restart()
    }
    expect({ round, rule, found: watched.found }).toEqual({ round, rule, found: measured.found })
    expect(watched.stateOf(0)).toEqual(measured.stateOf(0))
  }
  expect(steady).toBeGreaterThan(1_000)
})

test('a layer that was changed is seen as it is now', () => {
  expect(layer.sidesAt(3_000 * METRE, 0, 50)).toEqual({ inside: [1], near: [] })
  const before = statSync(path).size
  appendFileSync(path, Buffer.concat([record('beside', 2, undefined), record('new', 3, [square(8_000, 0, 10)])]))
  layer.update(path, before, statSync(path).size)
  expect(layer.sidesAt(3_000 * METRE, 0, 50)).toEqual({ inside: [], near: [] })
  expect(layer.sidesAt(8_059 * METRE, 0, 50)).toEqual({ inside: [], near: [2] })
})
