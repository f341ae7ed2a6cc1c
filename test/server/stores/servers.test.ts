/**
 * Server mode: a real PostgreSQL, and ClickHouse's HTTP interface through a bridge to chDB (see
 * support/stores/clickhouse-bridge.ts).
 */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refusedStart, type Server, startServer, stopServer } from '../../support/processes.ts'
import { killRandom } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { createInstance, type Envelope, fromNow, outcomeOf, untilStored } from '../../support/server/instance.ts'
import { startReadingFleet } from '../../support/server/reading-fleet.ts'
import { freePort, startPostgres } from '../../support/stores/postgres.ts'
import { eventually, until } from '../../support/until.ts'

const CHANNELS = [{ name: 'a', measurement: 'number' as const }]
const home = mkdtempSync(join(tmpdir(), 'groundwave-servers-'))
const randomFor = killRandom('servers.test.ts')
let bridge: Server
let bridges = 0
let wrongs = 0

async function startBridge(): Promise<void> {
  const args = ['test/support/stores/clickhouse-bridge.ts', home, String(bridgePort), 'gw:pass word']
  bridge = await startServer(args, {}, join(home, `bridge-${bridges++}.log`))
}
const clickhouseUrl = (): string => `http://gw:${encodeURIComponent('pass word')}@127.0.0.1:${bridgePort}/default`

const bridgePort = await freePort()
const [postgres] = await Promise.all([startPostgres(), startBridge()])
const instance = await createInstance({
  POSTGRES_URL: postgres.url,
  CLICKHOUSE_URL: clickhouseUrl(),
  SENSOR_CALLS_PER_MINUTE: '100000',
  LOOKUP_TIMEOUT_MS: '1000',
})
const organization = await instance.organization('scale')
const sensor = await instance.sensor(organization.id, CHANNELS)
afterAll(async () => {
  await instance?.remove()
  await stopServer(bridge, 'SIGKILL')
  await postgres?.remove()
  rmSync(home, { recursive: true, force: true })
})

const at = (i: number): string => fromNow(-80_000_000 + i * 1000)
const batch = (from: number, to: number) => ({
  readings: Array.from({ length: to - from }, (_, i) => ({ at: at(from + i), values: { a: from + i } })),
})
type Page = { items: { at: string; values: { a: number } }[] }
const stored = async (limit = 1000): Promise<number> =>
  (await instance.query<Page>(organization, `/sensors/${sensor.id}/readings?limit=${limit}`)).data.items.length
const ready = async () => {
  const response = await fetch(`${instance.url()}/health/ready`)
  const { data } = (await response.json()) as Envelope<{ parts: Record<string, { status: string }> }>
  return {
    status: response.status,
    parts: Object.fromEntries(Object.entries(data.parts).map(([name, { status }]) => [name, status])),
  }
}

test('readings are stored and returned', async () => {
  const body = batch(0, 300)
  expect((await outcomeOf(await instance.send(sensor, body))).accepted).toHaveLength(300)
  expect((await outcomeOf(await instance.send(sensor, body))).duplicates).toHaveLength(300)
  await eventually(async () => expect(await stored()).toBe(300))
  await eventually(async () => {
    const { data } = await instance.query<{ values: object }>(organization, `/sensors/${sensor.id}/latest`)
    expect(data.values).toEqual({ a: { value: 299, at: body.readings[299]?.at } })
  })
  // worker processes start after the server listens
  for (const deadlineMs = Date.now() + 30_000; (await ready()).status !== 200 && Date.now() < deadlineMs; )
    await Bun.sleep(50)
  expect(await ready()).toMatchObject({ status: 200 })
})

test('series, live layer and exports work over HTTP', async () => {
  const located = await instance.sensor(organization.id, CHANNELS)
  const here = { at: at(1), values: { a: 7 }, location: [13.4, 52.5] }
  await outcomeOf(await instance.send(located, { readings: [here] }))
  await untilStored(() => instance, organization, located, 1)
  type Series = { series: { points: [string, number][] }[] }
  const range = `from=${encodeURIComponent(at(0).slice(0, 10))}T00:00:00Z&to=${new Date().toISOString()}`
  // aggregates of readings follow them
  await eventually(async () => {
    const { data } = await instance.query<Series>(organization, `/series?channel=a&${range}&step=1d&agg=count,sum,p50`)
    const totals = data.series.map(({ points }) => points.reduce((sum, [, value]) => sum + value, 0))
    expect(totals.slice(0, 2)).toEqual([300, (299 * 300) / 2])
    expect(totals.slice(3, 5)).toEqual([1, 7])
    const live = await instance.query<{ features: { geometry: object }[] }>(organization, '/live?bbox=13,52,14,53')
    expect(live.data.features.map(({ geometry }) => geometry)).toEqual([{ type: 'Point', coordinates: [13.4, 52.5] }])
  })
  const exported = (format: string): Promise<Response> =>
    fetch(`${instance.url()}/enterprise/v1/assets/export?format=${format}`, {
      headers: { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey },
    })
  expect((await (await exported('csv')).text()).trim().split('\n').length).toBe(302)
  const lines = (await (await exported('jsonl')).text()).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).value).reduce((a, b) => a + b, 0)).toBe((299 * 300) / 2 + 7)
})

test('PostgreSQL returns records, JSON and times unchanged', async () => {
  const client = new Bun.SQL(postgres.url, { max: 1 })
  const [row] =
    await client`SELECT jsonb_typeof(tools) AS kind, tools FROM applications WHERE id = ${organization.applicationId}`
  expect(row).toEqual({ kind: 'string', tools: 'all' })
  await instance.manage('PATCH', `/applications/${organization.applicationId}`, {
    tools: ['vector.buffer', 'vector.clip'],
    // later tests query readings with it
    assets: true,
  })
  const application = await instance.manage<{ tools: string[]; createdAt: string; updatedAt: string }>(
    'GET',
    `/applications/${organization.applicationId}`,
  )
  expect(application.tools).toEqual(['vector.buffer', 'vector.clip'])
  expect(Date.parse(application.updatedAt)).toBeGreaterThan(Date.parse(application.createdAt))
  expect(Math.abs(Date.parse(application.createdAt) - Date.now())).toBeLessThan(120_000)
  const [audited] =
    await client`SELECT jsonb_typeof(after) AS kind, after->'tools' AS tools FROM audit WHERE subject_id = ${organization.applicationId} AND action = 'update'`
  expect(audited).toEqual({ kind: 'object', tools: ['vector.buffer', 'vector.clip'] })
  await instance.manage('POST', `/enterprises/${organization.id}/members`, { email: 'x@example.org', role: 'owner' })
  await expect(
    instance.manage('POST', `/enterprises/${organization.id}/members`, { email: 'X@example.org', role: 'owner' }),
  ).rejects.toThrow('is taken already')
  await client.close()
})

test('with ClickHouse down, readings are accepted, wait on disk and are loaded in order when it is back', async () => {
  await stopServer(bridge, 'SIGKILL')
  for (let i = 0; i < 5; i++)
    expect((await outcomeOf(await instance.send(sensor, batch(300 + i * 100, 400 + i * 100)))).accepted).toHaveLength(
      100,
    )
  await eventually(async () =>
    expect(await ready()).toMatchObject({
      status: 503,
      parts: { clickhouse: 'failing', ingest: 'failing', postgres: 'ok' },
    }),
  )
  expect(await instance.query(organization, `/sensors/${sensor.id}/readings`)).toMatchObject({
    statusCode: 503,
    code: 'STORE_UNAVAILABLE',
  })
  // readings that memory cannot check must not be guessed
  const late = await instance.send(await instance.sensor(organization.id, CHANNELS), batch(0, 1))
  expect(late.status).toBe(503)
  expect(late.headers.get('retry-after')).toBe('5')
  expect(((await late.json()) as Envelope).code).toBe('INGEST_UNAVAILABLE')
  await startBridge()
  await until(async () => (await ready()).status === 200 && (await stored()) >= 800, 'the stored readings')
  expect(await stored()).toBe(800)
}, 120_000)

test('kills of ClickHouse, the server and PostgreSQL under load lose and duplicate nothing', async () => {
  const sensors = await Promise.all(Array.from({ length: 6 }, () => instance.sensor(organization.id, CHANNELS)))
  const fleet = startReadingFleet(
    sensors,
    organization,
    () => instance,
    (index) => randomFor(`sensor ${index}`),
  )
  const random = randomFor('kills')
  for (let i = 0; i < rounds(2, 5); i++) {
    await Bun.sleep(200 + random() * 400)
    await stopServer(bridge, 'SIGKILL')
    await Bun.sleep(random() * 300)
    await startBridge()
    await Bun.sleep(random() * 300)
    await instance.kill('SIGKILL')
    await instance.restart()
    await Bun.sleep(random() * 300)
    await postgres.stop('SIGQUIT')
    await Bun.sleep(random() * 300)
    await postgres.start()
  }
  const { sent, stored, lost, unexpected, acceptedTwice, slowestMs } = await fleet.stop()
  expect({ lost, unexpected, acceptedTwice }).toEqual({ lost: 0, unexpected: 0, acceptedTwice: 0 })
  expect(stored).toBe(sent)
  expect(stored).toBeGreaterThan(rounds(1_000, 3_000))
  expect(slowestMs).toBeLessThan(10_000)
}, 180_000)

test('with PostgreSQL down, cached sensors keep ingesting, other calls get 503, and the server recovers by itself', async () => {
  expect((await instance.send(sensor, batch(900, 901))).status).toBe(200)
  await postgres.stop()
  expect((await outcomeOf(await instance.send(sensor, batch(901, 902)))).accepted).toHaveLength(1)
  const answer = await instance.query(organization, '/sensors')
  expect(answer).toMatchObject({ statusCode: 503, code: 'STORE_UNAVAILABLE' })
  expect((await ready()).parts).toMatchObject({ postgres: 'failing' })
  await postgres.start()
  await eventually(async () =>
    expect(await instance.query(organization, '/sensors')).toMatchObject({ statusCode: 200 }),
  )
}, 120_000)

test('ACK=clickhouse answers only after ClickHouse has stored the readings', async () => {
  const own = await instance.sensor(organization.id, CHANNELS)
  await instance.kill('SIGTERM')
  await instance.restart({ ACK: 'clickhouse', LOAD_INTERVAL_MS: '60000' })
  expect((await outcomeOf(await instance.send(own, batch(0, 10)))).accepted).toHaveLength(10)
  const { data } = await instance.query<Page>(organization, `/sensors/${own.id}/readings`)
  expect(data.items).toHaveLength(10)
  await stopServer(bridge, 'SIGKILL')
  const body = batch(10, 20)
  const refused = await instance.send(own, body)
  expect(refused.status).toBe(503)
  await startBridge()
  await eventually(async () => expect((await outcomeOf(await instance.send(own, body))).duplicates).toHaveLength(10))
}, 120_000)

test.each([
  ['POSTGRES_URL', 'mysql://x', 'POSTGRES_URL must be a URL that starts with postgres:// or postgresql://\n'],
  ['CLICKHOUSE_URL', 'clickhouse', 'CLICKHOUSE_URL must be a URL that starts with http:// or https://\n'],
  ['POSTGRES_URL', 'postgres://127.0.0.1:1/x', 'POSTGRES_URL: '],
  ['CLICKHOUSE_URL', 'http://127.0.0.1:1/x', 'CLICKHOUSE_URL: '],
  ['CLICKHOUSE_URL', 'wrong password', 'CLICKHOUSE_URL: Authentication failed'],
])(
  '%s=%s stops the start with a message that explains it',
  async (name, value, word) => {
    const url = value === 'wrong password' ? clickhouseUrl().replace('gw:', 'gw:x') : value
    const urls = { POSTGRES_URL: postgres.url, CLICKHOUSE_URL: clickhouseUrl(), [name]: url }
    const said = await refusedStart({ DATA_DIR: join(home, `wrong-${wrongs++}`), ...urls })
    expect(said).toStartWith(word)
    expect(said).not.toContain('pass')
  },
  120_000,
)
