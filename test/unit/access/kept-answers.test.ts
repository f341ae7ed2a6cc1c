/** Claims of idempotency keys, on a real PostgreSQL whose connection breaks at the worst moments. */
import { expect, test } from 'bun:test'
import { createKeptAnswers } from '../../../src/access/kept-answers.ts'
import type { Database } from '../../../src/stores/postgres/client.ts'
import { keySpaceOf, releaseKeys } from '../../../src/stores/postgres/runs/idempotency.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'
import { eventually } from '../../support/until.ts'

const { postgres } = await migratedPostgres()
const lost = Object.assign(new Error('connection lost'), { code: 'ERR_POSTGRES_CONNECTION_CLOSED' })
const space = keySpaceOf('app_1', 'ent_1')
const answer = { status: 200, headers: {}, body: Buffer.from('{}') }
const answers = (db: Database, errors: unknown[] = []) =>
  createKeptAnswers({ db, instanceId: 'here', keepsFailures: true, onError: (error) => errors.push(error) })
const callOf = (key: string) => ({ space, route: 'POST /buffer', content: 'sha', key, caller: 'app_1' })

async function claimed(db: Database, key: string) {
  const claim = await answers(db).claim(callOf(key))
  if (!('held' in claim) || claim.held === undefined) throw new Error('the key was answered already')
  return claim.held
}

test('a key is released although the connection was lost meanwhile', async () => {
  let failures = 2
  const db = new Proxy(postgres.db, {
    get(target, name) {
      if (name === 'delete' && failures-- > 0) throw lost
      return Reflect.get(target, name)
    },
  })
  await (await claimed(db, 'released')).release()
  await expect(answers(postgres.db).claim(callOf('released'))).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' })
  await eventually(async () => void (await claimed(postgres.db, 'released')))
})

test('a key is released after a claim whose response was lost', async () => {
  const insert = postgres.db.insert.bind(postgres.db) as (table: never) => { values(row: never): Conflict }
  type Conflict = { onConflictDoUpdate(how: never): { returning(columns: never): Promise<unknown> } }
  const broken = (table: never) => ({
    values: (row: never) => ({
      onConflictDoUpdate: (how: never) => ({
        async returning(columns: never) {
          await insert(table).values(row).onConflictDoUpdate(how).returning(columns)
          throw lost
        },
      }),
    }),
  })
  const db = new Proxy(postgres.db, {
    get: (target, name) => (name === 'insert' ? broken : Reflect.get(target, name)),
  })
  await expect(answers(db).claim(callOf('claimed'))).rejects.toThrow('connection lost')
  await claimed(postgres.db, 'claimed')
})

test('only the request that holds a key can answer or release it, also among requests of one instance', async () => {
  const { db } = postgres
  const first = await claimed(db, 'own')
  // the instance was late, and another one considered it lost
  await releaseKeys(db, 'here')
  const second = await claimed(db, 'own')
  expect(await first.keep(db, answer)).toBe(false)
  await first.release()
  await expect(answers(db).claim(callOf('own'))).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' })
  expect(await second.keep(db, answer)).toBe(true)
  await second.release()
  expect(await answers(db).claim(callOf('own'))).toMatchObject({ kept: { status: 200 } })
})
