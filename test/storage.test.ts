/** Stored files: quota, lifetime, deletion, and the disk space that is left to readings. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  createInstance,
  type Envelope,
  fromNow,
  type Instance,
  type Organization,
  outcomeOf,
} from './support/instance.ts'
import { callTool, GIS, keysOf } from './support/tools.ts'

let instance: Instance
beforeAll(async () => {
  instance = await createInstance({ CALLS_PER_MINUTE: '100000', FILES_PER_HOUR: '100000', JOB_SLOTS: '0' })
}, 60_000)
afterAll(() => instance.remove())

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

test('an enterprise whose files exceed its quota gets 507 until it deletes some, others are not affected', async () => {
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

test('files are deleted when they are older than their enterprise keeps them, at every start', async () => {
  const old = await createInstance({ JOB_SLOTS: '0', STORED_DAYS: '365' })
  try {
    const [own, other] = [await old.organization(), await old.organization()]
    for (const who of [own, other]) expect((await buffer(who, old)).status).toBe(200)
    expect(filesOf(old)).toBe(4)
    await old.manage('PATCH', `/enterprises/${own.id}`, { storedDays: 2 })
    const age = async (interval: string): Promise<void> => {
      const sql = new Bun.SQL({
        ...{ adapter: 'postgres', username: 'groundwave', database: 'postgres', max: 1 },
        path: join(old.dir, 'run/postgres/.s.PGSQL.5432'),
      })
      await sql.unsafe(`UPDATE stored_files SET created_at = now() - interval '${interval}'`)
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
