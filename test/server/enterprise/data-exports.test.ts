/** Archives of everything of an owner, unpacked by another program and compared with database, files and readings sent. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyOf } from '../../support/personal-keys.ts'
import { python } from '../../support/python.ts'
import type { Organization } from '../../support/server/instance.ts'
import { ownedThings, SQUARE } from '../../support/server/owned-things.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { personAccount } from '../../support/sessions.ts'
import { withSql } from '../../support/stores/with-sql.ts'
import { until } from '../../support/until.ts'
import { callTool, keysOf, STATIONS } from '../../support/workers/tools.ts'

type DataExport = {
  id: string
  status: string
  parts: number | null
  partsDone: number
  bytes: number | null
  expiresAt: string
}

/** A name that leaves its folder, looks like a picture, and is a device in Windows. */
const HOSTILE = '/../..\\con:\u202egnp.\u0007\u2066exe\n'
const home = mkdtempSync(join(tmpdir(), 'groundwave-exports-'))
const instance = await sharedInstance()
afterAll(async () => {
  rmSync(home, { recursive: true, force: true })
})

const operator = () => ({ authorization: `Bearer ${instance.operatorToken()}` })
const begin = (ownerId: string) => instance.manage<DataExport>('POST', `/owners/${ownerId}/exports`)
const read = (ownerId: string, id: string) => instance.manage<DataExport>('GET', `/owners/${ownerId}/exports/${id}`)

async function finished(ownerId: string, id: string): Promise<DataExport> {
  await until(async () => !['waiting', 'running'].includes((await read(ownerId, id)).status), 'the export')
  return read(ownerId, id)
}

let archives = 0
/** Downloads and unpacks an archive with Info-ZIP. @returns the folder, and the names as Python's zipfile lists them */
async function unpacked(ownerId: string, id: string): Promise<{ dir: string; names: string[] }> {
  const response = await fetch(`${instance.url()}/manage/v1/owners/${ownerId}/exports/${id}/content`, {
    headers: operator(),
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip'])
  const path = join(home, `${++archives}.zip`)
  writeFileSync(path, new Uint8Array(await response.arrayBuffer()))
  const dir = join(home, String(archives))
  const program = `import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    archive.extractall(sys.argv[2])
    print(json.dumps(archive.namelist()))`
  return { dir, names: JSON.parse(await python(program, path, dir)) as string[] }
}

const recordsIn = (dir: string, table: string): Record<string, unknown>[] =>
  readFileSync(join(dir, 'records', `${table}.ndjson`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

async function things(ownerId: string): Promise<void> {
  const owned = ownedThings(instance)
  const layer = await owned.layer(ownerId)
  await instance.manage('PATCH', `/owners/${ownerId}/layers/${layer.id}/features`, {
    upsert: [{ ...SQUARE.features[0], properties: { note: 'ملاحظة' } }],
  })
  await owned.file(ownerId)
  const hostile = await owned.file(ownerId)
  await withSql(
    instance,
    (sql) => sql`UPDATE owner_file_versions SET filename = ${HOSTILE} WHERE file_id = ${hostile.id}`,
  )
  await owned.toolApi(ownerId)
}

async function enterprise(): Promise<Organization> {
  const own = await instance.organization()
  await things(own.id)
  await ownedThings(instance).invitation(own.id)
  expect((await callTool(instance, own, '/buffer', STATIONS, true)).status).toBe(200)
  const job = await callTool(instance, own, '/centroids', STATIONS, true, { prefer: 'respond-async' })
  const { jobID } = ((await job.json()) as { data: { jobID: string } }).data
  await until(async () => {
    const status = await fetch(`${instance.url()}/enterprise/v1/gis/jobs/${jobID}`, { headers: keysOf(own) })
    return ((await status.json()) as { data: { status: string } }).data.status === 'successful'
  }, 'the job')
  return own
}

/** Tables that refer to an owner, directly or through others, and whether they are exported. */
const NOT_EXPORTED: Record<string, string> = {
  idempotency_keys: 'answers that are repeated within a day; they may contain keys',
  file_removals: 'keys of files that are gone',
}

test('every table that belongs to an owner is in the archive, and nothing secret', async () => {
  const own = await enterprise()
  const person = await personAccount(instance)
  await things(person.personId)
  const personalKey = await keyOf(instance, { id: person.personId }, { name: 'Exported' })
  const made = await begin(own.id)
  expect((await finished(own.id, made.id)).status).toBe('done')
  const { dir, names } = await unpacked(own.id, made.id)
  const ofPerson = await begin(person.personId)
  expect((await finished(person.personId, ofPerson.id)).status).toBe('done')
  const personal = await unpacked(person.personId, ofPerson.id)

  const owned = await withSql(instance, async (sql) => {
    const keys = (await sql`SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent
      FROM pg_constraint WHERE contype = 'f'`) as { child: string; parent: string }[]
    const columns = (await sql`SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public'
      AND column_name IN ('owner_id', 'enterprise_id', 'person_id', 'account_id')`) as { name: string }[]
    const found = new Set(['enterprises', 'people', 'accounts', ...columns.map(({ name }) => name)])
    for (let size = 0; size < found.size; ) {
      size = found.size
      for (const { child, parent } of keys) if (found.has(parent) && parent !== 'tiers') found.add(child)
    }
    return [...found]
  })
  expect(owned.length).toBeGreaterThan(40)
  const exported = new Set([...names, ...personal.names].map((name) => /^records\/(.*)\.ndjson$/.exec(name)?.[1]))
  expect(owned.filter((table) => !exported.has(table) && !(table in NOT_EXPORTED))).toEqual([])

  // every row of the tables with a column of the owner, compared with the database
  await withSql(instance, async (sql) => {
    for (const [folder, id] of [
      [dir, own.id],
      [personal.dir, person.personId],
    ] as const) {
      let compared = 0
      for (const name of readdirSync(join(folder, 'records'))) {
        const table = name.replace('.ndjson', '')
        const columns =
          (await sql`SELECT column_name AS name FROM information_schema.columns WHERE table_name = ${table}
          AND table_schema = 'public'`) as { name: string }[]
        const column = ['owner_id', 'enterprise_id', 'person_id'].find((one) => columns.some((c) => c.name === one))
        // rows are still added to these tables
        if (column === undefined || ['data_exports', 'audit', 'one_time_links', 'members'].includes(table)) continue
        const rows = await sql.unsafe(`SELECT * FROM "${table}" WHERE ${column} = $1`, [id])
        expect([table, recordsIn(folder, table).length]).toEqual([table, rows.length])
        const ids = (all: readonly Record<string, unknown>[]) => all.map((row) => String(row.id)).sort()
        if (columns.some((c) => c.name === 'id')) expect(ids(recordsIn(folder, table))).toEqual(ids(rows))
        compared++
      }
      expect(compared).toBeGreaterThan(8)
      // no hash, no token, no secret of any table
      const secrets: string[] = []
      const hashed = (await sql`SELECT table_name AS t, column_name AS c FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name ~ '(sha256|hash|secret)'`) as { t: string; c: string }[]
      for (const { t, c } of hashed)
        secrets.push(
          ...(await sql.unsafe(`SELECT "${c}" AS v FROM "${t}" WHERE "${c}" IS NOT NULL`)).map(
            (row: { v: string }) => row.v,
          ),
        )
      expect(secrets.length).toBeGreaterThan(5)
      const all = readdirSync(join(folder, 'records'))
        .map((name) => readFileSync(join(folder, 'records', name), 'utf8'))
        .join('')
      expect(secrets.filter((secret) => all.includes(secret))).toEqual([])
      expect(all).not.toContain(own.secretKey)
    }
  })
  // numbers and texts of properties as they were sent
  const features = readFileSync(join(dir, 'records/layer_features.ndjson'), 'utf8')
  expect(features).toContain('ملاحظة')
  expect(recordsIn(dir, 'jobs')[0]).toMatchObject({ status: 'successful', result: { ok: true } })
  expect(recordsIn(personal.dir, 'accounts')).toMatchObject([{ email: person.email }])
  const [exportedKey] = recordsIn(personal.dir, 'personal_keys')
  expect(exportedKey).toMatchObject({ id: personalKey.id, name: 'Exported', last_four: personalKey.lastFour })
  expect(exportedKey).not.toHaveProperty('key_sha256')
  const readme = readFileSync(join(dir, 'README.txt'), 'utf8')
  for (const name of names.filter((one) => one.startsWith('records/'))) expect(readme).toContain(name)
  expect(readFileSync(join(dir, 'files/missing.ndjson'), 'utf8')).toBe('')

  // contents of files, and their names
  const bytesOf = (key: string) => readFileSync(join(instance.dir, 'files', key.slice(-2), key))
  const stored = recordsIn(dir, 'stored_files')
  expect(stored.length).toBeGreaterThanOrEqual(4)
  for (const { id } of stored) {
    const [name = ''] = readdirSync(join(dir, 'files/stored', String(id)))
    expect(readFileSync(join(dir, 'files/stored', String(id), name)).equals(bytesOf(String(id)))).toBe(true)
  }
  const versions = recordsIn(dir, 'owner_file_versions')
  expect(versions.length).toBe(2)
  for (const { id, file_id, version } of versions) {
    const folder = join(dir, 'files/own', String(file_id), String(version))
    const [name = ''] = readdirSync(folder)
    expect(readFileSync(join(folder, name)).equals(bytesOf(String(id)))).toBe(true)
  }
  for (const name of names) {
    expect(name).not.toMatch(/[\p{Cc}\p{Cf}\\:]|^\/|(^|\/)\.{0,2}(\/|$)/u)
    expect(name.split('/').length).toBeLessThanOrEqual(5)
  }
}, 180_000)

test('readings equal the readings sent, by sensor and month', async () => {
  const own = await instance.organization('scale')
  const channels = [
    { name: 'a,b"', measurement: 'number' as const },
    { name: 'on', measurement: 'boolean' as const },
  ]
  const sensors = [await instance.sensor(own.id, channels, 'One'), await instance.sensor(own.id, channels, 'Two')]
  const startMs = Date.now() - 70 * 86_400_000
  const sent = Array.from({ length: 1_400 }, (_, i) => ({
    at: new Date(startMs + i * 4_300_000 + i).toISOString(),
    values: { 'a,b"': i / 7, ...(i % 3 === 0 && { on: i % 2 === 0 }) } as Record<string, number | boolean>,
    ...(i % 5 === 0 && { location: [i / 100, -i / 50] }),
  })).map((reading, i) => (i % 100 === 0 ? { at: reading.at, location: [1.5, 2.5] } : reading))
  for (const sensor of sensors)
    for (let i = 0; i < sent.length; i += 500)
      expect((await instance.send(sensor, { readings: sent.slice(i, i + 500) })).status).toBe(200)
  const { id } = await begin(own.id)
  expect((await finished(own.id, id)).status).toBe('done')
  const { dir, names } = await unpacked(own.id, id)
  for (const sensor of sensors) {
    const files = names.filter((name) => name.startsWith(`readings/${sensor.id}/`)).sort()
    expect(files).toEqual([...new Set(sent.map(({ at }) => `readings/${sensor.id}/${at.slice(0, 7)}.csv`))].sort())
    const rows: Record<string, string>[] = []
    for (const name of files) {
      const program = `import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1], newline='', encoding='utf-8')))
print(json.dumps(rows))`
      const found = JSON.parse(await python(program, join(dir, name))) as Record<string, string>[]
      expect(found.every(({ at = '' }) => name.endsWith(`${at.slice(0, 7)}.csv`))).toBe(true)
      rows.push(...found)
    }
    const seen = rows.map((row) =>
      JSON.stringify([
        row.sensorId,
        new Date(row.at ?? '').toISOString(),
        row.channel,
        row.measurement === 'boolean' ? row.value : row.value === '' ? null : Number(row.value),
        row.longitude === '' ? null : Number(row.longitude),
        row.latitude === '' ? null : Number(row.latitude),
      ]),
    )
    const wanted = sent.flatMap((reading) => {
      const {
        at,
        values = {},
        location = [null, null],
      } = reading as Partial<(typeof sent)[0]> & {
        at: string
        values?: Record<string, number | boolean>
        location?: (number | null)[]
      }
      const entries = Object.entries(values)
      const all: [string, string | number | null][] =
        entries.length === 0 ? [['', null]] : entries.map(([name, v]) => [name, typeof v === 'boolean' ? String(v) : v])
      return all.map(([name, value]) => JSON.stringify([sensor.id, at, name, value, ...location]))
    })
    expect(seen.sort()).toEqual(wanted.sort())
  }
}, 180_000)

test('a killed export begins again and is complete; it can be cancelled, expires, and is limited', async () => {
  const own = await enterprise()
  const first = await begin(own.id)
  await instance.kill('SIGKILL')
  // as if the lease had expired
  await instance.restart()
  await withSql(
    instance,
    (sql) => sql`UPDATE data_exports SET lease_until = NULL WHERE id = ${first.id} AND status = 'running'`,
  )
  await instance.kill('SIGTERM')
  await instance.restart()
  const done = await finished(own.id, first.id)
  expect(done).toMatchObject({ status: 'done', partsDone: done.parts })
  const { names } = await unpacked(own.id, first.id)
  expect(names).toContain('README.txt')
  expect(readdirSync(join(instance.dir, 'run')).join()).not.toContain('exp_')

  const code = async (): Promise<[number, string]> => {
    const response = await fetch(`${instance.url()}/manage/v1/owners/${own.id}/exports`, {
      method: 'POST',
      headers: operator(),
    })
    return [response.status, ((await response.json()) as { code: string }).code]
  }
  const second = await begin(own.id)
  await finished(own.id, second.id)
  await instance.manage('DELETE', `/owners/${own.id}/exports/${second.id}`)
  const third = await begin(own.id)
  await finished(own.id, third.id)
  // a deleted export counts too
  expect(await code()).toEqual([429, 'EXPORTS_LIMITED'])
  const list = await instance.manage<{ items: DataExport[] }>('GET', `/owners/${own.id}/exports`)
  expect(list.items.map(({ id }) => id)).toEqual([third.id, first.id])

  const keys = await withSql(
    instance,
    (sql) =>
      sql`SELECT id, key FROM data_exports WHERE enterprise_id = ${own.id}` as Promise<{ id: string; key: string }[]>,
  )
  const onDisk = () => readdirSync(join(instance.dir, 'files'), { recursive: true }).map(String).join()
  const keyOf = (id: string): string => keys.find((one) => one.id === id)?.key ?? ''
  expect(onDisk()).not.toContain(keyOf(second.id))
  expect(onDisk()).toContain(keyOf(first.id))
  await withSql(instance, (sql) => sql`UPDATE data_exports SET expires_at = now() WHERE id = ${first.id}`)
  await instance.kill('SIGTERM')
  await instance.restart()
  await until(() => !onDisk().includes(keyOf(first.id)), 'the removal of the expired archive')
  expect(onDisk()).toContain(keyOf(third.id))
  const { items } = await instance.manage<{ items: { action: string; subjectId: string }[] }>(
    'GET',
    `/audit?owner=${own.id}&kind=data-export&limit=100`,
  )
  expect(items.map(({ action, subjectId }) => [action, subjectId])).toEqual([
    ['create', third.id],
    ['delete', second.id],
    ['create', second.id],
    ['download', first.id],
    ['create', first.id],
  ])
}, 180_000)
