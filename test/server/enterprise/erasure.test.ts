/**
 * The deletion of an enterprise and of a person leaves nothing in PostgreSQL, ClickHouse, Redis and the file store:
 * every given name contains a word that is then searched for in every row of every table.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../../../src/stores/clickhouse/embedded.ts'
import { callWithKey, keyOf } from '../../support/personal-keys.ts'
import { createInstance, type Instance, type Organization } from '../../support/server/instance.ts'
import { ownedThings, SQUARE } from '../../support/server/owned-things.ts'
import { metadataOf, OCTETS, TUS } from '../../support/server/uploads.ts'
import { callAs, cookieOf, personAccount } from '../../support/sessions.ts'
import { type Bucket, startBucket } from '../../support/stores/bucket.ts'
import { freshDatabase } from '../../support/stores/postgres.ts'
import { type RedisServer, startRedis } from '../../support/stores/redis.ts'
import { connectTo } from '../../support/stores/with-sql.ts'
import { until } from '../../support/until.ts'
import { callTool, GIS, keysOf, STATIONS } from '../../support/workers/tools.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-erasure-'))
let bucket: Bucket
const postgresUrl = await freshDatabase()
let redis: RedisServer
let embedded: Instance
let onServers: Instance
beforeAll(async () => {
  const env = { JOB_SLOTS: '0', SIGN_INS_PER_ADDRESS: '100000' }
  ;[bucket, redis, embedded] = await Promise.all([startBucket(home), startRedis(), createInstance(env)])
  onServers = await createInstance({ ...env, S3_URL: bucket.url, POSTGRES_URL: postgresUrl, REDIS_URL: redis.url })
}, 120_000)
afterAll(async () => {
  await onServers?.remove()
  await embedded?.remove()
  bucket?.kill()
  await redis?.remove()
  rmSync(home, { recursive: true, force: true })
})

const connect = (instance: Instance): Bun.SQL =>
  instance === onServers ? new Bun.SQL(postgresUrl, { max: 1 }) : connectTo(instance)

/** Names of all objects in the file store. */
function objectsOf(instance: Instance): string[] {
  const dir = instance === onServers ? join(home, 'files') : join(instance.dir, 'files')
  const names = readdirSync(dir, { recursive: true }).map(String)
  const keys = names.flatMap((name) => name.match(/fil_[0-9a-f]{32}/)?.[0] ?? [])
  return [...new Set(keys)].sort()
}

/** Tables with rows that contain the text, and how many. */
async function rowsWith(instance: Instance, text: string): Promise<Record<string, number>> {
  const sql = connect(instance)
  try {
    const tables = (await sql`SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`) as { name: string }[]
    expect(tables.length).toBeGreaterThan(40)
    const found: Record<string, number> = {}
    for (const { name } of tables) {
      const [row] = await sql.unsafe(`SELECT count(*) AS count FROM "${name}" AS r WHERE position($1 IN r::text) > 0`, [
        text,
      ])
      if (Number(row.count) > 0) found[name] = Number(row.count)
    }
    return found
  } finally {
    await sql.close()
  }
}

/** Without the newest report of each process, which has the ids and names of owners with runs. */
const tablesWith = async (instance: Instance, id: string): Promise<string[]> =>
  Object.keys(await rowsWith(instance, id)).filter((table) => table !== 'server_instances')

async function upload(instance: Instance, headers: Record<string, string>, name: string): Promise<void> {
  const response = await fetch(`${instance.url()}${GIS}/uploads`, {
    method: 'POST',
    headers: { ...headers, ...TUS, 'upload-length': '10', 'upload-metadata': metadataOf(name) },
  })
  expect(response.status).toBe(201)
  const path = new URL(response.headers.get('location') ?? '', instance.url()).pathname
  const sent = await fetch(instance.url() + path, {
    method: 'PATCH',
    body: 'abcd',
    headers: { ...headers, ...TUS, ...OCTETS, 'upload-offset': '0' },
  })
  expect(sent.status).toBe(204)
}

/** Layers with versions, files, a Tool API, with the word in their names. */
async function things(instance: Instance, ownerId: string, word: string): Promise<void> {
  const owned = ownedThings(instance)
  const [feature] = SQUARE.features
  const geojson = { ...SQUARE, features: [{ ...feature, properties: { note: word } }] }
  const layer = await instance.manage<{ id: string }>('POST', `/owners/${ownerId}/layers`, { name: word, geojson })
  await instance.manage('PATCH', `/owners/${ownerId}/layers/${layer.id}/features`, { delete: ['f'] })
  const { id } = await owned.file(ownerId)
  await instance.manage('PATCH', `/owners/${ownerId}/files/${id}`, { name: word })
  await instance.manage('POST', `/owners/${ownerId}/tool-apis`, { tool: 'vector.centroids', name: word })
}

/** An acknowledged alert, and a silence. */
async function alerts(instance: Instance, ent: string, sensorId: string, word: string): Promise<void> {
  const sql = connect(instance)
  await sql`INSERT INTO alerts (id, enterprise_id, rule_id, sensor_id, severity, started_at, fired_at, acknowledged_by, acknowledged_at, comment)
    VALUES (${`alr_${word}_${ent}`}, ${ent}, 'rul_gone', ${sensorId}, 'info', now(), now(), ${`member ${word}@example.org`}, now(), ${word})`
  await sql`INSERT INTO alert_silences (id, enterprise_id, tags, starts_at, ends_at, comment, created_by)
    VALUES (${`sil_${word}_${ent}`}, ${ent}, ARRAY[${word}], now(), now() + interval '1 day', ${word}, ${`owner ${word}@example.org`})`
  await sql.close()
}

async function enterpriseWithAll(instance: Instance, word: string): Promise<Organization & { number: number }> {
  const own = await instance.organization()
  const { number } = await instance.manage<{ number: number }>('PATCH', `/enterprises/${own.id}`, { name: word })
  await things(instance, own.id, word)
  await instance.manage('POST', `/enterprises/${own.id}/members`, { email: `${word}@example.org`, role: 'owner' })
  await instance.manage('POST', `/enterprises/${own.id}/invitations`, { email: `i${word}@example.org`, role: 'admin' })
  const sensor = await instance.sensor(own.id, [{ name: word, measurement: 'number' }], word)
  const readings = Array.from({ length: 50 }, (_, i) => ({
    at: new Date(Date.now() - i * 1000).toISOString(),
    values: { [word]: i },
    location: [1, 2],
  }))
  expect((await instance.send(sensor, { readings })).status).toBe(200)
  await alerts(instance, own.id, sensor.id, word)
  const run = await callTool(instance, own, '/buffer', STATIONS, true, { 'idempotency-key': word })
  expect(run.status).toBe(200)
  const job = await callTool(instance, own, '/buffer', STATIONS, true, { prefer: 'respond-async' })
  expect(job.status).toBe(202)
  await upload(instance, keysOf(own), `${word}.bin`)
  return { ...own, number }
}

for (const [where, instanceOf] of [
  ['in folders', () => embedded],
  ['in PostgreSQL, Redis and S3', () => onServers],
] as const)
  test(`a deleted enterprise leaves nothing ${where}`, async () => {
    const instance = instanceOf()
    const before = objectsOf(instance)
    await enterpriseWithAll(instance, 'staying')
    const staying = objectsOf(instance)
    const gone = await enterpriseWithAll(instance, 'vanishing')
    // inputs and results of two calls, a file, a piece of an upload
    expect([staying.length - before.length, objectsOf(instance).length - staying.length]).toEqual([5, 5])
    expect(Object.keys(await rowsWith(instance, 'vanishing')).length).toBeGreaterThan(14)
    const stayed = await rowsWith(instance, 'staying')

    await instance.manage('DELETE', `/enterprises/${gone.id}`)
    await until(() => objectsOf(instance).length === staying.length, 'the removal of files')
    expect(objectsOf(instance)).toEqual(staying)
    await until(async () => (await rowsWith(instance, gone.id)).reading_deletions === undefined, 'the readings')
    // the audit log stays
    expect(Object.keys(await rowsWith(instance, 'vanishing'))).toEqual(['audit'])
    expect(await tablesWith(instance, gone.id)).toEqual(['audit'])
    const { items } = await instance.manage<{ items: object[] }>('GET', `/audit?owner=${gone.id}&limit=1000`)
    const subject = { subjectKind: 'enterprise', subjectId: gone.id }
    expect(items[0]).toMatchObject({ action: 'delete', ...subject, before: { id: gone.id }, after: null })
    // events of its sensor may be added meanwhile
    expect({ ...(await rowsWith(instance, 'staying')), events: 0 }).toEqual({ ...stayed, events: 0 })

    if (instance === onServers) {
      // counts and times of readings, which expire
      const client = new Bun.RedisClient(redis.url)
      for (const key of (await client.send('KEYS', ['*'])) as string[])
        if (!/generation$|:born$/.test(key))
          expect([key, Number(await client.send('PTTL', [key])) > 0]).toEqual([key, true])
      client.close()
    }
    await instance.kill('SIGTERM')
    const clickhouse = await openEmbeddedClickHouse(join(instance.dir, 'clickhouse'))
    try {
      const tables = await clickhouse.rows<{ table: string }>(
        "SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'enterprise' AND table IN (SELECT name FROM system.tables WHERE engine LIKE '%MergeTree')",
      )
      expect(tables.length).toBeGreaterThan(5)
      for (const { table } of tables) {
        const [row] = await clickhouse.rows<{ n: number }>(
          `SELECT count() AS n FROM ${table} WHERE enterprise = ${gone.number}`,
        )
        expect([table, Number(row?.n)]).toEqual([table, 0])
      }
    } finally {
      await clickhouse.close()
    }
    await instance.restart()
  }, 180_000)

test('a deleted person leaves nothing, and no account', async () => {
  const word = 'departing'
  const [person, other] = [await personAccount(embedded), await personAccount(embedded)]
  const before = objectsOf(embedded)
  await embedded.manage('PATCH', `/people/${person.personId}`, { email: `${word}@example.org` })
  await things(embedded, person.personId, word)
  const key = await keyOf(embedded, { id: person.personId }, { name: word })
  const call = () => callWithKey(embedded, key, 'GET', `${GIS}/runs`, undefined, { 'idempotency-key': word })
  expect((await call()).code).toBe('SUCCESS')
  const form = new FormData()
  form.set('file', new File([JSON.stringify(SQUARE)], `${word}.geojson`))
  form.set('target_format', 'geojson')
  const run = await callAs(embedded.url(), person, 'POST', `${GIS}/centroids`, { body: form })
  expect([run.status, run.code]).toEqual([200, 'SUCCESS'])
  await upload(embedded, { cookie: cookieOf(person), 'x-csrf-token': person.csrfToken }, `${word}.bin`)
  expect(objectsOf(embedded).length - before.length).toBeGreaterThan(2)
  await embedded.manage('DELETE', `/people/${person.personId}`)
  await until(() => objectsOf(embedded).length === before.length, 'the removal of files')
  // the newest report of a process has names of owners with runs until the next report
  for (const text of [word, person.email]) expect([text, await tablesWith(embedded, text)]).toEqual([text, []])
  expect(await tablesWith(embedded, person.personId)).toEqual(['audit'])
  expect((await call()).code).toBe('API_KEY_INVALID')
  expect((await callAs(embedded.url(), person, 'GET', '/auth/sessions')).status).toBe(401)
  expect((await callAs(embedded.url(), other, 'GET', '/auth/sessions')).status).toBe(200)
}, 120_000)

test('files are removed after a kill, and when the file store is available again', async () => {
  const own = await embedded.organization()
  const staying = objectsOf(embedded)
  for (let i = 0; i < 5; i++) expect((await callTool(embedded, own, '/buffer', STATIONS, true)).status).toBe(200)
  expect(objectsOf(embedded).length).toBe(staying.length + 10)
  // as a process that was killed right after the commit
  const sql = connect(embedded)
  await sql`DELETE FROM enterprises WHERE id = ${own.id}`
  await sql.close()
  expect(objectsOf(embedded).length).toBe(staying.length + 10)
  await embedded.kill('SIGKILL')
  await embedded.restart()
  await until(() => objectsOf(embedded).length === staying.length, 'the removal after the start')
  expect(objectsOf(embedded)).toEqual(staying)
}, 120_000)
