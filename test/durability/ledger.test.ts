/** Runs, credits, jobs and files agree after real calls, and each violation of the rules is named. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'drizzle-orm'
import { startLedgerChecks } from '../../src/monitoring/ledger-checks.ts'
import { openFolderStore } from '../../src/stores/files/folder.ts'
import { attachEmbeddedPostgres, type Postgres } from '../../src/stores/postgres/client.ts'
import { newId } from '../../src/stores/postgres/ids.ts'
import type { Disagreement } from '../../src/stores/postgres/runs/ledger.ts'
import { examined, of } from '../support/doctor.ts'
import { createInstance, type Envelope, type Organization } from '../support/server/instance.ts'
import { disagreementsIn, ledgerOf } from '../support/server/ledger.ts'
import { fileForm, ownedThings } from '../support/server/owned-things.ts'
import { uploadsOf } from '../support/server/uploads.ts'
import { callAs, personAccount } from '../support/sessions.ts'
import { until } from '../support/until.ts'
import { callTool, formOf, GIS, gisOf, POINTS, STATIONS } from '../support/workers/tools.ts'

const instance = await createInstance({ STORED_DAYS: '365', SIGN_INS_PER_ADDRESS: '100000' })
const organization: Organization = await instance.organization('scale')
const own = () => organization
const { read } = gisOf(() => instance, own)
const { append, begin } = uploadsOf(() => instance, own)
let postgres: Postgres = attachEmbeddedPostgres(join(instance.dir, 'run/postgres'))
const reconnect = async (): Promise<void> => {
  await postgres.close()
  postgres = attachEmbeddedPostgres(join(instance.dir, 'run/postgres'))
}
afterAll(async () => {
  await postgres.close()
  await instance.remove()
})

const pathOf = (key: string): string => join(instance.dir, 'files', key.slice(-2), key)
const filesOnDisk = (): string[] =>
  readdirSync(join(instance.dir, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
const rulesOf = (found: readonly Disagreement[]): string[] => found.map(({ rule }) => rule).toSorted()
const textOf = async (statement: string): Promise<string> => {
  const rows = (await postgres.db.execute(sql.raw(statement))) as unknown as { text: string }[]
  return rows[0]?.text ?? ''
}

async function job(input: Record<string, unknown>, status: string): Promise<string> {
  const response = await callTool(instance, organization, '/buffer', input, true, { prefer: 'respond-async' })
  const { jobID } = ((await response.json()) as Envelope<{ jobID: string }>).data
  if (status === 'dismissed')
    await fetch(`${instance.url()}${GIS}/jobs/${jobID}`, {
      method: 'DELETE',
      headers: { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey },
    })
  await until(
    async () => (await read<{ status: string }>(`/jobs/${jobID}`)).data.status === status,
    `the job ${status}`,
  )
  return jobID
}

const BROKEN = { ...STATIONS, file: { name: 'broken.geojson', content: '{' } }

beforeAll(async () => {
  expect((await callTool(instance, organization, '/buffer', STATIONS, true)).status).toBe(200)
  expect((await callTool(instance, organization, '/distance-bearing', POINTS, false)).status).toBe(200)
  expect((await callTool(instance, organization, '/buffer', BROKEN, true)).status).toBe(422)
  await job(STATIONS, 'successful')
  await job(BROKEN, 'failed')
  await job(STATIONS, 'dismissed')
  await append(await begin(4, 'whole.bin'), 0, 'abcd')
  await append(await begin(10, 'part.bin'), 0, 'abcd')
  await ownedThings(instance).file(organization.id)
  const person = await personAccount(instance)
  const sent = await callAs(instance.url(), person, 'POST', `${GIS}/buffer`, { body: formOf(STATIONS) })
  expect(sent.status).toBe(200)
  const later = { body: formOf(STATIONS), headers: { prefer: 'respond-async' } }
  const { data } = await callAs<{ jobID: string }>(instance.url(), person, 'POST', `${GIS}/buffer`, later)
  const status = async () =>
    (await callAs<{ status: string }>(instance.url(), person, 'GET', `${GIS}/jobs/${data.jobID}`)).data.status
  await until(async () => (await status()) === 'successful', 'the job of a person')
}, 120_000)

test('the ledger is balanced after real calls, jobs, uploads and files, also for the doctor', async () => {
  expect(filesOnDisk().length).toBeGreaterThan(8)
  await until(async () => (await disagreementsIn(postgres.db, instance.dir)).length === 0, 'the balance')
  const report = await examined({ DATA_DIR: instance.dir })
  expect(of(report, 'ledger')).toMatchObject([{ state: 'ok', found: 'runs, credits, jobs and files agree' }])
}, 120_000)

/** A statement, the rows that it changes, and all rules that it breaks. */
const BREAKS: [rule: string, id: string, statement: (id: string) => string, others?: string[]][] = [
  [
    'credits',
    `SELECT enterprise_id || ' ' || to_char(starts_at AT TIME ZONE 'UTC', 'YYYY-MM') AS text FROM credit_periods`,
    () => 'UPDATE credit_periods SET used = used + 1',
  ],
  [
    'credits',
    `SELECT enterprise_id || ' ' || to_char(starts_at AT TIME ZONE 'UTC', 'YYYY-MM') AS text FROM credit_periods`,
    () => 'DELETE FROM credit_periods',
  ],
  [
    'usage',
    `SELECT concat_ws(' ', owner_id, day, tool_id, application_id) AS text FROM run_days WHERE failures > 0`,
    () => 'UPDATE run_days SET failures = failures - 1 WHERE failures > 0',
  ],
  [
    'usage',
    `SELECT concat_ws(' ', owner_id, day, tool_id, application_id) AS text FROM run_days WHERE tool_id LIKE '%bearing'`,
    () => `DELETE FROM runs WHERE tool_id LIKE '%bearing'`,
  ],
  [
    'charged-failure',
    `SELECT id AS text FROM runs WHERE status = 'failed' AND job_id IS NULL`,
    (id) => `UPDATE runs SET credits = 1 WHERE id = '${id}'`,
    ['usage'],
  ],
  [
    'abandoned-run',
    `SELECT id AS text FROM runs WHERE status = 'failed' AND job_id IS NULL`,
    (id) =>
      `UPDATE runs SET status = 'running', started_at = now() - interval '11 minutes', instance_id = 'gone' WHERE id = '${id}'`,
    ['usage'],
  ],
  [
    'run-of-job',
    `SELECT run_id AS text FROM jobs WHERE status = 'successful' AND person_id IS NULL`,
    () => `UPDATE jobs SET status = 'failed' WHERE status = 'successful' AND person_id IS NULL`,
  ],
  [
    'job-without-run',
    `SELECT id AS text FROM jobs WHERE status = 'failed'`,
    (id) => `UPDATE jobs SET status = 'successful' WHERE id = '${id}'`,
  ],
  [
    'abandoned-job',
    `SELECT id AS text FROM jobs WHERE status = 'dismissed'`,
    (id) =>
      `UPDATE jobs SET status = 'running', finished_at = NULL, leased_until = now() - interval '61 minutes' WHERE id = '${id}'`,
  ],
  [
    'artifact',
    `SELECT id AS text FROM stored_files WHERE role = 'output' AND enterprise_id IS NOT NULL`,
    (id) => `UPDATE stored_files SET run_id = 'run_none' WHERE id = '${id}'`,
  ],
  [
    'upload',
    `SELECT id AS text FROM uploads WHERE state = 'open'`,
    () => `UPDATE uploads SET received = 5 WHERE state = 'open'`,
  ],
  [
    'file-missing',
    `SELECT id AS text FROM stored_files WHERE role = 'upload'`,
    (id) => `UPDATE stored_files SET bytes = 5 WHERE id = '${id}'`,
  ],
  [
    'file-missing',
    'SELECT id AS text FROM owner_file_versions',
    () => 'UPDATE owner_file_versions SET bytes = bytes + 1',
  ],
  [
    'file-missing',
    `SELECT upload_pieces.key AS text FROM upload_pieces JOIN uploads ON uploads.id = upload_id WHERE state = 'open'`,
    (key) => `UPDATE upload_pieces SET key = 'fil_' || repeat('f', 32) WHERE key = '${key}'`,
    ['file-unrecorded'],
  ],
  [
    'file-unrecorded',
    `SELECT id AS text FROM stored_files WHERE role = 'upload'`,
    (id) =>
      `DELETE FROM stored_files WHERE id = '${id}'; DELETE FROM uploads WHERE key = '${id}'; DELETE FROM file_removals`,
  ],
]

class Undone extends Error {}

test.each(BREAKS)('a row that breaks the rule %s is named: %s', async (rule, id, statement, others = []) => {
  const broken = await textOf(id)
  expect(broken).not.toBe('')
  for (const since of [new Date(0), new Date(Date.now() - 60_000)]) {
    let found: Disagreement[] = []
    await postgres.db
      .transaction(async (tx) => {
        for (const one of statement(broken).split('; ')) await tx.execute(sql.raw(one))
        found = await disagreementsIn(tx, instance.dir, since)
        throw new Undone()
      })
      .catch((error: unknown) => {
        if (!(error instanceof Undone)) throw error
      })
    expect(rulesOf(found)).toEqual([rule, ...others].toSorted())
    const named = found.find((one) => one.rule === rule)
    expect(named?.count).toBe(1)
    const isFileOfOther = rule === 'file-missing' && others.length > 0
    expect(named?.rows[0]).toStartWith(isFileOfOther ? `fil_${'f'.repeat(32)}: ` : `${broken}: `)
  }
  expect(await disagreementsIn(postgres.db, instance.dir)).toEqual([])
})

test('a check every hour, on one instance at a time, ends in metrics; the doctor names the first ten files', async () => {
  const keys = Array.from({ length: 12 }, () => newId('fil')).toSorted()
  const young = newId('fil')
  for (const key of [...keys, young]) {
    mkdirSync(dirname(pathOf(key)), { recursive: true })
    writeFileSync(pathOf(key), 'x')
    if (key !== young)
      utimesSync(pathOf(key), new Date(Date.now() - 3 * 3_600_000), new Date(Date.now() - 3 * 3_600_000))
  }
  const ended: Disagreement[][] = []
  const fail = (error: unknown): void => void Promise.reject(error)
  const parts = { db: postgres.db, files: await openFolderStore(join(instance.dir, 'files')) }
  const checks = Array.from({ length: 3 }, () => startLedgerChecks(parts, (found) => ended.push([...found]), fail, 20))
  await until(() => ended.length > 0, 'the check')
  await Promise.all(checks.map((check) => check.stop()))
  expect(ended.map((found) => found.map(({ rule, count }) => [rule, count]))).toEqual([[['file-unrecorded', 12]]])
  const metrics = await (await fetch(`${instance.url()}/metrics`)).text()
  expect(metrics).toContain('ledger_disagreements{rule="file-unrecorded"} 12')
  expect(metrics).toContain('ledger_disagreements{rule="credits"} 0')
  expect(Number(/^ledger_checked_timestamp_seconds (\S+)$/m.exec(metrics)?.[1])).toBeWithin(
    Date.now() / 1000 - 600,
    Date.now() / 1000 + 1,
  )
  expect((await fetch(`${instance.url()}/health/ready`)).status).toBe(200)

  const report = await examined({ DATA_DIR: instance.dir })
  const [finding, ...more] = of(report, 'ledger')
  expect([report.code, finding?.state, more]).toEqual([1, 'problem', []])
  expect(finding?.found).toStartWith('files have no record, 12: ')
  const shown = [...keys, young].filter((key) => finding?.found.includes(key))
  expect(shown).toHaveLength(10)
  expect(shown).not.toContain(young)
  for (const key of [...keys, young]) rmSync(pathOf(key))
}, 120_000)

/** Kills the server while a statement on a table waits: earlier writes are stored, later ones are not. */
async function killedBefore(operation: string, table: string, call: () => Promise<unknown>): Promise<void> {
  const before = new Set(filesOnDisk())
  await postgres.script(`
    CREATE FUNCTION wait_for_kill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$;
    CREATE TRIGGER wait_for_kill BEFORE ${operation} ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION wait_for_kill()`)
  const answer = call().catch(() => undefined)
  await until(() => filesOnDisk().some((key) => !before.has(key)), 'writing the file')
  const isWaiting = async (): Promise<boolean> =>
    (await textOf("SELECT count(*)::text AS text FROM pg_stat_activity WHERE wait_event = 'PgSleep'")) !== '0'
  await until(isWaiting, 'the statement')
  await instance.kill('SIGKILL')
  await answer
  await instance.restart()
  await reconnect()
  await postgres.script('DROP FUNCTION wait_for_kill CASCADE')
}

test('after a kill, files of a call, a job and an owner that have no record are removed', async () => {
  const before = filesOnDisk().toSorted()
  await killedBefore('INSERT', 'stored_files', () => callTool(instance, organization, '/buffer', STATIONS, true))
  await until(() => Bun.deepEquals(filesOnDisk().toSorted(), before), 'the removal')
  const startJob = () => callTool(instance, organization, '/buffer', STATIONS, true, { prefer: 'respond-async' })
  await killedBefore('INSERT', 'jobs', startJob)
  await until(() => Bun.deepEquals(filesOnDisk().toSorted(), before), 'the removal')
  await killedBefore('INSERT', 'owner_file_versions', () =>
    fetch(`${instance.url()}/manage/v1/owners/${organization.id}/files`, {
      method: 'POST',
      body: fileForm(),
      headers: { authorization: `Bearer ${instance.operatorToken()}` },
    }),
  )
  await until(() => Bun.deepEquals(filesOnDisk().toSorted(), before), 'the removal')
  expect(await ledgerOf(instance)).toEqual([])
}, 120_000)

async function whileFailing<T>(
  operation: string,
  table: string,
  condition: string,
  work: () => Promise<T>,
): Promise<T> {
  await postgres.script(`
    CREATE FUNCTION fail_now() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the test fails it'; END $$;
    CREATE TRIGGER fail_now BEFORE ${operation} ON ${table} FOR EACH ROW ${condition} EXECUTE FUNCTION fail_now()`)
  try {
    return await work()
  } finally {
    await postgres.script('DROP FUNCTION fail_now CASCADE')
  }
}

test('a job whose success cannot be stored has no successful run and is not charged', async () => {
  const used = await textOf('SELECT used::text AS text FROM credit_periods')
  const id = await whileFailing('UPDATE', 'jobs', "WHEN (NEW.status = 'successful')", () => job(STATIONS, 'failed'))
  expect(await textOf(`SELECT status AS text FROM runs WHERE job_id = '${id}'`)).toBe('failed')
  expect(await textOf('SELECT used::text AS text FROM credit_periods')).toBe(used)
  expect(await ledgerOf(instance)).toEqual([])
}, 120_000)

test('a job that cannot be stored leaves no file and no record of one', async () => {
  const before = filesOnDisk().toSorted()
  await whileFailing('INSERT', 'jobs', '', async () => {
    const response = await callTool(instance, organization, '/buffer', STATIONS, true, { prefer: 'respond-async' })
    expect(response.status).toBe(500)
  })
  await until(() => Bun.deepEquals(filesOnDisk().toSorted(), before), 'the removal')
  expect(await ledgerOf(instance)).toEqual([])
}, 120_000)

test('a file stays when its record cannot be deleted', async () => {
  const key = await textOf(`SELECT id AS text FROM stored_files WHERE role = 'output' AND enterprise_id IS NOT NULL`)
  await whileFailing('DELETE', 'stored_files', '', async () => {
    const response = await fetch(`${instance.url()}${GIS}/files/${key}`, {
      method: 'DELETE',
      headers: { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey },
    })
    expect(response.status).toBe(500)
  })
  expect(await ledgerOf(instance)).toEqual([])
}, 120_000)

test('expired files are deleted, and runs, credits and files still agree', async () => {
  await postgres.script(`
    UPDATE stored_files SET created_at = created_at - interval '400 days';
    UPDATE server_stored_days SET set_at = set_at - interval '400 days';
    UPDATE run_answers SET created_at = created_at - interval '400 days'`)
  await instance.kill('SIGTERM')
  await instance.restart()
  await reconnect()
  await until(async () => (await textOf('SELECT count(*)::text AS text FROM stored_files')) === '0', 'the deletion')
  expect(await ledgerOf(instance)).toEqual([])
}, 120_000)
