/** Rights of roles beyond the choice of routes: fields, own runs, owners, suspended plans, and the listener. */
import { expect, test } from 'bun:test'
import { A, G, M } from '../../support/role-policy.ts'
import { fileForm, ownedThings } from '../../support/server/owned-things.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import {
  type Account,
  type Call,
  callAs,
  cookieOf,
  memberAccount,
  operatorAccount,
  personAccount,
} from '../../support/sessions.ts'
import { freePort } from '../../support/stores/postgres.ts'

const instance = await sharedInstance()
const things = ownedThings(instance)
const home = (await things.enterprise()).id
const otherHome = (await things.enterprise()).id
const operator = await operatorAccount(instance)
const owner = await memberAccount(instance, home, 'owner')
const admin = await memberAccount(instance, home, 'admin')
const member = await memberAccount(instance, home, 'member')

const call = <T = Record<string, unknown>>(account: Account | undefined, method: string, path: string, more?: Call) =>
  callAs<T>(instance.url(), account, method, path, more)
const outcome = async (...args: Parameters<typeof call>): Promise<string> => {
  const { status, code, errors } = await call(...args)
  return [status, code, ...(errors ?? []).map(({ field }) => field)].join(' ')
}
const memberIdOf = ({ memberIds }: Account): string => memberIds[home] ?? ''

test('a field that only the operator may set is refused by name, and nothing is changed', async () => {
  const sensor = await things.sensor(home)
  const api = await things.toolApi(home)
  const file = await things.file(home)
  const cases: [path: string, field: string, value: unknown][] = [
    [`/enterprises/${home}`, 'tier', 'scale'],
    [`/enterprises/${home}`, 'status', 'active'],
    [`/enterprises/${home}`, 'suspendedReason', 'x'],
    [`/enterprises/${home}`, 'assetsHeld', false],
    [`/enterprises/${home}`, 'heldReason', 'x'],
    [`/enterprises/${home}`, 'credits', 1_000_000],
    [`/enterprises/${home}`, 'retentionDays', 18_000],
    [`/enterprises/${home}`, 'readingsPerDay', 1e9],
    [`/enterprises/${home}`, 'apiRequestsPerDay', 1e9],
    [`/enterprises/${home}`, 'storedMb', 1e9],
    [`/enterprises/${home}`, 'storedDays', 1000],
    [`/sensors/${sensor.id}`, 'held', false],
    [`/sensors/${sensor.id}`, 'heldReason', null],
    [`/tool-apis/${api.id}`, 'held', false],
    [`/tool-apis/${api.id}`, 'heldReason', null],
    [`/owners/${home}/files/${file.id}`, 'scanStatus', 'clean'],
  ]
  for (const [path, field, value] of cases) {
    const body = { name: 'Renamed', [field]: value }
    for (const account of [owner, admin])
      expect([path, await outcome(account, 'PATCH', M + path, { body })]).toEqual([path, `403 FORBIDDEN body.${field}`])
    expect(await instance.manage('GET', path)).not.toMatchObject({ name: 'Renamed' })
    expect(await outcome(operator, 'PATCH', M + path, { body: { [field]: value } })).toBe('200 SUCCESS')
  }
  expect(await outcome(admin, 'PATCH', `${M}/enterprises/${home}`, { body: { name: 'Ours' } })).toBe('200 SUCCESS')
})

test('only owners make, change and remove owners, and one always remains', async () => {
  const members = `${M}/enterprises/${home}/members`
  const body = { email: 'second@example.org', role: 'owner' }
  expect(await outcome(admin, 'POST', members, { body })).toBe('403 FORBIDDEN body.role')
  const second = await call<{ id: string }>(owner, 'POST', members, { body })
  expect(second.status).toBe(200)
  for (const path of [`${M}/members/${second.data.id}`, `${M}/members/${memberIdOf(owner)}`]) {
    expect(await outcome(admin, 'PATCH', path, { body: { role: 'member' } })).toBe('403 FORBIDDEN body.role')
    expect(await outcome(admin, 'PATCH', path, { body: { email: 'x@example.org' } })).toBe('403 FORBIDDEN body.role')
    expect(await outcome(admin, 'DELETE', path)).toBe('403 FORBIDDEN body.role')
  }
  const own = `${M}/members/${memberIdOf(admin)}`
  expect(await outcome(admin, 'PATCH', own, { body: { role: 'owner' } })).toBe('403 FORBIDDEN body.role')
  // both at once: one owner must remain
  const shared = (await things.enterprise()).id
  const pair = [await memberAccount(instance, shared, 'owner'), await memberAccount(instance, shared, 'owner')]
  const demotions = await Promise.all(
    pair.map((account) =>
      outcome(account, 'PATCH', `${M}/members/${account.memberIds[shared]}`, { body: { role: 'member' } }),
    ),
  )
  expect(demotions.sort()).toEqual(['200 SUCCESS', '409 CONFLICT'])
  const { items } = await instance.manage<{ items: { role: string }[] }>('GET', `/enterprises/${shared}/members`)
  expect(items.map(({ role }) => role).sort()).toEqual(['member', 'owner'])
})

test('nothing can be transferred to an owner for whom the account has no rights', async () => {
  const layer = await things.layer(home)
  const path = `${M}/owners/${home}/layers/${layer.id}`
  const answers = await Promise.all(
    [otherHome, 'ent_none'].map((ownerId) => outcome(owner, 'PATCH', path, { body: { ownerId } })),
  )
  expect(answers).toEqual(Array(2).fill('422 VALIDATION_FAILED body.ownerId'))
  const both = await memberAccount(instance, otherHome, 'owner', await memberAccount(instance, home, 'owner'))
  expect(await outcome(both, 'PATCH', path, { body: { ownerId: otherHome } })).toBe('200 SUCCESS')
})

test('records of others are answered like records that do not exist', async () => {
  const sensor = await things.sensor(otherHome)
  const layer = await things.layer(otherHome)
  const pairs: [string, string, string, Call?][] = [
    ['GET', `${M}/sensors/${sensor.id}`, `${M}/sensors/sen_none`],
    ['DELETE', `${M}/sensors/${sensor.id}`, `${M}/sensors/sen_none`],
    ['GET', `${M}/enterprises/${otherHome}`, `${M}/enterprises/ent_none`],
    ['PATCH', `${M}/enterprises/${otherHome}`, `${M}/enterprises/ent_none`, { body: { tier: 'none' } }],
    ['GET', `${M}/owners/${otherHome}/layers/${layer.id}`, `${M}/owners/ent_none/layers/lay_none`],
    ['GET', `${M}/audit?owner=${otherHome}`, `${M}/audit?owner=ent_none`],
  ]
  for (const [method, theirs, nothing, more] of pairs) {
    const answers = [await call(owner, method, theirs, more), await call(owner, method, nothing, more)]
    const [a, b] = answers.map(({ status, code, message, data, errors }) => ({ status, code, message, data, errors }))
    expect(a).toEqual(b as NonNullable<typeof b>)
    expect(a?.status).toBe(404)
  }
  for (const enterprise of [otherHome, 'ent_none'])
    expect(await outcome(owner, 'GET', `${A}/sensors`, { enterprise })).toBe('404 NOT_FOUND')
  const list = await call<{ items: { id: string }[] }>(owner, 'GET', `${M}/enterprises`)
  expect(list.data.items.map(({ id }) => id)).toEqual([home])
  const all = await call<{ items: { id: string }[] }>(operator, 'GET', `${M}/enterprises?limit=1000`)
  expect(all.data.items.map(({ id }) => id)).toEqual(expect.arrayContaining([home, otherHome]))
})

test('a layer of another owner below the own owner’s path does not exist', async () => {
  const layer = await things.layer(otherHome)
  expect(await outcome(owner, 'GET', `${M}/owners/${home}/layers/${layer.id}`)).toBe('404 NOT_FOUND')
  expect(await outcome(owner, 'DELETE', `${M}/owners/${home}/layers/${layer.id}`)).toBe('404 NOT_FOUND')
})

const centroids = (account: Account, enterprise: string | undefined, headers: Record<string, string> = {}) => {
  const body = fileForm()
  body.set('target_format', 'geojson')
  return call<{ key: string; usage: { runId: string; creditsCharged: number; creditsRemaining: number } }>(
    account,
    'POST',
    `${G}/centroids`,
    { enterprise, body, headers },
  )
}

test('members see their own runs only, managers see all runs', async () => {
  const [byMember, byAdmin] = [await centroids(member, home), await centroids(admin, home)]
  expect([byMember.status, byAdmin.status]).toEqual([200, 200])
  expect(byMember.data.usage.creditsCharged).toBeGreaterThan(0)
  const at = (account: Account, path: string) => outcome(account, 'GET', `${G}${path}`, { enterprise: home })
  for (const [mine, theirs] of [
    [`/runs/${byMember.data.usage.runId}`, `/runs/${byAdmin.data.usage.runId}`],
    [`/files/${byMember.data.key}`, `/files/${byAdmin.data.key}`],
  ] as const) {
    expect((await call(member, 'GET', `${G}${mine}`, { enterprise: home })).status).toBe(200)
    expect(await at(member, theirs)).toBe('404 NOT_FOUND')
    expect((await call(owner, 'GET', `${G}${theirs}`, { enterprise: home })).status).toBe(200)
    expect((await call(owner, 'GET', `${G}${mine}`, { enterprise: home })).status).toBe(200)
  }
  expect(await outcome(member, 'DELETE', `${G}/files/${byAdmin.data.key}`, { enterprise: home })).toBe('404 NOT_FOUND')
  const { data } = await call<{ items: { runId: string; memberId: string; applicationId: string | null }[] }>(
    member,
    'GET',
    `${G}/runs`,
    { enterprise: home },
  )
  expect(data.items.map(({ memberId, applicationId }) => [memberId, applicationId])).toEqual([
    [memberIdOf(member), null],
  ])
})

test('a person runs tools under their plan, without credits, and nobody else sees the runs', async () => {
  const free = await personAccount(instance, 'free')
  const pro = await personAccount(instance, 'pro')
  const answer = await centroids(pro, undefined)
  expect(answer.status).toBe(200)
  expect(answer.data.usage).toMatchObject({ creditsCharged: 0, creditsRemaining: 0 })
  const path = `${G}/runs/${answer.data.usage.runId}`
  expect((await call(pro, 'GET', path)).status).toBe(200)
  for (const account of [free, owner])
    expect(await outcome(account, 'GET', path, { enterprise: account === owner ? home : undefined })).toBe(
      '404 NOT_FOUND',
    )
  // spatial join needs the plan pro
  expect(await outcome(free, 'POST', `${G}/spatial-join`, { body: new FormData() })).toBe('403 GIS_TIER_REQUIRED')
  expect((await call(pro, 'POST', `${G}/spatial-join`, { body: new FormData() })).code).toBe('VALIDATION_FAILED')
  const offered = async (account: Account) =>
    (await (await fetch(`${instance.url()}${G}/processes`, { headers: { cookie: cookieOf(account) } })).json()) as {
      processes: { id: string }[]
    }
  const ids = (list: { processes: { id: string }[] }) => list.processes.map(({ id }) => id)
  expect(ids(await offered(free))).not.toContain('vector.spatial-join')
  expect(ids(await offered(pro))).toContain('vector.spatial-join')
  // the same run as a job
  const job = await centroids(pro, undefined, { prefer: 'respond-async' })
  expect(job.status).toBe(202)
  // runs do not prevent the deletion of a person, which also ends the account
  await instance.manage('DELETE', `/people/${pro.personId}`)
  expect(await outcome(pro, 'GET', path)).toBe('401 UNAUTHENTICATED')
  await instance.manage('PATCH', `/people/${free.personId}`, { status: 'suspended' })
  expect(await outcome(free, 'GET', `${G}/runs`)).toBe('403 FORBIDDEN')
})

test('a refusal says whether the role, the operator or a suspension is the cause, with the operator’s reason', async () => {
  const dataOf = async (...args: Parameters<typeof call>) => {
    const { code, data } = await call(...args)
    return { code, data }
  }
  const { id } = await things.enterprise()
  const [theirs, person] = [await memberAccount(instance, id, 'owner'), await personAccount(instance, 'pro')]
  const body = { email: 'new@example.org', role: 'member' }
  expect(await dataOf(member, 'POST', `${M}/enterprises/${home}/members`, { body })).toEqual({
    code: 'FORBIDDEN',
    data: { cause: 'role', role: 'member', roles: ['owner', 'admin'] },
  })
  expect(await dataOf(owner, 'GET', `${M}/operator/people`)).toEqual({
    code: 'FORBIDDEN',
    data: { cause: 'operator' },
  })
  const suspension = { status: 'suspended', suspendedReason: 'Invoice 113' }
  const refusal = { cause: 'suspended', reason: 'Invoice 113' }
  await instance.manage('PATCH', `/enterprises/${id}`, suspension)
  expect(await dataOf(theirs, 'GET', `${A}/sensors`, { enterprise: id })).toEqual({
    code: 'ENTERPRISE_SUSPENDED',
    data: refusal,
  })
  expect((await call(theirs, 'GET', `${M}/enterprises/${id}`)).data).toMatchObject(suspension)
  await instance.manage('PATCH', `/people/${person.personId}`, suspension)
  expect(await dataOf(person, 'GET', `${G}/runs`)).toEqual({ code: 'FORBIDDEN', data: refusal })
  expect((await call(person, 'GET', '/auth/session')).data).toMatchObject({
    personId: null,
    suspension: { reason: 'Invoice 113' },
  })
  await instance.manage('PATCH', `/enterprises/${home}`, { assetsHeld: true, heldReason: 'Audit' })
  expect(await dataOf(member, 'GET', `${A}/sensors`, { enterprise: home })).toEqual({
    code: 'ASSETS_HELD',
    data: { cause: 'held', reason: 'Audit' },
  })
  await instance.manage('PATCH', `/enterprises/${home}`, { assetsHeld: false, heldReason: null })
  // the reason belongs to the suspension
  for (const path of [`/enterprises/${id}`, `/people/${person.personId}`])
    expect(await instance.manage('PATCH', path, { status: 'active' })).toMatchObject({ suspendedReason: null })
  expect((await call(person, 'GET', '/auth/session')).data).toMatchObject({
    personId: person.personId,
    suspension: null,
  })
})

test('an idempotency key of a session belongs to the account, separately for each enterprise', async () => {
  const both = await memberAccount(instance, otherHome, 'owner', await memberAccount(instance, home, 'owner'))
  const headers = { 'idempotency-key': 'one' }
  const first = await centroids(both, home, headers)
  const again = await centroids(both, home, headers)
  const elsewhere = await centroids(both, otherHome, headers)
  const admins = await centroids(admin, home, headers)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.data.usage.runId).toBe(first.data.usage.runId)
  const runs = new Set([first, elsewhere, admins].map(({ data }) => data.usage.runId))
  expect(runs.size).toBe(3)
})

test('a repeated request is answered only for its own enterprise, and not after the account left the enterprise', async () => {
  const both = await memberAccount(instance, otherHome, 'owner', await memberAccount(instance, home, 'admin'))
  const { id: layerId } = await things.layer(home)
  const repeated = (path: string, enterprise: string, body: object) =>
    call<{ id?: string }>(both, 'POST', path, { enterprise, body, headers: { 'idempotency-key': 'same' } })
  const rule = (enterprise: string) => repeated(`${A}/rules`, enterprise, { layerId, when: 'enter', all: true })
  const sensor = (enterprise: string) =>
    repeated(`${M}/enterprises/${enterprise}/sensors`, enterprise, { assetName: 'A', channels: [] })
  const first = await rule(home)
  expect([first.status, (await rule(home)).data.id]).toEqual([200, first.data.id])
  // the body names a layer that the second enterprise does not have
  const elsewhere = await rule(otherHome)
  expect([elsewhere.code, elsewhere.headers.get('idempotency-replayed')]).toEqual(['VALIDATION_FAILED', null])
  const made = await sensor(home)
  expect([made.status, (await sensor(home)).data.id]).toEqual([200, made.data.id])
  await call(owner, 'DELETE', `${M}/members/${both.memberIds[home]}`)
  for (const send of [rule, sensor]) {
    const answer = await send(home)
    expect([answer.code, answer.headers.get('idempotency-replayed')]).toEqual(['NOT_FOUND', null])
    expect(answer.data).toBeUndefined()
  }
  expect((await rule(otherHome)).code).toBe('VALIDATION_FAILED')
})

test('an idempotency key of an operator token belongs to that token', async () => {
  const token = async () =>
    (await instance.manage<{ token: string }>('POST', '/operators/tokens', { name: 'one' })).token
  const ids = []
  for (const bearer of [await token(), await token(), instance.operatorToken()]) {
    const headers = { authorization: `Bearer ${bearer}`, 'idempotency-key': 'token' }
    const body = { name: 'Made once for each', tier: 'business' }
    for (let i = 0; i < 2; i++)
      ids.push((await call<{ id: string }>(undefined, 'POST', `${M}/enterprises`, { headers, body })).data.id)
  }
  expect(new Set(ids).size).toBe(3)
})

test('an account with an enterprise must name it', async () => {
  expect(await outcome(owner, 'GET', `${A}/sensors`)).toBe('422 VALIDATION_FAILED X-Enterprise')
  expect(await outcome(operator, 'GET', `${G}/runs`)).toBe('422 VALIDATION_FAILED X-Enterprise')
})

test('holds and limits apply as with a key', async () => {
  const held = (await things.enterprise()).id
  const account = await memberAccount(instance, held, 'owner')
  const enterprise = held
  await instance.manage('PATCH', `/enterprises/${held}`, { assetsHeld: true, credits: 0 })
  expect(await outcome(account, 'GET', `${A}/sensors`, { enterprise })).toBe('403 ASSETS_HELD')
  expect((await centroids(account, held)).code).toBe('CREDITS_EXHAUSTED')
})

test('a key takes precedence over a cookie, also a wrong key; an ended session is not a missing key', async () => {
  const { publicKey, secretKey, id } = await instance.organization()
  const key = { 'x-api-key': publicKey, 'x-api-secret': secretKey }
  const sensor = await things.sensor(id)
  const withKey = await call<{ items: { id: string }[] }>(owner, 'GET', `${A}/sensors`, {
    enterprise: home,
    headers: key,
  })
  expect(withKey.data.items.map((item) => item.id)).toEqual([sensor.id])
  const wrong = { ...key, 'x-api-secret': 'svc_sk_wrong' }
  expect(await outcome(owner, 'GET', `${A}/sensors`, { enterprise: home, headers: wrong })).toBe('401 API_KEY_INVALID')
  const bearer = { authorization: 'Bearer svcop_wrong' }
  expect(await outcome(owner, 'GET', `${M}/enterprises/${home}`, { headers: bearer })).toBe(
    '401 OPERATOR_TOKEN_INVALID',
  )
  const ended = { cookie: 'test-session-that-ended=1' }
  expect(await outcome(undefined, 'GET', `${A}/sensors`, { headers: ended })).toBe('401 UNAUTHENTICATED')
  expect(await outcome(undefined, 'GET', `${G}/runs`, { headers: ended })).toBe('401 UNAUTHENTICATED')
  expect(await outcome(undefined, 'GET', `${M}/enterprises`, { headers: ended })).toBe('401 UNAUTHENTICATED')
})

test('an enterprise resets a member’s password only if the account has no other rights', async () => {
  const alone = await memberAccount(instance, home, 'member')
  const elsewhere = await memberAccount(instance, otherHome, 'member', await memberAccount(instance, home, 'member'))
  const highest = await memberAccount(instance, home, 'member', await operatorAccount(instance))
  const reset = (by: Account, of: Account) => outcome(by, 'POST', `${M}/members/${of.memberIds[home]}/reset-link`)
  expect(await reset(owner, alone)).toBe('200 SUCCESS')
  expect(await reset(admin, alone)).toBe('200 SUCCESS')
  for (const account of [elsewhere, highest]) {
    expect(await reset(owner, account)).toBe('403 FORBIDDEN')
    expect(await reset(operator, account)).toBe('200 SUCCESS')
  }
  expect(await reset(admin, owner)).toBe('403 FORBIDDEN body.role')
})

test('the audit log shows who made a change in which role, and owners read only their part', async () => {
  const sensor = await things.sensor(home)
  await call(admin, 'PATCH', `${M}/sensors/${sensor.id}`, { body: { enabled: false } })
  await call(admin, 'POST', `${M}/sensors/${sensor.id}/keys`, { body: {} })
  await things.sensor(otherHome)
  const { data } = await call<{ items: { actor: string; subjectKind: string; ownerId: string }[] }>(
    owner,
    'GET',
    `${M}/audit?owner=${home}&limit=1000`,
  )
  expect(data.items.slice(0, 2).map(({ actor, subjectKind }) => [actor, subjectKind])).toEqual([
    [`admin ${admin.email}`, 'sensor-key'],
    [`admin ${admin.email}`, 'sensor'],
  ])
  expect(new Set(data.items.map(({ ownerId }) => ownerId))).toEqual(new Set([home]))
  expect(await outcome(owner, 'GET', `${M}/audit`)).toBe('403 FORBIDDEN')
})

test('with a separate listener for the operator, operators have no rights on the public one, where owners and members work', async () => {
  const both = await memberAccount(instance, home, 'owner', await operatorAccount(instance))
  const adminPort = await freePort()
  await instance.kill('SIGTERM')
  await instance.restart({ ADMIN_PORT: String(adminPort) })
  const adminUrl = `http://127.0.0.1:${adminPort}`
  const at = async (url: string, account: Account, method: string, path: string, more?: Call) => {
    const { status, code } = await callAs(url, account, method, path, more)
    return `${status} ${code}`
  }
  const path = `${M}/enterprises/${home}`
  const token = { authorization: `Bearer ${instance.operatorToken()}` }
  expect(await at(instance.url(), owner, 'GET', path)).toBe('200 SUCCESS')
  expect(await at(instance.url(), owner, 'PATCH', path, { body: { name: 'Public' } })).toBe('200 SUCCESS')
  expect(await at(instance.url(), operator, 'GET', path)).toBe('404 NOT_FOUND')
  expect(await at(instance.url(), operator, 'GET', `${M}/people`)).toBe('403 FORBIDDEN')
  expect(await at(instance.url(), operator, 'GET', `${A}/sensors`, { enterprise: home })).toBe('404 NOT_FOUND')
  expect(await at(instance.url(), owner, 'GET', path, { headers: token })).toBe('404 NOT_FOUND')
  expect(await at(adminUrl, operator, 'GET', path)).toBe('200 SUCCESS')
  expect(await at(adminUrl, owner, 'GET', path)).toBe('200 SUCCESS')
  expect(await at(instance.url(), both, 'PATCH', path, { body: { tier: 'scale' } })).toBe('403 FORBIDDEN')
  expect(await at(adminUrl, both, 'PATCH', path, { body: { tier: 'scale' } })).toBe('200 SUCCESS')
}, 60_000)
