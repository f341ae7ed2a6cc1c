/** Favourites of members: marks that each member sees alone, in lists, counts and on the map. */
import { expect, test } from 'bun:test'
import { A, M } from '../../support/role-policy.ts'
import { type MadeSensor, outcomeOf } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { type Account, callAs, memberAccount, operatorAccount } from '../../support/sessions.ts'
import { withSql } from '../../support/stores/with-sql.ts'
import { until } from '../../support/until.ts'

const instance = await sharedInstance()
const organization = await instance.organization('scale')
const home = organization.id
const [owner, member] = [await memberAccount(instance, home, 'owner'), await memberAccount(instance, home, 'member')]

type Row = { id: string; name: string; favourite?: boolean }
type List = { items: Row[]; nextCursor: string | null; total: number; states: Record<string, number> }

const sensor = (name: string): Promise<MadeSensor> =>
  instance.manage('POST', `/enterprises/${home}/sensors`, { name, channels: [{ name: 'a', measurement: 'number' }] })
const [north, south, east] = [await sensor('North'), await sensor('South'), await sensor('East')]

const call = <T = Row>(account: Account, method: string, path: string) =>
  callAs<T>(instance.url(), account, method, A + path, { enterprise: home })
const mark = (account: Account, { id }: { id: string }, method = 'PUT') =>
  call(account, method, `/sensors/${id}/favourite`)
const list = async (account: Account, query: string): Promise<List> =>
  (await call<List>(account, 'GET', `/sensors?${query}`)).data
const names = (page: List): string[] => page.items.map(({ name }) => name)

test('a mark is of one member, can be repeated, and filters the list, its counts and its pages', async () => {
  for (const one of [north, south, south])
    expect(await mark(member, one)).toMatchObject({ status: 200, data: { id: one.id, favourite: true } })
  await mark(owner, east)
  // a list of records, and one with parts
  for (const query of ['limit=1000', 'limit=1000&sort=name']) {
    const marks = (page: List) => Object.fromEntries(page.items.map(({ name, favourite }) => [name, favourite]))
    expect(marks(await list(member, query))).toEqual({ East: false, North: true, South: true })
    expect(marks(await list(owner, query))).toEqual({ East: true, North: false, South: false })
  }
  const found = await list(member, 'favourite=true&sort=name')
  expect(names(found)).toEqual(['North', 'South'])
  expect(found).toMatchObject({ total: 2, states: { new: 2 } })
  expect(names(await list(member, 'favourite=true&q=sou'))).toEqual(['South'])
  expect((await list(member, 'favourite=false&sort=name')).total).toBe(3)
  const first = await list(member, 'favourite=true&sort=name&limit=1')
  const next = await list(member, `favourite=true&sort=name&limit=1&cursor=${first.nextCursor}`)
  expect([names(first), names(next), next.nextCursor]).toEqual([['North'], ['South'], null])

  for (let times = 0; times < 2; times++)
    expect(await mark(member, south, 'DELETE')).toMatchObject({ status: 200, data: { favourite: false } })
  expect(names(await list(member, 'favourite=true'))).toEqual(['North'])
  expect((await call(member, 'GET', '/sensors?favourite=yes')).errors).toMatchObject([{ field: 'query.favourite' }])
})

test('the map shows the assets of favourites', async () => {
  const at = new Date().toISOString()
  for (const one of [north, south, east])
    await outcomeOf(
      await instance.send(one, {
        readings: [{ at, values: { a: 1 }, location: [31, 30] }],
      }),
    )
  const shown = async (account: Account, query = ''): Promise<string[]> =>
    (await call<{ sensorIds: string[] }>(account, 'GET', `/live?format=columns${query}`)).data.sensorIds.toSorted()
  await until(async () => (await shown(owner)).length === 3, 'the positions')
  expect(await shown(owner, '&favourite=true')).toEqual([east.id])
  expect(await shown(member, '&favourite=true')).toEqual([north.id])
  expect(await shown(member, '&favourite=true&tag=none')).toEqual([])
})

test('applications and operators who are no members have no favourites, and foreign sensors do not exist', async () => {
  const operator = await operatorAccount(instance)
  const keys = { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey }
  const asApplication = (method: string, path: string, headers = {}) =>
    callAs<List>(instance.url(), undefined, method, A + path, { headers: { ...keys, ...headers } })
  for (const refused of [
    await asApplication('PUT', `/sensors/${north.id}/favourite`),
    // an application can name a member, and is not the member
    await asApplication('PUT', `/sensors/${north.id}/favourite`, { 'x-api-user': member.email }),
    await asApplication('DELETE', `/sensors/${north.id}/favourite`),
    await asApplication('GET', '/sensors?favourite=true'),
    await asApplication('GET', '/live?favourite=true'),
    await mark(operator, north),
    await call(operator, 'GET', '/sensors?favourite=true'),
  ]) {
    expect([refused.status, refused.code]).toEqual([403, 'FORBIDDEN'])
    expect(refused.message).toContain('Applications have none')
  }
  for (const query of ['limit=3', 'limit=3&sort=name'])
    for (const { favourite } of [
      ...(await asApplication('GET', `/sensors?${query}`, { 'x-api-user': member.email })).data.items,
      ...(await list(operator, query)).items,
    ])
      expect(favourite).toBeUndefined()
  const foreign = await instance.organization('scale')
  const theirs = await instance.sensor(foreign.id, [], 'Theirs')
  expect((await mark(owner, theirs)).code).toBe('NOT_FOUND')
})

test('a member has at most 1,000 favourites, also when many are marked at once', async () => {
  const busy = await memberAccount(instance, home, 'member')
  const memberId = busy.memberIds[home] as string
  await withSql(instance, async (sql) => {
    const [model] = (await sql`SELECT * FROM sensors WHERE id = ${north.id}`) as { asset_id: string }[]
    await sql`INSERT INTO sensors (id, enterprise_id, asset_id, name)
      SELECT 'sen_full' || n, ${home}, ${model?.asset_id}, 'Full ' || n FROM generate_series(1, 999) AS n`
    await sql`INSERT INTO favourites (member_id, sensor_id)
      SELECT ${memberId}, 'sen_full' || n FROM generate_series(1, 999) AS n`
  })
  const answers = await Promise.all([north, south, east].map((one) => mark(busy, one)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422])
  const refused = answers.find(({ status }) => status === 422)
  expect(refused).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ field: 'path.id', rule: 'maxItems' }] })
  expect(refused?.message).toContain('1000')
  // one that is marked already is no further one
  expect((await mark(busy, { id: 'sen_full1' })).status).toBe(200)
  await withSql(instance, (sql) => sql`DELETE FROM sensors WHERE id LIKE 'sen_full%'`)
})

test('marks end with the sensor and with the membership', async () => {
  const leaving = await memberAccount(instance, home, 'admin')
  const gone = await sensor('Gone')
  for (const one of [north, gone]) await mark(leaving, one)
  const marked = async (): Promise<string[]> =>
    withSql(instance, async (sql) =>
      ((await sql`SELECT sensor_id AS id FROM favourites WHERE member_id = ${leaving.memberIds[home]}`) as Row[]).map(
        ({ id }) => id,
      ),
    )
  expect((await marked()).toSorted()).toEqual([north.id, gone.id].toSorted())
  await instance.manage('DELETE', `/sensors/${gone.id}`)
  expect(await marked()).toEqual([north.id])
  await callAs(instance.url(), owner, 'DELETE', `${M}/members/${leaving.memberIds[home]}`)
  expect(await marked()).toEqual([])
})
