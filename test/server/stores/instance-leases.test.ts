/** Leases of instances that never come back, or come back late, on a real PostgreSQL. */
import { expect, test } from 'bun:test'
import { startInstanceLeases } from '../../../src/runs/instance-leases.ts'
import {
  finishExport,
  releaseExport,
  renewExport,
  takeExport,
} from '../../../src/stores/postgres/files/data-exports.ts'
import { announceWrites, endWrites } from '../../../src/stores/postgres/files/file-writes.ts'
import { setVerdict } from '../../../src/stores/postgres/files/owner-files.ts'
import { claimKey, keySpaceOf, storeResponse } from '../../../src/stores/postgres/runs/idempotency.ts'
import {
  beginRun,
  creditsUsed,
  endRun,
  type NewRun,
  type NewStoredFile,
  recordRun,
} from '../../../src/stores/postgres/runs/runs.ts'
import {
  finishDeletion,
  releaseDeletion,
  renewDeletion,
  takeDeletion,
} from '../../../src/stores/postgres/sensors/reading-deletions.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'
import { until } from '../../support/until.ts'

const { postgres } = await migratedPostgres()
await postgres.script("INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'One', 'scale')")

const periodStart = new Date(Date.UTC(2026, 0))
const runOf = (id: string, instanceId: string): NewRun => ({
  id,
  enterpriseId: 'ent_1',
  personId: null,
  ownerId: 'ent_1',
  applicationId: null,
  memberId: null,
  toolId: 'vector.centroids',
  toolVersion: '1',
  requestId: 'r',
  jobId: null,
  settings: {},
  credits: 2,
  periodStart,
  fileCount: 0,
  inputBytes: 0,
  instanceId,
})
const keyOf = (key: string, instanceId: string) => ({
  keyPairId: keySpaceOf('app_1', 'ent_1'),
  route: 'POST /buffer',
  key,
  instanceId,
  claimId: `${key} ${instanceId}`,
})
const ended = { outputBytes: 0, durationMs: 1, inputs: null }

test('credits and keys of a lost instance are released, other instances keep theirs, and the lost one can finish nothing', async () => {
  const { db } = postgres
  for (const instance of ['lost', 'here']) {
    await beginRun(db, runOf(`run_${instance}`, instance), 1_000)
    expect(await claimKey(db, keyOf(instance, instance), 'sha')).toEqual({ state: 'first' })
  }
  expect(await creditsUsed(db, 'ent_1', periodStart)).toBe(4)
  await postgres.script("INSERT INTO instance_leases VALUES ('lost', now() - interval '1 second')")
  const lost: { instance: string; runs: number }[] = []
  const fail = (error: unknown): void => void Promise.reject(error)
  const leases = await startInstanceLeases(db, 'here', (one) => lost.push(one), fail, 20)
  await until(() => lost.length > 0, 'the loss')
  expect(lost).toEqual([{ instance: 'lost', runs: 1 }])
  expect(await creditsUsed(db, 'ent_1', periodStart)).toBe(2)
  expect(await claimKey(db, keyOf('here', 'other'), 'sha')).toEqual({ state: 'underWay' })

  // the lost instance was only late
  expect(await endRun(db, { id: 'run_lost' }, { ...ended, status: 'successful', code: 'SUCCESS' }, [])).toBe(false)
  const answer = { status: 200, headers: {}, body: Buffer.from('{}') }
  expect(await storeResponse(db, keyOf('lost', 'lost'), answer)).toBe(false)
  expect(await claimKey(db, keyOf('lost', 'here'), 'sha')).toEqual({ state: 'first' })
  expect(await storeResponse(db, keyOf('lost', 'lost'), answer)).toBe(false)
  expect(await creditsUsed(db, 'ent_1', periodStart)).toBe(2)

  await leases.stop()
  expect(await endRun(db, { id: 'run_here' }, { ...ended, status: 'successful', code: 'SUCCESS' }, [])).toBe(true)
})

const fileOf = (id: string, runId: string): NewStoredFile => ({
  id,
  enterpriseId: 'ent_1',
  personId: null,
  memberId: null,
  runId,
  artifactId: null,
  role: 'output',
  field: null,
  filename: 'a.geojson',
  mediaType: 'application/geo+json',
  crs: null,
  bytes: 1,
})
const keysIn = async (table: string): Promise<string[]> => {
  const rows = (await postgres.db.execute(`SELECT * FROM ${table} ORDER BY 1`)) as unknown as Record<string, string>[]
  return rows.map((row) => row.key ?? row.id ?? '')
}
const success = { ...ended, status: 'successful', code: 'SUCCESS' } as const
const fail = (error: unknown): void => void Promise.reject(error)

test('files that a lost instance was writing are removed, and it can no longer record them or the success of their run', async () => {
  const { db } = postgres
  await postgres.script("INSERT INTO people (id, email, plan) VALUES ('per_1', 'a@example.org', 'pro')")
  for (const instance of ['away', 'there']) {
    await beginRun(db, runOf(`run_${instance}`, instance), 1_000)
    await announceWrites(db, instance, [`fil_${instance}`, `fil_${instance}_free`, `fil_${instance}_version`])
  }
  await postgres.script("INSERT INTO instance_leases VALUES ('away', now() - interval '1 second')")
  const lost: { instance: string; runs: number }[] = []
  const leases = await startInstanceLeases(db, 'there', (one) => lost.push(one), fail, 20)
  await until(() => lost.length > 0, 'the loss')
  await leases.stop()
  expect(await keysIn('file_writes')).toEqual(['fil_there', 'fil_there_free', 'fil_there_version'])
  expect(await keysIn('file_removals')).toEqual(['fil_away', 'fil_away_free', 'fil_away_version'])

  const free = { ...runOf('run_free', 'away'), enterpriseId: null, personId: 'per_1', ownerId: 'per_1', credits: 0 }
  expect(await endRun(db, { id: 'run_away' }, success, [fileOf('fil_away', 'run_away')])).toBe(false)
  expect(await recordRun(db, free, success, [fileOf('fil_away_free', 'run_free')])).toBe(false)
  await expect(endWrites(db, ['fil_away_version'])).rejects.toThrow()
  expect(await keysIn('stored_files')).toEqual([])

  expect(await endRun(db, { id: 'run_there' }, success, [fileOf('fil_there', 'run_there')])).toBe(true)
  expect(await recordRun(db, free, success, [fileOf('fil_there_free', 'run_free')])).toBe(true)
  await endWrites(db, ['fil_there_version'])
  expect(await keysIn('stored_files')).toEqual(['fil_there', 'fil_there_free'])
  expect(await keysIn('file_writes')).toEqual([])
})

test('an abandoned run stores none of its files', async () => {
  const { db } = postgres
  await beginRun(db, runOf('run_over', 'here'), 1_000)
  await announceWrites(db, 'here', ['fil_over'])
  await endRun(db, { id: 'run_over' }, { ...ended, status: 'failed', code: 'TOOL_FAILED' }, [])
  expect(await endRun(db, { id: 'run_over' }, success, [fileOf('fil_over', 'run_over')])).toBe(false)
  expect(await keysIn('stored_files')).not.toContain('fil_over')
  // so that the file is still removed
  expect(await keysIn('file_writes')).toEqual(['fil_over'])
})

test('work interrupted by an outage of the database is done afterwards', async () => {
  const leases = await startInstanceLeases(postgres.db, 'settling', () => undefined, fail, 20)
  let attempts = 0
  const lost = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' })
  await leases.settle(async () => {
    if (++attempts < 3) throw lost
  })
  expect(attempts).toBe(1)
  await until(() => attempts === 3, 'the third attempt')
  await expect(leases.settle(() => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug')
  await leases.stop()
})

test('an export that another instance has taken over is not finished by the first one, whose archive is removed', async () => {
  const { db } = postgres
  await postgres.script(`
    INSERT INTO data_exports (id, enterprise_id, key, requested_by, expires_at)
    VALUES ('exp_1', 'ent_1', 'fil_asked', 'test', now() + interval '1 day')`)
  const late = await takeExport(db, 60_000)
  if (late === undefined) throw new Error('nothing was taken')
  expect(await takeExport(db, 60_000)).toBeUndefined()
  await postgres.script("UPDATE data_exports SET lease_until = now() - interval '1 second'")
  const second = await takeExport(db, 60_000)
  if (second === undefined) throw new Error('nothing was taken')
  expect(second.key).not.toBe(late.key)
  expect(await keysIn('file_removals')).toContain(late.key)
  expect(await renewExport(db, late, 60_000, { parts: 1, partsDone: 1 })).toBe(false)
  expect(await finishExport(db, late, { bytes: 1, keepHours: 1 })).toBe(false)
  await releaseExport(db, late, 0)
  expect(await takeExport(db, 60_000)).toBeUndefined()
  expect(await finishExport(db, second, { bytes: 2, keepHours: 1 })).toBe(true)
})

test('a deletion of readings that another instance has taken over is not ended or released by the first one', async () => {
  const { db } = postgres
  await postgres.script(`
    INSERT INTO reading_deletions (id, enterprise_id, enterprise_number, sensor_id, sensor_number, requested_by)
    VALUES ('del_1', 'ent_1', 1, 'sen_1', 1, 'test')`)
  const late = await takeDeletion(db, 60_000)
  await postgres.script("UPDATE reading_deletions SET lease_until = now() - interval '1 second'")
  const second = await takeDeletion(db, 60_000)
  if (late === undefined || second === undefined) throw new Error('nothing was taken')
  expect(await renewDeletion(db, late, 60_000)).toBe(false)
  expect(await finishDeletion(db, late)).toBe(false)
  await releaseDeletion(db, late)
  expect(await takeDeletion(db, 60_000)).toBeUndefined()
  expect(await finishDeletion(db, second)).toBe(true)
})

test('a scan that ends after another verdict changes nothing', async () => {
  const { db } = postgres
  await postgres.script(`
    INSERT INTO owner_files (id, enterprise_id, name) VALUES ('fil_a', 'ent_1', 'a');
    INSERT INTO owner_file_versions (id, file_id, version, filename, bytes) VALUES ('fil_v', 'fil_a', 1, 'a.csv', 1)`)
  const clean = { scanStatus: 'clean', scanReason: null } as const
  expect((await setVerdict(db, 'operator', 'fil_v', clean))?.scanStatus).toBe('clean')
  const found = { scanStatus: 'infected', scanReason: 'clamav: x' } as const
  expect((await setVerdict(db, 'scanner', 'fil_v', found, { scanStatus: 'pending' }))?.scanStatus).toBe('clean')
})
