/** POST /sensors/{id}/readings over HTTP against the real server. */
import { describe, expect, test } from 'bun:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import {
  createInstance,
  type Envelope,
  fromNow,
  type MadeSensor,
  type Outcome,
  outcomeOf,
  untilStored,
} from '../../support/server/instance.ts'
import { CHANNELS, codeOf, failure, one } from '../../support/server/readings.ts'
import { limitedInstance } from '../../support/server/shared-instance.ts'
import { inOneMinute } from '../../support/until.ts'

const instance = await limitedInstance()
const organization = await instance.organization()

const newSensor = (): Promise<MadeSensor> => instance.sensor(organization.id, CHANNELS)

describe('a call', () => {
  test('puts every reading into exactly one list and answers in both languages', async () => {
    const sensor = await newSensor()
    const [a, b] = [fromNow(-3000), fromNow(-2000)]
    const readings = [
      { at: a, values: { temperature: 20.5, count: 3, open: true }, location: [12.5, 41.9] },
      { at: b, location: [12.5, 41.9] },
      { at: fromNow(3_600_000), values: { temperature: 1 } },
      { at: b, values: { temperature: 1 } },
    ]
    const response = await instance.send(sensor, { readings }, { 'x-request-id': 'my-id.1' })
    const envelope = (await response.json()) as Envelope<Outcome>
    expect(response.status).toBe(200)
    expect(response.headers.get('x-request-id')).toBe('my-id.1')
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(Object.keys(envelope).sort()).toEqual(
      ['code', 'data', 'message', 'messageAr', 'method', 'ok', 'path', 'requestId', 'statusCode', 'timestamp'].sort(),
    )
    expect(envelope).toMatchObject({
      ok: true,
      statusCode: 200,
      code: 'SENSOR_READINGS_RESULT',
      method: 'POST',
      path: `/sensors/${sensor.id}/readings`,
      requestId: 'my-id.1',
    })
    expect(envelope.messageAr).toMatch(/[\u0600-\u06ff]/)
    expect(Math.abs(Date.parse(envelope.timestamp) - Date.now())).toBeLessThan(5000)
    expect(envelope.data.accepted).toEqual([a, b])
    expect(envelope.data.duplicates).toEqual([])
    expect(envelope.data.refused.map(({ reason }) => reason)).toEqual([
      'SENSOR_READING_IN_FUTURE',
      'SENSOR_READING_DUPLICATE_IN_BATCH',
    ])
    expect(await outcomeOf(await instance.send(sensor, { readings: readings.slice(0, 2) }))).toEqual({
      accepted: [],
      duplicates: [a, b],
      refused: [],
    })
  })

  test('returns times in UTC with milliseconds, regardless of their offset', async () => {
    const sensor = await newSensor()
    const at = new Date(Math.floor(Date.now() / 1000) * 1000 - 60_000)
    const local = `${new Date(at.getTime() + 5.5 * 3_600_000).toISOString().slice(0, 19)}+05:30`
    expect((await outcomeOf(await instance.send(sensor, one(local)))).accepted).toEqual([at.toISOString()])
    expect((await outcomeOf(await instance.send(sensor, one(at.toISOString())))).duplicates).toHaveLength(1)
  })

  test('accepts 500 readings and a batch that spans 500 days', async () => {
    const sensor = await newSensor()
    await instance.manage('PATCH', `/enterprises/${organization.id}`, { retentionDays: 1000 })
    const readings = Array.from({ length: 500 }, (_, i) => ({
      at: fromNow(-(500 - i) * 86_400_000),
      values: { count: i },
    }))
    const { accepted } = await outcomeOf(await instance.send(sensor, { readings }))
    expect(accepted).toHaveLength(500)
    await untilStored(() => instance, organization, sensor, 500)
    const { data } = await instance.query<{ items: unknown[] }>(
      organization,
      `/sensors/${sensor.id}/readings?limit=1000`,
    )
    expect(data.items).toHaveLength(500)
    // ClickHouse recognises the oldest as duplicates
    const again = await outcomeOf(await instance.send(sensor, { readings: readings.slice(0, 100).reverse() }))
    expect(again.duplicates).toHaveLength(100)
  })

  test('accepts gzip and zstd', async () => {
    const sensor = await newSensor()
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['zstd', zstdCompressSync],
    ] as const) {
      const body = pack(JSON.stringify(one(fromNow(-1000))))
      const response = await instance.send(sensor, new Uint8Array(body), { 'content-encoding': encoding })
      expect((await outcomeOf(response)).accepted).toHaveLength(1)
    }
  })
})

describe('the key', () => {
  test('gets the same answer in the same time when missing, wrong, revoked or of an unknown sensor', async () => {
    const sensor = await newSensor()
    const revoked = await newSensor()
    await instance.manage('DELETE', `/sensors/${revoked.id}/keys/${revoked.keys[0]?.id}`)
    const url = (id: string): string => `${instance.url()}/sensors/${id}/readings`
    const body = JSON.stringify(one())
    const calls: [string, RequestInit][] = [
      [url(sensor.id), { method: 'POST', body }],
      [url(sensor.id), { method: 'POST', body, headers: { authorization: `Bearer ${revoked.key}` } }],
      [url(revoked.id), { method: 'POST', body, headers: { authorization: `Bearer ${revoked.key}` } }],
      [url('sen_nobody'), { method: 'POST', body, headers: { authorization: `Bearer ${sensor.key}` } }],
    ]
    const answers = new Set<string>()
    for (const [target, init] of calls) {
      for (let i = 0; i < 3; i++) {
        const startedMs = performance.now()
        const response = await fetch(target, init)
        const { requestId: _, timestamp: __, path: ___, ...rest } = (await response.json()) as Envelope
        answers.add(JSON.stringify([response.status, rest, response.headers.get('www-authenticate')]))
        expect(performance.now() - startedMs).toBeGreaterThan(45)
      }
    }
    expect([...answers]).toHaveLength(1)
    expect([...answers][0]).toContain('SENSOR_KEY_INVALID')
  })

  test('works beside other keys and stops with the next call once revoked', async () => {
    const sensor = await newSensor()
    const { key } = await instance.manage<{ key: string }>('POST', `/sensors/${sensor.id}/keys`)
    expect(key).toMatch(/^svcsn_[\w-]{43,}$/)
    for (const with_ of [sensor.key, key])
      expect((await instance.send({ id: sensor.id, key: with_ }, one())).status).toBe(200)
    await instance.manage('DELETE', `/sensors/${sensor.id}/keys/${sensor.keys[0]?.id}`)
    expect(await codeOf(await instance.send(sensor, one()))).toBe('SENSOR_KEY_INVALID')
    expect((await instance.send({ id: sensor.id, key }, one())).status).toBe(200)
  })
})

describe('states', () => {
  test('take effect on the next call, in the documented order', async () => {
    const owner = await instance.organization()
    const sensor = await instance.sensor(owner.id, CHANNELS)
    const patchSensor = (body: object) => instance.manage('PATCH', `/sensors/${sensor.id}`, body)
    const patchOwner = (body: object) => instance.manage('PATCH', `/enterprises/${owner.id}`, body)
    const answer = async () => codeOf(await instance.send(sensor, one()))
    expect(await answer()).toBe('SENSOR_READINGS_RESULT')
    await patchOwner({ status: 'suspended' })
    expect(await answer()).toBe('ASSETS_SUSPENDED')
    await patchOwner({ assetsHeld: true, heldReason: 'unpaid' })
    expect(await answer()).toBe('ASSETS_HELD')
    await patchSensor({ held: true })
    expect(await answer()).toBe('SENSOR_HELD')
    await patchSensor({ enabled: false })
    expect(await failure(await instance.send(sensor, one()))).toMatchObject({ status: 403, code: 'SENSOR_DISABLED' })
    await patchSensor({ enabled: true, held: false })
    await patchOwner({ status: 'active', assetsHeld: false })
    expect(await answer()).toBe('SENSOR_READINGS_RESULT')
    await instance.manage('DELETE', `/sensors/${sensor.id}`)
    expect(await answer()).toBe('SENSOR_KEY_INVALID')
  })

  test('a new, renamed or retyped channel takes effect on the next call', async () => {
    const sensor = await newSensor()
    const send = async (values: object) =>
      outcomeOf(await instance.send(sensor, { readings: [{ at: fromNow(-1000), values }] }))
    expect((await send({ pressure: 1 })).refused[0]).toMatchObject({
      reason: 'SENSOR_READING_UNKNOWN_CHANNEL',
      channel: 'pressure',
    })
    await instance.manage('PATCH', `/sensors/${sensor.id}`, {
      channels: [{ name: 'pressure', measurement: 'boolean' }],
    })
    expect((await send({ pressure: 1 })).refused[0]?.reason).toBe('SENSOR_READING_BAD_VALUE')
    expect((await send({ pressure: true })).accepted).toHaveLength(1)
    expect((await send({ temperature: 1 })).refused[0]?.reason).toBe('SENSOR_READING_UNKNOWN_CHANNEL')
  })

  test('a licence without the assets product is reported', async () => {
    const unlicensed = await createInstance({ LICENSE_FEATURES: 'gis' })
    const owner = await unlicensed.organization()
    const sensor = await unlicensed.sensor(owner.id, CHANNELS)
    expect(await failure(await unlicensed.send(sensor, one()))).toMatchObject({
      status: 403,
      code: 'LICENSE_FEATURE_MISSING',
    })
    await unlicensed.remove()
  }, 120_000)
})

describe('limits', () => {
  test('60 calls per minute, then Retry-After until the next minute', async () => {
    const { statuses, last } = await inOneMinute(async () => {
      const sensor = await newSensor()
      const statuses: number[] = []
      let last: Response | undefined
      for (let i = 0; i < 62; i++) {
        last = await instance.send(sensor, 'not even JSON')
        statuses.push(last.status)
      }
      return { statuses, last }
    })
    expect(statuses.slice(0, 60).every((status) => status === 400)).toBe(true)
    expect(statuses.slice(60)).toEqual([429, 429])
    const retryAfter = Number(last?.headers.get('retry-after'))
    expect(retryAfter).toBeGreaterThanOrEqual(1)
    expect(retryAfter).toBeLessThanOrEqual(60)
    expect(await codeOf(last as Response)).toBe('SENSOR_RATE_LIMITED')
    expect((await instance.send(await newSensor(), one())).status).toBe(200)
  }, 120_000)

  test('daily readings: a batch is accepted in part, then rejected; only accepted readings count, also after a kill', async () => {
    const owner = await instance.organization()
    const sensor = await instance.sensor(owner.id, CHANNELS)
    await instance.manage('PATCH', `/enterprises/${owner.id}`, { readingsPerDay: 10 })
    const at = (i: number): string => fromNow(-100_000 + i * 1000)
    const batch = (from: number, to: number) => ({
      readings: Array.from({ length: to - from }, (_, i) => ({ at: at(from + i), values: { count: from + i } })),
    })
    const first = batch(0, 6)
    first.readings.push({ at: 'x', values: { count: 1 } })
    expect((await outcomeOf(await instance.send(sensor, first))).accepted).toHaveLength(6)
    expect(
      (await outcomeOf(await instance.send(sensor, { readings: first.readings.slice(0, 6) }))).duplicates,
    ).toHaveLength(6)

    await instance.kill('SIGKILL')
    await instance.restart()
    const rest = batch(6, 12)
    const outcome = await outcomeOf(await instance.send(sensor, rest))
    expect(outcome.accepted).toHaveLength(4)
    expect(outcome.refused).toEqual(
      rest.readings.slice(4).map((reading) => ({ at: reading.at, reason: 'SENSOR_READINGS_DAILY_LIMIT' })),
    )
    const spent = await instance.send(sensor, batch(12, 13))
    expect(Number(spent.headers.get('retry-after'))).toBeLessThanOrEqual(86_400)
    expect(await failure(spent)).toMatchObject({ status: 429, code: 'SENSOR_READINGS_DAILY_LIMIT' })
    // an invalid batch is still reported as such
    expect(await codeOf(await instance.send(sensor, '{}'))).toBe('SENSOR_READINGS_BATCH_INVALID')
    await instance.manage('PATCH', `/enterprises/${owner.id}`, { readingsPerDay: 11 })
    expect((await outcomeOf(await instance.send(sensor, batch(12, 14)))).accepted).toHaveLength(1)
  }, 120_000)

  test('1 MB is accepted and one byte more is not, compressed or not', async () => {
    const sensor = await newSensor()
    const exactly = (bytes: number): string => {
      const body = JSON.stringify(one())
      return body + ' '.repeat(bytes - body.length)
    }
    expect((await instance.send(sensor, exactly(1_048_576))).status).toBe(200)
    expect(await failure(await instance.send(sensor, exactly(1_048_577)))).toMatchObject({
      status: 413,
      code: 'BODY_TOO_LARGE',
    })
    const bomb = gzipSync(Buffer.alloc(500_000_000))
    expect(
      await failure(await instance.send(sensor, new Uint8Array(bomb), { 'content-encoding': 'gzip' })),
    ).toMatchObject({
      status: 413,
      code: 'BODY_TOO_LARGE',
    })
    const zstd = zstdCompressSync(Buffer.from(exactly(1_048_577)))
    expect(await codeOf(await instance.send(sensor, new Uint8Array(zstd), { 'content-encoding': 'zstd' }))).toBe(
      'BODY_TOO_LARGE',
    )
  }, 120_000)
})
