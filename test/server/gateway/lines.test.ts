/** Line protocol, with InfluxData's client and with the bytes that other senders of InfluxDB send. */
import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { HttpError, InfluxDB, Point } from '@influxdata/influxdb-client'
import type { Channel, Envelope, MadeSensor, Organization } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'

const instance = await sharedInstance()
const organization = await instance.organization()
const NUMBERS: Channel[] = ['a', 'b', 'c'].map((name) => ({ name, measurement: 'number' }))
const NOW_MS = Date.now() - 3_600_000

let hosts = 0
type Host = MadeSensor & { host: string }
async function host(channels: Channel[] = NUMBERS, owner: Organization = organization): Promise<Host> {
  const made = await instance.sensor(owner.id, channels)
  const host = `host ${++hosts},=${crypto.randomUUID()}`
  await instance.manage('PATCH', `/sensors/${made.id}`, { externalId: host })
  return { ...made, host }
}
const tagOf = ({ host }: Host): string => host.replace(/[ ,=]/g, '\\$&')

async function fleetKey(
  settings: object = {},
  owner: Organization = organization,
): Promise<{ id: string; key: string }> {
  return await instance.manage('POST', `/enterprises/${owner.id}/fleet-keys`, { name: 'Line protocol', ...settings })
}
const { key, id: keyId } = await fleetKey()

const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${instance.url()}${path}`, { method: 'POST', headers: { authorization: `Token ${key}`, ...headers }, body })
const write = (lines: string, usedKey = key): Promise<Response> =>
  post('/api/v2/write?precision=ms', lines, { authorization: `Token ${usedKey}` })
const textOf = async (response: Response): Promise<string> => {
  const body = (await response.json()) as Envelope & { error?: string }
  expect(body.error).toBe(body.message)
  return body.message
}

type Item = { at: string; values: Record<string, number | boolean>; location?: [number, number] }
async function stored({ id }: { id: string }, owner: Organization = organization): Promise<Item[]> {
  for (let i = 0; ; i++) {
    const { data } = await instance.query<{ items: Item[] }>(owner, `/sensors/${id}/readings?limit=1000`)
    // a reading can be read within a second
    if (data.items.length > 0 || i === 40) return data.items
    await Bun.sleep(100)
  }
}
const valuesOf = async (sensor: { id: string }, owner?: Organization) =>
  (await stored(sensor, owner)).map(({ at, values }) => [Date.parse(at) - NOW_MS, values])
const refusalsOf = async (sensor: { id: string }, owner: Organization = organization): Promise<string[]> => {
  for (let i = 0; ; i++) {
    const { data } = await instance.query<{ items: { reason: string }[] }>(owner, `/sensors/${sensor.id}/refusals`)
    if (data.items.length > 0 || i === 50) return data.items.map(({ reason }) => reason).toSorted()
    await Bun.sleep(100)
  }
}

test("InfluxData's client writes points of several sensors, with gzip", async () => {
  const [one, two] = [await host(), await host()]
  const client = new InfluxDB({ url: instance.url(), token: key })
  const api = client.getWriteApi('org', 'bucket', 'ms', { gzipThreshold: 10, maxRetries: 0, flushInterval: 0 })
  for (let i = 0; i < 20; i++)
    api.writePoint(
      new Point('weather, north')
        .tag('host', (i % 2 === 0 ? one : two).host)
        .floatField('a', i + 0.5)
        .intField('b', i)
        .stringField('c', 'some "text", and\nmore')
        .timestamp(new Date(NOW_MS + i)),
    )
  await api.close()
  expect(await valuesOf(one)).toEqual(Array.from({ length: 10 }, (_, i) => [i * 2, { a: i * 2 + 0.5, b: i * 2 }]))
  expect(await valuesOf(two)).toEqual(
    Array.from({ length: 10 }, (_, i) => [i * 2 + 1, { a: i * 2 + 1.5, b: i * 2 + 1 }]),
  )
  expect(await refusalsOf(one)).toEqual(['SENSOR_FIELD_TEXT'])
})

test("InfluxData's client reports what was refused", async () => {
  const one = await host()
  const api = new InfluxDB({ url: instance.url(), token: key }).getWriteApi('org', 'bucket', 'ms', { maxRetries: 0 })
  api.writePoint(new Point('m').tag('host', one.host).floatField('a', 1).timestamp(NOW_MS))
  api.writePoint(
    new Point('m')
      .tag('host', one.host)
      .floatField('z', 1)
      .timestamp(NOW_MS + 1),
  )
  const failed = await api.close().catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(HttpError)
  expect((failed as HttpError).statusCode).toBe(400)
  expect((failed as HttpError).message).toContain(
    'partial write: 1 accepted, 0 duplicates, dropped=1: line 2: SENSOR_READING_UNKNOWN_CHANNEL (z)',
  )
})

test('points of a sensor and millisecond are merged, and a contradiction is refused', async () => {
  const one = await host()
  const tag = tagOf(one)
  const response = await write(
    `cpu,host=${tag} a=1 ${NOW_MS}\nmem,host=${tag} b=2 ${NOW_MS}\nmem,host=${tag} a=9,c=3 ${NOW_MS}\ndisk,host=${tag} a=1,c=4 ${NOW_MS}`,
  )
  expect(response.status).toBe(400)
  expect(await textOf(response)).toBe(
    'partial write: 3 accepted, 0 duplicates, dropped=1: line 3: SENSOR_READING_CONFLICT',
  )
  expect(await valuesOf(one)).toEqual([[0, { a: 1, b: 2, c: 4 }]])
})

test('the same body again is a duplicate, and other fields of a stored millisecond are refused', async () => {
  const one = await host()
  const tag = tagOf(one)
  const body = `m,host=${tag} a=1,b=2i,lat=24.5,lon=46.7 ${NOW_MS}\nm,host=${tag} a=2 ${NOW_MS + 1}`
  expect((await write(body)).status).toBe(204)
  // at once, while the readings are only in the log
  expect((await write(body)).status).toBe(204)
  expect((await write(`m,host=${tag} b=2 ${NOW_MS}\nm,host=${tag} lat=24.5,lon=46.7,t="x" ${NOW_MS}`)).status).toBe(204)
  const response = await write(
    `m,host=${tag} a=2 ${NOW_MS + 1}\nm,host=${tag} c=3 ${NOW_MS}\nm,host=${tag} lat=24.6,lon=46.7 ${NOW_MS}`,
  )
  expect(await textOf(response)).toBe(
    'partial write: 0 accepted, 1 duplicates, dropped=2: line 2: SENSOR_READING_CONFLICT',
  )
  expect(await stored(one)).toEqual([
    { at: new Date(NOW_MS).toISOString(), values: { a: 1, b: 2 }, location: [46.7, 24.5] },
    { at: new Date(NOW_MS + 1).toISOString(), values: { a: 2 } },
  ])
  expect(await refusalsOf(one)).toEqual(['SENSOR_FIELD_TEXT', 'SENSOR_READING_CONFLICT'])
})

test('each reason, with the line that was refused first', async () => {
  const one = await host([
    ...NUMBERS,
    { name: 'whole', measurement: 'whole' },
    { name: 'open', measurement: 'boolean' },
  ])
  const tag = tagOf(one)
  const unknown = await instance.sensor((await instance.organization()).id, NUMBERS)
  const cases: [string, string][] = [
    [`m,host=${tag} a=1 ${NOW_MS + 86_400_000}`, 'SENSOR_READING_IN_FUTURE'],
    [`m,host=${tag} a=1 1000`, 'SENSOR_READING_TOO_OLD'],
    [`m,host=${tag} a=t ${NOW_MS}`, 'SENSOR_READING_BAD_VALUE'],
    [`m,host=${tag} a=1e400 ${NOW_MS}`, 'SENSOR_READING_BAD_VALUE'],
    [`m,host=${tag} whole=1.5 ${NOW_MS}`, 'SENSOR_READING_BAD_VALUE'],
    [`m,host=${tag} whole=9007199254740993i ${NOW_MS}`, 'SENSOR_READING_BAD_VALUE'],
    [`m,host=${tag} open=1i ${NOW_MS}`, 'SENSOR_READING_BAD_VALUE'],
    [`m,host=${tag} lat=1 ${NOW_MS}`, 'SENSOR_READING_LOCATION'],
    [`m,host=${tag} lat=91,lon=1 ${NOW_MS}`, 'SENSOR_READING_LOCATION'],
    [`m,host=${tag} a=1,a=2 ${NOW_MS}`, 'SENSOR_READING_CONFLICT'],
    [`m,host=nobody a=1 ${NOW_MS}`, 'SENSOR_UNKNOWN (nobody)'],
    [`m,host=${unknown.id} a=1 ${NOW_MS}`, `SENSOR_UNKNOWN (${unknown.id})`],
    [`m a=1 ${NOW_MS}`, 'SENSOR_UNKNOWN (no tag names the sensor)'],
    [`m,host=${tag},host=b a=1 ${NOW_MS}`, 'SENSOR_READING_UNREADABLE (a tag is there twice with different values)'],
    [`m,host=${tag}`, 'SENSOR_READING_UNREADABLE (the fields are missing)'],
    [`m,host=${tag} a="x ${NOW_MS}`, 'SENSOR_READING_UNREADABLE (a quoted text has no end)'],
  ]
  for (const [line, reason] of cases) {
    const response = await write(`# comment\n\n${line}\n`)
    expect([response.status, await textOf(response)]).toEqual([
      400,
      `partial write: 0 accepted, 0 duplicates, dropped=1: line 3: ${reason}`,
    ])
  }
  await instance.manage('PATCH', `/sensors/${one.id}`, { enabled: false })
  expect(await textOf(await write(`m,host=${tag} a=1 ${NOW_MS}`))).toContain('dropped=1: line 1: SENSOR_DISABLED')
  const { items } = await instance.manage<{ items: { reason: string; line?: number }[] }>(
    'GET',
    `/fleet-keys/${keyId}/refusals`,
  )
  const reasons = new Set(items.map(({ reason }) => reason))
  expect([...reasons]).toEqual(
    expect.arrayContaining(['SENSOR_UNKNOWN', 'SENSOR_READING_UNREADABLE', 'SENSOR_DISABLED']),
  )
})

test('text is left out and does not make the answer 400, also where it is all there is', async () => {
  const one = await host()
  const tag = tagOf(one)
  expect((await write(`log,host=${tag} message="a=1,b=2 \\"x\\"",a="5" ${NOW_MS}`)).status).toBe(204)
  expect((await write(`log,host=${tag} a=1,level="x" ${NOW_MS + 1}`)).status).toBe(204)
  expect(await valuesOf(one)).toEqual([[1, { a: 1 }]])
})

test('points without a time get that of their call, with a warning', async () => {
  const one = await host()
  const beforeMs = Date.now()
  expect((await write(`m,host=${tagOf(one)} a=1\nm,host=${tagOf(one)} b=2`)).status).toBe(204)
  const [reading, ...others] = await stored(one)
  expect([reading?.values, others.length]).toEqual([{ a: 1, b: 2 }, 0])
  expect(Date.parse(reading?.at ?? '')).toBeWithin(beforeMs, Date.now() + 1)
  expect(await refusalsOf(one)).toEqual(['SENSOR_READING_NO_TIME'])
})

test('settings of the key: template, names of channels, tags in names, unknown channels', async () => {
  const cpu = await host(['cpu.cpu0.usage', 'cpu.cpu1.usage'].map((name) => ({ name, measurement: 'number' })))
  const { key: named } = await fleetKey({
    sensor: '{site}',
    channelNames: 'measurement.field',
    channelTags: ['cpu'],
    unknownChannels: 'ignore',
  })
  const tag = tagOf(cpu)
  const lines = `cpu,site=${tag},cpu=cpu0 usage=1,idle=3 ${NOW_MS}\ncpu,site=${tag},cpu=cpu1 usage=2,idle=4 ${NOW_MS}`
  expect((await write(lines, named)).status).toBe(204)
  expect(await valuesOf(cpu)).toEqual([[0, { 'cpu.cpu0.usage': 1, 'cpu.cpu1.usage': 2 }]])
  expect((await write(lines, named)).status).toBe(204)
  expect(await refusalsOf(cpu)).toEqual(['SENSOR_READING_UNKNOWN_CHANNEL'])
  // the name that the settings make of the tag and the field, by which the portal offers to add the channel
  const { data } = await instance.query<{ items: { example: string }[] }>(organization, `/sensors/${cpu.id}/refusals`)
  expect(data.items.map(({ example }) => JSON.parse(example))).toEqual([
    { channel: 'cpu.cpu0.idle', sent: lines.split('\n')[0] },
  ])
})

test('a sensor by id and by external id is one sensor', async () => {
  const one = await host()
  const lines = `m,sensor=${one.id} a=1 ${NOW_MS}\nm,device=${tagOf(one)} b=2 ${NOW_MS}\nm,device=${tagOf(one)} a=3 ${NOW_MS - 1}`
  expect((await write(lines)).status).toBe(204)
  expect(await valuesOf(one)).toEqual([
    [-1, { a: 3 }],
    [0, { a: 1, b: 2 }],
  ])
})

test('a sensor that is made by its key gets the channels of its first points', async () => {
  const { key: making } = await fleetKey({ autoCreate: 'on' })
  const name = `new-${crypto.randomUUID()}`
  const lines = `m,host=${name} speed=1i,on=t,note="x",lat=1,lon=2 ${NOW_MS}\nn,host=${name} heat=2.5 ${NOW_MS}`
  expect((await write(lines, making)).status).toBe(204)
  const { items } = await instance.manage<{ items: { id: string; externalId: string | null }[] }>(
    'GET',
    `/enterprises/${organization.id}/sensors?q=${name}`,
  )
  const made = items.find(({ externalId }) => externalId === name)
  expect(await stored(made as { id: string })).toEqual([
    { at: new Date(NOW_MS).toISOString(), values: { speed: 1, on: true, heat: 2.5 }, location: [2, 1] },
  ])
})

test('5 MB and 20,000 lines are the limits, after decompression', async () => {
  expect((await write('#\n'.repeat(20_000))).status).toBe(204)
  expect((await write('#\n'.repeat(20_001))).status).toBe(413)
  expect((await write('#'.repeat(5 * 1024 * 1024 + 1))).status).toBe(413)
  const packed = gzipSync(Buffer.alloc(5 * 1024 * 1024 + 1, '#'))
  expect((await post('/write', packed, { 'content-encoding': 'gzip' })).status).toBe(413)
})

test('a body that is refused as a whole is listed with the key', async () => {
  const used = await fleetKey()
  const send = async (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
    (await post(path, body, { authorization: `Token ${used.key}`, ...headers })).status
  expect(await send('/api/v2/write?precision=m', 'm,host=x a=1')).toBe(400)
  expect(await send('/write', 'no gzip', { 'content-encoding': 'gzip' })).toBe(400)
  expect(await send('/api/v2/write', '\n'.repeat(20_001))).toBe(413)
  expect(await send('/api/v2/write', 'm,host=x a=1', { 'content-encoding': 'br' })).toBe(415)
  const { items } = await instance.manage<{ items: { reason: string; count: number }[] }>(
    'GET',
    `/fleet-keys/${used.id}/refusals`,
  )
  expect(Object.fromEntries(items.map(({ reason, count }) => [reason, count]))).toEqual({
    BAD_REQUEST: 2,
    BODY_TOO_LARGE: 1,
    MEDIA_TYPE_UNSUPPORTED: 1,
  })
})

test('keys: Token, Bearer and Basic; not in the address', async () => {
  const one = await host()
  const line = `m,host=${tagOf(one)} a=1 ${NOW_MS * 1_000_000}`
  for (const authorization of [`Token ${key}`, `Bearer ${key}`, `Basic ${btoa(`telegraf:${key}`)}`])
    expect((await post('/write?db=x', line, { authorization })).status).toBe(204)
  for (const authorization of ['', 'Token svcfl_x', `Bearer ${one.key}`])
    expect((await post(`/write?db=x&u=a&p=${key}`, line, { authorization })).status).toBe(401)
})

test('precisions of each version', async () => {
  const status = async (path: string): Promise<number> => (await post(path, '')).status
  for (const precision of ['n', 'ns', 'u', 'us', 'ms', 's', 'm', 'h', ''])
    expect([precision, await status(`/write?precision=${precision}`)]).toEqual([precision, 204])
  expect(await status('/write')).toBe(204)
  for (const precision of ['ns', 'us', 'ms', 's'])
    expect([precision, await status(`/api/v2/write?precision=${precision}`)]).toEqual([precision, 204])
  for (const precision of ['n', 'u', 'm', 'h', 'x'])
    expect([precision, await status(`/api/v2/write?precision=${precision}`)]).toEqual([precision, 400])
  expect(await status('/write?precision=x')).toBe(400)
})

test('a spent day is 429, and 503 for clients of version 1; what was stored is then a duplicate', async () => {
  const small = await instance.organization('starter')
  const one = await host(NUMBERS, small)
  await instance.manage('PATCH', `/enterprises/${small.id}`, { readingsPerDay: 2 })
  const { key: ownKey } = await fleetKey({}, small)
  const authorization = `Token ${ownKey}`
  const lines = [0, 1, 2].map((i) => `m,host=${tagOf(one)} a=${i} ${NOW_MS + i}`).join('\n')
  const second = await post('/api/v2/write?precision=ms', lines, { authorization })
  expect([second.status, Number(second.headers.get('retry-after')) > 0]).toEqual([429, true])
  const first = await post('/write?precision=ms', lines, { authorization })
  expect([first.status, Number(first.headers.get('retry-after')) > 0]).toEqual([503, true])
  expect(await valuesOf(one, small)).toEqual([
    [0, { a: 0 }],
    [1, { a: 1 }],
  ])
})

test('what clients ask first: /ping, /health and CREATE DATABASE', async () => {
  for (const method of ['GET', 'HEAD']) {
    const ping = await fetch(`${instance.url()}/ping`, { method })
    expect([ping.status, ping.headers.has('x-influxdb-version')]).toEqual([204, true])
  }
  expect(await (await fetch(`${instance.url()}/health`)).json()).toEqual({ name: 'groundwave', status: 'pass' })
  // as Telegraf's output for version 1 sends it
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const created = await post('/query', `q=${encodeURIComponent('CREATE DATABASE "telegraf"')}`, form)
  expect([created.status, await created.json()]).toEqual([200, { results: [{ statement_id: 0 }] }])
  expect((await post(`/query?q=${encodeURIComponent('CREATE DATABASE x')}`, '')).status).toBe(200)
  expect((await post('/query', 'q=DROP+DATABASE+x', form)).status).toBe(400)
  expect((await post('/query', 'q=CREATE+DATABASE+x', { ...form, authorization: '' })).status).toBe(401)
})

test('an interval of Telegraf, as its output for version 2 sends it', async () => {
  // plug-ins cpu, mem, disk and system with their default fields; Telegraf rounds times to the interval
  const cpu = ['usage_user', 'usage_system', 'usage_idle', 'usage_nice', 'usage_iowait', 'usage_irq', 'usage_softirq']
  const names = [
    ...['cpu0', 'cpu1', 'cpu-total'].flatMap((one) => cpu.map((field) => `cpu.${one}.${field}`)),
    'mem.used_percent',
    'mem.available',
    'disk./.used_percent',
    'disk./home.used_percent',
    'system.load1',
    'system.uptime',
  ]
  const server = await host(names.map((name) => ({ name, measurement: 'number' })))
  const tag = tagOf(server)
  const ns = `${Math.floor(NOW_MS / 1000)}000000000`
  const lines = [
    ...['cpu0', 'cpu1', 'cpu-total'].map(
      (one, n) => `cpu,cpu=${one},host=${tag} ${cpu.map((field, i) => `${field}=${n + i / 8}`).join(',')} ${ns}`,
    ),
    `mem,host=${tag} used_percent=41.25,available=8123456789i ${ns}`,
    `disk,device=sda1,fstype=ext4,host=${tag},mode=rw,path=/ used_percent=12.5 ${ns}`,
    `disk,device=sda2,fstype=ext4,host=${tag},mode=rw,path=/home used_percent=80 ${ns}`,
    `system,host=${tag} load1=0.5,uptime=1234567i ${ns}`,
    `system,host=${tag} uptime_format="14 days, 6:56" ${ns}`,
  ]
  const { key: byHost } = await fleetKey({
    sensorTag: 'host',
    channelNames: 'measurement.field',
    channelTags: ['cpu', 'path'],
  })
  const headers = {
    'content-encoding': 'gzip',
    'content-type': 'text/plain; charset=utf-8',
    'user-agent': 'Telegraf/1.32.0',
  }
  const response = await post('/api/v2/write?bucket=b&org=o', gzipSync(`${lines.join('\n')}\n`), {
    ...headers,
    authorization: `Token ${byHost}`,
  })
  expect(response.status).toBe(204)
  const [reading, ...others] = await stored(server)
  expect(others).toEqual([])
  expect(reading?.values).toEqual({
    ...Object.fromEntries(
      ['cpu0', 'cpu1', 'cpu-total'].flatMap((one, n) => cpu.map((field, i) => [`cpu.${one}.${field}`, n + i / 8])),
    ),
    'mem.used_percent': 41.25,
    'mem.available': 8123456789,
    'disk./.used_percent': 12.5,
    'disk./home.used_percent': 80,
    'system.load1': 0.5,
    'system.uptime': 1234567,
  })
})
