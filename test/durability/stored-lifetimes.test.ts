/** How long stored files of people and enterprises are kept: grace period, announcement and deletion, with kills. */
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { killRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { createInstance, type Envelope } from '../support/server/instance.ts'
import { callAs, personAccount } from '../support/sessions.ts'
import { withSql } from '../support/stores/with-sql.ts'
import { until } from '../support/until.ts'
import { callTool, formOf, GIS, STATIONS } from '../support/workers/tools.ts'

const DAY_MS = 86_400_000
const GRACE_DAYS = 5
const instance = await createInstance({
  STORED_DAYS: '365',
  STORED_GRACE_DAYS: String(GRACE_DAYS),
  JOB_SLOTS: '0',
  SIGN_INS_PER_ADDRESS: '100000',
})
afterAll(instance.remove)

/** As if the clock of everything recorded so far had been moved. */
const passDays = (days: number): Promise<unknown> =>
  withSql(instance, async (sql) => {
    const past = `interval '${days} days'`
    await sql.unsafe(`UPDATE stored_files SET created_at = created_at - ${past}`)
    await sql.unsafe(`UPDATE run_answers SET created_at = created_at - ${past}`)
    await sql.unsafe(`UPDATE server_stored_days SET set_at = set_at - ${past}`)
    for (const table of ['enterprises', 'people'])
      await sql.unsafe(`UPDATE ${table} SET stored_days_set_at = stored_days_set_at - ${past}`)
  })

async function restart(env: Record<string, string> = {}): Promise<void> {
  await instance.kill('SIGTERM')
  await instance.restart(env)
}

const keysOn = (): Set<string> =>
  new Set(
    readdirSync(join(instance.dir, 'files'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name),
  )
type File = { key: string; expiresAt: string | null }
type Usage = { storage: { bytes: number; expiring: { files: number; bytes: number; firstAt: string | null } } }
const usageOf = async (id: string): Promise<Usage['storage']['expiring']> =>
  (await instance.manage<Usage>('GET', `/owners/${id}/usage`)).storage.expiring

test('files of a person have the lifetime of the person after a grace period, and show when they are deleted', async () => {
  const person = await personAccount(instance)
  const own = await instance.organization()
  const sent = await callAs(instance.url(), person, 'POST', `${GIS}/buffer`, { body: formOf(STATIONS) })
  expect(sent.status).toBe(200)
  const storedMs = Date.now()
  expect((await callTool(instance, own, '/buffer', STATIONS, true)).status).toBe(200)
  const filesOf = async (): Promise<File[]> => {
    const answer = await callAs<{ items: { inputs: File[]; artifacts: File[] }[] }>(
      instance.url(),
      person,
      'GET',
      `${GIS}/runs`,
    )
    return answer.data.items.flatMap(({ inputs, artifacts }) => [...inputs, ...artifacts])
  }
  /** Days since the files were stored. */
  const lifetimes = async (): Promise<number[]> =>
    (await filesOf()).map(
      ({ expiresAt }) => Math.round(((Date.parse(expiresAt ?? '') - storedMs) / DAY_MS) * 100) / 100,
    )
  expect(await lifetimes()).toEqual([365, 365])
  const [before] = await filesOf()
  expect(await usageOf(person.personId)).toEqual({ files: 0, bytes: 0, firstAt: null })

  const changed = await instance.manage<{ storedDays: number }>('PATCH', `/people/${person.personId}`, {
    storedDays: 2,
  })
  expect(changed.storedDays).toBe(2)
  expect(await lifetimes()).toEqual([GRACE_DAYS, GRACE_DAYS])
  const kept = keysOn()
  await passDays(3)
  await restart()
  // older than the lifetime, but the grace period is not over
  expect(keysOn()).toEqual(kept)
  expect((await lifetimes()).map(Math.round)).toEqual([2, 2])
  const expiring = await usageOf(person.personId)
  const sizes = await withSql(
    instance,
    (sql) => sql`SELECT bytes FROM stored_files WHERE person_id = ${person.personId}` as Promise<{ bytes: string }[]>,
  )
  expect([expiring.files, expiring.bytes]).toEqual([2, sizes.reduce((sum, { bytes }) => sum + Number(bytes), 0)])
  expect(Date.parse(expiring.firstAt ?? '')).toBe(
    Math.min(...(await filesOf()).map(({ expiresAt }) => Date.parse(expiresAt ?? ''))),
  )
  expect(await usageOf(own.id)).toEqual({ files: 0, bytes: 0, firstAt: null })
  // the record of a single run has the same time
  const [run] = (await callAs<{ items: { runId: string }[] }>(instance.url(), person, 'GET', `${GIS}/runs`)).data.items
  const detail = await callAs<{ artifacts: File[] }>(instance.url(), person, 'GET', `${GIS}/runs/${run?.runId}`)
  expect(detail.data.artifacts[0]?.expiresAt).toBe((await filesOf())[1]?.expiresAt ?? '')

  await passDays(2.01)
  await restart()
  await until(() => keysOn().size === 2, 'the deletion')
  expect(await filesOf()).toEqual([])
  expect(keysOn().has(before?.key ?? '')).toBe(false)
  expect(await usageOf(person.personId)).toEqual({ files: 0, bytes: 0, firstAt: null })
  const answers = await withSql(
    instance,
    (sql) => sql`SELECT 1 FROM run_answers JOIN runs ON id = run_id WHERE person_id = ${person.personId}`,
  )
  expect(answers).toHaveLength(0)
}, 120_000)

test('a longer lifetime in the grace period keeps the files, and a shorter one of the server has a grace period', async () => {
  const own = await instance.organization()
  expect((await callTool(instance, own, '/buffer', STATIONS, true)).status).toBe(200)
  const runs = async (): Promise<File[]> => {
    const response = await fetch(`${instance.url()}${GIS}/runs`, {
      headers: { 'x-api-key': own.publicKey, 'x-api-secret': own.secretKey },
    })
    const { data } = (await response.json()) as Envelope<{ items: { artifacts: File[] }[] }>
    return data.items.flatMap(({ artifacts }) => artifacts)
  }
  await instance.manage('PATCH', `/enterprises/${own.id}`, { storedDays: 1 })
  await passDays(GRACE_DAYS - 0.1)
  // any other change of the enterprise begins no grace period
  await instance.manage('PATCH', `/enterprises/${own.id}`, { name: 'Renamed', storedDays: 1 })
  expect((await usageOf(own.id)).files).toBe(2)
  await instance.manage('PATCH', `/enterprises/${own.id}`, { storedDays: null })
  await passDays(GRACE_DAYS + 1)
  await restart()
  expect(await runs()).toHaveLength(1)
  await restart({ STORED_DAYS: '3' })
  expect(await runs()).toHaveLength(1)
  expect((await usageOf(own.id)).files).toBe(2)
  await passDays(GRACE_DAYS + 0.1)
  await restart({ STORED_DAYS: '3' })
  await until(async () => (await runs()).length === 0, 'the deletion')
  await restart()
}, 120_000)

test('kills during the deletion lose no kept file, and leave none without a record', async () => {
  const random = killRandom('stored lifetimes')(1)
  const person = await personAccount(instance)
  await instance.manage('PATCH', `/people/${person.personId}`, { storedDays: 10 })
  const FILES = 3_000
  const ids = Array.from({ length: FILES }, (_, i) => `fil_${i.toString(16).padStart(32, '0')}`)
  const expired = new Set(ids.filter(() => random() < 0.5))
  for (const id of ids) {
    mkdirSync(join(instance.dir, 'files', id.slice(-2)), { recursive: true })
    writeFileSync(join(instance.dir, 'files', id.slice(-2), id), id)
  }
  await withSql(instance, async (sql) => {
    const rows = ids.map((id) => ({
      id,
      person_id: person.personId,
      role: 'upload',
      filename: id,
      media_type: 'text/plain',
      bytes: id.length,
      created_at: new Date(Date.now() - (expired.has(id) ? 20 : 3) * DAY_MS).toISOString(),
    }))
    for (let at = 0; at < rows.length; at += 500) await sql`INSERT INTO stored_files ${sql(rows.slice(at, at + 500))}`
    await sql`UPDATE people SET stored_days_set_at = now() - interval '30 days'`
    await sql`UPDATE server_stored_days SET set_at = now() - interval '30 days'`
  })
  const recorded = (): Promise<Set<string>> =>
    withSql(instance, async (sql) => {
      const rows = (await sql`SELECT id FROM stored_files WHERE person_id = ${person.personId}`) as { id: string }[]
      return new Set(rows.map(({ id }) => id))
    })
  for (let kill = 0; kill < rounds(2, 6); kill++) {
    await instance.kill('SIGKILL')
    // the server listens before or while it deletes
    await instance.restart()
    await Bun.sleep(random() * 40)
    const rows = await recorded()
    const onDisk = keysOn()
    expect(ids.filter((id) => !expired.has(id) && !(rows.has(id) && onDisk.has(id)))).toEqual([])
  }
  await until(async () => (await recorded()).size === FILES - expired.size, 'the deletion')
  await until(() => ids.every((id) => keysOn().has(id) !== expired.has(id)), 'the removal of the objects')
  expect([...(await recorded())].filter((id) => expired.has(id))).toEqual([])
}, 180_000)
