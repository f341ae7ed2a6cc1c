/** Readings by MQTT, with the client of the package `mqtt`, Mosquitto's, and raw packets. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectMqtt, isAcknowledged, publishPacket, sendRaw, signInPacket } from '../../support/mqtt/client.ts'
import { createInstance, type MadeSensor, type Organization } from '../../support/server/instance.ts'
import { makeCertificates } from '../../support/stores/certificates.ts'
import { freePort } from '../../support/stores/postgres.ts'
import { eventually, until } from '../../support/until.ts'

const port = await freePort()
const dir = mkdtempSync(join(tmpdir(), 'groundwave-mqtt-'))
const { good, ca } = makeCertificates(dir)
const instance = await createInstance({
  MQTT_PORT: String(port),
  MQTT_MESSAGES_PER_MINUTE: '600',
  MQTT_CONNECTIONS_PER_ADDRESS: '8',
  SENSOR_CALLS_PER_MINUTE: '1000',
})
const channels = [{ name: 'a', measurement: 'number' as const }]
let organization: Organization
let sensor: MadeSensor
beforeAll(async () => {
  organization = await instance.organization()
  sensor = await instance.sensor(organization.id, channels)
}, 120_000)
afterAll(async () => {
  await instance.remove()
  rmSync(dir, { recursive: true })
})

type Stored = { at: string; values: { a: number } }

async function storedOf({ id }: { id: string }): Promise<Stored[]> {
  const { data } = await instance.query<{ items: Stored[] }>(organization, `/sensors/${id}/readings?limit=1000`)
  return data.items.map(({ at, values }) => ({ at, values }))
}

const expectStored = (of: { id: string }, readings: Stored[]): Promise<void> =>
  eventually(async () => {
    const times = new Set(readings.map(({ at }) => at))
    expect((await storedOf(of)).filter(({ at }) => times.has(at))).toEqual(readings)
  })

let nextMs = Date.now() - 3_600_000
/** Ascending times, each once. */
function reading(a = 1.5): Stored {
  nextMs += 1_000
  return { at: new Date(nextMs).toISOString(), values: { a } }
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${instance.url()}/metrics`)).text()
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1] ?? Number.NaN,
  )
}

test('a reading is acknowledged and stored, and sent again it is stored once', async () => {
  const client = await connectMqtt(port, sensor)
  const one = reading()
  expect(await isAcknowledged(client, 'readings', one)).toBe(true)
  expect(await isAcknowledged(client, 'readings', one)).toBe(true)
  await expectStored(sensor, [one])
  await client.endAsync()
})

test('QoS 0 and lists of readings are stored', async () => {
  const client = await connectMqtt(port, sensor)
  const [first, second, third] = [reading(), reading(), reading()]
  await client.publishAsync('readings', JSON.stringify(first), { qos: 0 })
  expect(await isAcknowledged(client, 'readings', { device: 'x', readings: [second, third] })).toBe(true)
  await expectStored(sensor, [first, second, third])
  await client.endAsync()
})

test('mosquitto_pub sends a reading', async () => {
  const one = reading()
  const args = ['-h', '127.0.0.1', '-p', String(port), '-u', sensor.id, '-P', sensor.key, '-q', '1', '-r']
  const will = ['--will-topic', 'readings', '--will-payload', JSON.stringify(reading()), '--will-qos', '1']
  const sent = Bun.spawn(['mosquitto_pub', ...args, ...will, '-t', 'readings', '-m', JSON.stringify(one)], {
    stderr: 'pipe',
  })
  expect([await sent.exited, await new Response(sent.stderr).text()]).toEqual([0, ''])
  await expectStored(sensor, [one])
})

test('readings that are refused are acknowledged and listed, and do not stop the next one', async () => {
  const one = await instance.sensor(organization.id, channels)
  const client = await connectMqtt(port, one)
  for (const bad of ['', 'no JSON', '{"at":1}', '{}', '[]', '{"at":"2026-01-01T00:00:00Z","values":{"b":1}}'])
    expect([bad, await isAcknowledged(client, 'readings', bad)]).toEqual([bad, true])
  // brackets that would end the list that a single reading is put into
  const open = `${JSON.stringify(reading())}],"x":[${JSON.stringify(reading())}`
  expect(await isAcknowledged(client, 'readings', open)).toBe(true)
  const good = reading()
  expect(await isAcknowledged(client, 'readings', good)).toBe(true)
  await expectStored(one, [good])
  expect(await storedOf(one)).toHaveLength(1)
  await eventually(async () => {
    const { data } = await instance.query<{ items: { reason: string }[] }>(organization, `/sensors/${one.id}/refusals`)
    expect(data.items.map(({ reason }) => reason).toSorted()).toEqual([
      'SENSOR_READINGS_BATCH_INVALID',
      'SENSOR_READING_AT_INVALID',
      'SENSOR_READING_UNKNOWN_CHANNEL',
    ])
  })
  await client.endAsync()
})

test('a wrong key, an unknown sensor and a disabled one may not sign in', async () => {
  const off = await instance.sensor(organization.id, channels)
  await instance.manage('PATCH', `/sensors/${off.id}`, { enabled: false })
  const code = (account: { id: string; key: string }): Promise<unknown> =>
    connectMqtt(port, account).then(
      () => 0,
      (error: { code: unknown }) => error.code,
    )
  expect(await code({ ...sensor, key: `${sensor.key}x` })).toBe(4)
  expect(await code({ id: 'sen_none', key: sensor.key })).toBe(4)
  expect(await code({ id: '', key: '' })).toBe(4)
  expect(await code(off)).toBe(5)
})

test('a revoked key and a disabled sensor end open connections', async () => {
  const [first, second, other] = await Promise.all([1, 2, 3].map(() => instance.sensor(organization.id, channels)))
  if (first === undefined || second === undefined || other === undefined) throw new Error('no sensors')
  const clients = await Promise.all([first, second, other].map((one) => connectMqtt(port, one)))
  await instance.manage('DELETE', `/sensors/${first.id}/keys/${first.keys[0]?.id}`)
  await instance.manage('PATCH', `/sensors/${second.id}`, { enabled: false })
  await until(() => clients[0]?.connected === false && clients[1]?.connected === false, 'closing the connections')
  expect(await isAcknowledged(clients[2] as never, 'readings', reading())).toBe(true)
  await clients[2]?.endAsync()
})

test('every subscription is refused, and the connection stays open', async () => {
  const client = await connectMqtt(port, sensor)
  for (const topic of ['readings', '#', 'sensors/+/readings', '$SYS/#']) {
    const granted = await client.subscribeAsync(topic).catch((error: Error) => error.message)
    expect([topic, String(granted)]).toEqual([topic, expect.stringContaining('Unspecified error')])
  }
  await client.unsubscribeAsync('readings')
  expect(await isAcknowledged(client, 'readings', reading())).toBe(true)
  await client.endAsync()
})

test('QoS 2, wildcards, NUL, an empty topic and another topic close the connection', async () => {
  const message = JSON.stringify(reading())
  for (const topic of ['readings/#', '+', 'a\0b', '', 'sensors/x/readings', 'Readings']) {
    const { isClosed, answer } = await sendRaw(port, [signInPacket(sensor), publishPacket(topic, message, 1)])
    expect([topic, isClosed, answer.toString('hex')]).toEqual([topic, true, '20020000'])
  }
  const { isClosed, answer } = await sendRaw(port, [signInPacket(sensor), publishPacket('readings', message, 2)])
  expect([isClosed, answer.toString('hex')]).toEqual([true, '20020000'])
})

test('a packet that is too long closes the connection while it is being sent', async () => {
  const { isClosed } = await sendRaw(port, [signInPacket(sensor), publishPacket('readings', ' '.repeat(2_000_000), 1)])
  expect(isClosed).toBe(true)
  const early = await sendRaw(port, [publishPacket('readings', ' '.repeat(100_000), 1)])
  expect(early.isClosed).toBe(true)
})

test('a message above SENSOR_BODY_BYTES closes the connection, and one of that size is stored', async () => {
  const one = reading()
  const sized = (bytes: number): string => JSON.stringify(one).padEnd(bytes)
  const client = await connectMqtt(port, sensor)
  expect(await isAcknowledged(client, 'readings', sized(1_048_577))).toBe(false)
  const other = await connectMqtt(port, sensor)
  expect(await isAcknowledged(other, 'readings', sized(1_048_576))).toBe(true)
  await expectStored(sensor, [one])
  await other.endAsync()
})

test('a client id ends only connections of the same sensor', async () => {
  const other = await instance.sensor(organization.id, channels)
  const mine = await connectMqtt(port, sensor, { clientId: 'board' })
  const others = await connectMqtt(port, other, { clientId: 'board' })
  expect(await isAcknowledged(mine, 'readings', reading())).toBe(true)
  const ended = Promise.withResolvers<void>()
  mine.on('close', () => ended.resolve())
  const again = await connectMqtt(port, sensor, { clientId: 'board' })
  await ended.promise
  expect(await isAcknowledged(others, 'readings', reading())).toBe(true)
  expect(await isAcknowledged(again, 'readings', reading())).toBe(true)
  await Promise.all([others.endAsync(), again.endAsync()])
})

test('a silent client is closed after one and a half times its keep-alive', async () => {
  const startedMs = performance.now()
  const { isClosed } = await sendRaw(port, [signInPacket(sensor, 1)], 10_000)
  expect(isClosed).toBe(true)
  expect(performance.now() - startedMs).toBeGreaterThan(1_400)
})

test('a connection above its messages of a minute is read no faster than they allow', async () => {
  const one = await instance.sensor(organization.id, channels)
  const client = await connectMqtt(port, one)
  const startedMs = performance.now()
  // a minute's 600 at once, and 10 a second from then on
  const all = await Promise.all(Array.from({ length: 620 }, () => isAcknowledged(client, 'readings', reading())))
  expect(all.every(Boolean)).toBe(true)
  expect(performance.now() - startedMs).toBeGreaterThan(1_900)
  await client.endAsync()
}, 60_000)

test('connections of an address above MQTT_CONNECTIONS_PER_ADDRESS are closed', async () => {
  const clients = await Promise.all(Array.from({ length: 8 }, () => connectMqtt(port, sensor)))
  expect(await metric('mqtt_connections')).toBe(8)
  const { isClosed } = await sendRaw(port, [signInPacket(sensor)])
  expect(isClosed).toBe(true)
  await Promise.all(clients.map((client) => client.endAsync()))
  await eventually(async () => expect(await metric('mqtt_connections')).toBe(0))
  const again = await connectMqtt(port, sensor)
  await again.endAsync()
})

test('a spent day closes the connection without an acknowledgement', async () => {
  const small = await instance.organization()
  await instance.manage('PATCH', `/enterprises/${small.id}`, { readingsPerDay: 2 })
  const one = await instance.sensor(small.id, channels)
  const client = await connectMqtt(port, one)
  expect(await isAcknowledged(client, 'readings', reading())).toBe(true)
  expect(await isAcknowledged(client, 'readings', { readings: [reading(), reading()] })).toBe(false)
  const again = await connectMqtt(port, one)
  expect(await isAcknowledged(again, 'readings', reading())).toBe(false)
})

test('a gateway sends for sensors by id and by external id, which is percent-encoded', async () => {
  const fleetKey = await instance.manage<{ id: string; key: string }>(
    'POST',
    `/enterprises/${organization.id}/fleet-keys`,
    { name: 'Gateway', autoCreate: 'on', template: { channels } },
  )
  const client = await connectMqtt(port, { id: 'anything', key: fleetKey.key })
  const [first, second] = [reading(), reading()]
  expect(await isAcknowledged(client, `sensors/${sensor.id}/readings`, first)).toBe(true)
  const name = 'Pump 7/a+b #ü'
  expect(await isAcknowledged(client, `sensors/${encodeURIComponent(name)}/readings`, second)).toBe(true)
  await expectStored(sensor, [first])
  const { items } = await instance.manage<{ items: { id: string; externalId: string | null }[] }>(
    'GET',
    `/enterprises/${organization.id}/sensors?limit=100`,
  )
  const made = items.find(({ externalId }) => externalId === name)
  await expectStored(made as { id: string }, [second])
  // a sensor of somebody else is unknown, which is listed with the key
  const stranger = await instance.sensor((await instance.organization()).id, channels)
  expect(await isAcknowledged(client, `sensors/${stranger.id}/readings`, reading())).toBe(true)
  await eventually(async () => {
    const path = `/fleet-keys/${fleetKey.id}/refusals`
    const listed = await instance.manage<{ items: { reason: string; name: string }[] }>('GET', path)
    expect(listed.items).toContainEqual(expect.objectContaining({ reason: 'SENSOR_UNKNOWN' }))
  })
  const ended = Promise.withResolvers<void>()
  client.on('close', () => ended.resolve())
  await instance.manage('DELETE', `/fleet-keys/${fleetKey.id}`)
  await ended.promise
})

test('unknown channels are left out and listed if the key of a gateway ignores them', async () => {
  const one = await instance.sensor(organization.id, channels)
  const { key } = await instance.manage<{ key: string }>('POST', `/enterprises/${organization.id}/fleet-keys`, {
    name: 'Ignoring gateway',
    unknownChannels: 'ignore',
  })
  const client = await connectMqtt(port, { id: 'anything', key })
  const topic = `sensors/${one.id}/readings`
  const [single, first, second, nothing] = [reading(), reading(), reading(), reading()]
  const withFan = ({ at, values }: Stored) => ({ at, values: { ...values, fan: 2 } })
  expect(await isAcknowledged(client, topic, withFan(single))).toBe(true)
  const bare = { at: nothing.at, values: { fan: 3 } }
  expect(await isAcknowledged(client, topic, { readings: [withFan(first), second, bare] })).toBe(true)
  await expectStored(one, [single, first, second])
  expect(await storedOf(one)).toHaveLength(3)
  await eventually(async () => {
    const path = `/sensors/${one.id}/refusals`
    const { data } = await instance.query<{ items: { reason: string; count: number }[] }>(organization, path)
    expect(data.items.map(({ reason, count }) => [reason, count])).toEqual([['SENSOR_READING_UNKNOWN_CHANNEL', 3]])
  })
  await client.endAsync()
})

test('readiness shows the connections', async () => {
  const ready = (await (await fetch(`${instance.url()}/health/ready`)).json()) as {
    data: { parts: Record<string, { status: string; detail: unknown }> }
  }
  expect(ready.data.parts.mqtt).toMatchObject({ status: 'ok', detail: { connections: expect.any(Number) } })
})

test('with a certificate, the port accepts TLS only', async () => {
  await instance.kill('SIGTERM')
  await instance.restart({ MQTT_TLS_CERT: good.cert, MQTT_TLS_KEY: good.key })
  const one = reading()
  const args = ['-h', '127.0.0.1', '-p', String(port), '--cafile', ca, '-u', sensor.id, '-P', sensor.key, '-q', '1']
  const sent = Bun.spawn(['mosquitto_pub', ...args, '-t', 'readings', '-m', JSON.stringify(one)], { stderr: 'pipe' })
  expect([await sent.exited, await new Response(sent.stderr).text()]).toEqual([0, ''])
  await expectStored(sensor, [one])
  const { answer } = await sendRaw(port, [signInPacket(sensor)])
  expect(answer.toString('hex')).not.toBe('20020000')
})
