/** Deleting readings: of a period, of a channel, of a whole sensor or enterprise; and the consequences. */
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../../../src/stores/clickhouse/embedded.ts'
import { createInstance, type MadeSensor, outcomeOf } from '../../support/server/instance.ts'
import { until } from '../../support/until.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MIDNIGHT = Math.floor(Date.now() / DAY_MS) * DAY_MS
const START = MIDNIGHT - 5 * DAY_MS
const at = (hours: number): string => new Date(START + hours * HOUR_MS).toISOString()

type Reading = { at: string; values?: Record<string, number>; location?: [number, number] }
type Deletion = { id: string; status: string; readings: number | null }

// deletions wait for each other, and deletions of other files may take long
const instance = await createInstance({ SENSOR_CALLS_PER_MINUTE: '100000' })
afterAll(() => instance.remove())
const organization = await instance.organization('business')

const CHANNELS = [
  { name: 'a', measurement: 'number' as const },
  { name: 'b', measurement: 'number' as const },
]
/** Two days, each half hour; every other reading has both channels, every third a position. */
const readingsOfTwoDays = (): Reading[] =>
  Array.from({ length: 96 }, (_, i) => ({
    at: at(i / 2),
    values: { a: i, ...(i % 2 === 0 && { b: i / 4 }) } as Record<string, number>,
    ...(i % 3 === 0 && { location: [i / 100, 1] as [number, number] }),
  }))

async function sensorWith(readings: Reading[], name: string): Promise<MadeSensor> {
  const sensor = await instance.sensor(organization.id, CHANNELS, name)
  if (readings.length === 0) return sensor
  expect(await duplicatesOf(sensor, readings)).toEqual({ accepted: readings.length, duplicates: 0 })
  await until(async () => (await stored(sensor)).length === readings.length)
  return sensor
}

const get = async <T>(path: string): Promise<T> => (await instance.query<T>(organization, path)).data

async function stored(sensor: MadeSensor): Promise<Reading[]> {
  const { items } = await get<{ items: Reading[] }>(`/sensors/${sensor.id}/readings?limit=1000`)
  return items.map(({ at, values = {}, location }) => ({
    at: new Date(at).toISOString(),
    values,
    ...(location != null && { location }),
  }))
}

async function answerOf(method: string, path: string): Promise<{ statusCode: number; errors?: { field: string }[] }> {
  const headers = { authorization: `Bearer ${instance.operatorToken()}` }
  const response = await fetch(`${instance.url()}/manage/v1${path}`, { method, headers })
  return (await response.json()) as { statusCode: number; errors?: { field: string }[] }
}

async function deleteReadings(sensor: MadeSensor, query: string): Promise<Deletion> {
  const { id } = await instance.manage<Deletion>('DELETE', `/sensors/${sensor.id}/readings?${query}`)
  const read = () => instance.manage<Deletion>('GET', `/sensors/${sensor.id}/deletions/${id}`)
  await until(async () => (await read()).status === 'done', 'the deletion')
  return read()
}

/** The rows that must be stored after a deletion, computed from the readings sent. */
function without(readings: Reading[], fromHours: number, toHours: number, channel?: string): Reading[] {
  const isInside = (reading: Reading) => reading.at >= at(fromHours) && reading.at < at(toHours)
  return readings.flatMap((reading) => {
    if (!isInside(reading)) return [reading]
    if (channel === undefined) return []
    const { [channel]: _, ...values } = reading.values ?? {}
    const rest = { at: reading.at, values, ...(reading.location && { location: reading.location }) }
    return Object.keys(values).length > 0 || reading.location !== undefined ? [rest] : []
  })
}

async function exported(sensor: MadeSensor): Promise<number> {
  const headers = { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey }
  const path = `/enterprise/v1/assets/export?format=csv&sensors=${sensor.id}`
  const text = await (await fetch(instance.url() + path, { headers })).text()
  return text.trim().split('\n').length - 1
}

/** Sums by hour and day, newest values and positions, computed from the remaining readings. */
async function expectFollows(sensor: MadeSensor, readings: Reading[]): Promise<void> {
  expect(await stored(sensor)).toEqual(readings)
  const rows = readings.reduce((sum, { values = {} }) => sum + Math.max(1, Object.keys(values).length), 0)
  expect(await exported(sensor)).toBe(rows)
  const sumOf = (some: Reading[], channel: string): number =>
    some.reduce((sum, { values }) => sum + (values?.[channel] ?? 0), 0)
  for (const channel of ['a', 'b'])
    for (const [step, ms] of [
      ['1h', HOUR_MS],
      ['1d', DAY_MS],
    ] as const) {
      const range = `from=${new Date(START).toISOString()}&to=${new Date(START + 2 * DAY_MS).toISOString()}`
      const answer = await get<{ series: { points: [string, number][] }[] }>(
        `/sensors/${sensor.id}/series?channel=${channel}&agg=sum&step=${step}&${range}`,
      )
      const points = (answer.series[0]?.points ?? []).filter(([, value]) => value !== null)
      const having = readings.filter(({ values }) => values?.[channel] !== undefined)
      const buckets = Map.groupBy(having, (reading) => Math.floor(Date.parse(reading.at) / ms) * ms)
      const wanted = [...buckets].map(([bucket, some]) => [new Date(bucket).toISOString(), sumOf(some, channel)])
      expect([channel, step, points.map(([start, sum]) => [new Date(start).toISOString(), sum])]).toEqual([
        channel,
        step,
        wanted,
      ])
    }
  const latest = await get<{ values: Record<string, { value: number; at: string }>; location: unknown }>(
    `/sensors/${sensor.id}/latest`,
  )
  for (const channel of ['a', 'b']) {
    const last = readings.findLast(({ values }) => values?.[channel] !== undefined)
    expect(latest.values[channel]?.value).toBe(last?.values?.[channel] as number)
  }
  const position = readings.findLast(({ location }) => location !== undefined)
  expect(latest.location ?? null).toEqual(position?.location ?? null)
}

const duplicatesOf = async (sensor: MadeSensor, readings: Reading[]) => {
  const { accepted, duplicates } = await outcomeOf(await instance.send(sensor, { readings }))
  return { accepted: accepted.length, duplicates: duplicates.length }
}

/** Assertions that must still hold after the one restart of this file. */
const afterRestart: (() => Promise<void>)[] = []

test('a deleted period disappears from every result, and its readings stay duplicates, also after a restart', async () => {
  const readings = readingsOfTwoDays()
  const sensor = await sensorWith(readings, 'Period')
  const { readings: count } = await deleteReadings(sensor, `from=${at(10)}&to=${at(20)}`)
  expect(count).toBe(20)
  const left = without(readings, 10, 20)
  await expectFollows(sensor, left)
  expect(await duplicatesOf(sensor, readings)).toEqual({ accepted: 0, duplicates: 96 })
  afterRestart.push(async () => {
    expect(await duplicatesOf(sensor, readings)).toEqual({ accepted: 0, duplicates: 96 })
    await expectFollows(sensor, left)
  })
}, 120_000)

test('values of a channel are deleted from readings that also have other channels', async () => {
  const readings = readingsOfTwoDays()
  const sensor = await sensorWith(readings, 'Channel')
  const { readings: count } = await deleteReadings(sensor, `from=${at(0)}&to=${at(24)}&channel=a`)
  expect(count).toBe(48)
  const left = without(readings, 0, 24, 'a')
  await expectFollows(sensor, left)
  expect(await duplicatesOf(sensor, readings)).toEqual({ accepted: 0, duplicates: 96 })
}, 120_000)

test('several channels are deleted at once, after a preview of how many readings have them', async () => {
  const sensor = await sensorWith(readingsOfTwoDays(), 'Channels')
  const query = `from=${at(1)}&to=${at(5)}&channel=a&channel=b`
  const preview = (path: string) =>
    instance.manage<Record<string, unknown>>('GET', `/sensors/${sensor.id}/deletions/preview?${path}`)
  expect(await preview(query)).toEqual({ readings: 8, oldest: at(1), newest: at(4.5) })
  // every other reading has this channel
  expect(await preview(`from=${at(1)}&to=${at(5)}&channel=b`)).toEqual({ readings: 4, oldest: at(1), newest: at(4) })
  expect(await preview(`from=${at(60)}&to=${at(70)}`)).toEqual({ readings: 0, oldest: null, newest: null })
  expect((await stored(sensor)).length).toBe(96)
  expect(await deleteReadings(sensor, query)).toMatchObject({ readings: 8, channel: null, channels: ['a', 'b'] })
  await expectFollows(sensor, without(without(readingsOfTwoDays(), 1, 5, 'a'), 1, 5, 'b'))
  expect((await preview(query)).readings).toBe(0)
}, 120_000)

test('readings deleted with refill may be sent again, once', async () => {
  const readings = readingsOfTwoDays()
  const sensor = await sensorWith(readings, 'Refill')
  await deleteReadings(sensor, `from=${at(10)}&to=${at(20)}&refill=true`)
  await expectFollows(sensor, without(readings, 10, 20))
  const corrected = readings.map((reading) => ({ ...reading, values: { a: 7 } }))
  expect(await duplicatesOf(sensor, corrected)).toEqual({ accepted: 20, duplicates: 76 })
  expect(await duplicatesOf(sensor, corrected)).toEqual({ accepted: 0, duplicates: 96 })
  const now = readings.map((reading, i) => (i >= 20 && i < 40 ? (corrected[i] as Reading) : reading))
  await until(async () => (await stored(sensor)).length === 96)
  await expectFollows(sensor, now)
  afterRestart.push(async () => expect(await duplicatesOf(sensor, corrected)).toEqual({ accepted: 0, duplicates: 96 }))
}, 120_000)

test('a period may span all times', async () => {
  const readings = readingsOfTwoDays()
  const sensor = await sensorWith(readings, 'Everything')
  await deleteReadings(sensor, 'from=0001-01-01T00:00:00Z&to=9999-12-31T00:00:00Z&refill=true')
  expect(await stored(sensor)).toEqual([])
  expect(await duplicatesOf(sensor, readings)).toEqual({ accepted: 96, duplicates: 0 })
  await until(async () => (await stored(sensor)).length === 96)
  await expectFollows(sensor, readings)
}, 120_000)

test('the newest values and position follow when the newest readings are deleted', async () => {
  const readings = readingsOfTwoDays()
  const sensor = await sensorWith(readings, 'Newest')
  await deleteReadings(sensor, `from=${at(30)}&to=${at(48)}`)
  const left = without(readings, 30, 48)
  await expectFollows(sensor, left)
  // the memory is empty, so the newest times come from ClickHouse
  await instance.kill('SIGKILL')
  await instance.restart()
  for (const check of afterRestart) await check()
  expect(await duplicatesOf(sensor, readings.slice(-10))).toEqual({ accepted: 0, duplicates: 10 })
  const later = [{ at: at(49), values: { a: 1, b: 2 } }]
  expect(await duplicatesOf(sensor, later)).toEqual({ accepted: 1, duplicates: 0 })
  await until(async () => (await stored(sensor)).length === left.length + 1)
  await deleteReadings(sensor, `from=${at(0)}&to=${at(100)}`)
  expect(await stored(sensor)).toEqual([])
  const { values, location } = await get<{ values: object; location: unknown }>(`/sensors/${sensor.id}/latest`)
  expect([values, location ?? null]).toEqual([{}, null])
}, 120_000)

test('invalid periods are refused', async () => {
  const sensor = await sensorWith(readingsOfTwoDays().slice(0, 2), 'Invalid')
  const failureOf = async (query: string) => {
    const { statusCode, errors } = await answerOf('DELETE', `/sensors/${sensor.id}/readings${query}`)
    return [statusCode, errors?.[0]?.field]
  }
  expect(await failureOf('')).toEqual([422, 'query.from'])
  expect(await failureOf(`?from=${at(1)}`)).toEqual([422, 'query.to'])
  expect(await failureOf(`?from=${at(1)}&to=${at(1)}`)).toEqual([422, 'query.to'])
  expect(await failureOf(`?from=yesterday-or-so-or-so&to=${at(1)}`)).toEqual([422, 'query.from'])
  expect(await failureOf(`?from=${at(0)}&to=${at(1)}&channel=zz`)).toEqual([422, 'query.channel'])
  expect(await failureOf(`?from=${at(0)}&to=${at(1)}&channel=a&refill=true`)).toEqual([422, 'query.refill'])
  expect(await failureOf(`?from=${at(0)}&to=${at(1)}&channel=a&channel=zz`)).toEqual([422, 'query.channel'])
  for (const from of ['2026-11-23', '2026-11-23T04:50:00', 'yesterday']) {
    const { errors } = await answerOf('DELETE', `/sensors/${sensor.id}/readings?from=${from}&to=${at(1)}`)
    expect(errors?.[0]).toMatchObject({ field: 'query.from', message: expect.stringContaining('with an offset') })
  }
  const previewed = await answerOf('GET', `/sensors/${sensor.id}/deletions/preview?from=${at(1)}&to=${at(0)}`)
  expect([previewed.statusCode, previewed.errors?.[0]?.field]).toEqual([422, 'query.to'])
  expect((await stored(sensor)).length).toBe(2)
}, 60_000)

test('deletions are listed, and deletions of other sensors do not exist', async () => {
  const [one, other] = [await sensorWith([], 'Listed'), await sensorWith([], 'Not listed')]
  const { id } = await deleteReadings(one, `from=${at(0)}&to=${at(1)}&channel=a`)
  const list = async ({ id: sensorId }: MadeSensor) =>
    (await instance.manage<{ items: Record<string, unknown>[] }>('GET', `/sensors/${sensorId}/deletions`)).items
  expect(await list(one)).toMatchObject([
    { id, channel: 'a', channels: ['a'], refill: false, readings: 0, status: 'done' },
  ])
  expect(await list(other)).toEqual([])
  const { statusCode } = await answerOf('GET', `/sensors/${other.id}/deletions/${id}`)
  expect(statusCode).toBe(404)
  const { items } = await instance.manage<{ items: Record<string, unknown>[] }>('GET', `/audit?subject=${one.id}`)
  expect(items.filter(({ subjectKind }) => subjectKind === 'readings')).toMatchObject([{ action: 'delete' }])
}, 60_000)

test('a deleted sensor leaves nothing in ClickHouse', async () => {
  const [kept, gone] = [await sensorWith(readingsOfTwoDays(), 'Stays'), await sensorWith(readingsOfTwoDays(), 'Goes')]
  const numberOf = async ({ id }: MadeSensor) =>
    (await instance.manage<{ number: number }>('GET', `/sensors/${id}`)).number
  const [keptNumber, goneNumber] = [await numberOf(kept), await numberOf(gone)]
  await instance.manage('DELETE', `/sensors/${gone.id}`)
  await until(() => lastLineOf(gone.id).includes('readings deleted'), 'the deletion')
  expect((await stored(kept)).length).toBe(96)
  await instance.kill('SIGTERM')
  const clickhouse = await openEmbeddedClickHouse(join(instance.dir, 'clickhouse'))
  try {
    const tables = await clickhouse.rows<{ table: string }>(
      "SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'sensor' AND table NOT LIKE '%_of_readings'",
    )
    const rowsOf = async (table: string, sensor: number) =>
      Number((await clickhouse.rows<{ n: number }>(`SELECT count() AS n FROM ${table} WHERE sensor = ${sensor}`))[0]?.n)
    expect(await rowsOf('readings', keptNumber)).toBe(96)
    for (const { table } of tables) expect([table, await rowsOf(table, goneNumber)]).toEqual([table, 0])
  } finally {
    await clickhouse.close()
  }
}, 120_000)

const lastLineOf = (text: string): string =>
  instance
    .log()
    .split('\n')
    .findLast((line) => line.includes(text)) ?? ''
