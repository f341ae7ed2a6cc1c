/** Personal API keys: who has them, the order of a call's checks, what they may do, and when they end. */
import { expect, test } from 'bun:test'
import { callWithKey, keyOf, type Person, type PersonalKey, personOn } from '../../support/personal-keys.ts'
import { fileForm, ownedThings, SQUARE } from '../../support/server/owned-things.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { callAs, PASSWORD, personAccount } from '../../support/sessions.ts'
import { withSql } from '../../support/stores/with-sql.ts'
import { point } from '../../support/workers/engine.ts'

const G = '/enterprise/v1/gis'
const M = '/manage/v1'
const instance = await sharedInstance()
const things = ownedThings(instance)

const call = (key: { key: string }, method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  callWithKey(instance, key, method, path, body, headers)
const runs = async (key: { key: string }): Promise<string> => (await call(key, 'GET', `${G}/runs`)).code
const setPerson = (person: Person, change: object) => instance.manage('PATCH', `/people/${person.id}`, change)
const today = (): string => new Date().toISOString().slice(0, 10)

async function usedBy({ id }: { id: string }): Promise<number> {
  const rows = (await withSql(
    instance,
    (sql) => sql`SELECT used FROM api_request_days WHERE owner_id = ${id} AND day = ${today()}::date`,
  )) as { used: number }[]
  return rows[0]?.used ?? 0
}

/** The person has made this number of requests today. */
const setUsed = ({ id }: { id: string }, used: number) =>
  withSql(
    instance,
    (sql) => sql`INSERT INTO api_request_days (owner_id, day, used) VALUES (${id}, ${today()}::date, ${used})
      ON CONFLICT (owner_id, day) DO UPDATE SET used = excluded.used`,
  )

test('a key is shown once, stored as a hash, listed with its use, and ends when it is revoked', async () => {
  const person = await personOn(instance)
  const made = await keyOf(instance, person, { name: 'جهاز ‮<b>1</b>' })
  expect(made.key).toMatch(/^svcpa_[\w-]{43}$/)
  expect(made).toMatchObject({ name: 'جهاز ‮<b>1</b>', lastFour: made.key.slice(-4), expiresAt: null, lastUsedAt: null })
  const [stored] = (await withSql(instance, (sql) => sql`SELECT * FROM personal_keys WHERE id = ${made.id}`)) as {
    key_sha256: string
  }[]
  expect(stored?.key_sha256).toBe(new Bun.CryptoHasher('sha256').update(made.key).digest('hex'))
  expect(JSON.stringify(stored)).not.toContain(made.key)

  const beforeMs = Date.now()
  expect(await runs(made)).toBe('SUCCESS')
  const keys = `/people/${person.id}/api-keys`
  const { items } = await instance.manage<{ items: PersonalKey[] }>('GET', keys)
  expect(items.map(({ id }) => id)).toEqual([made.id])
  expect(JSON.stringify(items)).not.toContain(made.key)
  expect(Date.parse(items[0]?.lastUsedAt ?? '')).toBeGreaterThanOrEqual(beforeMs)

  await instance.manage('DELETE', `${keys}/${made.id}`)
  expect(await runs(made)).toBe('API_KEY_INVALID')
  await expect(instance.manage('DELETE', `${keys}/${made.id}`)).rejects.toThrow('no such active key')
  expect((await instance.manage<{ items: unknown[] }>('GET', keys)).items).toEqual([])
  // without the key of another person
  const other = await keyOf(instance, await personOn(instance))
  await expect(instance.manage('DELETE', `${keys}/${other.id}`)).rejects.toThrow('no such active key')
  expect(await runs(other)).toBe('SUCCESS')
})

test('a person has 20 keys at most, also when several are made at once', async () => {
  const person = await personOn(instance, 'max')
  const made = await Promise.allSettled(Array.from({ length: 24 }, () => keyOf(instance, person)))
  const refused = made.filter((one) => one.status === 'rejected')
  expect(made.length - refused.length).toBe(20)
  for (const { reason } of refused) expect(String(reason)).toContain('20 keys already')
  const [first] = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  await instance.manage('DELETE', `/people/${person.id}/api-keys/${first?.id}`)
  expect((await keyOf(instance, person)).key).toStartWith('svcpa_')
})

test('a key needs a name, an end in the future, and a person with the plan pro or max', async () => {
  const person = await personOn(instance)
  for (const body of [{ name: undefined }, { name: ' ' }, { name: 'x'.repeat(201) }])
    await expect(keyOf(instance, person, body)).rejects.toThrow('body.name')
  for (const expiresAt of ['tomorrow', '2020-01-01T00:00:00Z', '2090-01-01'])
    await expect(keyOf(instance, person, { expiresAt })).rejects.toThrow('body.expiresAt')
  for (const plan of ['free', 'plus'])
    await expect(keyOf(instance, await personOn(instance, plan))).rejects.toThrow('includes no API keys')
  const { id } = await things.enterprise()
  for (const none of [id, 'per_none'])
    await expect(keyOf(instance, { id: none })).rejects.toThrow('There is no such person')
})

test('an expired key is refused like an unknown one on the next call', async () => {
  const person = await personOn(instance)
  const expiresAt = new Date(Date.now() + 4_000).toISOString()
  const [ending, lasting] = [await keyOf(instance, person, { expiresAt }), await keyOf(instance, person)]
  expect(ending.expiresAt).toBe(expiresAt)
  expect(await runs(ending)).toBe('SUCCESS')
  await Bun.sleep(Math.max(0, Date.parse(expiresAt) - Date.now()) + 50)
  expect(await call(ending, 'GET', `${G}/runs`)).toMatchObject({ status: 401, code: 'API_KEY_INVALID' })
  expect(await runs(lasting)).toBe('SUCCESS')
}, 30_000)

test('the first failing check decides: key, suspension, plan, route, rate, day, input; none before the day costs', async () => {
  const person = await personOn(instance)
  const key = await keyOf(instance, person)
  await setUsed(person, 1_000)
  await setPerson(person, { status: 'suspended', plan: 'free' })
  // an address that the key may not use, which is also wrong in itself
  const refused = () => call(key, 'POST', `${M}/people/${person.id}/api-keys`, { name: 1 })
  const wrong = { key: `svcpa_${'x'.repeat(43)}` }
  for (const path of [`${G}/runs`, `${M}/owners/${person.id}/layers`, `${M}/tool-api-tools`])
    expect(await call(wrong, 'GET', path)).toMatchObject({ status: 401, code: 'API_KEY_INVALID' })
  expect(await refused()).toMatchObject({ status: 403, code: 'PERSON_SUSPENDED' })
  await setPerson(person, { status: 'active' })
  expect(await refused()).toMatchObject({ status: 403, code: 'API_KEY_PLAN' })
  await setPerson(person, { plan: 'plus' })
  expect(await refused()).toMatchObject({ status: 403, code: 'API_KEY_PLAN' })
  await setPerson(person, { plan: 'pro' })
  expect(await refused()).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  const enterprise = { 'x-enterprise': (await things.enterprise()).id }
  const bad = (headers?: Record<string, string>) => call(key, 'GET', `${G}/runs?limit=none`, undefined, headers)
  expect(await bad(enterprise)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  const foreign = (await personOn(instance)).id
  const elsewhere = () => call(key, 'GET', `${M}/owners/${foreign}/layers`)
  const spent = await bad()
  expect(spent).toMatchObject({ status: 429, code: 'API_KEY_QUOTA' })
  expect(Number(spent.headers.get('retry-after'))).toBeWithin(1, 86_401)
  expect((await elsewhere()).code).toBe('API_KEY_QUOTA')
  expect(await usedBy(person)).toBe(1_000)

  await setUsed(person, 0)
  await refused()
  await bad(enterprise)
  expect(await usedBy(person)).toBe(0)
  expect(await bad()).toMatchObject({ status: 422, code: 'VALIDATION_FAILED' })
  expect((await elsewhere()).code).toBe('NOT_FOUND')
  expect(await usedBy(person)).toBe(2)
})

test('a key makes 600 calls a minute; calls with another key of the person are counted separately', async () => {
  const person = await personOn(instance, 'max')
  const [key, other] = [await keyOf(instance, person), await keyOf(instance, person)]
  const codes: string[] = []
  for (let i = 0; i < 31; i++) codes.push(...(await Promise.all(Array.from({ length: 20 }, () => runs(key)))))
  expect(codes.slice(0, 600).every((code) => code === 'SUCCESS')).toBe(true)
  expect(codes.slice(600).every((code) => code === 'RATE_LIMITED')).toBe(true)
  const limited = await call(key, 'POST', `${M}/owners/${person.id}/layers`, { bad: 1 })
  expect(limited).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
  // a call leaves the sliding minute at most a second late
  expect(Number(limited.headers.get('retry-after'))).toBeWithin(1, 62)
  expect(await usedBy(person)).toBe(600)
  expect(await runs(other)).toBe('SUCCESS')
}, 60_000)

test('a key runs tools, keeps data and manages Tool APIs; each call is one request of the day', async () => {
  const person = await personOn(instance)
  const key = await keyOf(instance, person)
  const layer = await call(key, 'POST', `${M}/owners/${person.id}/layers`, { name: 'Zones', geojson: SQUARE })
  expect(layer.code).toBe('SUCCESS')
  const form = fileForm()
  form.set('target_format', 'geojson')
  const ran = await call(key, 'POST', `${G}/centroids`, form)
  expect(ran.data).toMatchObject({ featureCount: 1 })
  const file = await fetch(`${instance.url()}${G}/files/${ran.data.key}`, {
    headers: { authorization: `Bearer ${key.key}` },
  })
  expect(await file.json()).toMatchObject({ type: 'FeatureCollection' })
  const made = await call(key, 'POST', `${M}/owners/${person.id}/tool-apis`, { tool: 'vector.centroids', name: 'Mine' })
  expect(made.data.key).toMatch(/^svcapi_/)
  expect(await usedBy(person)).toBe(4)
  const api = made.data.id as string
  // trials and previews, which count without a personal key too, are counted once
  const tried = await call(key, 'POST', `${M}/tool-apis/${api}/try`, { input: point(0, 0) })
  expect(tried.code).toBe('TOOL_API_RESULT')
  const preview = { tool: 'vector.centroids', input: point(0, 0) }
  expect((await call(key, 'POST', `${M}/owners/${person.id}/tool-api-previews`, preview)).code).toBe('TOOL_API_RESULT')
  expect(await usedBy(person)).toBe(6)
  // the Tool API shares the day
  const run = (headers: Record<string, string>) =>
    callAs(instance.url(), undefined, 'POST', `/tool-apis/${api}/run`, { body: { input: point(0, 0) }, headers })
  expect((await run({ authorization: `Bearer ${made.data.key}` })).code).toBe('TOOL_API_RESULT')
  expect(await usedBy(person)).toBe(7)
  await setUsed(person, 1_000)
  expect((await run({ authorization: `Bearer ${made.data.key}` })).code).toBe('API_KEY_QUOTA')
  expect(await runs(key)).toBe('API_KEY_QUOTA')
  // routes with keys of other kinds keep their answers
  expect(await run({ authorization: `Bearer ${key.key}` })).toMatchObject({ status: 401, code: 'TOOL_API_KEY_INVALID' })
  const sensor = await things.sensor((await things.enterprise()).id)
  const readings = await call(key, 'POST', `/sensors/${sensor.id}/readings`, { readings: [] })
  expect(readings).toMatchObject({ status: 401, code: 'SENSOR_KEY_INVALID' })
}, 30_000)

test('a key reaches nothing of the enterprises of its person, and no account', async () => {
  const person = await personAccount(instance)
  const enterprise = await things.enterprise()
  const link = { email: person.email, role: 'owner' }
  const { path } = await instance.manage<{ path: string }>('POST', `/enterprises/${enterprise.id}/invitations`, link)
  const use = { token: path.split('/').at(-1), asSignedIn: true }
  expect((await person.browser.call('POST', '/auth/links/use', use)).ok).toBe(true)
  const key = await keyOf(instance, { id: person.personId })
  const layer = await things.layer(enterprise.id)
  expect(await call(key, 'GET', `${M}/owners/${enterprise.id}/layers/${layer.id}`)).toMatchObject({ status: 404 })
  const own = await things.layer(person.personId)
  const moved = await call(key, 'PATCH', `${M}/owners/${person.personId}/layers/${own.id}`, { ownerId: enterprise.id })
  expect(moved).toMatchObject({ status: 422, code: 'VALIDATION_FAILED' })
  const named = { 'x-enterprise': enterprise.id }
  expect((await call(key, 'GET', `${G}/runs`, undefined, named)).code).toBe('FORBIDDEN')
  expect((await call(key, 'GET', '/enterprise/v1/assets/sensors', undefined, named)).code).toBe('FORBIDDEN')
  expect((await call(key, 'GET', '/auth/sessions')).status).toBe(401)
  expect(
    (await call(key, 'POST', '/auth/password', { currentPassword: PASSWORD, password: 'x'.repeat(12) })).status,
  ).toBe(401)
})

test('a request is repeated with the same Idempotency-Key by any key of the person', async () => {
  const person = await personOn(instance)
  const [key, other] = [await keyOf(instance, person), await keyOf(instance, person)]
  const body = { name: 'Once', geojson: SQUARE }
  const path = `${M}/owners/${person.id}/layers`
  const headers = { 'idempotency-key': 'once' }
  const [first, again] = [await call(key, 'POST', path, body, headers), await call(other, 'POST', path, body, headers)]
  expect(again.data.id).toBe(first.data.id)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  const { items } = (await call(key, 'GET', path)).data as { items: unknown[] }
  expect(items).toHaveLength(1)
})

test('a new password leaves keys alone, suspension refuses them while it lasts, and the removal of the person ends them', async () => {
  const account = await personAccount(instance)
  const person = { id: account.personId, email: account.email }
  const made = await callAs<PersonalKey>(instance.url(), account, 'POST', `${M}/people/${person.id}/api-keys`, {
    body: { name: 'By the person' },
  })
  const key = made.data
  const change = { currentPassword: PASSWORD, password: 'another long password' }
  expect((await callAs(instance.url(), account, 'POST', '/auth/password', { body: change })).code).toBe('SUCCESS')
  expect(await runs(key)).toBe('SUCCESS')
  await setPerson(person, { password: 'one more long password' })
  expect(await runs(key)).toBe('SUCCESS')
  await setPerson(person, { status: 'suspended' })
  expect(await runs(key)).toBe('PERSON_SUSPENDED')
  await setPerson(person, { status: 'active' })
  expect(await runs(key)).toBe('SUCCESS')
  await instance.manage('DELETE', `/people/${person.id}`)
  expect(await call(key, 'GET', `${G}/runs`)).toMatchObject({ status: 401, code: 'API_KEY_INVALID' })
  const left = await withSql(instance, (sql) => sql`SELECT id FROM personal_keys WHERE person_id = ${person.id}`)
  expect([...left]).toEqual([])
})

test('a key that ends within 14 days is among the keys to replace, for its person', async () => {
  const account = await personAccount(instance)
  const expiresAt = new Date(Date.now() + 10 * 86_400_000).toISOString()
  const key = await keyOf(instance, { id: account.personId }, { name: 'Ends', expiresAt })
  await keyOf(instance, { id: account.personId }, { name: 'Stays' })
  const path = `${M}/owners/${account.personId}/key-reminders`
  const { data } = await callAs<{ items: object[] }>(instance.url(), account, 'GET', path)
  expect(data.items).toEqual([
    expect.objectContaining({
      kind: 'personal-key',
      id: key.id,
      holderId: account.personId,
      holderName: account.email,
      reasons: ['expiring'],
    }),
  ])
})

test('the audit log names who made, revoked and used a key, without the key', async () => {
  const account = await personAccount(instance)
  const keys = `${M}/people/${account.personId}/api-keys`
  const { data: key } = await callAs<PersonalKey>(instance.url(), account, 'POST', keys, { body: { name: 'Logged' } })
  await call(key, 'POST', `${M}/owners/${account.personId}/layers`, { name: 'By key', geojson: SQUARE })
  await callAs(instance.url(), account, 'DELETE', `${keys}/${key.id}`)
  const { items } = await instance.manage<{ items: { action: string; subjectKind: string; actor: string }[] }>(
    'GET',
    `/audit?owner=${account.personId}`,
  )
  expect(JSON.stringify(items)).not.toContain(key.key)
  expect(items.slice(0, 3).map(({ action, subjectKind, actor }) => `${actor}: ${action} ${subjectKind}`)).toEqual([
    `person ${account.email}: revoke personal-key`,
    `${key.id}: create layer`,
    `person ${account.email}: create personal-key`,
  ])
})
