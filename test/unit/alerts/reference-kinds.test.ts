/**
 * The slow reference for alert rules against examples that were worked out by hand from the text of the design:
 * schedules, and the rules of other kinds.
 */
import { describe, expect, test } from 'bun:test'
import {
  change,
  places,
  position,
  readings,
  s,
  series,
  silence,
  threshold,
  times,
  track,
  type Zone,
  zone,
} from '../../support/alerts/examples.ts'
import {
  crossingsOf,
  episodesOf,
  type RefPlace,
  type RefReading,
  type RefRule,
} from '../../support/alerts/reference.ts'

describe('schedule', () => {
  const at = (time: string, t: number): RefReading => ({ at: Date.parse(time), values: { t } })
  const instants = (rule: RefRule, list: RefReading[], until = '2027-01-01T00:00Z') =>
    episodesOf(rule, list, undefined, Date.parse(until)).map(({ startedAt, firedAt, resolvedAt }) =>
      [startedAt, firedAt, resolvedAt].map((time) =>
        time === null ? null : `${new Date(time).toISOString().slice(5, 16)}Z`,
      ),
    )
  // Thursday 26 November 2026 is in winter: 08:00 in Berlin is 07:00Z
  const office = {
    tz: 'Europe/Berlin',
    weekly: [{ days: ['mon' as const, 'thu' as const], from: '08:00', to: '17:00' }],
  }

  test('gates the step to firing alone: pending continues outside, and what fires continues', () => {
    const rule = threshold({ forMs: s(60), maxGapMs: s(36_000), schedule: office })
    const list = [
      at('2026-11-26T05:00Z', 31),
      at('2026-11-26T06:59Z', 31),
      at('2026-11-26T07:00Z', 31),
      at('2026-11-26T16:00Z', 31),
      at('2026-11-26T20:00Z', 30),
    ]
    expect(instants(rule, list)).toEqual([['11-26T05:00Z', '11-26T07:00Z', '11-26T20:00Z']])
    expect(instants(rule, list.toSpliced(2, 1))).toEqual([])
  })

  test('a window ends before `to`, and other days are outside', () => {
    const rule = threshold({ schedule: office })
    const fires = (time: string) => instants(rule, [at(time, 31)]).length
    expect(fires('2026-11-26T15:59:59.999Z')).toBe(1)
    expect(fires('2026-11-26T16:00:00Z')).toBe(0)
    expect(fires('2026-11-25T12:00:00Z')).toBe(0)
    expect(fires('2026-11-30T12:00:00Z')).toBe(1)
  })

  test('`from` after `to` continues on the next day, and `to` may be 24:00', () => {
    const weekly = (from: string, to: string) =>
      threshold({ schedule: { tz: 'UTC', weekly: [{ days: ['sun'], from, to }] } })
    const fires = (rule: RefRule, ...list: string[]) => list.map((time) => instants(rule, [at(time, 31)]).length)
    // 22 November 2026 is a Sunday
    const [sunday, monday] = ['2026-11-22', '2026-11-23']
    expect(
      fires(
        weekly('22:00', '02:00'),
        `${sunday}T01:00Z`,
        `${sunday}T21:59Z`,
        `${sunday}T22:00Z`,
        `${monday}T00:00Z`,
        `${monday}T01:59Z`,
        `${monday}T02:00Z`,
        `${monday}T22:30Z`,
      ),
    ).toEqual([0, 0, 1, 1, 1, 0, 0])
    expect(fires(weekly('22:00', '24:00'), `${sunday}T23:59Z`, `${monday}T00:00Z`)).toEqual([1, 0])
  })

  const sundays = (from: string, to: string) => ({
    tz: 'Europe/Berlin',
    weekly: [{ days: ['sun' as const], from, to }],
  })
  const saturdays = (from: string, to: string) => ({
    tz: 'Europe/Berlin',
    weekly: [{ days: ['sat' as const], from, to }],
  })

  test('the night in March: 01:59 is followed by 03:00, at 01:00Z', () => {
    // the last reading at 00:40Z is 01:40 on the clock; 02:00 never shows
    const opens = (schedule: ReturnType<typeof sundays>) =>
      instants(silence({ schedule }), [at('2026-03-29T00:40Z', 0)], '2026-03-30T00:00Z').map(([, firedAt]) => firedAt)
    expect(opens(sundays('02:00', '03:30'))).toEqual(['03-29T01:00Z'])
    expect(opens(sundays('03:15', '03:30'))).toEqual(['03-29T01:15Z'])
    expect(opens(sundays('02:00', '03:00'))).toEqual([])
    // Saturday's window closes at the jump
    const fires = (time: string) =>
      instants(threshold({ schedule: saturdays('22:00', '02:30') }), [at(time, 31)]).length
    expect(fires('2026-03-28T21:00Z')).toBe(1)
    expect(fires('2026-03-29T00:59Z')).toBe(1)
    expect(fires('2026-03-29T01:00Z')).toBe(0)
  })

  test('the night in October: the hour from 02:00 counts twice, from 00:00Z and from 01:00Z', () => {
    const schedule = sundays('02:00', '02:30')
    const fires = (time: string) => instants(threshold({ schedule }), [at(time, 31)]).length
    expect(
      ['23:59Z', '00:00Z', '00:29Z', '00:30Z', '00:59Z', '01:00Z', '01:29Z', '01:30Z'].map((time) =>
        fires(`2026-10-${time === '23:59Z' ? 24 : 25}T${time}`),
      ),
    ).toEqual([0, 1, 1, 0, 0, 1, 1, 0])
    // the first 02:30 has passed when 15 minutes of silence are over
    const quiet = silence({ forMs: s(900), schedule })
    expect(instants(quiet, [at('2026-10-25T00:20Z', 0)], '2026-10-26T00:00Z')).toEqual([
      ['10-25T00:20Z', '10-25T01:00Z', null],
    ])
    // Saturday's window closes at the second 02:30, and is interrupted after the first
    const late = threshold({ schedule: saturdays('22:00', '02:30') })
    expect(
      ['2026-10-25T00:29Z', '2026-10-25T00:30Z', '2026-10-25T01:00Z', '2026-10-25T01:30Z'].map(
        (time) => instants(late, [at(time, 31)]).length,
      ),
    ).toEqual([1, 0, 1, 0])
  })

  test('change and zone alerts fire at the next reading in the schedule', () => {
    const list = [at('2026-11-26T06:58Z', 0), at('2026-11-26T06:59Z', 10), at('2026-11-26T07:01Z', 20)]
    expect(instants(change({ withinMs: s(120), schedule: office }), list)).toEqual([
      ['11-26T06:59Z', '11-26T07:01Z', null],
    ])
    const positions = list.map(({ at: time }) => ({ at: time, values: {}, location: [0, 0] as [number, number] }))
    const [alert] = episodesOf(zone('inside', { schedule: office }), positions, places(['I']), 0)
    expect([alert?.startedAt, alert?.firedAt]).toEqual([
      Date.parse('2026-11-26T06:58Z'),
      Date.parse('2026-11-26T07:01Z'),
    ])
  })

  test('events need a confirming reading in the schedule', () => {
    const positions = ['06:58', '06:59', '07:00'].map((time, i) => ({
      ...at(`2026-11-26T${time}Z`, 0),
      location: [i, 0] as [number, number],
    }))
    const enter = (minReadings: number) =>
      crossingsOf(zone('enter', { minReadings, schedule: office }), positions, places(['O', 'I', 'I'])).map(
        (event) => event.at,
      )
    expect(enter(1)).toEqual([])
    // confirmed at 07:00Z
    expect(enter(2)).toEqual([Date.parse('2026-11-26T06:59Z')])
  })
})

describe('silence', () => {
  test('is more than 60 s between two readings', () => {
    expect(times(silence(), series([0, 1], [60, 1], [121, 1], [130, 1]), undefined, 190)).toEqual([[60, 120, 121]])
  })

  test('lasts until the end of a preview, by `at` alone', () => {
    expect(times(silence(), series([100, 1]), undefined, 161)).toEqual([[100, 160, null]])
    expect(times(silence(), series([100, 1]), undefined, 160)).toEqual([])
    expect(times(silence(), [], undefined, 1_000)).toEqual([])
  })

  test('of a channel: other channels do not end it', () => {
    const list = readings([0, { t: 5 }], [50, { u: 1 }], [100, { t: 6 }])
    expect(times(silence({ channel: 't' }), list, undefined, 110)).toEqual([[0, 60, 100]])
    expect(times(silence(), list, undefined, 110)).toEqual([])
    expect(episodesOf(silence({ channel: 't' }), list, undefined, s(110))[0]?.values).toEqual({ t: 5 })
  })

  test('fires when the schedule opens, unless a reading arrives before', () => {
    // 1 January 1970 was a Thursday: open from 3,600 s
    const rule = silence({ schedule: { tz: 'UTC', weekly: [{ days: ['thu'], from: '01:00', to: '02:00' }] } })
    expect(times(rule, series([10, 1], [3_601, 1]), undefined, 3_610)).toEqual([[10, 3_600, 3_601]])
    expect(times(rule, series([10, 1], [3_599, 1]), undefined, 3_610)).toEqual([])
  })
})

describe('change', () => {
  test('up: value minus the lowest value of the window, both ends included', () => {
    // at 60 the window is [0, 60], and 15 − 5 = 10; at 70 it is [10, 70], and 15 − 6 = 9
    const list = series([0, 5], [10, 6], [60, 15], [70, 15], [80, 16])
    expect(times(change(), list)).toEqual([[60, 60, 70]])
    expect(times(change(), series([0, 5], [61, 15]))).toEqual([])
  })

  test('down, and both', () => {
    const list = series([0, 20], [10, 10], [20, 21], [90, 21])
    expect(times(change({ direction: 'down' }), list)).toEqual([[10, 10, 20]])
    expect(times(change({ direction: 'up' }), list)).toEqual([[20, 20, 90]])
    // up follows down without a reading between them
    expect(times(change({ direction: 'both' }), list)).toEqual([[10, 10, 90]])
  })

  test('readings without the channel do not count', () => {
    const list = readings([0, { t: 0 }], [10, { t: 10 }], [200, { u: 1 }], [210, { t: 10 }])
    expect(times(change(), list)).toEqual([[10, 10, 210]])
    expect(episodesOf(change(), list, undefined, 0)[0]?.values).toEqual({ t: 10 })
  })
})

describe('zone', () => {
  const crossings = (rule: Zone, [list, place]: [RefReading[], RefPlace]) =>
    crossingsOf(rule, list, place).map(({ at, polygon }) => [at / 1_000, polygon])
  const alerts = (rule: Zone, [list, place]: [RefReading[], RefPlace]) =>
    episodesOf(rule, list, place, 0).map(({ startedAt, firedAt, resolvedAt, polygon }) => [
      startedAt / 1_000,
      firedAt / 1_000,
      resolvedAt === null ? null : resolvedAt / 1_000,
      ...(polygon === undefined ? [] : [polygon]),
    ])

  test('enter and leave are events for each polygon by itself', () => {
    // a first position inside enters; a first position outside leaves nothing
    const list = track(['IO', 'IO', 'OI', 'II', 'OO'])
    expect(crossings(zone('enter'), list)).toEqual([
      [0, 0],
      [20, 1],
      [30, 0],
    ])
    expect(crossings(zone('leave'), list)).toEqual([
      [20, 0],
      [40, 0],
      [40, 1],
    ])
    expect(alerts(zone('enter'), list)).toEqual([])
    expect(crossings(zone('inside'), list)).toEqual([])
  })

  test('a position near a polygon is on the present side; an unknown side is outside', () => {
    expect(crossings(zone('enter'), track(['N', 'I', 'N', 'O', 'N', 'I']))).toEqual([
      [10, 0],
      [50, 0],
    ])
    expect(crossings(zone('leave'), track(['N', 'I', 'N', 'O', 'N', 'I']))).toEqual([[30, 0]])
    expect(alerts(zone('outside'), track(['N', 'I']))).toEqual([[0, 0, 10]])
  })

  test('the side changes after positions in a row that span a time; the event is at the first of them', () => {
    const three = zone('enter', { minReadings: 3 })
    expect(crossings(three, track(['O', 'I', 'I', 'O', 'I', 'I', 'I']))).toEqual([[40, 0]])
    expect(crossings(three, track(['I', 'I', 'O', 'I', 'I']))).toEqual([])
    // near is outside until the side is inside, so it breaks the row
    expect(crossings(three, track(['O', 'I', 'I', 'N', 'I', 'I', 'I']))).toEqual([[40, 0]])
    // near is inside afterwards, so it breaks the row of positions outside
    const leave = zone('leave', { minReadings: 2 })
    expect(crossings(leave, track(['I', 'I', 'O', 'N', 'O', 'O']))).toEqual([[40, 0]])
    // 20 s need three positions that are 10 s apart
    const seconds = zone('enter', { minMs: s(20) })
    expect(crossings(seconds, track(['O', 'I', 'I', 'O', 'I', 'I', 'I']))).toEqual([[40, 0]])
  })

  test('readings without a location do not count', () => {
    const list = [position(0, 0), ...series([5, 1]), position(10, 0)]
    expect(crossings(zone('enter', { minReadings: 3 }), [list, places(['I'])])).toEqual([])
  })

  test('inside and outside are alerts for the layer as a whole', () => {
    // from one polygon to the next is no change
    const list = track(['OO', 'IO', 'OI', 'OO', 'OO'])
    expect(alerts(zone('inside'), list)).toEqual([[10, 10, 30]])
    expect(alerts(zone('outside'), list)).toEqual([
      [0, 0, 10],
      [30, 30, null],
    ])
    // near one polygon, outside the other: on the present side
    expect(alerts(zone('inside'), track(['IO', 'ON', 'OO']))).toEqual([[0, 0, 20]])
  })

  test('an alert begins with the run and ends with the reading that confirms the other side', () => {
    const list = track(['O', 'O', 'I', 'I', 'O', 'I', 'O', 'O'])
    // inside since 20, confirmed at 30; outside since 60, confirmed at 70
    expect(alerts(zone('inside', { minReadings: 2 }), list)).toEqual([[20, 30, 70]])
    expect(alerts(zone('outside', { minReadings: 2 }), list)).toEqual([
      [0, 10, 30],
      [60, 70, null],
    ])
  })

  test('dwell counts from the first of the run, over gaps, for each polygon', () => {
    const dwell = zone('dwell', { dwellMs: s(30), minReadings: 2 })
    // polygon 0 since 0: 30 s at 30; polygon 1 since 20: 30 s at 50
    expect(alerts(dwell, track(['IO', 'IO', 'II', 'II', 'II', 'OO', 'OO']))).toEqual([
      [0, 30, 60, 0],
      [20, 50, 60, 1],
    ])
    const gap: [RefReading[], RefPlace] = [[position(0, 0), position(10, 0), position(5_000, 0)], places(['I'])]
    expect(alerts(dwell, gap)).toEqual([[0, 5_000, null, 0]])
    expect(alerts(zone('dwell', { dwellMs: s(31) }), track(['I', 'I', 'I', 'I', 'O']))).toEqual([])
  })
})
