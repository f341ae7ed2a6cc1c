/** Management of fleet keys, of external ids, and of devices that wait for approval. */
import { expect, test } from 'bun:test'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { withSql } from '../../support/stores/with-sql.ts'

const instance = await sharedInstance()

type Sensor = { id: string; externalId: string | null; tags: string[]; channels: { name: string }[]; keys: object[] }
type FleetKey = Record<string, unknown> & { id: string; key: string; keys: { id: string; expiresAt: string | null }[] }
type Fault = { status: number; code: string; fields: string[] }

const NUMBER = [{ name: 'a', measurement: 'number' }]

async function enterprise(): Promise<string> {
  return (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Acme', tier: 'business' })).id
}
const sensorOf = (id: string, input: object): Promise<Sensor> =>
  instance.manage('POST', `/enterprises/${id}/sensors`, { channels: NUMBER, ...input })
const fleetKeyOf = (id: string, input: object = {}): Promise<FleetKey> =>
  instance.manage('POST', `/enterprises/${id}/fleet-keys`, { name: 'Gateway', ...input })

async function fault(method: string, path: string, body?: object): Promise<Fault> {
  const response = await fetch(`${instance.url()}/manage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${instance.operatorToken()}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { code, errors = [] } = (await response.json()) as { code: string; errors?: { field: string }[] }
  return { status: response.status, code, fields: errors.map(({ field }) => field) }
}

async function listed(path: string): Promise<Sensor[]> {
  return (await instance.manage<{ items: Sensor[] }>('GET', path)).items
}

test('an external id is unique in its enterprise, found in lists and searches, and can be taken away', async () => {
  const [id, other] = [await enterprise(), await enterprise()]
  const pump = await sensorOf(id, { name: 'Pump', externalId: '70B3D57ED0001ABC' })
  const valve = await sensorOf(id, { name: 'Valve' })
  expect([pump.externalId, valve.externalId]).toEqual(['70B3D57ED0001ABC', null])
  await sensorOf(other, { externalId: '70B3D57ED0001ABC' })
  const taken = { status: 409, code: 'CONFLICT', fields: ['body.externalId'] }
  const again = { channels: NUMBER, externalId: '70B3D57ED0001ABC' }
  expect(await fault('POST', `/enterprises/${id}/sensors`, again)).toEqual(taken)
  expect(await fault('PATCH', `/sensors/${valve.id}`, { externalId: '70B3D57ED0001ABC' })).toEqual(taken)
  for (const externalId of ['', '  ', 'x'.repeat(201), pump.id, 'sen_1'])
    expect(await fault('PATCH', `/sensors/${valve.id}`, { externalId })).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: ['body.externalId'],
    })
  const sensors = `/enterprises/${id}/sensors`
  expect((await listed(`${sensors}?externalId=70B3D57ED0001ABC`)).map((one) => one.id)).toEqual([pump.id])
  expect(await listed(`${sensors}?externalId=70b3d57ed0001abc`)).toEqual([])
  expect((await listed(`${sensors}?q=d0001a`)).map((one) => one.id)).toEqual([pump.id])
  await instance.manage('PATCH', `/sensors/${pump.id}`, { externalId: null })
  expect(
    (await instance.manage<Sensor>('PATCH', `/sensors/${valve.id}`, { externalId: 'ش'.repeat(200) })).externalId,
  ).toHaveLength(200)
  expect((await listed(sensors)).map(({ externalId }) => externalId?.length ?? 0)).toEqual([0, 200])
})

test('a fleet key is shown once, has the given settings or the defaults, and can be changed', async () => {
  const id = await enterprise()
  const made = await fleetKeyOf(id, { expiresAt: '2090-01-01T00:00:00Z' })
  expect(made.key).toMatch(/^svcfl_[\w-]{43}$/)
  const defaults = {
    tags: [],
    autoCreate: 'off',
    template: null,
    sensorTag: null,
    sensor: null,
    channelNames: 'field',
    channelTags: [],
    unknownChannels: 'refuse',
  }
  const { key: _, ...record } = made
  expect(record).toMatchObject({
    name: 'Gateway',
    ...defaults,
    calls: 0,
    refused: 0,
    lastUsedAt: null,
    revokedAt: null,
  })
  expect(record.keys).toMatchObject([{ lastFour: made.key.slice(-4), expiresAt: '2090-01-01T00:00:00.000Z' }])
  expect(await instance.manage('GET', `/fleet-keys/${made.id}`)).toEqual(record)
  expect(await instance.manage('GET', `/enterprises/${id}/fleet-keys`)).toEqual({ items: [record], nextCursor: null })
  const settings = {
    name: 'Telegraf',
    tags: ['site a'],
    autoCreate: 'on',
    template: { channels: NUMBER, tags: ['new'] },
    sensor: '{host}.{measurement}',
    channelNames: 'measurement.field',
    channelTags: ['cpu', 'interface'],
    unknownChannels: 'ignore',
  }
  expect(await instance.manage('PATCH', `/fleet-keys/${made.id}`, settings)).toMatchObject(settings)
  expect(await instance.manage('PATCH', `/fleet-keys/${made.id}`, { template: null })).toMatchObject({ template: null })
  const path = `/fleet-keys/${made.id}`
  expect(await fault('PATCH', path, { sensorTag: 'host' })).toMatchObject({
    code: 'VALIDATION_FAILED',
    fields: ['body.sensor'],
  })
  for (const body of [
    { sensor: 'host' },
    { sensor: '{}' },
    { sensor: '{a' },
    { autoCreate: 'yes' },
    { expiresAt: null },
  ])
    expect(await fault('PATCH', path, body)).toMatchObject({ status: 422, code: 'VALIDATION_FAILED' })
  const twice = { template: { channels: [...NUMBER, ...NUMBER] } }
  expect(await fault('PATCH', path, twice)).toMatchObject({ fields: ['body.template.channels.1.name'] })
})

test('the use of a key changes its figures and not its tag, and refusals say the reason in both languages', async () => {
  const id = await enterprise()
  const made = await fleetKeyOf(id, { autoCreate: 'pending' })
  const read = async () => {
    const response = await fetch(`${instance.url()}/manage/v1/fleet-keys/${made.id}`, {
      headers: { authorization: `Bearer ${instance.operatorToken()}` },
    })
    return { tag: response.headers.get('etag') ?? '', record: ((await response.json()) as { data: FleetKey }).data }
  }
  const before = await read()
  await fetch(`${instance.url()}/api/v2/write`, {
    method: 'POST',
    headers: { authorization: `Token ${made.key}` },
    body: 'weather,host=mast temperature=21.5\nweather temperature=1\nweather,host=',
  })
  const after = await read()
  expect(after.record).toMatchObject({ calls: 1, pending: 1, lastUsedAt: expect.any(String) })
  expect(after.tag).toBe(before.tag)
  const patched = await fetch(`${instance.url()}/manage/v1/fleet-keys/${made.id}`, {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${instance.operatorToken()}`,
      'content-type': 'application/json',
      'if-match': before.tag,
    },
    body: JSON.stringify({ name: 'Mast' }),
  })
  expect(patched.status).toBe(200)
  expect((await read()).tag).toBe(patched.headers.get('etag') ?? '')
  type Refusal = { reason: string; message: string; messageAr: string }
  const { items } = await instance.manage<{ items: Refusal[] }>('GET', `/fleet-keys/${made.id}/refusals`)
  expect(items.map(({ reason }) => reason).toSorted()).toEqual([
    'SENSOR_PENDING',
    'SENSOR_READING_UNREADABLE',
    'SENSOR_UNKNOWN',
  ])
  for (const { message, messageAr } of items) {
    expect(message).toMatch(/^[A-Z][a-z ,]+.*\.$/)
    expect(messageAr).toMatch(/\p{Script=Arabic}{3}/u)
  }
})

test('a rotation ends the earlier key after 24 hours, or when it would have ended before', async () => {
  const id = await enterprise()
  const made = await fleetKeyOf(id)
  const next = await instance.manage<FleetKey>('POST', `/fleet-keys/${made.id}/keys`)
  expect(next.key).toMatch(/^svcfl_/)
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  await instance.manage('POST', `/fleet-keys/${made.id}/keys`, { expiresAt: soon, name: 'Short' })
  await instance.manage('POST', `/fleet-keys/${made.id}/keys`)
  const { keys } = await instance.manage<FleetKey>('GET', `/fleet-keys/${made.id}`)
  const hoursLeft = keys.map(({ expiresAt }) =>
    expiresAt === null ? null : Math.round((Date.parse(expiresAt) - Date.now()) / 360_000) / 10,
  )
  expect(hoursLeft).toEqual([24, 24, 1, null])
  await instance.manage('DELETE', `/fleet-keys/${made.id}`)
  const revoked = await instance.manage<FleetKey>('GET', `/fleet-keys/${made.id}`)
  expect(revoked.revokedAt).toBeString()
  expect(await fault('POST', `/fleet-keys/${made.id}/keys`)).toMatchObject({ code: 'CONFLICT' })
  expect(await fault('DELETE', `/fleet-keys/${made.id}`)).toMatchObject({ code: 'NOT_FOUND' })
})

test('devices that wait are approved with the template of the call, of their key, or from what they sent', async () => {
  const id = await enterprise()
  const plain = await fleetKeyOf(id, { autoCreate: 'pending', tags: ['plain'] })
  const other = await fleetKeyOf(id, {
    autoCreate: 'pending',
    tags: ['other'],
    template: { channels: NUMBER, tags: ['t'] },
  })
  const sent = JSON.stringify({ values: { temperature: 21, door: true, text: 'x' } })
  await withSql(instance, async (sql) => {
    for (const [n, [key, name]] of [
      [plain.id, 'a'],
      [other.id, 'b'],
      [plain.id, 'both'],
      [other.id, 'both'],
      [plain.id, 'c'],
      [plain.id, 'taken'],
      [plain.id, 'waits'],
    ].entries())
      await sql`INSERT INTO pending_sensors (id, enterprise_id, fleet_key_id, external_id, first_at, last_at, sent)
        VALUES (${`pen_${id}_${n}`}, ${id}, ${key}, ${name}, now(), now(), ${sent}::text::jsonb)`
  })
  await sensorOf(id, { externalId: 'taken' })
  const pending = `/enterprises/${id}/pending-sensors`
  const waiting = async (query = '') => (await listed(pending + query)).map(({ externalId }) => externalId)
  expect(await waiting(`?fleetKeyId=${other.id}`)).toEqual(['b', 'both'])
  const approve = (body: object) =>
    instance.manage<{ approved: { externalId: string; sensorId: string }[]; refused: object[] }>(
      'POST',
      `${pending}/approve`,
      body,
    )
  const { approved, refused } = await approve({ externalIds: ['a', 'b', 'both', 'taken', 'none', 'a'] })
  expect(approved.map(({ externalId }) => externalId)).toEqual(['a', 'b', 'both'])
  expect(refused).toEqual([
    { externalId: 'taken', reason: 'exists' },
    { externalId: 'none', reason: 'missing' },
  ])
  const shape = async (sensorId: string) => {
    const { externalId, tags, channels, keys } = await instance.manage<Sensor>('GET', `/sensors/${sensorId}`)
    return [externalId, tags.toSorted(), channels.map(({ name }) => name).toSorted(), keys]
  }
  expect(await Promise.all(approved.map(({ sensorId }) => shape(sensorId)))).toEqual([
    ['a', ['plain'], ['door', 'temperature'], []],
    ['b', ['other', 't'], ['a'], []],
    ['both', ['other', 'plain'], ['door', 'temperature'], []],
  ])
  expect(await waiting()).toEqual(['c', 'waits'])
  // a sensor has at most 20 tags, that of its key among them
  const tags = Array.from({ length: 20 }, (_, i) => `mine${10 + i}`)
  const [own] = (await approve({ externalIds: ['c'], template: { channels: NUMBER, tags } })).approved
  expect(await shape(own?.sensorId ?? '')).toEqual(['c', [...tags.slice(0, 19), 'plain'], ['a'], []])
  await instance.manage('DELETE', `/fleet-keys/${plain.id}`)
  expect(await waiting()).toEqual([])
})

test('devices that wait are dismissed from the lists of every key of the enterprise, and the log names them', async () => {
  const [id, foreign] = [await enterprise(), await enterprise()]
  const [first, second] = [
    await fleetKeyOf(id, { autoCreate: 'pending' }),
    await fleetKeyOf(id, { autoCreate: 'pending' }),
  ]
  const other = await fleetKeyOf(foreign, { autoCreate: 'pending' })
  const send = ({ key }: FleetKey, names: string[]) =>
    fetch(`${instance.url()}/api/v2/write`, {
      method: 'POST',
      headers: { authorization: `Token ${key}` },
      body: names.map((name) => `m,host=${name} a=1`).join('\n'),
    })
  await send(first, ['a', 'b', 'stays'])
  await send(second, ['b'])
  await send(other, ['a'])
  const pending = (of: string): string => `/enterprises/${of}/pending-sensors`
  const waiting = async (of: string) => (await listed(pending(of))).map(({ externalId }) => externalId)
  expect((await waiting(id)).toSorted()).toEqual(['a', 'b', 'b', 'stays'])
  const dismiss = (externalIds: string[]) => instance.manage<object>('POST', `${pending(id)}/dismiss`, { externalIds })
  expect(await dismiss(['b', 'none', 'a', 'a'])).toEqual({
    dismissed: ['b', 'a'],
    refused: [{ externalId: 'none', reason: 'missing' }],
  })
  expect(await waiting(id)).toEqual(['stays'])
  expect(await waiting(foreign)).toEqual(['a'])
  expect(await dismiss(['a'])).toEqual({ dismissed: [], refused: [{ externalId: 'a', reason: 'missing' }] })
  type Entry = { action: string; subjectKind: string; subjectId: string; before: object; after: null }
  const { items } = await instance.manage<{ items: Entry[] }>('GET', `/audit?owner=${id}&kind=pending-sensors`)
  expect(
    items
      .map(({ action, subjectId, before, after }) => ({ action, subjectId, before, after }))
      .toSorted((a, b) => (a.subjectId < b.subjectId ? -1 : 1)),
  ).toEqual([
    { action: 'delete', subjectId: first.id, before: { externalIds: ['a', 'b'] }, after: null },
    { action: 'delete', subjectId: second.id, before: { externalIds: ['b'] }, after: null },
  ])
  for (const externalIds of [[], [''], Array.from({ length: 1_001 }, (_, i) => `${i}`)])
    expect(await fault('POST', `${pending(id)}/dismiss`, { externalIds })).toMatchObject({ code: 'VALIDATION_FAILED' })
})

test('an enterprise has at most 100 fleet keys, and is deleted with them', async () => {
  const id = await enterprise()
  const keys: FleetKey[] = []
  for (let i = 0; i < 100; i++) keys.push(await fleetKeyOf(id))
  expect(await fault('POST', `/enterprises/${id}/fleet-keys`, { name: 'Gateway' })).toMatchObject({ status: 422 })
  await instance.manage('DELETE', `/fleet-keys/${keys[0]?.id}`)
  await fleetKeyOf(id)
  await instance.manage('DELETE', `/enterprises/${id}`)
  const left = await withSql(instance, (sql) => sql`SELECT 1 FROM fleet_keys WHERE enterprise_id = ${id}`)
  expect(left).toHaveLength(0)
})
