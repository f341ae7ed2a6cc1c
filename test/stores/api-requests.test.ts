/** The daily allowance of API requests, on a real PostgreSQL. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { requestsUsed, takeRequest } from '../../src/stores/postgres/api-requests.ts'
import { openServerPostgres, type Postgres } from '../../src/stores/postgres/client.ts'
import { migratePostgres } from '../../src/stores/postgres/migrate.ts'
import { rowsOf } from '../../src/stores/postgres/rows.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'

const DAY = '2026-05-01'

let server: PostgresServer
let postgres: Postgres

beforeAll(async () => {
  server = await startPostgres()
  postgres = await openServerPostgres(server.url)
  await migratePostgres(postgres, join(import.meta.dir, '../../sql/postgres'))
}, 120_000)
afterAll(async () => {
  await postgres?.close()
  await server?.remove()
})

test('of many requests at the same time, exactly the allowance is counted', async () => {
  const taken = await Promise.all(Array.from({ length: 60 }, () => takeRequest(postgres.db, 'ent_1', DAY, 25)))
  expect(taken.filter((used) => used !== undefined).sort((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 25 }, (_, i) => i + 1),
  )
  expect(await requestsUsed(postgres.db, 'ent_1', DAY)).toBe(25)
  expect(await takeRequest(postgres.db, 'ent_1', '2026-05-02', 25)).toBe(1)
  expect(await takeRequest(postgres.db, 'ent_2', DAY, 25)).toBe(1)
})

test('other commits wait for the disk, also on a connection that has counted', async () => {
  await postgres.db.transaction(async (tx) => {
    // the setting ends with its transaction, not with its statement
    await takeRequest(tx, 'ent_3', DAY, 25)
    expect(rowsOf(await tx.execute(sql`SHOW synchronous_commit`))).toEqual([{ synchronous_commit: 'off' }])
  })
  // more than there are connections, all of which have counted
  await Promise.all(Array.from({ length: 60 }, () => takeRequest(postgres.db, 'ent_3', DAY, 100)))
  const shown = await Promise.all(Array.from({ length: 60 }, () => postgres.db.execute(sql`SHOW synchronous_commit`)))
  for (const rows of shown) expect(rowsOf(rows)).toEqual([{ synchronous_commit: 'on' }])
})
