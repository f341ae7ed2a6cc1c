/** The time from which a sensor's readings may be sent again, on a real PostgreSQL. */
import { expect, test } from 'bun:test'
import { refillsOf } from '../../../src/stores/postgres/sensors/reading-deletions.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'

const { postgres } = await migratedPostgres()

test('the refill of a period that ends far in the future applies to claims until shortly after its deletion', async () => {
  const row = (id: string, sensor: string, to: string, status: string): string =>
    `('${id}', 'ent_1', 1, '${sensor}', 1, '2020-01-01Z', '${to}', true, '${status}', 'test', '2026-05-01T12:00:00Z')`
  await postgres.script(`INSERT INTO reading_deletions (id, enterprise_id, enterprise_number, sensor_id, sensor_number,
      from_at, to_at, refill, status, requested_by, finished_at) VALUES
    ${row('del_1', 'sen_far', '2299-01-01Z', 'done')}, ${row('del_2', 'sen_far', '2021-01-01Z', 'done')},
    ${row('del_3', 'sen_past', '2021-01-01Z', 'done')}, ${row('del_4', 'sen_open', '2021-01-01Z', 'running')}`)
  expect(await refillsOf(postgres.db, ['sen_far', 'sen_past', 'sen_open', 'sen_none'])).toEqual(
    new Map([
      ['sen_far', { count: 2, before: new Date('2026-05-01T12:10:00Z') }],
      ['sen_past', { count: 1, before: new Date('2021-01-01T00:00:00Z') }],
    ]),
  )
})
