/** What instances hold that never come back, on a real PostgreSQL. */
import { expect, test } from 'bun:test'
import { startInstanceLeases } from '../../src/runs/instance-leases.ts'
import { claimKey, keySpaceOf, storeResponse } from '../../src/stores/postgres/idempotency.ts'
import { beginRun, creditsUsed, endRun, type NewRun } from '../../src/stores/postgres/runs.ts'
import { migratedPostgres } from '../support/migrated-postgres.ts'
import { until } from '../support/until.ts'

const { postgres } = await migratedPostgres()
await postgres.script("INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'One', 'scale')")

const periodStart = new Date(Date.UTC(2026, 0))
const runOf = (id: string, instanceId: string): NewRun => ({
  ...{ id, enterpriseId: 'ent_1', personId: null, ownerId: 'ent_1', applicationId: null, memberId: null },
  ...{ toolId: 'vector.centroids', toolVersion: '1', requestId: 'r', jobId: null, settings: {}, credits: 2 },
  ...{ periodStart, fileCount: 0, inputBytes: 0, instanceId },
})
const keyOf = (key: string, instanceId: string) => ({
  ...{
    keyPairId: keySpaceOf('app_1', 'ent_1'),
    route: 'POST /buffer',
    key,
    instanceId,
    claimId: `${key} ${instanceId}`,
  },
})
const ended = { outputBytes: 0, durationMs: 1, inputs: null }

test('credits and keys of an instance that is lost go back, those of others stay, and the lost one can finish nothing', async () => {
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

  // the lost one was only late
  expect(await endRun(db, { id: 'run_lost' }, { ...ended, status: 'successful', code: 'SUCCESS' }, [])).toBe(false)
  const answer = { status: 200, headers: {}, body: Buffer.from('{}') }
  expect(await storeResponse(db, keyOf('lost', 'lost'), answer)).toBe(false)
  expect(await claimKey(db, keyOf('lost', 'here'), 'sha')).toEqual({ state: 'first' })
  expect(await storeResponse(db, keyOf('lost', 'lost'), answer)).toBe(false)
  expect(await creditsUsed(db, 'ent_1', periodStart)).toBe(2)

  await leases.stop()
  expect(await endRun(db, { id: 'run_here' }, { ...ended, status: 'successful', code: 'SUCCESS' }, [])).toBe(true)
})
