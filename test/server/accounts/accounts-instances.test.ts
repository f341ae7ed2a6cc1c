/**
 * Accounts, operators, their tokens and the jobs that they cancel on two instances with one PostgreSQL and one Redis
 * (both real): a change on one takes effect on the other at once.
 */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserSession, browserSession, tokenOf } from '../../support/browser/browser-session.ts'
import type { Instance } from '../../support/server/instance.ts'
import { sharedPair } from '../../support/server/two-instances.ts'
import { type Account, callAs, memberAccount, operatorAccount, PASSWORD } from '../../support/sessions.ts'
import { until } from '../../support/until.ts'

const { one, other } = await sharedPair()
const { id: enterpriseId } = await one.organization()

const at = (instance: Instance, cookie = ''): BrowserSession => {
  const browser = browserSession(() => instance.url())
  if (cookie !== '') browser.setCookieValue(cookie)
  return browser
}
const invite = (email: string, role = 'member'): Promise<{ path: string }> =>
  one.manage('POST', `/enterprises/${enterpriseId}/invitations`, { email, role })

async function joined(email: string): Promise<BrowserSession> {
  const browser = at(one)
  const token = tokenOf(await invite(email))
  await browser.call('POST', '/auth/links/use', { token, name: email, password: PASSWORD })
  return browser
}

// before any other operator is made
test('each machine prints a link for the first operator, and only the first one that is used works', async () => {
  const tokens = [one, other].map((instance) => {
    const found = instance.log().match(/first operator +\S+\/portal\/welcome\/([\w-]{43})/)
    return found?.[1] ?? ''
  })
  expect(new Set(tokens).size).toBe(2)
  const uses = await Promise.all(
    tokens.map((token, i) =>
      at(i === 0 ? one : other).call('POST', '/auth/links/use', {
        token,
        name: 'First',
        email: `first${i}@example.org`,
        password: PASSWORD,
      }),
    ),
  )
  expect(uses.map(({ code }) => code).sort()).toEqual(['LINK_INVALID', 'SUCCESS'])
  expect(existsSync(join(uses[0]?.ok ? one.dir : other.dir, 'first-operator.link'))).toBe(false)
})

test('a session of one instance is valid on the other; a changed role and a sign-out take effect there on the next call', async () => {
  const here = await joined('shared@example.org')
  const there = at(other, here.cookieValue())
  const [membership] = (await there.session()).memberships
  expect(membership?.role).toBe('member')
  await one.manage('PATCH', `/members/${membership?.memberId}`, { role: 'admin' })
  expect((await there.session()).memberships).toMatchObject([{ role: 'admin' }])
  await here.call('POST', '/auth/sign-out')
  expect((await there.session()).account).toBeNull()
})

test('a change on one instance takes effect on the other', async () => {
  const here = await joined('back@example.org')
  await here.session()
  const there = at(other)
  await there.call('POST', '/auth/sign-in', { email: 'back@example.org', password: PASSWORD })
  await there.call('PATCH', '/auth/account', { name: 'Renamed there' })
  expect((await here.session()).account?.name).toBe('Renamed there')
  await there.call('POST', '/auth/sign-out-everywhere')
  expect((await here.session()).account).toBeNull()
})

test('a link that both instances use at the same time works only once', async () => {
  const token = tokenOf(await invite('both@example.org'))
  const uses = await Promise.all(
    [one, other, one, other].map((instance) =>
      at(instance).call('POST', '/auth/links/use', { token, name: 'Both', password: PASSWORD }),
    ),
  )
  expect(uses.map(({ code }) => code).sort()).toEqual([...Array<string>(3).fill('LINK_INVALID'), 'SUCCESS'])
})

test('attempts are counted across instances', async () => {
  const codes: string[] = []
  for (let i = 0; i < 8; i++) {
    const { code } = await at(i % 2 === 0 ? one : other).call('POST', '/auth/sign-in', {
      email: 'counted@example.org',
      password: 'wrong',
    })
    codes.push(code)
  }
  expect(codes).toEqual([...Array<string>(6).fill('SIGN_IN_REFUSED'), 'SIGN_IN_LIMITED', 'SIGN_IN_LIMITED'])
})

const idOf = async ({ browser }: Account): Promise<string> => (await browser.session()).account?.id ?? ''
async function removeOperatorsBut(kept: readonly string[]): Promise<void> {
  const { items } = await one.manage<{ items: { id: string }[] }>('GET', '/operators')
  for (const { id } of items) if (!kept.includes(id)) await one.manage('DELETE', `/operators/${id}`)
}
const withToken = (instance: Instance, token: string, method: string, path: string): Promise<Response> =>
  fetch(`${instance.url()}/manage/v1${path}`, { method, headers: { authorization: `Bearer ${token}` } })

test('an operator without the role is refused by the next call on every server, and the last operator cannot be removed', async () => {
  const [first, second] = [await operatorAccount(one), await operatorAccount(one)]
  await removeOperatorsBut([await idOf(first), await idOf(second)])
  const listed = await callAs<{ items: { id: string; email: string; lastUsedAt: string | null }[] }>(
    other.url(),
    first,
    'GET',
    '/manage/v1/operators',
  )
  expect(listed.data.items.map(({ email }) => email)).toEqual([first.email, second.email])
  expect(listed.data.items.every(({ lastUsedAt }) => lastUsedAt !== null)).toBe(true)
  // both servers know the session
  for (const { url } of [one, other])
    expect((await callAs(url(), second, 'GET', '/manage/v1/operator/health')).status).toBe(200)
  const { id: home } = await one.organization()
  await memberAccount(one, home, 'admin', second)

  const removed = await callAs(one.url(), first, 'DELETE', `/manage/v1/operators/${await idOf(second)}`)
  expect(removed.status).toBe(200)
  for (const { url } of [other, one]) {
    expect(await callAs(url(), second, 'GET', '/manage/v1/operator/health')).toMatchObject({ code: 'FORBIDDEN' })
    // the other roles of the account stay
    expect((await callAs(url(), second, 'GET', `/manage/v1/enterprises/${home}/members`)).status).toBe(200)
  }
  expect(await callAs(one.url(), first, 'DELETE', `/manage/v1/operators/${await idOf(second)}`)).toMatchObject({
    status: 404,
    code: 'NOT_FOUND',
  })
  expect(await callAs(one.url(), first, 'DELETE', `/manage/v1/operators/${await idOf(first)}`)).toMatchObject({
    status: 409,
    code: 'CONFLICT',
  })
  const audit = await one.manage<{ items: { actor: string; before: object; after: object }[] }>(
    'GET',
    `/audit?subject=${await idOf(second)}`,
  )
  expect(audit.items[0]).toMatchObject({
    actor: `operator ${first.email}`,
    before: { isOperator: true },
    after: { isOperator: false },
  })
}, 60_000)

test('two operators who remove each other at the same moment: one stays', async () => {
  const accounts = [await operatorAccount(one), await operatorAccount(one)]
  const ids = await Promise.all(accounts.map(idOf))
  await removeOperatorsBut(ids)
  const answers = await Promise.all([
    callAs(one.url(), accounts[0], 'DELETE', `/manage/v1/operators/${ids[1]}`),
    callAs(other.url(), accounts[1], 'DELETE', `/manage/v1/operators/${ids[0]}`),
  ])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await one.manage<{ items: unknown[] }>('GET', '/operators')).items).toHaveLength(1)
}, 60_000)

test('a named token works on both servers, is named in the audit log, and stops at once when it is revoked', async () => {
  const made = await one.manage<{ id: string; token: string; lastFour: string }>('POST', '/operators/tokens', {
    name: 'Backup <b>\u202e',
  })
  expect(made.token).toMatch(/^svcop_[\w-]{43}$/)
  expect(made.lastFour).toBe(made.token.slice(-4))
  for (const instance of [one, other])
    expect((await withToken(instance, made.token, 'GET', '/operator/enterprises')).status).toBe(200)
  const created = await fetch(`${other.url()}/manage/v1/enterprises`, {
    method: 'POST',
    headers: { authorization: `Bearer ${made.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Made by a token', tier: 'starter' }),
  })
  const { data } = (await created.json()) as { data: { id: string } }
  const audit = await one.manage<{ items: { actor: string }[] }>('GET', `/audit?subject=${data.id}`)
  expect(audit.items[0]?.actor).toBe('operator token Backup <b>\u202e')
  type Listed = { items: { id: string; lastUsedAt: string | null; token?: string; tokenSha256?: string }[] }
  const list = async () => (await one.manage<Listed>('GET', '/operators/tokens')).items.find(({ id }) => id === made.id)
  await until(async () => (await list())?.lastUsedAt != null, 'the last use')
  expect(Object.keys((await list()) ?? {})).not.toContain('token')
  expect(Object.keys((await list()) ?? {})).not.toContain('tokenSha256')

  await one.manage('DELETE', `/operators/tokens/${made.id}`)
  for (const instance of [other, one]) {
    const refused = await withToken(instance, made.token, 'GET', '/operator/enterprises')
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([401, 'OPERATOR_TOKEN_INVALID'])
  }
  expect(await list()).toBeUndefined()
  // the token of the data folder still works
  await one.manage('GET', '/operators/tokens')
}, 60_000)

test('a token stops when it expires', async () => {
  const make = (expiresAt: string): Promise<{ token: string }> =>
    one.manage('POST', '/operators/tokens', { name: 'Short', expiresAt })
  await expect(make(new Date(Date.now() - 1_000).toISOString())).rejects.toThrow('body.expiresAt')
  await expect(make('tomorrow')).rejects.toThrow('body.expiresAt')
  const { token } = await make(new Date(Date.now() + 3_000).toISOString())
  expect((await withToken(one, token, 'GET', '/operators')).status).toBe(200)
  await until(async () => (await withToken(one, token, 'GET', '/operators')).status === 401, 'the end')
}, 60_000)

test('an operator sees the jobs of everybody, and cancels one on another server', async () => {
  const { id, publicKey, secretKey } = await one.organization()
  const form = new FormData()
  form.set('file', new File(['{"type":"Point","coordinates":[31,30]}'], 'point.geojson'))
  form.set('target_format', 'geojson')
  const headers = { 'x-api-key': publicKey, 'x-api-secret': secretKey, prefer: 'respond-async' }
  const accepted = await fetch(`${one.url()}/enterprise/v1/gis/centroids`, { method: 'POST', headers, body: form })
  const { data } = (await accepted.json()) as { data: { jobID: string } }
  type Jobs = { items: { id: string; ownerId: string; ownerName: string; status: string }[]; nextCursor: string | null }
  const list = (query: string): Promise<Jobs> => other.manage<Jobs>('GET', `/operator/jobs?${query}`)
  const open = (await list('state=accepted,running')).items
  expect(open.filter(({ ownerId }) => ownerId === id)).toMatchObject([
    { id: data.jobID, ownerId: id, ownerName: 'Test', status: 'accepted' },
  ])
  expect((await list(`state=successful&owner=${id}`)).items).toEqual([])
  await expect(list('state=lost')).rejects.toThrow('query.state')

  await other.manage('DELETE', `/operator/jobs/${data.jobID}`)
  const job = await fetch(`${one.url()}/enterprise/v1/gis/jobs/${data.jobID}`, { headers })
  expect(((await job.json()) as { data: { status: string } }).data.status).toBe('dismissed')
  await expect(other.manage('DELETE', `/operator/jobs/${data.jobID}`)).rejects.toThrow('dismissed')
  await expect(other.manage('DELETE', '/operator/jobs/job_none')).rejects.toThrow('no such job')
  const audit = await one.manage<{ items: { subjectKind: string; subjectId: string }[] }>('GET', `/audit?owner=${id}`)
  expect(audit.items).toContainEqual(expect.objectContaining({ subjectKind: 'job', subjectId: data.jobID }))
}, 60_000)
