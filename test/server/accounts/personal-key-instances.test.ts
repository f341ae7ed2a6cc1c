/** Personal API keys on two instances with one PostgreSQL and one Redis (both real). */
import { afterAll, expect, test } from 'bun:test'
import { callWithKey, keyOf, personOn } from '../../support/personal-keys.ts'
import { toolApisOf } from '../../support/server/tool-apis.ts'
import { sharedPair } from '../../support/server/two-instances.ts'
import { point } from '../../support/workers/engine.ts'

const { one, other } = await sharedPair()
const sides = [one, other] as const
const G = '/enterprise/v1/gis'
const ALLOWED = 57
afterAll(() => one.manage('PATCH', '/tiers/pro', { apiRequestsPerDay: 1_000 }))

test('20 parallel callers with two keys and a Tool API on two instances get exactly the requests of the day', async () => {
  await one.manage('PATCH', '/tiers/pro', { apiRequestsPerDay: ALLOWED })
  const person = await personOn(one)
  const keys = [await keyOf(one, person), await keyOf(other, person)] as const
  const { save } = toolApisOf(() => one)
  const api = await save(person.id, 'vector.centroids')
  const codes: string[] = []
  async function caller(n: number): Promise<void> {
    const side = sides[n % 2] as (typeof sides)[0]
    // every fifth caller calls the Tool API: 4 × 6 calls, below its calls a minute
    for (let i = 0; i < 6; i++) {
      const answer =
        n % 5 === 0
          ? await toolApisOf(() => side).run(api, { input: point(i, 0) })
          : await callWithKey(side, keys[n % 3 === 0 ? 0 : 1], 'GET', `${G}/runs`)
      codes.push(answer.code)
    }
  }
  await Promise.all(Array.from({ length: 20 }, (_, n) => caller(n)))
  const counts = Object.fromEntries([...Map.groupBy(codes, (code) => code)].map(([code, all]) => [code, all.length]))
  const { SUCCESS = 0, TOOL_API_RESULT = 0, ...refused } = counts
  expect(SUCCESS + TOOL_API_RESULT).toBe(ALLOWED)
  expect(Math.min(SUCCESS, TOOL_API_RESULT)).toBeGreaterThan(0)
  expect(refused).toEqual({ API_KEY_QUOTA: 120 - ALLOWED })
}, 60_000)

test('a key that one instance revokes, and a person that it suspends, end on the next call of the other', async () => {
  await one.manage('PATCH', '/tiers/pro', { apiRequestsPerDay: 1_000 })
  const person = await personOn(one)
  const [kept, revoked] = [await keyOf(one, person), await keyOf(one, person)]
  const runs = async (key: { key: string }) => (await callWithKey(other, key, 'GET', `${G}/runs`)).code
  expect([await runs(kept), await runs(revoked)]).toEqual(['SUCCESS', 'SUCCESS'])
  await one.manage('DELETE', `/people/${person.id}/api-keys/${revoked.id}`)
  expect([await runs(kept), await runs(revoked)]).toEqual(['SUCCESS', 'API_KEY_INVALID'])
  await one.manage('PATCH', `/people/${person.id}`, { status: 'suspended' })
  expect(await runs(kept)).toBe('PERSON_SUSPENDED')
})

test('the minute of a key is one minute on both instances', async () => {
  const person = await personOn(one, 'max')
  const key = await keyOf(one, person)
  const codes = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const found: string[] = []
      for (let i = 0; i < 31; i++)
        found.push((await callWithKey(sides[n % 2] as (typeof sides)[0], key, 'GET', `${G}/runs`)).code)
      return found
    }),
  )
  const counts = Object.fromEntries(
    [...Map.groupBy(codes.flat(), (code) => code)].map(([code, all]) => [code, all.length]),
  )
  expect(counts).toEqual({ SUCCESS: 600, RATE_LIMITED: 20 })
}, 60_000)
