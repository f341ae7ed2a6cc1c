/** Names in ClickHouse are retried until they are written. */
import { expect, test } from 'bun:test'
import { createBackoff } from '../../../../src/stores/backoff.ts'
import { createChanges } from '../../../../src/stores/changes.ts'
import type { ClickHouse } from '../../../../src/stores/clickhouse/client.ts'
import { startNameSync } from '../../../../src/stores/clickhouse/names.ts'
import { countingDatabase } from '../../../support/stores/counting-database.ts'

const row = { id: 'sns_1', number: 1, enterprise: 1, enterpriseId: 'ent_1', assetId: 'ast_1', assetName: 'Pump' }

/** Rejects the first `failures` inserts. */
function failingClickHouse(failures: number) {
  const done = Promise.withResolvers<void>()
  let inserts = 0
  const write = async (): Promise<void> => {
    if (++inserts <= failures) throw new Error('unavailable')
    done.resolve()
  }
  return { clickhouse: { write } as unknown as ClickHouse, inserted: done.promise, inserts: () => inserts }
}

test('names are written after ClickHouse has failed a hundred times', async () => {
  const { clickhouse, inserted } = failingClickHouse(100)
  let errors = 0
  const onError = (): void => {
    errors++
  }
  const { db } = countingDatabase({ ...row, sensorId: row.id })
  const names = startNameSync(db, clickhouse, createChanges(), onError, createBackoff(1, 1))
  await inserted
  expect(errors).toBe(100)
  await names.stop()
})

test('stopping ends the retries', async () => {
  const { clickhouse, inserts } = failingClickHouse(Number.POSITIVE_INFINITY)
  const failed = Promise.withResolvers<void>()
  const { db } = countingDatabase({ ...row, sensorId: row.id })
  const names = startNameSync(db, clickhouse, createChanges(), () => failed.resolve(), createBackoff(60_000, 60_000))
  await failed.promise
  await names.stop()
  expect(inserts()).toBe(1)
})
