/** Tool calls with files in S3, rate limits in Redis and jobs in a separate worker process. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bucket, startBucket } from './support/bucket.ts'
import { createInstance, type Envelope, type Instance } from './support/instance.ts'
import { type PostgresServer, startPostgres } from './support/postgres.ts'
import { ROOT } from './support/processes.ts'
import { type RedisServer, startRedis } from './support/redis.ts'
import { callTool, FIXTURES, fetchFile, GIS, keysOf } from './support/tools.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-s3-'))
const children: ChildProcess[] = []
const instances: Instance[] = []
let bucket: Bucket
let postgres: PostgresServer
let redis: RedisServer
let env: Record<string, string>
const STATIONS = { file: 'stations.geojson', target_format: 'geojson' }

beforeAll(async () => {
  const [s3, pg, rd] = await Promise.all([startBucket(home), startPostgres(), startRedis()])
  bucket = s3
  await rd.start()
  postgres = pg
  redis = rd
  env = { S3_URL: bucket.url, POSTGRES_URL: postgres.url, REDIS_URL: redis.url, FILES_PER_HOUR: '8', JOB_SLOTS: '0' }
  for (let i = 0; i < 2; i++) instances.push(await createInstance(env))
}, 120_000)
afterAll(async () => {
  for (const instance of instances) await instance.remove()
  for (const child of children) child.kill('SIGKILL')
  bucket.kill()
  await redis.remove()
  await postgres.remove()
  rmSync(home, { recursive: true, force: true })
})
const [one, two] = [() => instances[0] as Instance, () => instances[1] as Instance]

test('a file stored through one instance is served by another, whole and in ranges', async () => {
  const own = await one().organization()
  const made = (await (await callTool(one(), own, '/buffer', STATIONS, true)).json()) as Envelope
  const { key, inputKey } = made.data as { key: string; inputKey: string }
  const bytes = await fetchFile(two(), own, key)
  expect(JSON.parse(bytes.toString()).features).toHaveLength(5)
  expect((await fetchFile(two(), own, inputKey)).equals(readFileSync(join(FIXTURES, 'stations.geojson')))).toBe(true)
  const part = await fetch(`${two().url()}${GIS}/files/${key}`, { headers: { ...keysOf(own), range: 'bytes=10-19' } })
  expect([part.status, await part.text()]).toEqual([206, bytes.subarray(10, 20).toString()])
  const stored = readdirSync(join(home, 'files'), { recursive: true }).map(String)
  expect(stored.some((path) => path.includes(key))).toBe(true)
  expect([...new Bun.Glob('files/**/*').scanSync(one().dir)]).toEqual([])
})

test('files per hour and idempotency keys are shared by both instances', async () => {
  const own = await one().organization()
  const codes: string[] = []
  for (let i = 0; i < 10; i++) {
    const response = await callTool(instances[i % 2] as Instance, own, '/centroids', STATIONS, true)
    codes.push(((await response.json()) as Envelope).code)
  }
  expect(codes).toEqual([...Array(8).fill('SUCCESS'), 'FILE_WINDOW_EXCEEDED', 'FILE_WINDOW_EXCEEDED'])
  const other = await two().organization()
  const key = { 'idempotency-key': 'over-both' }
  const first = (await (await callTool(one(), other, '/buffer', STATIONS, true, key)).json()) as Envelope
  const again = await callTool(two(), other, '/buffer', STATIONS, true, key)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect((await again.json()) as Envelope).toEqual(first)
  await one().manage('PATCH', `/applications/${other.applicationId}`, { tools: [] })
  expect(((await (await callTool(two(), other, '/buffer', STATIONS, true)).json()) as Envelope).code).toBe(
    'TOOL_NOT_GRANTED',
  )
})

test('a job waits for a worker, runs there, and stops there when dismissed', async () => {
  const own = await one().organization()
  const start = async (input: Record<string, unknown>, route: string): Promise<string> => {
    const response = await callTool(one(), own, route, input, true, { prefer: 'respond-async' })
    return ((await response.json()) as Envelope<{ jobID: string }>).data.jobID
  }
  const status = async (id: string, method = 'GET'): Promise<string> => {
    const response = await fetch(`${two().url()}${GIS}/jobs/${id}`, { method, headers: keysOf(own) })
    return ((await response.json()) as Envelope<{ status: string }>).data.status
  }
  const until = async (id: string, wanted: string): Promise<void> => {
    for (const deadline = Date.now() + 20_000; (await status(id)) !== wanted; ) {
      if (Date.now() > deadline) throw new Error(`the job is ${await status(id)}`)
      await Bun.sleep(50)
    }
  }
  const first = await start(STATIONS, '/buffer')
  expect(await status(first)).toBe('accepted')
  const worker = spawn(process.execPath, ['src/job-worker.ts'], {
    cwd: ROOT,
    env: { ...process.env, ...env, DATA_DIR: join(home, 'worker'), TOOL_WORKERS: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(worker)
  await until(first, 'successful')
  const results = await fetch(`${one().url()}${GIS}/jobs/${first}/results`, { headers: keysOf(own) })
  const { data } = (await results.json()) as Envelope<{ key: string }>
  expect((await fetchFile(one(), own, data.key)).length).toBeGreaterThan(1000)
  const second = await start({ file: 'districts.geojson', target_format: 'geojson', cell_size_m: 160 }, '/grid')
  await until(second, 'running')
  expect(await status(second, 'DELETE')).toBe('dismissed')
  // the worker notices the dismissal and is free for the next job
  const third = await start(STATIONS, '/buffer')
  await until(third, 'successful')
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  worker.kill('SIGTERM')
  expect(await ended).toBe(0)
}, 120_000)
