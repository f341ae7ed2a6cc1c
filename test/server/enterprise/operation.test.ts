/** Start, stop, health and metrics. */
import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../../../src/config/config-error.ts'
import { readConfig } from '../../../src/config.ts'
import { ROOT, untilUnused } from '../../support/processes.ts'
import { createInstance, type Envelope, fromNow, outcomeOf } from '../../support/server/instance.ts'
import { until } from '../../support/until.ts'

function runServer(env: Record<string, string>) {
  return Bun.spawn([process.execPath, 'src/main.ts'], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

/** The output of a server up to its last line for the operator; log lines come before and in between. */
async function readStart(output: ReadableStream<Uint8Array>): Promise<string> {
  const reader = output.getReader()
  for (let said = ''; ; ) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the server ended: ${said}`)
    said += new TextDecoder().decode(value)
    if (/operator token .*\n/.test(said)) return said
  }
}

const home = mkdtempSync(join(tmpdir(), 'groundwave-first-'))
const dir = join(home, 'data')
afterAll(() => rmSync(home, { recursive: true, force: true }))

test('the first start creates the data folder and prints addresses; a second process is refused', async () => {
  const first = runServer({ DATA_DIR: dir, PORT: '0' })
  const said = await readStart(first.stdout)
  expect(said).toMatch(/listening on http:\/\/127\.0\.0\.1:\d+\n/)
  expect(said).toContain('/docs')
  expect(said).toContain(join(dir, 'operator.token'))
  expect(statSync(join(dir, 'operator.token')).mode & 0o777).toBe(0o600)
  expect(statSync(dir).mode & 0o777).toBe(0o700)

  const second = runServer({ DATA_DIR: dir, PORT: '0' })
  expect(await second.exited).toBe(1)
  expect(await new Response(second.stderr).text()).toContain(
    `${dir} is in use by another Groundwave process (pid ${first.pid})`,
  )

  first.kill('SIGTERM')
  expect(await first.exited).toBe(0)
}, 120_000)

test('SIGTERM to npm start stops the server, and the next start works', async () => {
  const npm = Bun.spawn(['npm', 'start'], {
    cwd: ROOT,
    env: { ...process.env, DATA_DIR: dir, PORT: '0' },
    stdout: 'pipe',
  })
  await readStart(npm.stdout)
  npm.kill('SIGTERM')
  await npm.exited
  // the lock is free once the server has ended
  const next = runServer({ DATA_DIR: dir, PORT: '0' })
  await readStart(next.stdout)
  next.kill('SIGKILL')
  await next.exited
  await untilUnused(home)
}, 120_000)

test('a disk without space for a first start is reported before anything starts', async () => {
  const home = mkdtempSync(join(tmpdir(), 'groundwave-full-'))
  const mounting = 'mount -t tmpfs -o size=20m small "$1" && DATA_DIR="$1/data" exec "$2" src/main.ts'
  const child = Bun.spawn(
    ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', mounting, 'sh', home, process.execPath],
    { cwd: ROOT, env: { ...process.env, PORT: '0' }, stdout: 'pipe', stderr: 'pipe' },
  )
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect([await child.exited, output]).toEqual([1, ''])
  expect(errors).toBe(
    `${join(home, 'data')} is on the disk small (mounted at ${home}), which has 20 MB free; the start needs 160 MB. Free some space, or set DATA_DIR to a folder on another disk\n`,
  )
  rmSync(home, { recursive: true, force: true })
})

test.each(['INSTANCES', 'INSTANCE'])(
  'with %s=2 the folder of all instances becomes private',
  async (name) => {
    const home = mkdtempSync(join(tmpdir(), 'groundwave-private-'))
    const dir = join(home, 'data')
    mkdirSync(dir)
    chmodSync(dir, 0o755)
    // nothing answers at these addresses: instances end, after their folder was checked
    const urls = { POSTGRES_URL: 'postgres://127.0.0.1:9/x', REDIS_URL: 'redis://127.0.0.1:9' }
    const clickhouse = { CLICKHOUSE_URL: 'http://127.0.0.1:9/x' }
    const server = runServer({ [name]: '2', ...urls, ...clickhouse, DATA_DIR: dir, PORT: '0' })
    // the first instance that fails to start ends the others, which may not have come so far
    const started = (): string[] => readdirSync(dir).filter((entry) => entry.startsWith('instance-'))
    await until(() => started().length > 0, 'starting an instance')
    expect([dir, join(dir, started()[0] as string)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700])
    server.kill('SIGTERM')
    await server.exited
    rmSync(home, { recursive: true, force: true })
  },
  60_000,
)

test('SIGTERM under load exits with 0 and every accepted reading is stored', async () => {
  const instance = await createInstance({ SENSOR_CALLS_PER_MINUTE: '100000' })
  const organization = await instance.organization('scale')
  const sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
  const accepted: string[] = []
  let stopped = false
  const load = (async () => {
    for (let i = 0; !stopped; i++) {
      const readings = Array.from({ length: 100 }, (_, k) => ({
        at: fromNow(-80_000_000 + (i * 100 + k) * 1000),
        values: { a: k },
      }))
      try {
        accepted.push(...(await outcomeOf(await instance.send(sensor, { readings }))).accepted)
      } catch {
        return
      }
    }
  })()
  await until(() => accepted.length > 1000, 'accepting a thousand readings')
  const code = await instance.kill('SIGTERM')
  stopped = true
  await load
  expect(code).toBe(0)
  const counting = Bun.spawn([process.execPath, 'bench/support/count.ts', instance.dir], { cwd: ROOT })
  const { rows } = JSON.parse(await new Response(counting.stdout).text()) as { rows: number }
  // the last batch may be stored although its answer was lost
  expect(rows - accepted.length).toBeOneOf([0, 100])
  await instance.remove()
}, 120_000)

test('health, metrics and OpenAPI are served', async () => {
  const instance = await createInstance()
  const get = (path: string): Promise<Response> => fetch(instance.url() + path)
  expect(((await (await get('/health/live')).json()) as Envelope).ok).toBe(true)
  // worker processes start after the server listens
  while (!(await get('/health/ready')).ok) await Bun.sleep(50)
  const ready = (await (await get('/health/ready')).json()) as Envelope<{ parts: Record<string, { status: string }> }>
  expect(Object.keys(ready.data.parts).sort()).toEqual(['clickhouse', 'files', 'ingest', 'postgres', 'workers'])

  const organization = await instance.organization()
  const sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
  const readings = [
    { at: fromNow(-1000), values: { a: 1 } },
    { at: fromNow(-500), values: { b: 1 } },
  ]
  await instance.send(sensor, { readings })
  await instance.send(sensor, { readings })
  let metrics = ''
  await until(async () => {
    metrics = await (await get('/metrics')).text()
    return metrics.includes('rows_loaded_total 1\n')
  }, 'loading a row')
  expect(metrics).toContain('readings_total{outcome="accepted"} 1\n')
  expect(metrics).toContain('readings_total{outcome="duplicate"} 1\n')
  expect(metrics).toContain('readings_total{outcome="refused"} 2\n')
  expect(metrics).toContain('rows_loaded_total 1\n')
  for (const quantile of [0.5, 0.99, 0.999, 1])
    expect(metrics).toMatch(new RegExp(`^event_loop_delay_seconds\\{quantile="${quantile}"\\} [0-9.e-]+$`, 'm'))
  expect(metrics).toMatch(
    /http_request_duration_seconds_count\{method="POST",route="\/sensors\/:id\/readings",status="200"\} 2\n/,
  )

  const description = (await (await get('/openapi.json')).json()) as { openapi: string; paths: Record<string, object> }
  expect(description.openapi).toMatch(/^3\./)
  expect(Object.keys(description.paths)).toContain('/sensors/{id}/readings')
  expect(Object.keys(description.paths)).toContain('/enterprise/v1/assets/sensors/{id}/latest')
  for (const path of [
    '/docs',
    '/docs/assets/swagger-ui.css',
    '/docs/assets/swagger-ui-bundle.js',
    '/docs/assets/start.js',
  ]) {
    const response = await get(path)
    expect({ path, status: response.status }).toEqual({ path, status: 200 })
    const text = await response.text()
    if (path === '/docs') expect(text).not.toMatch(/https?:\/\//)
  }
  const missing = await get('/nope?secret=1')
  expect(missing.status).toBe(404)
  expect(missing.headers.get('x-request-id')).toMatch(/^[\w-]+$/)
  expect(((await missing.json()) as Envelope).path).toBe('/nope')

  await instance.kill('SIGTERM')
  const lines = instance
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const posts = lines.filter(({ path }) => path === `/sensors/${sensor.id}/readings`)
  expect(posts).toHaveLength(2)
  expect(posts[0]).toMatchObject({
    method: 'POST',
    status: 200,
    requestId: expect.any(String),
    durationMs: expect.any(Number),
  })
  const query = 'SELECT sensor_id, asset_name, channel, value FROM readings_named'
  const asking = Bun.spawn([process.execPath, 'test/support/stores/query.ts', instance.dir, query], { cwd: ROOT })
  expect(JSON.parse(await new Response(asking.stdout).text())).toEqual([
    { sensor_id: sensor.id, asset_name: 'Asset', channel: 'a', value: 1 },
  ])
  expect(instance.log()).not.toContain('secret=1')
  expect(instance.log()).not.toContain(readFileSync(join(instance.dir, 'operator.token'), 'utf8').trim())
  await instance.remove()
}, 120_000)

test('an invalid variable is named with its allowed values', async () => {
  expect(() => readConfig({ PORT: '80a' })).toThrow('PORT="80a" must be a whole number from 0 to 65535')
  expect(() => readConfig({ LOG_LEVEL: 'loud' })).toThrow('must be one of')
  expect(() => readConfig({ SENSOR_CALLS_PER_MINUTE: '0' })).toThrow(ConfigError)
  expect(readConfig({ PORT: '', DATA_DIR: ' /x ' })).toMatchObject({ port: 8080, host: '127.0.0.1', dataDir: '/x' })
  const child = runServer({ PORT: 'x' })
  expect(await child.exited).toBe(1)
  expect(await new Response(child.stderr).text()).toBe('PORT="x" must be a whole number from 0 to 65535\n')
})
