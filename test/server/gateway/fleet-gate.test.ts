/**
 * The gate of fleet keys over a real PostgreSQL: who may send for which sensor, and what invented names cost.
 * More than 400 lines, since all tests use one gate with counts of its lookups.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createFleetNames } from '../../../src/access/fleet/fleet-names.ts'
import { type FleetNotes, startFleetNotes } from '../../../src/access/fleet/fleet-notes.ts'
import { createNewcomers, MAX_MADE, MAX_PENDING } from '../../../src/access/fleet/newcomers.ts'
import { createFleetGate, type FleetCall } from '../../../src/access/fleet-gate.ts'
import { createKeyFailures } from '../../../src/access/keys/key-failures.ts'
import { makeKey, sha256Hex } from '../../../src/access/keys/keys.ts'
import { createMemoryRateWindows } from '../../../src/access/rate-windows.ts'
import { createSensorGate, type SensorFacts } from '../../../src/access/sensor-gate.ts'
import { createChanges } from '../../../src/stores/changes.ts'
import { createSensor } from '../../../src/stores/postgres/sensors/create-sensor.ts'
import {
  createFleetKey,
  type FleetKeyInput,
  getFleetKey,
  revokeFleetKey,
  rotateFleetKey,
  updateFleetKey,
} from '../../../src/stores/postgres/sensors/fleet-keys.ts'
import * as store from '../../../src/stores/postgres/sensors/fleet-senders.ts'
import { dismissPending, listFleetRefusals, listPending } from '../../../src/stores/postgres/sensors/pending-sensors.ts'
import { findSensorsForIngest, updateSensor } from '../../../src/stores/postgres/sensors/sensors.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'

const {
  postgres: { db, script },
} = await migratedPostgres()
const NOW = Date.UTC(2026, 5, 1, 12)
const channels = [{ name: 'a', measurement: 'number' as const }]
let enterprise = ''
let made = 0

beforeEach(async () => {
  enterprise = `ent_${++made}`
  await script(`INSERT INTO enterprises (id, name, tier) VALUES ('${enterprise}', 'Enterprise', 'starter')`)
})

/** A gate as a process has it, with counts of its lookups of names. */
const opened: FleetNotes[] = []
const failures: unknown[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((notes) => notes.stop()))
  expect(failures).toEqual([])
})

function openGate(callsPerMinute = 10_000) {
  const changes = createChanges()
  const lookups = { names: 0, sensors: 0, pending: 0 }
  const sensors = createSensorGate<string>({
    async find(ids) {
      lookups.sensors++
      const found = await findSensorsForIngest(db, ids)
      return new Map(
        [...found].map(([id, { sensor }]): [string, SensorFacts<string>] => [
          id,
          {
            sensorId: id,
            enterpriseId: sensor.enterpriseId,
            externalId: sensor.externalId,
            tags: sensor.tags,
            keys: [],
            enabled: sensor.enabled,
            held: sensor.held,
            assetsHeld: false,
            enterpriseActive: true,
            readingsPerDay: 5,
            profile: `profile of ${id}`,
          },
        ]),
      )
    },
    failures: createKeyFailures({ perMinute: 1_000, onFailure: () => undefined }),
    assetsLicensed: true,
    callsPerMinute: 60,
  })
  changes.subscribe((change) => {
    if (change.kind === 'sensor') sensors.invalidateSensor(change.id)
  })
  const notes = startFleetNotes(
    (counts) => store.writeFleetCounts(db, counts),
    (error) => failures.push(error),
  )
  opened.push(notes)
  const newcomers = createNewcomers({
    changes,
    maxChannels: 256,
    notes,
    pendingNames: (id) => store.pendingNames(db, id),
    addPending(key, devices, limit, nowMs) {
      lookups.pending++
      return store.addPending(db, key, devices, limit, nowMs)
    },
    countMade: (id, count, limit, day) => store.countMade(db, id, count, limit, day),
    async createSensor({ fleetKeyId, enterpriseId }, input) {
      const { id } = await createSensor(db, fleetKeyId, enterpriseId, input)
      await changes.publish({ kind: 'sensor', id, ownerId: enterpriseId, deleted: false })
    },
  })
  const gate = createFleetGate<string>({
    findSecret: (digest) => store.findFleetSecret(db, digest),
    sensors,
    names: createFleetNames({
      sensors,
      findByExternalId(names) {
        lookups.names++
        return store.findByExternalId(db, names)
      },
    }),
    newcomers,
    notes,
    changes,
    failures: createKeyFailures({ perMinute: 1_000, onFailure: () => undefined }),
    windows: createMemoryRateWindows(async () => []),
    onRefused: () => undefined,
    onKeyUse: () => undefined,
    assetsLicensed: true,
    callsPerMinute,
  })
  const admitAs = async (authorization: string, nowMs = NOW): Promise<FleetCall<string>> =>
    gate.admit({ headers: new Headers({ authorization }), address: () => '192.0.2.1' }, nowMs)
  const changed = (id: string): Promise<void> =>
    changes.publish({ kind: 'sensor', id, ownerId: enterprise, deleted: false })
  const keyChanged = (id: string): Promise<void> => changes.publish({ kind: 'fleet-key', id, ownerId: enterprise })
  return {
    admitAs,
    admit: (key: string, nowMs?: number) => admitAs(`Bearer ${key}`, nowMs),
    changed,
    keyChanged,
    lookups,
    notes,
  }
}

const digestOf = (key: string) => ({ keySha256: sha256Hex(key), lastFour: key.slice(-4) })

async function fleetKey(input: Partial<FleetKeyInput> = {}): Promise<{ id: string; key: string }> {
  const key = makeKey('fleet')
  const create = { name: 'Gateway', ...input }
  const { id } = await db.transaction((tx) => createFleetKey(tx, 'test', enterprise, create, digestOf(key), {}))
  return { id, key }
}

const sensor = (externalId: string, tags: string[] = []) =>
  createSensor(db, 'test', enterprise, { externalId, channels, tags })

const reasons = (targets: ReadonlyMap<string, object>) =>
  Object.fromEntries([...targets].map(([name, target]) => [name, 'reason' in target ? target.reason : 'found']))

const nothing = () => undefined

test('a key is taken as Bearer, as Token and as the password of Basic, and nowhere else', async () => {
  const { admitAs } = openGate()
  const { id, key } = await fleetKey()
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  for (const authorization of [`Bearer ${key}`, `Token ${key}`, `token ${key}`, basic(`any:${key}`), basic(`:${key}`)])
    expect((await admitAs(authorization)).fleetKeyId).toBe(id)
  const sensorKey = makeKey('sensor')
  const wrong = [
    key,
    `Basic ${key}`,
    basic(key),
    basic(`${key}:`),
    `Digest ${key}`,
    `Bearer ${key}x`,
    `Bearer ${sensorKey}`,
    '',
  ]
  for (const authorization of wrong)
    await expect(admitAs(authorization)).rejects.toMatchObject({ code: 'SENSOR_KEY_INVALID', status: 401 })
})

test('a sensor is found by id and by external id, and one of another tag or tenant is unknown', async () => {
  const foreign = await sensor('shared')
  const before = enterprise
  enterprise = `${before}b`
  await script(`INSERT INTO enterprises (id, name, tier) VALUES ('${enterprise}', 'Other', 'starter')`)
  const [north, south, off] = [
    await sensor('north', ['n', 'x']),
    await sensor('south', ['s']),
    await sensor('off', ['n']),
  ]
  await updateSensor(db, 'test', off.id, { enabled: false })
  const { admit } = openGate()
  const call = await admit((await fleetKey({ tags: ['n'] })).key)
  const names = [
    north.id,
    'north',
    'south',
    south.id,
    'off',
    'shared',
    foreign.id,
    'NORTH',
    'sen_none',
    '',
    'x'.repeat(9_000),
    'a\0b',
    '\ud800',
  ]
  const targets = await call.targets(names, nothing)
  expect(reasons(targets)).toEqual({
    ...Object.fromEntries(names.map((name) => [name, 'SENSOR_UNKNOWN'])),
    [north.id]: 'found',
    north: 'found',
    off: 'SENSOR_DISABLED',
  })
  expect(targets.get('north')).toEqual({ sensorId: north.id, profile: `profile of ${north.id}`, readingsPerDay: 5 })
  expect(targets.get(north.id)).toEqual(targets.get('north'))
  expect(reasons(await (await admit((await fleetKey()).key)).targets(['south', 'shared'], nothing))).toEqual({
    south: 'found',
    shared: 'SENSOR_UNKNOWN',
  })
})

test('a DevEUI is found in any case of letters, an exact one first', async () => {
  const [upper, lower] = [await sensor('70B3D57ED0001ABC'), await sensor('70b3d57ed0001abc')]
  const single = await sensor('00AA')
  const { admit } = openGate()
  const call = await admit((await fleetKey()).key)
  expect(await call.targetOfDevice('70b3d57ed0001abc', null)).toMatchObject({ sensorId: lower.id })
  expect(await call.targetOfDevice('70B3D57ED0001ABC', null)).toMatchObject({ sensorId: upper.id })
  expect(await call.targetOfDevice('00aa', null)).toMatchObject({ sensorId: single.id })
  expect(await call.targetOfDevice('00ab', null)).toEqual({ reason: 'SENSOR_UNKNOWN' })
})

test('known and unknown names are looked up once, and follow changes', async () => {
  const one = await sensor('one')
  const { admit, changed, lookups } = openGate()
  const call = await admit((await fleetKey()).key)
  const ask = async () => reasons(await call.targets(['one', 'two', 'three'], nothing))
  expect(await ask()).toEqual({ one: 'found', two: 'SENSOR_UNKNOWN', three: 'SENSOR_UNKNOWN' })
  const before = { ...lookups }
  for (let i = 0; i < 50; i++) await ask()
  expect(lookups).toEqual(before)
  expect(call.targets(['one'], nothing)).toBeInstanceOf(Map)
  await updateSensor(db, 'test', one.id, { externalId: 'two' })
  await changed(one.id)
  expect(await ask()).toEqual({ one: 'SENSOR_UNKNOWN', two: 'found', three: 'SENSOR_UNKNOWN' })
  await changed((await sensor('three')).id)
  expect(await ask()).toEqual({ one: 'SENSOR_UNKNOWN', two: 'found', three: 'found' })
})

test('1,000,000 invented names fill neither memory nor the list, and cost a query for hundreds', async () => {
  const { admit, lookups } = openGate()
  const { id, key } = await fleetKey({ autoCreate: 'pending' })
  const call = await admit(key)
  let first = true
  Bun.gc(true)
  const heapBefore = process.memoryUsage().heapUsed
  for (let i = 0; i < 1_000_000; i += 5_000) {
    const names = Array.from({ length: 5_000 }, (_, j) => `invented-${i + j}-${'x'.repeat(150)}`)
    const answers = reasons(await call.targets(names, () => ({ values: { a: 1 } })))
    const pending = Object.values(answers).filter((reason) => reason === 'SENSOR_PENDING').length
    expect([pending, names.length]).toEqual([first ? MAX_PENDING : 0, 5_000])
    first = false
  }
  expect(lookups.names).toBeLessThanOrEqual(1_000_000 / 500)
  // the list is full after the first call
  expect(lookups.pending).toBe(1)
  expect(await store.pendingNames(db, id)).toHaveLength(MAX_PENDING)
  Bun.gc(true)
  expect((process.memoryUsage().heapUsed - heapBefore) / 1e6).toBeLessThan(100)
}, 120_000)

test('devices wait with what they sent first, and are listed once', async () => {
  const { admit, notes, keyChanged } = openGate()
  const { id, key } = await fleetKey({ autoCreate: 'pending' })
  const call = await admit(key)
  const sent = { at: '2026-06-01T12:00:00Z', values: { t: 20.5, door: true, text: 'a\0b', 'bad\0': 1 }, other: {} }
  expect(reasons(await call.targets(['new', 'sen_new'], () => sent))).toEqual({
    new: 'SENSOR_PENDING',
    sen_new: 'SENSOR_UNKNOWN',
  })
  expect(await call.targetOfDevice('new', sent)).toEqual({ reason: 'SENSOR_PENDING' })
  await notes.flush()
  const { items } = await listPending(db, enterprise, { limit: 10, cursor: undefined })
  expect(items).toMatchObject([
    { externalId: 'new', fleetKeyId: id, sent: { at: sent.at, values: { t: 20.5, door: true, text: 'a\ufffdb' } } },
  ])
  await revokeFleetKey(db, 'test', id)
  await keyChanged(id)
  expect(await store.pendingNames(db, id)).toEqual([])
})

test('a list is emptied while its devices send on, at several instances', async () => {
  const { id } = await fleetKey({ autoCreate: 'pending' })
  const names = Array.from({ length: MAX_PENDING }, (_, i) => `device-${(i * 919) % MAX_PENDING}`)
  const backwards = names.toReversed()
  const noteAll = (order: readonly string[]) => {
    const pending = order.map((externalId) => ({ fleetKeyId: id, externalId, lastMs: NOW }))
    return store.writeFleetCounts(db, { calls: new Map(), refusals: [], pending })
  }
  const dismiss = (order: readonly string[]) => db.transaction((tx) => dismissPending(tx, 'test', enterprise, order))
  for (let round = 0; round < 10; round++) {
    const devices = names.map((externalId) => ({ externalId, sent: null }))
    await store.addPending(db, { fleetKeyId: id, enterpriseId: enterprise }, devices, MAX_PENDING, NOW)
    if (round === 0) await script('ANALYZE pending_sensors')
    await Promise.all([noteAll(backwards), dismiss(names), noteAll(names), dismiss(backwards)])
    expect(await store.pendingNames(db, id)).toEqual([])
  }
}, 120_000)

test('with on, sensors are made with the tags of the key and the channels of their first reading', async () => {
  const { admit } = openGate()
  const { key } = await fleetKey({ autoCreate: 'on', tags: ['fleet'] })
  const call = await admit(key)
  const targets = await call.targets(['b', 'a'], () => ({ values: { t: 3, door: false, name: 'x', gone: null } }))
  expect(reasons(targets)).toEqual({ a: 'found', b: 'found' })
  const ids = [...targets.values()].map((target) => ('sensorId' in target ? target.sensorId : ''))
  const found = [...(await findSensorsForIngest(db, ids)).values()]
  expect(found.map(({ sensor, channels, keys }) => [sensor.externalId, sensor.tags, channels.length, keys])).toEqual(
    expect.arrayContaining([
      ['a', ['fleet'], 2, []],
      ['b', ['fleet'], 2, []],
    ]),
  )
  expect(found[0]?.channels).toMatchObject([
    { name: 't', measurement: 'number' },
    { name: 'door', measurement: 'boolean' },
  ])
  const other = await admit((await fleetKey({ autoCreate: 'on', tags: ['other'] })).key)
  expect(reasons(await other.targets(['a'], nothing))).toEqual({ a: 'SENSOR_UNKNOWN' })
})

test('a key makes at most 10,000 sensors on a day', async () => {
  const { admit } = openGate()
  const { id, key } = await fleetKey({ autoCreate: 'on', template: { channels: [] } })
  const day = new Date().toISOString().slice(0, 10)
  expect(await store.countMade(db, id, MAX_MADE - 1, MAX_MADE, day)).toBe(MAX_MADE - 1)
  const call = await admit(key)
  expect(Object.values(reasons(await call.targets(['p', 'q'], nothing))).toSorted()).toEqual([
    'SENSOR_UNKNOWN',
    'found',
  ])
  expect(reasons(await call.targets(['r'], nothing))).toEqual({ r: 'SENSOR_UNKNOWN' })
  expect(await store.countMade(db, id, 3, MAX_MADE, '2000-01-01')).toBe(3)
  // given back
  expect(await store.countMade(db, id, -2, MAX_MADE, '2000-01-01')).toBe(-2)
  expect(await store.countMade(db, id, -2, MAX_MADE, '2000-01-01')).toBe(-1)
})

test('two calls that name a new device at once make one sensor', async () => {
  const gates = [openGate(), openGate()]
  const { key } = await fleetKey({ autoCreate: 'on' })
  const calls = await Promise.all([...gates, ...gates].map(({ admit }) => admit(key)))
  const all = await Promise.all(calls.map(async (call) => call.targets(['same'], () => ({ values: { a: 1 } }))))
  const ids = all.map((targets) => (targets.get('same') as { sensorId: string }).sensorId)
  expect(new Set(ids).size).toBe(1)
  expect(ids[0]).toStartWith('sen_')
})

test('a rotation keeps the earlier key for 24 hours, and uses of keys that ended are listed', async () => {
  const { admit, keyChanged, notes } = openGate()
  const { id, key } = await fleetKey()
  const next = makeKey('fleet')
  expect((await admit(key)).fleetKeyId).toBe(id)
  await db.transaction((tx) => rotateFleetKey(tx, 'test', id, digestOf(next), {}))
  await keyChanged(id)
  const hours = (count: number) => Date.now() + count * 3_600_000
  expect((await admit(key, hours(23.9))).fleetKeyId).toBe(id)
  await expect(admit(key, hours(24.1))).rejects.toMatchObject({ code: 'SENSOR_KEY_INVALID' })
  expect((await admit(next, hours(24.1))).fleetKeyId).toBe(id)
  await expect(admit(makeKey('fleet'))).rejects.toMatchObject({ code: 'SENSOR_KEY_INVALID' })
  await revokeFleetKey(db, 'test', id)
  await keyChanged(id)
  await expect(admit(next)).rejects.toMatchObject({ code: 'SENSOR_KEY_INVALID' })
  await notes.flush()
  const { items } = await listFleetRefusals(db, id, { limit: 10, cursor: undefined })
  expect(items).toMatchObject([
    { reason: 'SENSOR_KEY_INVALID', name: null, count: 2, detail: `revoked: …${next.slice(-4)}` },
  ])
  expect(await getFleetKey(db, id)).toMatchObject({ calls: 3, refused: 2 })
})

test('changed settings, a hold of the enterprise and the limit of calls take effect at the next call', async () => {
  const { admit, keyChanged } = openGate(3)
  const { id, key } = await fleetKey({ sensorTag: 'host', channelTags: ['cpu'] })
  const settings = { channelNames: 'field', channelTags: ['cpu'], unknownChannels: 'refuse', autoCreate: 'off' }
  expect((await admit(key)).settings).toEqual({ ...settings, sensorTag: 'host' } as never)
  await updateFleetKey(db, 'test', id, { sensorTag: null, sensor: '{host}', unknownChannels: 'ignore' })
  await keyChanged(id)
  expect((await admit(key)).settings).toEqual({ ...settings, sensor: '{host}', unknownChannels: 'ignore' } as never)
  await script(`UPDATE enterprises SET assets_held = true WHERE id = '${enterprise}'`)
  await keyChanged(id)
  await expect(admit(key)).rejects.toMatchObject({ code: 'ASSETS_HELD' })
  await expect(admit(key)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterS: expect.any(Number) })
  await expect(updateFleetKey(db, 'test', id, { sensorTag: 'a' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
})

test('refusals are counted by reason and name, and the newest 1,000 of a key are kept', async () => {
  const { admit, notes } = openGate()
  const { id, key } = await fleetKey()
  const call = await admit(key)
  for (let i = 0; i < 3; i++)
    call.noteRefused([{ name: 'gone', reason: 'SENSOR_UNKNOWN', line: i, detail: `'\0' ${i}` }], NOW + i)
  await notes.flush()
  for (let i = 0; i < 2_500; i++) call.noteRefused([{ name: `n${i}`, reason: 'SENSOR_UNKNOWN' }], NOW + 10 + i)
  await notes.flush()
  const seen: { name: string | null; count: number }[] = []
  let cursor: string | undefined
  do {
    const { items, nextCursor } = await listFleetRefusals(db, id, { limit: 300, cursor })
    seen.push(...items)
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined)
  expect(seen).toHaveLength(1_000)
  // beyond 1,000 names between two writes, refusals are counted without a name
  expect(seen[0]).toMatchObject({ name: null, count: 1_500 })
  expect(await getFleetKey(db, id)).toMatchObject({ refused: 2_503 })
})
