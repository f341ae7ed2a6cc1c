/** Notes on the time axis of charts: who reads and changes which, and which ranges have them. */
import { expect, test } from 'bun:test'
import { A, M } from '../../support/role-policy.ts'
import { ownedThings } from '../../support/server/owned-things.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { type Account, callAs, memberAccount } from '../../support/sessions.ts'
import { withSql } from '../../support/stores/with-sql.ts'

const instance = await sharedInstance()
const things = ownedThings(instance)
const home = (await things.enterprise()).id
const [owner, admin, member, other] = [
  await memberAccount(instance, home, 'owner'),
  await memberAccount(instance, home, 'admin'),
  await memberAccount(instance, home, 'member'),
  await memberAccount(instance, home, 'member'),
]

type Note = { id: string; text: string; shared: boolean; at: string; until: string | null; sensorId: string | null }
const call = <T = Note>(account: Account, method: string, path: string, body?: object, headers = {}) =>
  callAs<T>(instance.url(), account, method, A + path, { enterprise: home, headers, ...(body && { body }) })
const note = (account: Account, more: object = {}) =>
  call(account, 'POST', '/notes', { at: '2026-01-31T12:00:00Z', text: 'Filter changed', ...more })
const idsFor = async (account: Account, query = ''): Promise<string[]> =>
  (await call<{ items: Note[] }>(account, 'GET', `/notes${query}`)).data.items.map(({ id }) => id)

test('a private note is read and changed by its maker only, and its text is not in the audit log', async () => {
  const { status, data } = await note(member, { text: 'Only mine' })
  expect([status, data.shared]).toEqual([200, false])
  expect(await idsFor(member)).toContain(data.id)
  for (const account of [owner, admin, other]) {
    expect(await idsFor(account)).not.toContain(data.id)
    for (const method of ['PATCH', 'DELETE'])
      expect((await call(account, method, `/notes/${data.id}`, { text: 'x' })).code).toBe('NOT_FOUND')
  }
  expect((await call(member, 'PATCH', `/notes/${data.id}`, { text: 'Still mine' })).data.text).toBe('Still mine')
  expect((await call(member, 'DELETE', `/notes/${data.id}`)).status).toBe(200)
  expect(await idsFor(member)).not.toContain(data.id)
  const logged = await callAs(instance.url(), owner, 'GET', `${M}/audit?owner=${home}&kind=note`)
  expect(JSON.stringify(logged.data)).toContain(data.id)
  expect(JSON.stringify(logged.data)).not.toMatch(/Only mine|Still mine/)
})

test('owners and admins share notes; members read them and do not change them', async () => {
  const { data } = await note(admin, { shared: true })
  for (const account of [owner, admin, member]) expect(await idsFor(account)).toContain(data.id)
  expect((await note(member, { shared: true })).code).toBe('FORBIDDEN')
  for (const method of ['PATCH', 'DELETE'])
    expect((await call(member, method, `/notes/${data.id}`, { text: 'x' })).code).toBe('FORBIDDEN')
  const changed = await call(owner, 'PATCH', `/notes/${data.id}`, { until: '2026-01-31T13:00:00Z' })
  expect(changed.data).toMatchObject({ text: 'Filter changed', until: '2026-01-31T13:00:00.000Z', shared: true })
  const seen = { 'if-match': changed.headers.get('etag') ?? '' }
  expect((await call(owner, 'PATCH', `/notes/${data.id}`, { text: 'A' }, seen)).status).toBe(200)
  expect((await call(owner, 'PATCH', `/notes/${data.id}`, { text: 'B' }, seen)).code).toBe('PRECONDITION_FAILED')
})

test('private notes leave with their maker, and shared ones stay', async () => {
  const leaving = await memberAccount(instance, home, 'admin')
  const mine = await note(leaving, { text: 'Mine' })
  const ours = await note(leaving, { text: 'Ours', shared: true })
  await callAs(instance.url(), owner, 'DELETE', `${M}/members/${leaving.memberIds[home]}`)
  expect((await call(leaving, 'GET', '/notes')).code).toBe('NOT_FOUND')
  expect(await idsFor(owner)).toContain(ours.data.id)
  const left = await withSql(instance, (sql) => sql`SELECT id FROM notes WHERE id = ${mine.data.id}`)
  expect(left).toHaveLength(0)
})

test('a range has the notes that touch it, of the sensor and of all sensors', async () => {
  const [first, second] = [await things.sensor(home), await things.sensor(home)]
  const at = (hour: number): string => `2025-06-01T${String(hour).padStart(2, '0')}:00:00Z`
  const wanted = [
    await note(owner, { at: at(10), sensorId: first.id }),
    await note(owner, { at: at(5), until: at(11), sensorId: first.id }),
    await note(owner, { at: at(11) }),
  ].map(({ data }) => data.id)
  await note(owner, { at: at(10), sensorId: second.id })
  await note(owner, { at: at(5), until: at(9), sensorId: first.id })
  // the end of a range is exclusive
  await note(owner, { at: at(12), sensorId: first.id })
  expect(await idsFor(owner, `?sensor=${first.id}&from=${at(10)}&to=${at(12)}`)).toEqual(wanted)
  await callAs(instance.url(), owner, 'DELETE', `${M}/sensors/${first.id}`)
  expect(await idsFor(owner, `?from=${at(0)}&to=${at(23)}`)).not.toContain(wanted[0])
})

test('times, texts and sensors are checked', async () => {
  const foreign = await things.sensor((await things.enterprise()).id)
  expect((await note(owner, { sensorId: foreign.id })).code).toBe('NOT_FOUND')
  for (const [more, field] of [
    [{ at: 'yesterday' }, 'body.at'],
    [{ until: '2026-01-31T12:00:00Z' }, 'body.at'],
    [{ text: '  ' }, 'body.text'],
    [{ text: 'x'.repeat(2_001) }, 'body.text'],
  ] as const)
    expect(await note(owner, more)).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ field }] })
})
