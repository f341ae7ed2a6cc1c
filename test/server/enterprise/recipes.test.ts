/** Recipes over HTTP: chains of tools, private to a member or shared with the enterprise. */
import { expect, test } from 'bun:test'
import { G } from '../../support/role-policy.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { type Account, callAs, memberAccount, personAccount } from '../../support/sessions.ts'

type Recipe = { id: string; name: string; shared: boolean; document?: object }

const instance = await sharedInstance()
const home = await instance.organization()
const [admin, member] = [
  await memberAccount(instance, home.id, 'admin'),
  await memberAccount(instance, home.id, 'member'),
]
const DOCUMENT = {
  version: 1,
  steps: [
    { tool: 'vector.buffer', settings: { distance_m: 500, target_format: 'geojson' } },
    { tool: 'vector.clip', settings: {}, files: { mask: [`lay_${'0'.repeat(32)}`] } },
  ],
}
const call = <T = Recipe>(
  account: Account,
  method: string,
  path = '',
  body?: object,
  enterprise: string | undefined = home.id,
) => callAs<T>(instance.url(), account, method, `${G}/recipes${path}`, { enterprise, body })

test('a recipe of a member is private, and one of an administrator may be shared', async () => {
  const { data: own } = await call(member, 'POST', '', { name: 'Buffer, then clip', document: DOCUMENT })
  expect(own).toMatchObject({ name: 'Buffer, then clip', shared: false, document: DOCUMENT })
  const { data: shared } = await call(admin, 'POST', '', { name: 'For all', shared: true, document: DOCUMENT })
  const listed = async (account: Account): Promise<string[]> =>
    (await call<{ items: Recipe[] }>(account, 'GET')).data.items.map(({ id }) => id)
  expect(await listed(member)).toEqual([own.id, shared.id])
  expect(await listed(admin)).toEqual([shared.id])
  expect((await call(admin, 'GET', `/${own.id}`)).status).toBe(404)
  expect((await call(member, 'PATCH', `/${shared.id}`, { name: 'Mine' })).status).toBe(403)
  expect((await call(member, 'PATCH', `/${own.id}`, { name: 'Renamed' })).data.name).toBe('Renamed')
  expect((await call(member, 'DELETE', `/${own.id}`)).status).toBe(200)
  expect(await listed(member)).toEqual([shared.id])
})

test('a recipe names tools that take files, in at most five steps; people without an enterprise have none', async () => {
  const refused = async (document: object) =>
    (await call(member, 'POST', '', { name: 'x', document })).errors?.map(({ field, rule }) => [field, rule])
  const step = { tool: 'vector.buffer', settings: {} }
  expect(await refused({ version: 1, steps: [step, { ...step, tool: 'vector.none' }] })).toEqual([
    ['body.document.steps.1.tool', 'exists'],
  ])
  expect(await refused({ version: 1, steps: [{ ...step, tool: 'measure.distance-bearing' }] })).toEqual([
    ['body.document.steps.0.tool', 'exists'],
  ])
  for (const steps of [[], Array.from({ length: 6 }, () => step)])
    expect((await refused({ version: 1, steps }))?.[0]?.[0]).toBe('body.document.steps')
  expect((await refused({ version: 2, steps: [step] }))?.[0]?.[0]).toBe('body.document.version')
  const account = await personAccount(instance)
  const answer = await callAs(instance.url(), account, 'POST', `${G}/recipes`, {
    body: { name: 'x', document: DOCUMENT },
  })
  expect(answer.status).toBeGreaterThanOrEqual(403)
})
