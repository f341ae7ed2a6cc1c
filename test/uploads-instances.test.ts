/** Resumable uploads through two instances that share PostgreSQL and S3, and what happens to those that expire. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bucket, startBucket } from './support/bucket.ts'
import { createInstance, type Instance, type Organization } from './support/instance.ts'
import { type PostgresServer, startPostgres } from './support/postgres.ts'
import { type RedisServer, startRedis } from './support/redis.ts'
import { fetchFile, GIS, gisOf } from './support/tools.ts'
import { until } from './support/until.ts'
import { uploadsOf } from './support/uploads.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-upload-'))
const instances: Instance[] = []
let bucket: Bucket
let postgres: PostgresServer
let redis: RedisServer
let organization: Organization

beforeAll(async () => {
  const [s3, pg, rd] = await Promise.all([startBucket(home), startPostgres(), startRedis()])
  await rd.start()
  bucket = s3
  postgres = pg
  redis = rd
  const env = { S3_URL: bucket.url, POSTGRES_URL: postgres.url, REDIS_URL: redis.url }
  for (let i = 0; i < 2; i++) instances.push(await createInstance(env))
  organization = await one().organization('scale')
}, 120_000)
afterAll(async () => {
  for (const instance of instances) await instance.remove()
  bucket.kill()
  await redis.remove()
  await postgres.remove()
  rmSync(home, { recursive: true, force: true })
})
const [one, two] = [() => instances[0] as Instance, () => instances[1] as Instance]
const [first, second] = [uploadsOf(one, () => organization), uploadsOf(two, () => organization)]
/** Keys of the objects in the bucket; the server keeps the content and the headers of each in files of its own. */
const objects = (): Set<string> =>
  new Set(
    readdirSync(join(home, 'files'), { recursive: true }).flatMap(
      (path) => /fil_[0-9a-f]{32}/.exec(String(path)) ?? [],
    ),
  )
const digest = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
const pattern = (bytes: number, seed: number): Buffer =>
  Buffer.from(Uint8Array.from({ length: bytes }, (_, i) => (i * seed) % 253))

test('each instance goes on where another one ended, and both read the file', async () => {
  const before = objects()
  // longer than a piece, so that one body becomes several objects
  const content = pattern(36 * 2 ** 20, 31)
  const path = await first.begin(content.length, 'big.bin')
  expect((await second.append(path, 0, content.subarray(0, 20 * 2 ** 20))).status).toBe(204)
  expect(await first.offset(path)).toBe(20 * 2 ** 20)
  expect(objects().size).toBe(before.size + 2)
  const last = await first.append(path, 20 * 2 ** 20, content.subarray(20 * 2 ** 20))
  const key = last.headers.get('x-stored-key') ?? ''
  expect(key).toMatch(/^fil_/)
  expect((await second.send('HEAD', path)).headers.get('x-stored-key')).toBe(key)
  expect(digest(await fetchFile(two(), organization, key))).toBe(digest(content))
  await until(() => objects().size === before.size + 1, 'the removal of the pieces')
}, 60_000)

test('of two instances that get the same bytes at the same time one counts', async () => {
  for (let round = 0; round < 5; round++) {
    const [left, right] = [pattern(200_000, 7 + round), pattern(200_000, 11 + round)]
    const path = await first.begin(400_000)
    const answers = await Promise.all([first.append(path, 0, left), second.append(path, 0, right)])
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
    const winner = answers[0]?.status === 204 ? left : right
    const end = pattern(200_000, 13)
    // both send the end too: only one of them makes the file
    const ends = await Promise.all([second.append(path, 200_000, end), first.append(path, 200_000, end)])
    expect(ends.map(({ status }) => status).sort()).toEqual([204, 409])
    await until(async () => (await first.send('HEAD', path)).headers.has('x-stored-key'), 'the file')
    const key = (await second.send('HEAD', path)).headers.get('x-stored-key') ?? ''
    expect(digest(await fetchFile(one(), organization, key))).toBe(digest(Buffer.concat([winner, end])))
  }
}, 60_000)

test('a tool of another instance reads a file by its key from S3', async () => {
  const collection = JSON.stringify({
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [13.4, 52.5] } }],
  })
  const path = await first.begin(collection.length, 'point.geojson')
  const key = (await first.append(path, 0, collection)).headers.get('x-stored-key') ?? ''
  const { call, read } = gisOf(two, () => organization)
  const before = objects()
  const { envelope } = await call('/buffer', { file: key, target_format: 'geojson' }, true)
  expect(envelope.data).toMatchObject({ inputKey: key, outputFilename: expect.stringContaining('point') })
  expect(objects().size).toBe(before.size + 1)
  const accepted = await call('/buffer', { file: key, target_format: 'geojson' }, true, organization, {
    prefer: 'respond-async',
  })
  const { jobID } = accepted.envelope.data as { jobID: string }
  await until(async () => (await read<{ status: string }>(`/jobs/${jobID}`)).data.status === 'successful', 'the job')
  expect((await read<{ inputKey: string }>(`/jobs/${jobID}/results`)).data.inputKey).toBe(key)
}, 60_000)

test('an upload that expires is gone at once, and its bytes with the next sweep', async () => {
  const before = objects()
  const path = await first.begin(10, 'never.bin')
  expect((await first.append(path, 0, 'half!')).status).toBe(204)
  expect(objects().size).toBe(before.size + 1)
  const sql = new Bun.SQL(postgres.url)
  await sql`UPDATE uploads SET expires_at = now() - interval '1 minute' WHERE id = ${path.split('/').at(-1)}`
  expect((await second.send('HEAD', path)).status).toBe(404)
  expect((await first.append(path, 5, 'other')).status).toBe(404)
  // what a killed process announced and never counted is removed with the upload
  await one().kill('SIGKILL')
  await one().restart()
  await until(() => objects().size === before.size, 'the removal of the bytes')
  const isForgotten = async (): Promise<boolean> =>
    (await sql`SELECT count(*)::integer AS count FROM upload_pieces`)[0].count === 0
  await until(isForgotten, 'forgetting the pieces')
  await sql.close()
  expect((await fetch(`${one().url()}${GIS}/uploads`, { method: 'OPTIONS' })).status).toBe(204)
}, 60_000)
