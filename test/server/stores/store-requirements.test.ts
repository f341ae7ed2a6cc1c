/** Unsuitable, old, broken or full stores: a clear message at start, or 503 and no loss. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireVersion } from '../../../src/stores/requirements.ts'
import { manage, ROOT, refusedStart, type Server, startServer, stopServer } from '../../support/processes.ts'
import { runProgram } from '../../support/program.ts'
import { createInstance, type Envelope, type Outcome, outcomeOf } from '../../support/server/instance.ts'
import { freePort, type PostgresServer, startPostgres } from '../../support/stores/postgres.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-fitness-'))
let postgres: PostgresServer
let admin: Bun.SQL
let bridge: Server
let files = 0

async function startBridge(): Promise<void> {
  const args = ['test/support/stores/clickhouse-bridge.ts', join(home, 'bridge'), String(bridgePort), 'gw:secret']
  bridge = await startServer(args, {}, join(home, `bridge-${files++}.log`))
}
const clickhouseUrl = (): string => `http://gw:secret@127.0.0.1:${bridgePort}/default`

const bridgePort = await freePort()
beforeAll(async () => {
  mkdirSync(join(home, 'bridge'))
  ;[postgres] = await Promise.all([startPostgres(), startBridge()])
  admin = new Bun.SQL(postgres.url, { max: 1 })
}, 120_000)
afterAll(async () => {
  await admin.close()
  await stopServer(bridge, 'SIGKILL')
  await postgres.remove()
  if (mounts) runProgram('umount', ['-l', full])
  rmSync(home, { recursive: true, force: true })
})

const refusal = (env: Record<string, string>): Promise<string> =>
  refusedStart({ DATA_DIR: join(home, `refused-${files++}`), CLICKHOUSE_URL: clickhouseUrl(), ...env })

async function migrated(database: string): Promise<string> {
  await admin.unsafe(`CREATE DATABASE ${database}`)
  const url = postgres.url.replace(/postgres$/, database)
  const env = { POSTGRES_URL: url, CLICKHOUSE_URL: clickhouseUrl(), PORT: '0', DATA_DIR: join(home, database) }
  await stopServer(await startServer(['src/main.ts'], env, join(home, `${database}.log`)))
  return url
}

test('versions are compared number by number', () => {
  expect(() => requireVersion('X', '14.11', '15')).toThrow('X 15 or newer is needed, this is 14.11')
  expect(() => requireVersion('X', '24.2.9', '24.3')).toThrow()
  expect(() => requireVersion('X', '', '1')).toThrow()
  for (const found of ['15', '15.0', '16beta1', '100.1', '15.18 (Debian 15.18-0+deb12u1)'])
    requireVersion('X', found, '15')
  requireVersion('X', '24.10', '24.3')
})

test('a wrong password and a missing database are reported', async () => {
  expect(await refusal({ POSTGRES_URL: postgres.url.replace('secret', 'wrong') })).toMatch(
    /^POSTGRES_URL: .*password authentication failed/,
  )
  expect(await refusal({ POSTGRES_URL: postgres.url.replace(/postgres$/, 'nowhere') })).toMatch(
    /^POSTGRES_URL: .*database "nowhere" does not exist/,
  )
}, 120_000)

test('a missing table in PostgreSQL or ClickHouse', async () => {
  const url = await migrated('broken')
  const inside = new Bun.SQL(url, { max: 1 })
  await inside.unsafe('DROP TABLE audit')
  await inside.close()
  expect(await refusal({ POSTGRES_URL: url })).toBe(
    'POSTGRES_URL: the table audit is missing or not as its migration made it\n',
  )
  await fetch(`http://127.0.0.1:${bridgePort}/`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('gw:secret').toString('base64')}` },
    body: 'DROP TABLE channels',
  })
  expect(await refusal({})).toBe(
    'CLICKHOUSE_URL: channels is missing, though the migration that makes it is recorded as applied\n',
  )
  await stopServer(bridge, 'SIGKILL')
  rmSync(join(home, 'bridge'), { recursive: true })
  mkdirSync(join(home, 'bridge'))
  await startBridge()
}, 120_000)

test('a read-only database: a clear message at start, 503 for writes, readings still accepted', async () => {
  const url = await migrated('frozen')
  const instance = await createInstance({ POSTGRES_URL: url })
  const organization = await instance.organization()
  const sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
  const body = (s: number) => ({ readings: [{ at: new Date(Date.now() - s * 1000).toISOString(), values: { a: 1 } }] })
  expect((await outcomeOf(await instance.send(sensor, body(9)))).accepted).toHaveLength(1)
  await admin.unsafe('ALTER DATABASE frozen SET default_transaction_read_only = on')
  await admin.unsafe("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'frozen'")
  for (let i = 0; i < 3; i++) {
    const answer = await fetch(`${instance.url()}/manage/v1/enterprises`, {
      method: 'POST',
      headers: { authorization: `Bearer ${instance.operatorToken()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x', tier: 'scale' }),
    })
    expect({ status: answer.status, code: ((await answer.json()) as Envelope).code }).toEqual({
      status: 503,
      code: 'STORE_UNAVAILABLE',
    })
  }
  expect((await outcomeOf(await instance.send(sensor, body(5)))).accepted).toHaveLength(1)
  await instance.remove()
  expect(await refusal({ POSTGRES_URL: url })).toMatch(/^POSTGRES_URL: .*read-only/)
}, 120_000)

const full = join(home, 'full')
mkdirSync(full)
// only root can mount, and not in every container
const mounts = runProgram('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', full]).status === 0

test.skipIf(!mounts)(
  'a full disk: 503, nothing is lost, and readings are accepted again when there is space',
  async () => {
    const env = {
      DATA_DIR: full,
      PORT: '0',
      POSTGRES_URL: postgres.url,
      CLICKHOUSE_URL: clickhouseUrl(),
      SENSOR_CALLS_PER_MINUTE: '10000',
      LOOKUP_TIMEOUT_MS: '300',
    }
    const server = await startServer(['src/main.ts'], env, join(home, 'full.log'))
    const token = (await Bun.file(join(full, 'operator.token')).text()).trim()
    const { id } = await manage<{ id: string }>(server.url, token, 'POST', '/enterprises', {
      name: 'Full',
      tier: 'scale',
    })
    const sensor = await manage<{ id: string; key: string }>(server.url, token, 'POST', `/enterprises/${id}/sensors`, {
      channels: [{ name: 'a', measurement: 'number' }],
    })
    const send = (body: object): Promise<Response> =>
      fetch(`${server.url}/sensors/${sensor.id}/readings`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sensor.key}` },
        body: JSON.stringify(body),
      })
    const startMs = Date.now() - 80_000_000
    const batch = (i: number) => ({
      readings: Array.from({ length: 500 }, (_, k) => ({
        at: new Date(startMs + (i * 500 + k) * 1000).toISOString(),
        values: { a: k },
      })),
    })
    expect((await send(batch(0))).status).toBe(200)
    await stopServer(bridge, 'SIGKILL')
    const refused: number[] = []
    let accepted = 500
    for (let i = 1; i < 120; i++) {
      const response = await send(batch(i))
      const envelope = (await response.json()) as Envelope<Outcome>
      if (response.status === 200) accepted += envelope.data.accepted.length
      else {
        expect({ status: response.status, code: envelope.code }).toEqual({ status: 503, code: 'INGEST_UNAVAILABLE' })
        refused.push(i)
      }
    }
    expect(refused.length).toBeGreaterThan(10)
    expect(accepted).toBeGreaterThan(5_000)
    await startBridge()
    for (const i of refused) {
      let response = await send(batch(i))
      for (
        const deadline = Date.now() + 30_000;
        response.status === 503 && Date.now() < deadline;
        response = await send(batch(i))
      )
        await Bun.sleep(100)
      accepted += (await outcomeOf(response)).accepted.length
    }
    expect(accepted).toBe(120 * 500)
    await Bun.sleep(1500)
    await stopServer(server)
    await stopServer(bridge, 'SIGTERM')
    const query = `SELECT count() AS n, sum(values[1]) AS sum FROM readings FINAL WHERE sensor = (SELECT sensor FROM sensors FINAL WHERE sensor_id = '${sensor.id}')`
    const asking = Bun.spawn([process.execPath, 'test/support/stores/query.ts', join(home, 'bridge'), query], {
      cwd: ROOT,
    })
    expect(JSON.parse(await new Response(asking.stdout).text())).toEqual([{ n: 60_000, sum: 120 * ((499 * 500) / 2) }])
    runProgram('umount', [full])
  },
  120_000,
)
