import { describe, expect, test } from 'bun:test'
import type { Uplink } from '../../../../src/ingest/lorawan/payload.ts'
import { readThingsStack } from '../../../../src/ingest/lorawan/things-stack.ts'
import { JOIN_ACCEPT, UPLINK } from '../../../support/lorawan/things-stack.ts'

function uplinkOf(message: unknown): Uplink {
  const read = readThingsStack(message)
  if (!('uplink' in read)) throw new Error('the message was not read as an uplink')
  return read.uplink
}
const withUplink = (changes: object) => ({ ...UPLINK, uplink_message: { ...UPLINK.uplink_message, ...changes } })
const lonLatsOf = (message: unknown) => uplinkOf(message).places.map(({ lonLat }) => lonLat)

describe('the uplink of the documentation', () => {
  test('has its device, session, counter, time, values and the place of its gateway', () => {
    const { values, ...uplink } = uplinkOf(UPLINK)
    expect(uplink).toEqual({
      devEui: '0004A30B001C0530',
      session: 'AXA50tHUGUucuzS/bCGMNw==',
      counter: 1,
      at: '2020-02-12T15:15:45.787Z',
      places: [{ lonLat: [23.72678801175413, 37.97155556731436], names: [] }],
    })
    expect([...values]).toEqual([
      ['temperature', 1],
      ['luminosity', 0.64],
    ])
  })

  // the documentation: "if a certain field has a value of "", 0 or false it will not be present in the message"
  test('has counter 0 without f_cnt, and no value for a channel that is missing', () => {
    const { f_cnt: _, ...first } = UPLINK.uplink_message
    const { counter, values } = uplinkOf({ ...UPLINK, uplink_message: { ...first, decoded_payload: { rain: 0 } } })
    expect({ counter, values: [...values] }).toEqual({ counter: 0, values: [['rain', 0]] })
  })

  test('has the time of the network server if no gateway has a clock', () => {
    const settings = { data_rate: { lora: { bandwidth: 125_000, spreading_factor: 7 } }, frequency: '868300000' }
    expect(uplinkOf(withUplink({ settings })).at).toBe('2020-02-12T15:15:45.789585559Z')
  })

  test('is of the device address if there is no session key', () => {
    expect(uplinkOf(withUplink({ session_key_id: undefined })).session).toBe('00BCB929')
  })

  test('has no values without a payload formatter', () => {
    expect(uplinkOf(withUplink({ decoded_payload: undefined })).values.size).toBe(0)
  })
})

describe('places', () => {
  const gateway = (rssi: number | undefined, longitude?: number) => ({
    rssi,
    ...(longitude === undefined ? {} : { location: { latitude: 1, longitude, source: 'SOURCE_REGISTRY' } }),
  })
  test('are of the payload, then of the device, then of the gateway with the strongest signal', () => {
    const message = withUplink({
      decoded_payload: { gps_1: { latitude: 52.5, longitude: 13.4, altitude: 40 } },
      locations: {
        user: { latitude: 2, longitude: 3, source: 'SOURCE_REGISTRY' },
        'frm-payload': { latitude: 52.5, longitude: 13.4, source: 'SOURCE_GPS' },
      },
      rx_metadata: [gateway(-110, 10), gateway(-35), gateway(undefined, 13), gateway(-70, 12)],
    })
    expect(lonLatsOf(message)).toEqual([
      [13.4, 52.5],
      [13.4, 52.5],
      [3, 2],
      [12, 1],
      [10, 1],
      [13, 1],
    ])
    expect(uplinkOf(message).places[0]?.names).toEqual(['gps_1.longitude', 'gps_1.latitude'])
  })

  test('outside of the earth, or in half, are none', () => {
    const decoded_payload = {
      a: { lat: 91, lng: 0 },
      b: { latitude: 1 },
      c: { lat: '1', lon: '2' },
      d: { lat: 1, lon: 2 },
    }
    expect(lonLatsOf(withUplink({ decoded_payload, rx_metadata: 'none', locations: [] }))).toEqual([[2, 1]])
  })
})

describe('payloads', () => {
  const valuesOf = (decoded_payload: unknown) => [...uplinkOf(withUplink({ decoded_payload })).values]

  test('of any depth have dotted names; lists, texts and null are ignored', () => {
    const payload = {
      zero: 0,
      no: false,
      text: '3.384 V',
      nothing: null,
      list: [1, { x: 2 }],
      soil: { depth: { '10cm': { moisture: 0.31, wet: true } } },
    }
    expect(valuesOf(payload)).toEqual([
      ['zero', 0],
      ['no', false],
      ['soil.depth.10cm.moisture', 0.31],
      ['soil.depth.10cm.wet', true],
    ])
  })

  test('have the first value of a dotted name that occurs twice', () => {
    expect(valuesOf({ 'a.b': 1, a: { b: 2 } })).toEqual([['a.b', 1]])
  })

  test('that are no objects have no values', () => {
    for (const payload of [[1, 2], 'x', 7, null]) expect(valuesOf(payload)).toEqual([])
  })

  test('with names of objects of JavaScript have these names', () => {
    expect(valuesOf(JSON.parse('{"__proto__": 1, "constructor": {"name": 2}}'))).toEqual([
      ['__proto__', 1],
      ['constructor.name', 2],
    ])
  })

  test('with names that are longer than the names of channels end there', () => {
    expect(valuesOf({ ['n'.repeat(200)]: 1, ['m'.repeat(201)]: 2, ['o'.repeat(199)]: { p: 3 } })).toEqual([
      ['n'.repeat(200), 1],
    ])
  })
})

describe('other messages', () => {
  test('are events, such as the join of the documentation', () => {
    expect(readThingsStack(JOIN_ACCEPT)).toEqual({
      event: { devEui: '0004A30B001C0530', kind: 'join', at: '2020-02-17T07:49:09.935284891Z' },
    })
  })

  // the documentation's example of a failed downlink has neither a DevEUI nor a time
  test('may have neither a DevEUI nor a time', () => {
    const message = {
      end_device_ids: { device_id: 'dev1', application_ids: { application_id: 'app1' } },
      downlink_failed: { downlink: { f_port: 15 }, error: { name: 'application_downlink_too_long', code: 3 } },
    }
    expect(readThingsStack(message)).toEqual({ event: { devEui: undefined, kind: 'failed', at: undefined } })
  })

  test('of an unknown kind, uplinks without a DevEUI and wrong counters are refused', () => {
    for (const message of [
      {},
      [],
      null,
      'text',
      { ...UPLINK, end_device_ids: { device_id: 'dev1' } },
      ...['', '\u0000', 'e'.repeat(201), 7].map((dev_eui) => ({ ...UPLINK, end_device_ids: { dev_eui } })),
      withUplink({ f_cnt: -1 }),
      withUplink({ f_cnt: 'x' }),
      withUplink({ f_cnt: 1.5 }),
    ])
      expect(() => readThingsStack(message)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }))
  })
})
