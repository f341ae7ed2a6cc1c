/** How often sensors are looked up when a fleet arrives that is not cached. */
import { expect, test } from 'bun:test'
import { createKeyFailures, type Peer } from '../../../src/access/keys/key-failures.ts'
import { sha256 } from '../../../src/access/keys/keys.ts'
import { createSensorGate, type SensorFacts } from '../../../src/access/sensor-gate.ts'

const ids = Array.from({ length: 3_000 }, (_, i) => `sen_${(i * 7).toString(16).padStart(32, '0')}`)
const peerOf = (id: string): Peer => ({
  headers: new Headers({ authorization: `Bearer key of ${id}` }),
  address: () => '192.0.2.1',
})

function gateWith(overrides: { fails?: boolean } = {}) {
  const queries: (readonly string[])[] = []
  const uses: [keyId: string, nowMs: number][] = []
  let isEnabled = true
  const factsOf = (id: string): SensorFacts<string> => ({
    sensorId: id,
    enterpriseId: 'ent',
    externalId: null,
    tags: [],
    keys: [{ id: `key_${id}`, digest: sha256(`key of ${id}`), expiresMs: Number.POSITIVE_INFINITY, notedMs: 0 }],
    enabled: isEnabled,
    held: false,
    assetsHeld: false,
    enterpriseActive: true,
    readingsPerDay: 1,
    profile: id,
  })
  const gate = createSensorGate<string>({
    async find(wanted) {
      queries.push(wanted)
      await Bun.sleep(1)
      return new Map(wanted.map((id) => [id, factsOf(id)]))
    },
    async idsAfter(enterpriseId, sensorId, limit) {
      if (overrides.fails) throw new Error('down')
      expect(enterpriseId).toBe('ent')
      const first = ids.indexOf(sensorId) + 1
      return ids.slice(first, first + limit)
    },
    failures: createKeyFailures({ perMinute: 10, onFailure: () => undefined }),
    assetsLicensed: true,
    callsPerMinute: Number.POSITIVE_INFINITY,
    onKeyUse: (keyId, nowMs) => uses.push([keyId, nowMs]),
  })
  const admit = async (id: string, nowMs: number) => gate.admit(id, peerOf(id), nowMs)
  return { gate, admit, queries, uses, disable: () => (isEnabled = false) }
}

test('an arriving fleet is loaded with few queries, each sensor once', async () => {
  const { admit, queries } = gateWith()
  for (let i = 0; i < ids.length; i += 10)
    for (const { profile } of await Promise.all(ids.slice(i, i + 10).map((id) => admit(id, 1_000))))
      expect(ids).toContain(profile)
  expect(queries.flat().toSorted()).toEqual(ids)
  // in groups of ten it would be 300
  expect(queries.length).toBeLessThan(60)
})

test('sensors that call rarely are loaded alone', async () => {
  const { admit, queries } = gateWith()
  for (const [i, id] of ids.slice(0, 30).entries()) await admit(id, i * 1_000)
  expect(queries).toEqual(ids.slice(0, 30).map((id) => [id]))
})

test('a sensor that was loaded ahead follows a later change, and a failure to load ahead fails no call', async () => {
  const { gate, admit, disable } = gateWith()
  for (const id of ids.slice(0, 100)) await admit(id, 1_000)
  disable()
  const changed = ids[150] as string
  gate.invalidateSensor(changed)
  await expect(admit(changed, 2_000)).rejects.toMatchObject({ code: 'SENSOR_DISABLED' })
  const failing = gateWith({ fails: true })
  for (const id of ids.slice(0, 100)) expect((await failing.admit(id, 1_000)).profile).toBe(id)
})

test('the use of a key is noted once an hour', async () => {
  const { admit, uses } = gateWith()
  const [id = ''] = ids
  const firstMs = 1_700_000_000_000
  for (const minutes of [0, 1, 59, 60, 61]) await admit(id, firstMs + minutes * 60_000)
  expect(uses).toEqual([
    [`key_${id}`, firstMs],
    [`key_${id}`, firstMs + 3_600_000],
  ])
})
