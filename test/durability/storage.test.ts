/** Stored files: quota, lifetime, deletion, and the disk space that is left to readings. */
import { afterAll, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  createInstance,
  type Envelope,
  fromNow,
  type Instance,
  type Organization,
  outcomeOf,
} from '../support/server/instance.ts'
import { type Account, type Answer, callAs, MANY_ACCOUNTS, personAccount } from '../support/sessions.ts'
import { connectTo } from '../support/stores/with-sql.ts'
import { callTool, formOf, GIS, keysOf } from '../support/workers/tools.ts'

const MIB = 2 ** 20
const instance = await createInstance({ CALLS_PER_MINUTE: '100000', FILES_PER_HOUR: '100000', JOB_SLOTS: '0' })
afterAll(instance.remove)

const STATIONS = { file: 'stations.geojson', target_format: 'geojson' }
const ask = (who: Organization, path: string, method = 'GET'): Promise<Response> =>
  fetch(`${instance.url()}${GIS}${path}`, { method, headers: keysOf(who) })
async function buffer(who: Organization, at = instance) {
  const response = await callTool(at, who, '/buffer', STATIONS, true)
  return { status: response.status, ...((await response.json()) as Envelope<{ key: string; inputKey: string }>) }
}
/** Files on disk, in 256 folders. */
const onDisk = (key: string): boolean => existsSync(join(instance.dir, 'files', key.slice(-2), key))
const filesOf = (at: Instance): number =>
  readdirSync(join(at.dir, 'files'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length

test('a stored file is deleted from disk and from its run, only by its enterprise, and recorded', async () => {
  const [own, other] = [await instance.organization(), await instance.organization()]
  const { data } = await buffer(own)
  expect(onDisk(data.key)).toBe(true)
  expect((await ask(other, `/files/${data.key}`, 'DELETE')).status).toBe(404)
  expect(onDisk(data.key)).toBe(true)
  const deleted = await ask(own, `/files/${data.key}`, 'DELETE')
  expect([deleted.status, ((await deleted.json()) as Envelope).data]).toEqual([200, { key: data.key }])
  expect(onDisk(data.key)).toBe(false)
  for (const method of ['GET', 'DELETE']) expect((await ask(own, `/files/${data.key}`, method)).status).toBe(404)
  expect((await ask(own, `/files/${data.inputKey}`)).status).toBe(200)
  const audit = await instance.manage<{ items: { action: string; subjectKind: string }[] }>(
    'GET',
    `/audit?subject=${data.key}`,
  )
  expect(audit.items).toMatchObject([{ action: 'delete', subjectKind: 'stored-file' }])
})

test('the input of a job that has not ended is kept', async () => {
  const own = await instance.organization()
  const response = await callTool(instance, own, '/buffer', STATIONS, true, { prefer: 'respond-async' })
  const { jobID } = ((await response.json()) as Envelope<{ jobID: string }>).data
  // the only file without a run
  const before = await buffer(own)
  expect(before.status).toBe(200)
  const key = readdirSync(join(instance.dir, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
  const codes = await Promise.all(
    key
      .filter((name) => name !== before.data.key && name !== before.data.inputKey)
      .map(async (name) => ((await (await ask(own, `/files/${name}`, 'DELETE')).json()) as Envelope).code),
  )
  expect(codes.filter((code) => code !== 'NOT_FOUND')).toEqual(['CONFLICT'])
  expect((await ask(own, `/jobs/${jobID}`, 'DELETE')).status).toBe(200)
})

test('an enterprise over its storage quota gets 507 until it deletes files; others are not affected', async () => {
  const [own, other] = [await instance.organization(), await instance.organization()]
  const { data } = await buffer(own)
  await instance.manage('PATCH', `/enterprises/${own.id}`, { storedMb: 0 })
  expect(await buffer(own)).toMatchObject({ status: 507, code: 'STORAGE_QUOTA_EXCEEDED' })
  expect((await buffer(other)).status).toBe(200)
  const points = [
    { lon: 0, lat: 0 },
    { lon: 1, lat: 1 },
  ]
  expect((await callTool(instance, own, '/distance-bearing', { points }, false)).status).toBe(200)
  await instance.manage('PATCH', `/enterprises/${own.id}`, { storedMb: 1 })
  for (const key of [data.key, data.inputKey]) await ask(own, `/files/${key}`, 'DELETE')
  expect((await buffer(own)).status).toBe(200)
})

/** Points whose text takes about the given number of bytes. */
function pointsOf(bytes: number) {
  const feature = (i: number) => ({
    type: 'Feature',
    properties: { note: 'x'.repeat(900), i },
    geometry: { type: 'Point', coordinates: [i / 1_000, 0] },
  })
  return {
    type: 'FeatureCollection',
    features: Array.from({ length: Math.round(bytes / 1_000) }, (_, i) => feature(i)),
  }
}

/** Sizes of everything stored, by a sum over the rows themselves. */
async function storedBytesOf(enterpriseId: string): Promise<number> {
  const sql = connectTo(instance)
  const rows = await sql`SELECT bytes FROM stored_files WHERE enterprise_id = ${enterpriseId}
    UNION ALL SELECT versions.bytes FROM owner_file_versions AS versions JOIN owner_files ON owner_files.id = file_id
      WHERE owner_id = ${enterpriseId}
    UNION ALL SELECT octet_length(feature_id) + coalesce(octet_length(properties::text), 0) + coalesce(octet_length(geometry), 0) AS bytes FROM layer_features
      JOIN layers ON layers.id = layer_id WHERE owner_id = ${enterpriseId}`
  await sql.close()
  return rows.reduce((sum: number, { bytes }: { bytes: number | string }) => sum + Number(bytes), 0)
}

test('concurrent calls do not exceed the quota together', async () => {
  const own = await instance.organization()
  await instance.manage('PATCH', `/enterprises/${own.id}`, { storedMb: 2 })
  const input = { ...STATIONS, file: { name: 'a.geojson', content: JSON.stringify(pointsOf(200_000)) } }
  const codes: string[] = []
  const bytes: number[] = []
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.all(Array.from({ length: 8 }, () => callTool(instance, own, '/buffer', input, true)))
    for (const answer of answers) codes.push(((await answer.json()) as Envelope).code)
    bytes.push(await storedBytesOf(own.id))
  }
  expect([...new Set(codes)].sort()).toEqual(['STORAGE_QUOTA_EXCEEDED', 'SUCCESS'])
  expect(Math.max(...bytes)).toBeLessThanOrEqual(2 * 2 ** 20)
  expect(Math.max(...bytes)).toBeGreaterThan(2 ** 20)
}, 60_000)

test('files and layers of the enterprise as an owner count as well, until they are deleted', async () => {
  const own = await instance.organization()
  const post = (path: string, body: string | FormData, headers = {}) =>
    fetch(`${instance.url()}/manage/v1/owners/${own.id}${path}`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${instance.operatorToken()}`, ...headers },
    })
  const JSON_TYPE = { 'content-type': 'application/json' }
  const layer = (bytes: number) => JSON.stringify({ name: 'a', geojson: pointsOf(bytes) })
  const form = new FormData()
  form.append('file', new File([JSON.stringify(pointsOf(700_000))], 'a.geojson'))
  await instance.manage('PATCH', `/enterprises/${own.id}`, { storedMb: 1 })
  expect((await post('/files', form)).status).toBe(200)
  expect((await post('/files', form)).status).toBe(507)
  const refused = await post('/layers', layer(600_000), JSON_TYPE)
  expect([refused.status, ((await refused.json()) as Envelope).code]).toEqual([507, 'STORAGE_QUOTA_EXCEEDED'])
  const made = (await (await post('/layers', layer(250_000), JSON_TYPE)).json()) as Envelope<{ id: string }>
  expect(made.code).toBe('SUCCESS')
  const large = { ...STATIONS, file: { name: 'a.geojson', content: JSON.stringify(pointsOf(40_000)) } }
  const buffered = async (): Promise<string> =>
    ((await (await callTool(instance, own, '/buffer', large, true)).json()) as Envelope).code
  expect(await buffered()).toBe('STORAGE_QUOTA_EXCEEDED')
  await instance.manage('DELETE', `/owners/${own.id}/layers/${made.data.id}`)
  expect(await buffered()).toBe('SUCCESS')
}, 60_000)

test('a file or layer is transferred only to an enterprise that has room for it', async () => {
  const [from, to] = [await instance.organization(), await instance.organization()]
  const person = await instance.manage<{ id: string }>('POST', '/people', {
    email: 'transfer@example.org',
    plan: 'pro',
  })
  const headers = { authorization: `Bearer ${instance.operatorToken()}` }
  const form = new FormData()
  form.append('file', new File([JSON.stringify(pointsOf(700_000))], 'a.geojson'))
  const url = `${instance.url()}/manage/v1/owners/${from.id}`
  const sent = await fetch(`${url}/files`, { method: 'POST', body: form, headers })
  const file = ((await sent.json()) as Envelope<{ id: string }>).data
  const geojson = pointsOf(600_000)
  const layer = await instance.manage<{ id: string }>('POST', `/owners/${from.id}/layers`, { name: 'a', geojson })
  const move = async (path: string, source: string, ownerId: string): Promise<string> => {
    const response = await fetch(`${instance.url()}/manage/v1/owners/${source}${path}`, {
      method: 'PATCH',
      body: JSON.stringify({ ownerId }),
      headers: { ...headers, 'content-type': 'application/json' },
    })
    return ((await response.json()) as Envelope).code
  }
  await instance.manage('PATCH', `/enterprises/${to.id}`, { storedMb: 1 })
  expect(await move(`/files/${file.id}`, from.id, to.id)).toBe('SUCCESS')
  expect(await move(`/layers/${layer.id}`, from.id, to.id)).toBe('STORAGE_QUOTA_EXCEEDED')
  // files of another owner are not found, whatever their size
  expect(await move(`/layers/${layer.id}`, to.id, from.id)).toBe('NOT_FOUND')
  expect(await move(`/layers/${layer.id}`, from.id, person.id)).toBe('SUCCESS')
  expect(await move(`/layers/${layer.id}`, person.id, to.id)).toBe('STORAGE_QUOTA_EXCEEDED')
  expect(await move(`/files/${file.id}`, to.id, to.id)).toBe('SUCCESS')
  expect(await move(`/files/${file.id}`, to.id, from.id)).toBe('SUCCESS')
  expect(await move(`/layers/${layer.id}`, person.id, to.id)).toBe('SUCCESS')
}, 60_000)

test('files stored by another instance count at once when little space is left', async () => {
  const own = await instance.organization()
  await instance.manage('PATCH', `/enterprises/${own.id}`, { storedMb: 1 })
  const large = { ...STATIONS, file: { name: 'a.geojson', content: JSON.stringify(pointsOf(490_000)) } }
  const stored = async (): Promise<string> =>
    ((await (await callTool(instance, own, '/buffer', large, true)).json()) as Envelope).code
  // the sum is read now
  expect((await buffer(own)).status).toBe(200)
  const sql = connectTo(instance)
  // as another instance would
  await sql`INSERT INTO layers (id, enterprise_id, name, bytes) VALUES ('lay_other', ${own.id}, 'x', 700000)`
  await sql.close()
  expect(await stored()).toBe('STORAGE_QUOTA_EXCEEDED')
}, 60_000)

test('the size of a layer follows every change of its features', async () => {
  const own = await instance.organization()
  const layers = `/owners/${own.id}/layers`
  const sizeOf = async (id: string): Promise<number> => {
    const sql = connectTo(instance)
    const [row] = await sql`SELECT bytes FROM layers WHERE id = ${id}`
    await sql.close()
    return Number(row.bytes)
  }
  const { id } = await instance.manage<{ id: string }>('POST', layers, { name: 'a', geojson: pointsOf(50_000) })
  const check = async (): Promise<void> => expect(await sizeOf(id)).toBe(await storedBytesOf(own.id))
  await check()
  expect(await sizeOf(id)).toBeGreaterThan(40_000)
  const [feature] = pointsOf(1_000).features
  await instance.manage('PATCH', `${layers}/${id}/features`, { upsert: [{ ...feature, id: 'one' }] })
  await check()
  await instance.manage('PATCH', `${layers}/${id}/features`, { upsert: [{ ...feature, id: 'one', properties: {} }] })
  await check()
  await instance.manage('DELETE', `${layers}/${id}/features/one`)
  await check()
  await instance.manage('PUT', `${layers}/${id}/features`, pointsOf(3_000))
  await check()
  expect(await sizeOf(id)).toBeLessThan(5_000)
}, 60_000)

test('files older than the retention of their enterprise are deleted, at every start', async () => {
  const old = await createInstance({ JOB_SLOTS: '0', STORED_DAYS: '365' })
  try {
    const [own, other] = [await old.organization(), await old.organization()]
    for (const who of [own, other]) expect((await buffer(who, old)).status).toBe(200)
    expect(filesOf(old)).toBe(4)
    await old.manage('PATCH', `/enterprises/${own.id}`, { storedDays: 2 })
    const age = async (interval: string): Promise<void> => {
      const sql = connectTo(old)
      await sql.unsafe(`UPDATE stored_files SET created_at = now() - interval '${interval}'`)
      // the lifetimes were set before the grace period
      await sql`UPDATE server_stored_days SET set_at = now() - interval '8 days'`
      await sql`UPDATE enterprises SET stored_days_set_at = now() - interval '8 days'`
      await sql.close()
      await old.kill('SIGTERM')
      await old.restart()
    }
    await age('49 hours')
    // the files of the other enterprise are kept for a year
    while (filesOf(old) > 2) await Bun.sleep(50)
    const runs = async (who: Organization) =>
      (await (await fetch(`${old.url()}${GIS}/runs`, { headers: keysOf(who) })).json()) as Envelope<{
        items: { runId: string }[]
      }>
    const artifacts = async (who: Organization): Promise<unknown[]> => {
      const [run] = (await runs(who)).data.items
      const path = `${old.url()}${GIS}/runs/${run?.runId}`
      const { data } = (await (await fetch(path, { headers: keysOf(who) })).json()) as Envelope<{
        artifacts: unknown[]
      }>
      return data.artifacts
    }
    expect([(await artifacts(own)).length, (await artifacts(other)).length]).toEqual([0, 1])
    await age('366 days')
    while (filesOf(old) > 0) await Bun.sleep(50)
  } finally {
    await old.remove()
  }
}, 60_000)

test('while the disk is almost full, calls with files get 507, and readings are accepted', async () => {
  const full = await createInstance({ MIN_FREE_DISK_MB: '100000000' })
  try {
    const own = await full.organization()
    const response = await callTool(full, own, '/buffer', STATIONS, true)
    expect([response.status, ((await response.json()) as Envelope).code]).toEqual([507, 'STORAGE_FULL'])
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    const sensor = await full.sensor(own.id, [{ name: 'level', measurement: 'number' }])
    const sent = await full.send(sensor, { readings: [{ at: fromNow(0), values: { level: 1 } }] })
    expect((await outcomeOf(sent)).accepted).toHaveLength(1)
  } finally {
    await full.remove()
  }
}, 60_000)

test('a person over the storage quota of people gets 507; others are not affected', async () => {
  const small = await createInstance({ PERSON_STORED_MB: '1', ...MANY_ACCOUNTS })
  try {
    const [person, other] = [await personAccount(small), await personAccount(small)]
    const upload = (account: Account, bytes: number): Promise<Answer> =>
      callAs(small.url(), account, 'POST', `${GIS}/uploads`, {
        headers: { 'tus-resumable': '1.0.0', 'upload-length': String(bytes) },
      })
    expect((await upload(person, MIB + 1)).code).toBe('STORAGE_QUOTA_EXCEEDED')
    expect((await upload(person, MIB)).status).toBe(201)
    const refused = await callAs(small.url(), person, 'POST', `${GIS}/buffer`, { body: formOf(STATIONS) })
    expect([refused.status, refused.code]).toEqual([507, 'STORAGE_QUOTA_EXCEEDED'])
    const usage = `/manage/v1/owners/${person.personId}/usage`
    expect((await callAs<{ storage: object }>(small.url(), person, 'GET', usage)).data.storage).toMatchObject({
      bytes: MIB,
      quotaBytes: MIB,
    })
    const taken = await callAs(small.url(), other, 'POST', `${GIS}/buffer`, { body: formOf(STATIONS) })
    expect(taken.status).toBe(200)
  } finally {
    await small.remove()
  }
}, 120_000)
