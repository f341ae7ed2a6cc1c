/** POST /ingest/readings: readings of many sensors in one call, compared with the route of a single sensor. */
import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { seeded, whole } from '../../support/random.ts'
import { type MadeSensor, type Organization, outcomeOf } from '../../support/server/instance.ts'
import { type ManyReading, makeFleetKey, manyOutcomeOf, sendMany } from '../../support/server/many-readings.ts'
import { CHANNELS, failure } from '../../support/server/readings.ts'
import { limitedInstance, sharedInstance } from '../../support/server/shared-instance.ts'
import { eventually, inOneMinute, until } from '../../support/until.ts'

const instance = await sharedInstance()
const BEFORE = Date.now() - 3 * 3_600_000

const makeSensor = (
  { id }: Organization,
  more: { externalId?: string; tags?: string[]; enabled?: boolean } = {},
): Promise<MadeSensor> => {
  const { enabled, ...input } = more
  const made = instance.manage<MadeSensor>('POST', `/enterprises/${id}/sensors`, { channels: CHANNELS, ...input })
  return enabled === false
    ? made.then(async (sensor) => {
        await instance.manage('PATCH', `/sensors/${sensor.id}`, { enabled })
        return sensor
      })
    : made
}
const at = (i: number): string => new Date(BEFORE + i * 1000).toISOString()
const good = (sensor: string, i: number): ManyReading => ({
  sensor,
  at: at(i),
  values: { temperature: i / 8, count: i, open: i % 2 === 0 },
  location: [(i % 180) - 90, 45.5],
})

async function storedOf(organization: Organization, sensor: MadeSensor): Promise<unknown[]> {
  const items: unknown[] = []
  for (let cursor = ''; ; ) {
    const { data } = await instance.query<{ items: unknown[]; nextCursor: string | null }>(
      organization,
      `/sensors/${sensor.id}/readings?limit=1000${cursor}`,
    )
    items.push(...data.items)
    if (data.nextCursor === null) return items
    cursor = `&cursor=${data.nextCursor}`
  }
}

/** A mix of valid and invalid readings, as a single sensor would send them. */
function mixed(seed: number, count: number): Record<string, unknown>[] {
  const random = seeded(seed)
  return Array.from({ length: count }, () => {
    const i = whole(random, 10_000)
    const { sensor: _, ...reading } = good('', i)
    const faults: Record<string, unknown>[] = [
      { at: 'noon' },
      { at: i },
      { at: new Date(Date.now() + 3_600_000).toISOString() },
      { values: { pressure: 1 } },
      { values: { temperature: 'hot' } },
      { location: [200, 0] },
      { values: undefined, location: undefined },
      { more: [1, { a: 'b' }] },
    ]
    return { ...reading, ...(random() < 0.2 && faults[whole(random, faults.length)]) }
  })
}

test('readings of many sensors get the outcomes, and are stored, as if each sensor had sent its own', async () => {
  const organization = await instance.organization()
  const key = await makeFleetKey(instance, organization.id)
  const pairs = await Promise.all(
    Array.from({ length: 8 }, () => Promise.all([makeSensor(organization), makeSensor(organization)])),
  )
  const sent = pairs.flatMap(([many, single], k) => mixed(k, 400).map((reading, i) => ({ many, single, reading, i })))
  // interleaved, as a gateway collects them
  sent.sort((a, b) => a.i - b.i)
  for (const round of ['new', 'sent again']) {
    const outcome = await manyOutcomeOf(
      await sendMany(
        instance,
        key,
        sent.map(({ many, reading }) => ({ sensor: many.id, ...reading })),
      ),
    )
    for (const [many, single] of pairs) {
      const expected = await outcomeOf(
        await instance.send(single, {
          readings: sent.filter((one) => one.single === single).map((one) => one.reading),
        }),
      )
      const timesOf = (list: { sensor: string | null; at: unknown }[]): unknown[] =>
        list.filter(({ sensor }) => sensor === many.id).map((one) => one.at)
      expect([round, timesOf(outcome.accepted)]).toEqual([round, expected.accepted])
      expect([round, timesOf(outcome.duplicates)]).toEqual([round, expected.duplicates])
      expect(outcome.refused.filter(({ sensor }) => sensor === many.id).map(({ sensor: _, ...rest }) => rest)).toEqual(
        expected.refused as typeof outcome.refused,
      )
    }
    const listed = outcome.accepted.length + outcome.duplicates.length + outcome.refused.length
    expect(listed).toBe(sent.length)
  }
  for (const [many, single] of pairs)
    await eventually(async () => {
      const stored = await storedOf(organization, single)
      expect(stored.length).toBeGreaterThan(300)
      expect(await storedOf(organization, many)).toEqual(stored)
    })
})

test('a sensor by id and by external id is one, and more than 500 of its readings are checked over the whole call', async () => {
  const organization = await instance.organization()
  const key = await makeFleetKey(instance, organization.id)
  const sensor = await makeSensor(organization, { externalId: 'جهاز "7"' })
  const readings = Array.from({ length: 1_700 }, (_, i) => good(i % 2 === 0 ? sensor.id : 'جهاز "7"', i))
  // of the first part, by the other name
  readings.push(good('جهاز "7"', 0), good(sensor.id, 1), good(sensor.id, 1_200))
  const { accepted, duplicates, refused } = await manyOutcomeOf(await sendMany(instance, key, readings))
  expect(accepted).toEqual(readings.slice(0, 1_700).map(({ sensor: name, at: time }) => ({ sensor: name, at: time })))
  expect(duplicates).toEqual([])
  expect(refused).toEqual(
    readings.slice(1_700).map(({ sensor: name, at: time }) => ({
      sensor: name,
      at: time,
      reason: 'SENSOR_READING_DUPLICATE_IN_BATCH',
    })),
  )
  await until(async () => (await storedOf(organization, sensor)).length === 1_700)
})

test('each entry of a sensor that may not send is refused by itself', async () => {
  const [organization, other] = await Promise.all([instance.organization(), instance.organization()])
  const key = await makeFleetKey(instance, organization.id, { tags: ['north'], autoCreate: 'pending' })
  const [fine, disabled, south, foreign] = await Promise.all([
    makeSensor(organization, { tags: ['north'], externalId: 'fine' }),
    makeSensor(organization, { tags: ['north'], enabled: false }),
    makeSensor(organization, { tags: ['south'] }),
    makeSensor(other, { tags: ['north'] }),
  ])
  const readings = [
    good('fine', 1),
    good(disabled.id, 2),
    good(south.id, 3),
    good(foreign.id, 4),
    good('newcomer', 5),
    { ...good('fine', 6), sensor: 7 },
    { at: at(7), values: { count: 1 } },
    'nothing',
    { ...good('fine', 8), values: { nope: 1 } },
    good('fine', 9),
  ]
  const { accepted, refused } = await manyOutcomeOf(await sendMany(instance, key, readings))
  expect(accepted).toEqual([
    { sensor: 'fine', at: at(1) },
    { sensor: 'fine', at: at(9) },
  ])
  expect(refused).toEqual([
    { sensor: disabled.id, at: at(2), reason: 'SENSOR_DISABLED' },
    { sensor: south.id, at: at(3), reason: 'SENSOR_UNKNOWN' },
    { sensor: foreign.id, at: at(4), reason: 'SENSOR_UNKNOWN' },
    { sensor: 'newcomer', at: at(5), reason: 'SENSOR_PENDING' },
    { sensor: null, at: at(6), reason: 'SENSOR_UNKNOWN' },
    { sensor: null, at: at(7), reason: 'SENSOR_UNKNOWN' },
    { sensor: null, at: null, reason: 'SENSOR_UNKNOWN' },
    { sensor: 'fine', at: at(8), reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel: 'nope' },
  ])

  // refusals of a sensor are in its list, others in the key's
  const reasonsOf = async (sensor: MadeSensor): Promise<unknown[]> => {
    const { data } = await instance.query<{ items: { reason: string; count: number; example: string }[] }>(
      organization,
      `/sensors/${sensor.id}/refusals`,
    )
    return data.items.map(({ reason, count, example }) => [reason, count, example])
  }
  await eventually(async () => {
    expect(await reasonsOf(fine)).toEqual([
      ['SENSOR_READING_UNKNOWN_CHANNEL', 1, JSON.stringify({ ...good('fine', 8), values: { nope: 1 } })],
    ])
    expect((await reasonsOf(disabled)).map((one) => (one as unknown[])[0])).toEqual(['SENSOR_DISABLED'])
    const { items } = await instance.manage<{ items: { reason: string; name: string | null; count: number }[] }>(
      'GET',
      `/fleet-keys/${key.id}/refusals`,
    )
    const counts = new Map(items.map(({ name, reason, count }) => [name ?? '', [reason, count]]))
    expect(counts.get(south.id)).toEqual(['SENSOR_UNKNOWN', 1])
    expect(counts.get(foreign.id)).toEqual(['SENSOR_UNKNOWN', 1])
    expect(counts.get('')).toEqual(['SENSOR_UNKNOWN', 3])
    expect(counts.size).toBe(3)
  })
})

test('sensors that a key makes are there for the same call', async () => {
  const organization = await instance.organization()
  const key = await makeFleetKey(instance, organization.id, { autoCreate: 'on', tags: ['new'] })
  const readings = Array.from({ length: 60 }, (_, i) => good(`device ${i % 20}`, i))
  const first = await manyOutcomeOf(await sendMany(instance, key, readings))
  expect([first.accepted.length, first.refused]).toEqual([60, []])
  const second = await manyOutcomeOf(await sendMany(instance, key, readings))
  expect(second.duplicates).toEqual(first.accepted)
})

test('devices that wait for approval are shown with the place that they sent, by each way', async () => {
  const organization = await instance.organization()
  const key = await makeFleetKey(instance, organization.id, { autoCreate: 'pending' })
  const readings = [
    { sensor: 'json', at: at(0), values: { level: 1 }, location: [13.4, 52.5] as [number, number] },
    { sensor: 'elsewhere', at: at(0), values: { level: 1 }, location: { longitude: 13.4, latitude: 52.5 } },
  ]
  expect((await manyOutcomeOf(await sendMany(instance, key, readings))).refused.map(({ reason }) => reason)).toEqual([
    'SENSOR_PENDING',
    'SENSOR_PENDING',
  ])
  await fetch(`${instance.url()}/api/v2/write?precision=ms`, {
    method: 'POST',
    headers: { authorization: `Token ${key.key}` },
    body: `m,sensor=lines level=1,lat=52.5,lon=13.4 ${Date.parse(at(0))}`,
  })
  const { items } = await instance.manage<{ items: { externalId: string; sent: object }[] }>(
    'GET',
    `/enterprises/${organization.id}/pending-sensors`,
  )
  const shown = Object.fromEntries(items.map(({ externalId, sent }) => [externalId, sent]))
  const sent = { at: at(0), values: { level: 1 } }
  expect(shown).toEqual({
    json: { ...sent, location: [13.4, 52.5] },
    lines: { ...sent, location: [13.4, 52.5] },
    // a form that no reading has
    elsewhere: sent,
  })
})

test('unknown channels are left out and listed if the key ignores them', async () => {
  const organization = await instance.organization()
  const key = await makeFleetKey(instance, organization.id, { unknownChannels: 'ignore' })
  const sensor = await makeSensor(organization)
  const readings = [
    { sensor: sensor.id, at: at(0), values: { count: 1, fan: 2 } },
    { sensor: sensor.id, at: at(1), values: { fan: 2 } },
  ]
  const outcome = await manyOutcomeOf(await sendMany(instance, key, readings))
  expect(outcome).toEqual({
    accepted: [{ sensor: sensor.id, at: at(0) }],
    duplicates: [],
    refused: [0, 1].map((i) => ({
      sensor: sensor.id,
      at: at(i),
      reason: 'SENSOR_READING_UNKNOWN_CHANNEL',
      channel: 'fan',
    })),
  })
  await eventually(async () =>
    expect(await storedOf(organization, sensor)).toEqual([{ at: at(0), values: { count: 1 } }]),
  )
})

test('an answer lists 5,000 channels that were left out, however many there are', async () => {
  const organization = await instance.organization()
  const key = await makeFleetKey(instance, organization.id, { unknownChannels: 'ignore' })
  const sensor = await makeSensor(organization)
  const names = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`x${i}`, 1]))
  const readings = Array.from({ length: 20 }, (_, i) => ({
    sensor: sensor.id,
    at: at(i),
    values: { count: 1, ...names },
  }))
  const { accepted, refused } = await manyOutcomeOf(await sendMany(instance, key, readings))
  expect(accepted).toHaveLength(20)
  expect(refused).toHaveLength(5_000)
  expect(new Set(refused.map(({ reason }) => reason))).toEqual(new Set(['SENSOR_READING_UNKNOWN_CHANNEL']))
})

test('a call that spends the readings of the day is answered 429, and sent again it stores the rest', async () => {
  const organization = await instance.organization()
  const key = await makeFleetKey(instance, organization.id)
  const sensors = await Promise.all([makeSensor(organization), makeSensor(organization)])
  const readings = Array.from({ length: 1_600 }, (_, i) => good((sensors[i % 2] as MadeSensor).id, i))
  await instance.manage('PATCH', `/enterprises/${organization.id}`, { readingsPerDay: 1_100 })
  const response = await sendMany(instance, key, readings)
  const retryAfterS = Number(response.headers.get('retry-after'))
  expect(await failure(response)).toMatchObject({ status: 429, code: 'SENSOR_READINGS_DAILY_LIMIT' })
  const secondsLeft = (86_400_000 - (Date.now() % 86_400_000)) / 1000
  expect(Math.abs(retryAfterS - secondsLeft)).toBeLessThan(30)
  const storedTogether = async (): Promise<number> =>
    (await Promise.all(sensors.map((sensor) => storedOf(organization, sensor)))).reduce(
      (sum, { length }) => sum + length,
      0,
    )
  await until(async () => (await storedTogether()) === 1_100)
  expect((await sendMany(instance, key, readings)).status).toBe(429)
  await instance.manage('PATCH', `/enterprises/${organization.id}`, { readingsPerDay: null })
  const { accepted, duplicates, refused } = await manyOutcomeOf(await sendMany(instance, key, readings))
  expect([accepted.length, duplicates.length, refused.length]).toEqual([500, 1_100, 0])
  await until(async () => (await storedTogether()) === 1_600)
})

test('bodies that are too long, too many or broken are refused, in both languages', async () => {
  const organization = await instance.organization()
  const key = await makeFleetKey(instance, organization.id)
  const sensor = await makeSensor(organization)
  const most = Array.from({ length: 5_000 }, (_, i) => good(sensor.id, i))
  for (const [body, status, code] of [
    ['{"readings":[', 400, 'SENSOR_READINGS_BATCH_INVALID'],
    [JSON.stringify({ readings: [...most, good(sensor.id, 5_000)] }), 400, 'SENSOR_READINGS_BATCH_INVALID'],
    [`{"readings":[]${' '.repeat(5 * 2 ** 20)}}`, 413, 'BODY_TOO_LARGE'],
  ] as const) {
    const response = await sendMany(instance, key, body)
    const answer = (await response.json()) as { code: string; messageAr: string }
    expect([response.status, answer.code]).toEqual([status, code])
    expect(answer.messageAr).toMatch(/[\u0600-\u06ff]/)
  }
  const unknown = await fetch(`${instance.url()}/ingest/nothing`, { method: 'POST' })
  expect([unknown.status, ((await unknown.json()) as { messageAr: string }).messageAr.length > 0]).toEqual([404, true])
  const packed = await sendMany(instance, key, new Uint8Array(gzipSync(JSON.stringify({ readings: most }))), {
    'content-encoding': 'gzip',
  })
  expect((await manyOutcomeOf(packed)).accepted.length).toBe(5_000)
})

test('only the key of a fleet opens the route', async () => {
  const organization = await instance.organization()
  const sensor = await makeSensor(organization)
  for (const key of [sensor.key, 'svcfl_wrong', ''])
    expect(await failure(await sendMany(instance, { key }, [good(sensor.id, 1)]))).toMatchObject({
      status: 401,
      code: 'SENSOR_KEY_INVALID',
    })
})

test('calls of a fleet do not count for the calls of its sensors', async () => {
  const limited = await limitedInstance()
  const { id } = await limited.organization()
  const key = await makeFleetKey(limited, id)
  const sensor = await limited.sensor(id, CHANNELS)
  await inOneMinute(async () => {
    // the default limit of a sensor is 60
    for (let i = 0; i < 70; i++) expect((await sendMany(limited, key, [good(sensor.id, i)])).status).toBe(200)
    expect((await limited.send(sensor, { readings: [good('', 70)] })).status).toBe(200)
  })
})
