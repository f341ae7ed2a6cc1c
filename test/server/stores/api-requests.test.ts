/** The daily allowance of API requests, on a real PostgreSQL. */
import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { openServerPostgres, type Postgres } from '../../../src/stores/postgres/client.ts'
import { rowsOf } from '../../../src/stores/postgres/rows.ts'
import { requestsUsed, takeRequest } from '../../../src/stores/postgres/runs/api-requests.ts'
import { seeded, whole } from '../../support/random.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'

const DAY = '2026-05-01'

const { postgres, url } = await migratedPostgres()

test('of many concurrent requests, exactly the allowance is counted', async () => {
  const taken = await Promise.all(Array.from({ length: 60 }, () => takeRequest(postgres.db, 'ent_1', DAY, 25)))
  expect(taken.filter((wasCounted) => wasCounted)).toHaveLength(25)
  expect(await requestsUsed(postgres.db, 'ent_1', DAY)).toBe(25)
  expect(await takeRequest(postgres.db, 'ent_1', '2026-05-02', 25)).toBe(true)
  expect(await takeRequest(postgres.db, 'ent_2', DAY, 25)).toBe(true)
})

test('several instances together count exactly the allowance, for any order of calls', async () => {
  const instances = await Promise.all(Array.from({ length: 3 }, () => openServerPostgres(url)))
  for (let seed = 1; seed <= 6; seed++) {
    const random = seeded(seed)
    const owner = `ent_several_${seed}`
    const allowance = 20 + whole(random, 1_000)
    let [calls, counted] = [0, 0]
    const caller = async (): Promise<void> => {
      const { db } = instances[whole(random, 3)] as Postgres
      while (calls < allowance + 40) {
        calls++
        if (await takeRequest(db, owner, DAY, allowance)) counted++
      }
    }
    await Promise.all(Array.from({ length: 1 + whole(random, 24) }, caller))
    expect({ seed, counted }).toEqual({ seed, counted: allowance })
    expect({ seed, used: await requestsUsed(postgres.db, owner, DAY) }).toEqual({ seed, used: allowance })
  }
  await Promise.all(instances.map((instance) => instance.close()))
}, 60_000)

test('a reduced allowance applies at once, and an allowance of zero admits nothing', async () => {
  const take = (allowance: number): Promise<boolean> => takeRequest(postgres.db, 'ent_reduced', DAY, allowance)
  for (let i = 0; i < 100; i++) expect(await take(10_000)).toBe(true)
  expect(await take(100)).toBe(false)
  expect(await take(102)).toBe(true)
  expect(await take(102)).toBe(true)
  expect(await take(102)).toBe(false)
  expect(await takeRequest(postgres.db, 'ent_none', DAY, 0)).toBe(false)
  expect(await requestsUsed(postgres.db, 'ent_none', DAY)).toBe(0)
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
