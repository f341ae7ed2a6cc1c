/** Daily allowances that are counted in memory, on a real PostgreSQL: exact with several instances, kills and full disks. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { type DailyRequests, openDailyRequests } from '../../src/access/daily-requests.ts'
import { requestsUsed } from '../../src/stores/postgres/api-requests.ts'
import { type Database, openServerPostgres, type Postgres } from '../../src/stores/postgres/client.ts'
import { migratePostgres } from '../../src/stores/postgres/migrate.ts'
import { rowsOf } from '../../src/stores/postgres/rows.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { seeded, whole } from '../support/random.ts'

const DAY = new Date().toISOString().slice(0, 10)

let server: PostgresServer
let postgres: Postgres
let db: Database
let root: string
const opened: DailyRequests[] = []
const errors: unknown[] = []

beforeAll(async () => {
  server = await startPostgres()
  postgres = await openServerPostgres(server.url)
  db = postgres.db
  await migratePostgres(postgres, join(import.meta.dir, '../../sql/postgres'))
  root = mkdtempSync(join(tmpdir(), 'groundwave-requests-'))
}, 120_000)
afterEach(async () => {
  await Promise.all(opened.splice(0).map((requests) => requests.stop()))
})
afterAll(async () => {
  await postgres?.close()
  await server?.remove()
  rmSync(root, { recursive: true, force: true })
})

async function open(instance: string, database = db): Promise<DailyRequests> {
  const requests = await openDailyRequests(database, instance, join(root, instance), (error) => errors.push(error))
  opened.push(requests)
  return requests
}

const heldBlocks = async (ownerId: string): Promise<number> =>
  rowsOf(await db.execute(sql`SELECT 1 FROM api_request_blocks WHERE owner_id = ${ownerId}`)).length

/** Counts statements, and fails before or after them as long as `fails` says so. */
function watched(fails: () => 'before' | 'after' | undefined = () => undefined) {
  let statements = 0
  const execute = async (statement: never): Promise<unknown> => {
    statements++
    const when = fails()
    const result = when === 'before' ? undefined : await db.execute(statement)
    if (when !== undefined) throw Object.assign(new Error('lost'), { code: 'ECONNREFUSED' })
    return result
  }
  return { database: { execute } as unknown as Database, statements: () => statements }
}

test('several instances together count exactly the allowance, whatever the calls', async () => {
  for (let seed = 1; seed <= 12; seed++) {
    const random = seeded(seed)
    const owner = `ent_${seed}`
    const allowance = 20 + whole(random, 3_000)
    const instances = await Promise.all(Array.from({ length: 3 }, (_, i) => open(`property-${seed}-${i}`)))
    let counted = 0
    let calls = 0
    const caller = async (): Promise<void> => {
      const requests = instances[whole(random, 3)] as DailyRequests
      while (calls < allowance + 40) {
        calls++
        if (await requests.take(owner, DAY, allowance)) counted++
        if (random() < 0.05) await Bun.sleep(random() * 5)
      }
    }
    await Promise.all(Array.from({ length: 1 + whole(random, 24) }, caller))
    expect({ seed, counted }).toEqual({ seed, counted: allowance })
    await Promise.all(instances.map((requests) => requests.flush()))
    expect({ seed, used: await requestsUsed(db, owner, DAY) }).toEqual({ seed, used: allowance })
    expect(await heldBlocks(owner)).toBe(0)
  }
}, 120_000)

test('what an instance has not used comes back, so that calls on others are not refused', async () => {
  const [a, b] = [await open('back-a'), await open('back-b')]
  for (let i = 0; i < 60; i++) expect(await a.take('ent_back', DAY, 400)).toBe(true)
  expect(await heldBlocks('ent_back')).toBeGreaterThan(0)
  let counted = 0
  while (await b.take('ent_back', DAY, 400)) counted++
  expect(counted).toBe(340)
})

test('a call now and then takes one statement, many calls take few', async () => {
  const { database, statements } = watched()
  const requests = await open('statements', database)
  const before = statements()
  expect(await requests.take('ent_rare', DAY, 10_000)).toBe(true)
  expect(statements() - before).toBe(1)
  await Bun.sleep(2_100)
  expect(await requests.take('ent_rare', DAY, 10_000)).toBe(true)
  expect(statements() - before).toBe(2)
  expect(await heldBlocks('ent_rare')).toBe(0)
  for (let i = 0; i < 2_000; i++) expect(await requests.take('ent_often', DAY, 1_000_000)).toBe(true)
  expect(statements() - before).toBeLessThan(60)
})

test('blocks go back without being asked for within seconds', async () => {
  const requests = await open('alone')
  for (let i = 0; i < 50; i++) await requests.take('ent_alone', DAY, 10_000)
  expect(await requestsUsed(db, 'ent_alone', DAY)).toBeGreaterThan(50)
  await Bun.sleep(1_500)
  expect(await requestsUsed(db, 'ent_alone', DAY)).toBe(50)
  expect(readdirSync(join(root, 'alone'))).toEqual([])
})

test('an allowance that is reduced counts at once', async () => {
  const requests = await open('reduced')
  for (let i = 0; i < 100; i++) await requests.take('ent_reduced', DAY, 10_000)
  expect(await requests.take('ent_reduced', DAY, 100)).toBe(false)
  expect(await requests.take('ent_reduced', DAY, 102)).toBe(true)
  expect(await requests.take('ent_reduced', DAY, 102)).toBe(true)
  expect(await requests.take('ent_reduced', DAY, 102)).toBe(false)
})

test('without a file, requests are taken one by one, and exactly', async () => {
  const requests = await open('no-file')
  rmSync(join(root, 'no-file'), { recursive: true })
  const taken: boolean[] = []
  for (let i = 0; i < 150; i++) taken.push(await requests.take('ent_no_file', DAY, 120))
  expect(taken.filter((wasCounted) => wasCounted).length).toBe(120)
  expect(errors.splice(0)).toHaveLength(1)
  expect(await requestsUsed(db, 'ent_no_file', DAY)).toBe(120)
})

test('what could not be given back because the database was lost is given back later', async () => {
  let isLost = false
  const { database } = watched(() => (isLost ? 'before' : undefined))
  const requests = await open('lost', database)
  for (let i = 0; i < 50; i++) await requests.take('ent_lost', DAY, 10_000)
  isLost = true
  await requests.flush()
  expect(errors.splice(0)).toHaveLength(1)
  expect(await requestsUsed(db, 'ent_lost', DAY)).toBeGreaterThan(50)
  await expect(Promise.resolve(requests.take('ent_lost', DAY, 10_000))).rejects.toThrow('lost')
  isLost = false
  await requests.flush()
  expect(await requestsUsed(db, 'ent_lost', DAY)).toBe(50)
  expect(readdirSync(join(root, 'lost'))).toEqual([])
})

test('a block is given back when only the answer about it was lost', async () => {
  let isLost = false
  const { database } = watched(() => (isLost ? 'after' : undefined))
  const requests = await open('no-answer', database)
  for (let i = 0; i < 64; i++) await requests.take('ent_no_answer', DAY, 10_000)
  // blocks double, so the last one has just been used up
  isLost = true
  await expect(Promise.resolve(requests.take('ent_no_answer', DAY, 10_000))).rejects.toThrow('lost')
  isLost = false
  expect(await requestsUsed(db, 'ent_no_answer', DAY)).toBeGreaterThan(64)
  await requests.flush()
  expect(await requestsUsed(db, 'ent_no_answer', DAY)).toBe(64)
  expect(await heldBlocks('ent_no_answer')).toBe(0)
})
