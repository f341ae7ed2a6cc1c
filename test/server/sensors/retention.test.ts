/** Changes of the retention period while the server runs. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ROOT } from '../../support/processes.ts'
import { createInstance, type MadeSensor, outcomeOf } from '../../support/server/instance.ts'
import { call, collectionOf, eventsOf, untilChecked } from '../../support/server/zones.ts'

const DAY_MS = 86_400_000
const NOW = Date.now()
const daysAgo = (days: number): string => new Date(NOW - days * DAY_MS).toISOString()
const AGES = [300, 100, 31, 29, 10, 1]

let sensor: MadeSensor
let silent: MadeSensor
let ruleId = ''

const instance = await createInstance({ SENSOR_CALLS_PER_MINUTE: '1000', RETENTION_GRACE_MINUTES: '0' })
const organization = await instance.organization('business')
beforeAll(async () => {
  const channels = [{ name: 'a', measurement: 'number' as const }]
  sensor = await instance.sensor(organization.id, channels, 'Speaks')
  silent = await instance.sensor(organization.id, channels, 'Silent')
  // each reading enters a zone of its own
  const zones = AGES.map((days) => ({
    id: `${days}`,
    west: days / 10 - 0.05,
    south: 0,
    east: days / 10 + 0.05,
    north: 2,
  }))
  const geojson = collectionOf(zones)
  const layer = await instance.manage<{ id: string }>('POST', `/owners/${organization.id}/layers`, {
    name: 'Z',
    geojson,
  })
  const rule = { when: 'enter', layerId: layer.id, all: true }
  ruleId = (await call<{ id: string }>(instance, organization, 'POST', '/rules', rule)).data.id
  await outcomeOf(await instance.send(sensor, { readings }))
  await outcomeOf(await instance.send(silent, { readings: readings.slice(0, 3) }))
  await untilChecked(instance)
}, 120_000)
afterAll(instance.remove)

const readings = AGES.map((days) => ({ at: daysAgo(days), values: { a: days }, location: [days / 10, 1] }))
const change = (body: object) =>
  instance.manage<{ affectedReadings: number; deletionAt: string | null }>(
    'PATCH',
    `/enterprises/${organization.id}`,
    body,
  )

type LatestItem = { at: string | null; values: Record<string, { value: number }>; location: number[] | null }

/** Results of every kind of query: ages of readings, and which sensors have any. */
async function seen() {
  const get = async <T>(path: string): Promise<T> => (await instance.query<T>(organization, path)).data
  const readings = await get<{ items: { values: { a: number } }[] }>(`/sensors/${sensor.id}/readings`)
  const from = daysAgo(400)
  const series = (step: string, to: string, sensors = sensor.id) =>
    get<{ resolution: string; series: { points: [string, number][] }[] }>(
      `/series?sensors=${sensors}&channel=a&agg=sum&step=${step}&from=${from}&to=${to}`,
    )
  const sum = ({ series: [one] }: Awaited<ReturnType<typeof series>>): number | undefined =>
    one?.points.reduce((total, [, value]) => total + value, 0)
  const latest = await get<{ items: LatestItem[] }>(`/latest?sensors=${sensor.id},${silent.id}`)
  const live = await get<{ features: { properties: { assetName: string } }[] }>('/live')
  const track = await get<{ properties: { times: string[] } }>(`/tracks/${sensor.id}`)
  const exported = await fetch(`${instance.url()}/enterprise/v1/assets/export?format=jsonl&sensors=${sensor.id}`, {
    headers: { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey },
  })
  const raw = await series('P40D', daysAgo(-1))
  const rolled = await series('1d', daysAgo(-1))
  return {
    readings: readings.items.map(({ values }) => values.a),
    sums: [sum(raw), sum(rolled)],
    latest: latest.items.map(({ at, values, location }) => [at, values.a?.value ?? null, location]),
    live: live.features.map(({ properties }) => properties.assetName),
    track: track.properties.times.length,
    exported: (await exported.text()).split('\n').length - 1,
    events: (await eventsOf(instance, organization, ruleId)).length,
  }
}

const total = (ages: number[]): number => ages.reduce((sum, days) => sum + days, 0)
const newest = [daysAgo(1), 1, [0.1, 1]]
const ALL = {
  readings: AGES,
  sums: [total(AGES), total(AGES)],
  latest: [newest, [daysAgo(31), 31, [3.1, 1]]],
  live: ['Speaks', 'Silent'],
  track: 6,
  exported: 6,
  events: 9,
}
const LEFT = {
  readings: [29, 10, 1],
  sums: [40, 40],
  latest: [newest, [null, null, null]],
  live: ['Speaks'],
  track: 3,
  exported: 3,
  events: 3,
}

test('with a shorter period, the next call returns and accepts no older readings', async () => {
  expect(await seen()).toEqual(ALL)
  const changedMs = Date.now()
  const shorter = await change({ retentionDays: 30 })
  // the readings of both sensors from 300, 100 and 31 days ago
  expect(shorter.affectedReadings).toBe(6)
  expect(Date.parse(shorter.deletionAt as string)).toBeWithin(changedMs, Date.now() + 1)
  expect(await seen()).toEqual(LEFT)
  const late = [daysAgo(31), daysAgo(30.0001), daysAgo(29.99)].map((at) => ({ at, values: { a: 1 } }))
  const { accepted, refused } = await outcomeOf(await instance.send(sensor, { readings: late }))
  expect(refused.map(({ reason }) => reason)).toEqual(['SENSOR_READING_TOO_OLD', 'SENSOR_READING_TOO_OLD'])
  expect(accepted).toHaveLength(1)
})

test('older rows are deleted soon after: a longer period does not bring them back, but keeps the others longer', async () => {
  await Bun.sleep(5_000)
  expect(await change({ retentionDays: 3_650 })).toMatchObject({ affectedReadings: 0, deletionAt: null })
  const left = { ...LEFT, readings: [1, ...LEFT.readings], sums: [41, 41], exported: 4 }
  expect(await seen()).toEqual(left)
  await Bun.sleep(4_000)
  expect(await seen()).toEqual(left)
}, 120_000)

test('deleted readings can be sent again; they are stored once', async () => {
  // as sent, so the remaining ones are duplicates
  const { accepted, duplicates } = await outcomeOf(await instance.send(sensor, { readings }))
  expect([accepted, duplicates]).toEqual([AGES.slice(0, 3).map(daysAgo), AGES.slice(3).map(daysAgo)])
  expect((await outcomeOf(await instance.send(sensor, { readings }))).duplicates).toHaveLength(AGES.length)
  expect((await outcomeOf(await instance.send(silent, { readings: readings.slice(0, 3) }))).accepted).toHaveLength(3)
  await untilChecked(instance)
  expect(await seen()).toMatchObject({
    readings: [300, 100, 31, 1, 29, 10, 1],
    sums: [total(AGES) + 1, total(AGES) + 1],
    exported: 7,
    latest: ALL.latest,
    live: ALL.live,
    track: 6,
    events: 9,
  })
}, 120_000)

test('rows have the new period', async () => {
  await instance.kill('SIGTERM')
  const tables = ['readings', 'latest_values', 'latest_positions', 'zone_events']
  const counts = tables.map(
    (table) => `SELECT '${table}' AS name, keep_days, count() AS rows FROM ${table} FINAL GROUP BY keep_days`,
  )
  const child = Bun.spawn(
    [
      process.execPath,
      'test/support/stores/query.ts',
      instance.dir,
      `SELECT * FROM (${counts.join(' UNION ALL ')}) ORDER BY name, keep_days`,
    ],
    { cwd: ROOT },
  )
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual([
    { name: 'latest_positions', keep_days: 3650, rows: 2 },
    { name: 'latest_values', keep_days: 3650, rows: 2 },
    { name: 'readings', keep_days: 3650, rows: 10 },
    { name: 'zone_events', keep_days: 3650, rows: 9 },
  ])
}, 120_000)
