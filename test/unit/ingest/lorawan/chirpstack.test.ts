import { expect, test } from 'bun:test'
import { CHIRPSTACK_EVENTS, readChirpstack } from '../../../../src/ingest/lorawan/chirpstack.ts'
import type { Uplink } from '../../../../src/ingest/lorawan/payload.ts'
import { STATUS, UP } from '../../../support/lorawan/chirpstack.ts'

function uplinkOf(event: unknown): Uplink {
  const read = readChirpstack('up', event)
  if (!('uplink' in read)) throw new Error('the event was not read as an uplink')
  return read.uplink
}

test('the uplink of the documentation is the first frame of its session', () => {
  expect(uplinkOf(UP)).toEqual({
    devEui: '0101010101010101',
    session: '00189440',
    counter: 0,
    at: '2022-07-18T09:34:15.775023242+00:00',
    values: new Map(),
    places: [],
  })
})

test('members of the decoded object are values, with their zeros', () => {
  const object = { fcnt: 3.0, temperature: { external: 0.0, alarm: false }, batch: [[43.0, '0815']], dnlink: null }
  expect([...uplinkOf({ ...UP, fCnt: 7, object }).values]).toEqual([
    ['fcnt', 3],
    ['temperature.external', 0],
    ['temperature.alarm', false],
  ])
  expect(uplinkOf({ ...UP, fCnt: 7, object }).counter).toBe(7)
})

test('the place is that of the payload, else of the gateway with the strongest signal', () => {
  const rxInfo = [
    { gatewayId: '0016c001f153a14c', rssi: -101, location: { latitude: 1, longitude: 10 } },
    { gatewayId: '0016c001f153a14d', rssi: -36, location: { latitude: 2, longitude: 20, altitude: 3 } },
  ]
  expect(uplinkOf({ ...UP, rxInfo }).places[0]?.lonLat).toEqual([20, 2])
  const object = { position: { lat: 52.5, lng: 13.4 } }
  expect(uplinkOf({ ...UP, rxInfo, object }).places[0]).toEqual({
    lonLat: [13.4, 52.5],
    names: ['position.lng', 'position.lat'],
  })
})

test('all other events have a kind and a time', () => {
  for (const kind of CHIRPSTACK_EVENTS.filter((name) => name !== 'up'))
    expect(readChirpstack(kind, STATUS)).toEqual({
      event: { devEui: '0101010101010101', kind, at: '2022-07-18T09:35:06.927172638+00:00' },
    })
})

test('an uplink without a DevEUI or with a wrong counter is refused', () => {
  for (const event of [null, [], {}, { ...UP, deviceInfo: { devEui: 1 } }, { ...UP, fCnt: '1' }, { ...UP, fCnt: -1 }])
    expect(() => readChirpstack('up', event)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }))
})
