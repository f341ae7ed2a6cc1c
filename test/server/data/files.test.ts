/** Tool calls, uploads and jobs of two instances with files in S3, rate limits in Redis and a separate job worker. */
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../support/processes.ts'
import type { Envelope, Organization } from '../../support/server/instance.ts'
import { sharedPair } from '../../support/server/two-instances.ts'
import { uploadsOf } from '../../support/server/uploads.ts'
import { until } from '../../support/until.ts'
import { callTool, FIXTURES, fetchFile, GIS, gisOf, keysOf } from '../../support/workers/tools.ts'

const STATIONS = { file: 'stations.geojson', target_format: 'geojson' }
const POINT = JSON.stringify({
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [13.4, 52.5] } }],
})
const children: ChildProcess[] = []
const { stores, env, one, other: two, bucketDir } = await sharedPair()
let organization: Organization
beforeEach(async () => {
  organization = await one.organization('scale')
})
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})
const atOne = uploadsOf(
  () => one,
  () => organization,
)
const atTwo = uploadsOf(
  () => two,
  () => organization,
)

test('a file stored through one instance is served by another, whole and in ranges', async () => {
  const own = await one.organization()
  const made = (await (await callTool(one, own, '/buffer', STATIONS, true)).json()) as Envelope
  const { key, inputKey } = made.data as { key: string; inputKey: string }
  const bytes = await fetchFile(two, own, key)
  expect(JSON.parse(bytes.toString()).features).toHaveLength(5)
  expect((await fetchFile(two, own, inputKey)).equals(readFileSync(join(FIXTURES, 'stations.geojson')))).toBe(true)
  const part = await fetch(`${two.url()}${GIS}/files/${key}`, { headers: { ...keysOf(own), range: 'bytes=10-19' } })
  expect([part.status, await part.text()]).toEqual([206, bytes.subarray(10, 20).toString()])
  const stored = readdirSync(join(bucketDir, 'files'), { recursive: true }).map(String)
  expect(stored.some((path) => path.includes(key))).toBe(true)
  expect([...new Bun.Glob('files/**/*').scanSync(one.dir)]).toEqual([])
})

test('files per hour and idempotency keys are shared by both instances', async () => {
  const own = await one.organization()
  const codes: string[] = []
  for (let i = 0; i < 10; i++) {
    const response = await callTool(i % 2 === 0 ? one : two, own, '/centroids', STATIONS, true)
    codes.push(((await response.json()) as Envelope).code)
  }
  expect(codes).toEqual([...Array(8).fill('SUCCESS'), 'FILE_WINDOW_EXCEEDED', 'FILE_WINDOW_EXCEEDED'])
  const other = await two.organization()
  const key = { 'idempotency-key': 'over-both' }
  const first = (await (await callTool(one, other, '/buffer', STATIONS, true, key)).json()) as Envelope
  const again = await callTool(two, other, '/buffer', STATIONS, true, key)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect((await again.json()) as Envelope).toEqual(first)
  await one.manage('PATCH', `/applications/${other.applicationId}`, { tools: [] })
  expect(((await (await callTool(two, other, '/buffer', STATIONS, true)).json()) as Envelope).code).toBe(
    'TOOL_NOT_GRANTED',
  )
})

test('a job waits for a worker, runs there, and stops when it is dismissed', async () => {
  const own = organization
  const start = async (input: Record<string, unknown>, route: string): Promise<string> => {
    const response = await callTool(one, own, route, input, true, { prefer: 'respond-async' })
    return ((await response.json()) as Envelope<{ jobID: string }>).data.jobID
  }
  const status = async (id: string, method = 'GET'): Promise<string> => {
    const response = await fetch(`${two.url()}${GIS}/jobs/${id}`, { method, headers: keysOf(own) })
    return ((await response.json()) as Envelope<{ status: string }>).data.status
  }
  const reached = (id: string, wanted: string): Promise<void> =>
    until(async () => (await status(id)) === wanted, `the job to be ${wanted}`)
  const path = await atOne.begin(POINT.length, 'point.geojson')
  const key = (await atOne.append(path, 0, POINT)).headers.get('x-stored-key') ?? ''
  const first = await start(STATIONS, '/buffer')
  expect(await status(first)).toBe('accepted')
  const worker = spawn(process.execPath, ['src/job-worker.ts'], {
    cwd: ROOT,
    env: { ...process.env, ...env, DATA_DIR: join(stores.home, 'worker'), TOOL_WORKERS: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(worker)
  await reached(first, 'successful')
  const results = await fetch(`${one.url()}${GIS}/jobs/${first}/results`, { headers: keysOf(own) })
  const { data } = (await results.json()) as Envelope<{ key: string }>
  expect((await fetchFile(one, own, data.key)).length).toBeGreaterThan(1000)
  const second = await start({ file: 'districts.geojson', target_format: 'geojson', cell_size_m: 160 }, '/grid')
  await reached(second, 'running')
  expect(await status(second, 'DELETE')).toBe('dismissed')
  // the worker notices the dismissal and is free for the next job
  const third = await start({ ...STATIONS, file: key }, '/buffer')
  await reached(third, 'successful')
  const ofKey = await fetch(`${one.url()}${GIS}/jobs/${third}/results`, { headers: keysOf(own) })
  expect(((await ofKey.json()) as Envelope<{ inputKey: string }>).data.inputKey).toBe(key)
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  worker.kill('SIGTERM')
  expect(await ended).toBe(0)
}, 120_000)

/** Keys of the objects in the bucket; the server keeps the content and the headers of each in files of its own. */
const objects = (): Set<string> =>
  new Set(
    readdirSync(join(bucketDir, 'files'), { recursive: true }).flatMap(
      (path) => /fil_[0-9a-f]{32}/.exec(String(path)) ?? [],
    ),
  )
const digest = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
const pattern = (bytes: number, seed: number): Buffer =>
  Buffer.from(Uint8Array.from({ length: bytes }, (_, i) => (i * seed) % 253))

test('each instance continues an upload where another one ended, and both read the file', async () => {
  const before = objects()
  // longer than a piece, so that one body becomes several objects
  const content = pattern(36 * 2 ** 20, 31)
  const path = await atOne.begin(content.length, 'big.bin')
  expect((await atTwo.append(path, 0, content.subarray(0, 20 * 2 ** 20))).status).toBe(204)
  expect(await atOne.offset(path)).toBe(20 * 2 ** 20)
  expect(objects().size).toBe(before.size + 2)
  const last = await atOne.append(path, 20 * 2 ** 20, content.subarray(20 * 2 ** 20))
  const key = last.headers.get('x-stored-key') ?? ''
  expect(key).toMatch(/^fil_/)
  expect((await atTwo.send('HEAD', path)).headers.get('x-stored-key')).toBe(key)
  expect(digest(await fetchFile(two, organization, key))).toBe(digest(content))
  await until(() => objects().size === before.size + 1, 'the removal of the pieces')
}, 120_000)

test('if two instances get the same bytes at the same time, one of them stores the bytes', async () => {
  for (let round = 0; round < 5; round++) {
    const [left, right] = [pattern(200_000, 7 + round), pattern(200_000, 11 + round)]
    const path = await atOne.begin(400_000)
    const answers = await Promise.all([atOne.append(path, 0, left), atTwo.append(path, 0, right)])
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
    const winner = answers[0]?.status === 204 ? left : right
    const end = pattern(200_000, 13)
    // both send the end too: only one of them makes the file
    const ends = await Promise.all([atTwo.append(path, 200_000, end), atOne.append(path, 200_000, end)])
    expect(ends.map(({ status }) => status).sort()).toEqual([204, 409])
    await until(async () => (await atOne.send('HEAD', path)).headers.has('x-stored-key'), 'the file')
    const key = (await atTwo.send('HEAD', path)).headers.get('x-stored-key') ?? ''
    expect(digest(await fetchFile(one, organization, key))).toBe(digest(Buffer.concat([winner, end])))
  }
}, 120_000)

test('a tool of another instance reads a file by its key from S3', async () => {
  const path = await atOne.begin(POINT.length, 'point.geojson')
  const key = (await atOne.append(path, 0, POINT)).headers.get('x-stored-key') ?? ''
  const { call } = gisOf(
    () => two,
    () => organization,
  )
  const before = objects()
  const { envelope } = await call('/buffer', { file: key, target_format: 'geojson' }, true)
  expect(envelope.data).toMatchObject({ inputKey: key, outputFilename: expect.stringContaining('point') })
  expect(objects().size).toBe(before.size + 1)
}, 120_000)

test('an expired upload disappears at once, and its bytes with the next sweep', async () => {
  const before = objects()
  const path = await atOne.begin(10, 'never.bin')
  expect((await atOne.append(path, 0, 'half!')).status).toBe(204)
  expect(objects().size).toBe(before.size + 1)
  const sql = new Bun.SQL(stores.postgres.url)
  await sql`UPDATE uploads SET expires_at = now() - interval '1 minute' WHERE id = ${path.split('/').at(-1)}`
  expect((await atTwo.send('HEAD', path)).status).toBe(404)
  expect((await atOne.append(path, 5, 'other')).status).toBe(404)
  // bytes that a killed process announced but never counted are removed with the upload
  await one.kill('SIGKILL')
  await one.restart()
  await until(() => objects().size === before.size, 'the removal of the bytes')
  const isForgotten = async (): Promise<boolean> =>
    (await sql`SELECT count(*)::integer AS count FROM upload_pieces`)[0].count === 0
  await until(isForgotten, 'forgetting the pieces')
  await sql.close()
  expect((await fetch(`${one.url()}${GIS}/uploads`, { method: 'OPTIONS' })).status).toBe(204)
}, 120_000)
