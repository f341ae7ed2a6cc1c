import { expect, test } from 'bun:test'
import { createBatch, OUTCOME, sensorProfile } from '../../../../src/ingest/batch.ts'
import type { Uplink } from '../../../../src/ingest/lorawan/payload.ts'
import { timeOf, uplinkSource } from '../../../../src/ingest/lorawan/uplink-source.ts'
import { readRowValues } from '../../../../src/ingest/row.ts'

const AT = '2026-03-01T12:00:00.123Z'
const AT_MS = Date.parse(AT)
const HOUR_MS = 3_600_000
const channel = (number: number, name: string, measurement: 'number' | 'whole' | 'boolean') => ({
  number,
  name,
  measurement,
})
const PROFILE = sensorProfile(1, 2, 30, [
  channel(1, 'temperature', 'number'),
  channel(2, 'soil.wet', 'boolean'),
  channel(3, 'count', 'whole'),
])

function filled(changes: Partial<Uplink>, { profile = PROFILE, atMs = undefined as number | undefined } = {}) {
  const uplink: Uplink = {
    devEui: '0101010101010101',
    session: 's',
    counter: 0,
    at: AT,
    values: new Map(),
    places: [],
    ...changes,
  }
  const batch = createBatch()
  uplinkSource(uplink, atMs ?? timeOf(uplink)).fill(profile, batch, AT_MS - HOUR_MS, AT_MS + HOUR_MS)
  const stored = [...batch.outcomes.subarray(0, batch.count).keys()].filter((i) => batch.outcomes[i] === OUTCOME.NEW)
  return {
    stored: stored.map((i) => {
      const row = readRowValues(batch.rows, batch.view, batch.rowEnds[i] as number)
      return { at: batch.times[i], ...row }
    }),
    refused: batch.refused,
  }
}
const values = (object: object): Uplink['values'] => new Map(Object.entries(object))
const NOWHERE = { longitude: Number.NaN, latitude: Number.NaN }

test('values of channels are stored, and others are listed', () => {
  const sent = values({ temperature: 0, 'soil.wet': false, battery: 3.1, 'soil.ph': 7 })
  expect(filled({ values: sent })).toEqual({
    stored: [{ at: AT_MS, channels: [1, 2], values: [0, 0], ...NOWHERE }],
    refused: [
      { at: AT, reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel: 'battery' },
      { at: AT, reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel: 'soil.ph' },
    ],
  })
})

test('an uplink without a value of a channel and without a place stores nothing', () => {
  const unknown = [{ at: AT, reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel: 'battery' }]
  expect(filled({ values: values({ battery: 3.1 }) })).toEqual({ stored: [], refused: unknown })
  expect(filled({})).toEqual({ stored: [], refused: [{ at: AT, reason: 'SENSOR_READING_BAD_VALUE' }] })
})

test('a value that does not fit its channel refuses the reading', () => {
  const bad = [{ at: AT, reason: 'SENSOR_READING_BAD_VALUE' }]
  for (const object of [{ temperature: true }, { count: 1.5 }, { 'soil.wet': 1 }, JSON.parse('{"temperature": 1e400}')])
    expect(filled({ values: values(object) })).toEqual({ stored: [], refused: bad })
})

test('coordinates of the payload are the location, and no channels', () => {
  const places: Uplink['places'] = [
    { lonLat: [13.4, 52.5], names: ['gps.lng', 'gps.lat'] },
    { lonLat: [1, 2], names: [] },
  ]
  const sent = values({ 'gps.lng': 13.4, 'gps.lat': 52.5, 'gps.hdop': 1 })
  expect(filled({ values: sent, places })).toEqual({
    stored: [{ at: AT_MS, channels: [], values: [], longitude: 13.4, latitude: 52.5 }],
    refused: [{ at: AT, reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel: 'gps.hdop' }],
  })
  // unless the sensor has channels of these names; then the next place is the location
  const profile = sensorProfile(1, 2, 30, [channel(1, 'gps.lng', 'number'), channel(2, 'gps.lat', 'number')])
  expect(filled({ values: sent, places }, { profile }).stored).toEqual([
    { at: AT_MS, channels: [1, 2], values: [13.4, 52.5], longitude: 1, latitude: 2 },
  ])
})

test('the time is that of the frame, and a wrong one is the only reason', () => {
  const sent = values({ temperature: 1, battery: 3.1 })
  expect(filled({ values: sent }, { atMs: AT_MS - 4 }).stored[0]?.at).toBe(AT_MS - 4)
  for (const [at, reason, echoed] of [
    [undefined, 'SENSOR_READING_AT_INVALID', null],
    ['yesterday', 'SENSOR_READING_AT_INVALID', 'yesterday'],
    [7, 'SENSOR_READING_AT_INVALID', 7],
    ['2026-03-01T13:00:00.124Z', 'SENSOR_READING_IN_FUTURE', '2026-03-01T13:00:00.124Z'],
    ['2026-03-01T11:00:00.122999Z', 'SENSOR_READING_TOO_OLD', '2026-03-01T11:00:00.122Z'],
  ] as const)
    expect(filled({ at, values: sent })).toEqual({ stored: [], refused: [{ at: echoed, reason }] })
})

test('times with nanoseconds and offsets are truncated to milliseconds', () => {
  expect(timeOf({ at: '2022-07-18T09:34:15.775023242+00:00' } as Uplink)).toBe(Date.UTC(2022, 6, 18, 9, 34, 15, 775))
})
