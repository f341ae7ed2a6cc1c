/** Accounts of the portal over HTTP: the first operator, invitations, sessions, passwords, resets. */
import { afterAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  type BrowserSession,
  browserSession,
  firstOperatorToken,
  type PortalSession,
  tokenOf,
} from '../../support/browser/browser-session.ts'
import { runCommand } from '../../support/command.ts'
import { createInstance } from '../../support/server/instance.ts'

const PASSWORD = 'correct horse battery'
const instance = await createInstance({ SIGN_INS_PER_ADDRESS: '100000', TRUSTED_PROXIES: '127.0.0.1' })
afterAll(instance.remove)
const enterpriseId = (await instance.organization()).id
type Made = { id: string; path: string; expiresAt: string }
const open = (headers?: Record<string, string>): BrowserSession => browserSession(() => instance.url(), headers)
const operator = open()
const invite = (email: string, role: string): Promise<Made> =>
  instance.manage('POST', `/enterprises/${enterpriseId}/invitations`, { email, role })

/** An account that accepted an invitation as a new account. */
async function joined(email: string, role = 'member'): Promise<BrowserSession> {
  const browser = open()
  const made = await invite(email, role)
  const used = await browser.call('POST', '/auth/links/use', { token: tokenOf(made), name: email, password: PASSWORD })
  expect(used.code).toBe('SUCCESS')
  return browser
}

test('the printed link makes the first operator, once, and is kept in a file until then', async () => {
  const token = firstOperatorToken(instance)
  const ask = () => runCommand(instance, 'src/cli/admin.ts', 'first-operator')
  expect((await ask()).out.trim()).toBe(`${instance.url()}/portal/welcome/${token}`)
  const file = join(instance.dir, 'first-operator.link')
  expect(readFileSync(file, 'utf8').trim()).toBe(token)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(instance.dir, 'portal.secret')).mode & 0o777).toBe(0o600)

  const opened = await operator.call('POST', '/auth/links/open', { token })
  expect(opened.data).toMatchObject({ kind: 'operator', email: null })
  const use = { token, name: 'First', email: ' Operator@Example.ORG ', password: PASSWORD }
  const short = await operator.call('POST', '/auth/links/use', { ...use, password: 'ninechars' })
  expect(short).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ field: 'body.password', rule: 'minLength' }] })
  const used = await operator.call<PortalSession>('POST', '/auth/links/use', use)
  expect(used.data).toMatchObject({ account: { email: 'operator@example.org', name: 'First' }, isOperator: true })

  expect((await open().call('POST', '/auth/links/use', { ...use, email: 'b@example.org' })).code).toBe('LINK_INVALID')
  expect(existsSync(file)).toBe(false)
  const after = await ask()
  expect(after).toMatchObject({ code: 1, out: '' })
  expect(after.err).toContain('the first operator has an account already')
  expect(await instance.manage('GET', '/tiers')).toHaveProperty('items')
}, 60_000)

test('an invitation makes a member; the session shows the enterprise and the role', async () => {
  const made = await invite('Owner@Example.org', 'owner')
  const days = (Date.parse(made.expiresAt) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(6.9)
  expect(days).toBeLessThanOrEqual(7)
  const browser = open()
  expect((await browser.call('POST', '/auth/links/open', { token: tokenOf(made) })).data).toMatchObject({
    kind: 'invitation',
    email: 'owner@example.org',
    role: 'owner',
    enterpriseName: 'Test',
  })
  const use = { token: tokenOf(made), name: 'Owner', password: PASSWORD }
  const { data } = await browser.call<PortalSession>('POST', '/auth/links/use', use)
  expect(data).toMatchObject({
    isOperator: false,
    personId: null,
    oidc: false,
    signUp: 'closed',
    mail: false,
    mqtt: null,
  })
  expect(data.memberships).toMatchObject([{ enterpriseId, enterpriseName: 'Test', role: 'owner' }])
  expect(await browser.session()).toEqual(data)
  expect(browser.cookie()).toMatch(/; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
})

test('a link that two people use at the same time works for one of them', async () => {
  const token = tokenOf(await invite('twice@example.org', 'member'))
  const uses = await Promise.all(
    ['A', 'B', 'C'].map((name) => open().call('POST', '/auth/links/use', { token, name, password: PASSWORD })),
  )
  expect(uses.map(({ code }) => code).sort()).toEqual(['LINK_INVALID', 'LINK_INVALID', 'SUCCESS'])
})

test('a revoked invitation, a made-up link and one of another kind do nothing', async () => {
  const made = await invite('revoked@example.org', 'admin')
  const path = `/enterprises/${enterpriseId}/invitations`
  const listed = async () => (await instance.manage<{ items: { id: string }[] }>('GET', path)).items.map(({ id }) => id)
  expect(await listed()).toContain(made.id)
  await instance.manage('DELETE', `/invitations/${made.id}`)
  expect(await listed()).not.toContain(made.id)
  for (const token of [tokenOf(made), 'A'.repeat(43), 'short', "' OR 1=1 --"])
    expect((await open().call('POST', '/auth/links/open', { token })).code).toBe('LINK_INVALID')
})

test('an invitation for an address with an account needs a session of that account', async () => {
  const browser = await joined('both@example.org')
  const other = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Other', tier: 'business' })
  const made = await instance.manage<Made>('POST', `/enterprises/${other.id}/invitations`, {
    email: 'both@example.org',
    role: 'admin',
  })
  const token = tokenOf(made)
  const asNew = await open().call('POST', '/auth/links/use', { token, name: 'Thief', password: PASSWORD })
  expect(asNew.code).toBe('ACCOUNT_EXISTS')
  const stranger = await joined('stranger@example.org')
  expect((await stranger.call('POST', '/auth/links/use', { token, asSignedIn: true })).code).toBe('FORBIDDEN')
  expect((await open().call('POST', '/auth/links/use', { token, asSignedIn: true })).code).toBe('UNAUTHENTICATED')
  const { data } = await browser.call<PortalSession>('POST', '/auth/links/use', { token, asSignedIn: true })
  expect(data.memberships.map(({ role }) => role).sort()).toEqual(['admin', 'member'])
})

test('signing in: one answer for an unknown address and a wrong password, and a new session each time', async () => {
  await joined('signer@example.org')
  const attempt = (email: string, password: string) => open().call('POST', '/auth/sign-in', { email, password })
  const unknown = await attempt('nobody@example.org', PASSWORD)
  const wrong = await attempt('signer@example.org', 'wrong password')
  for (const answer of [unknown, wrong])
    expect(answer).toMatchObject({
      statusCode: 401,
      code: 'SIGN_IN_REFUSED',
      message: 'The e-mail address or the password is wrong.',
    })
  const browser = open()
  await browser.call('POST', '/auth/sign-in', { email: ' SIGNER@example.org', password: PASSWORD })
  const first = browser.cookieValue()
  await browser.call('POST', '/auth/sign-in', { email: 'signer@example.org', password: PASSWORD })
  expect(browser.cookieValue()).not.toBe(first)
  expect((await browser.session()).account?.email).toBe('signer@example.org')
  // the replaced session has ended
  const old = open()
  old.setCookieValue(first)
  expect((await old.session()).account).toBeNull()
})

test('a forged cookie is not accepted as a session', async () => {
  const browser = await joined('forger@example.org')
  const genuine = browser.cookieValue()
  const [token = '', signature = ''] = decodeURIComponent(genuine).split('.')
  for (const value of [
    token,
    `${token}.`,
    `x${token}.${signature}`,
    `${token}.${'A'.repeat(43)}=`,
    '%',
    '%E0%A4%A',
    '.',
  ]) {
    browser.setCookieValue(value.startsWith('%') ? value : encodeURIComponent(value))
    expect((await browser.session()).account).toBeNull()
  }
  browser.setCookieValue(genuine)
  expect((await browser.session()).account?.email).toBe('forger@example.org')
})

test('changes need the token of the session, and requests of other sites are refused', async () => {
  const browser = await joined('csrf@example.org')
  const bare = open({ cookie: `groundwave_session=${browser.cookieValue()}` })
  expect((await bare.call('POST', '/auth/sign-out')).code).toBe('CSRF_TOKEN_INVALID')
  const wrong = open({ cookie: `groundwave_session=${browser.cookieValue()}`, 'x-csrf-token': 'wrong' })
  expect((await wrong.call('PATCH', '/auth/account', { name: 'Other' })).code).toBe('CSRF_TOKEN_INVALID')
  const foreign = open({ 'sec-fetch-site': 'cross-site' })
  const credentials = { email: 'csrf@example.org', password: PASSWORD }
  expect((await foreign.call('POST', '/auth/sign-in', credentials)).code).toBe('CSRF_TOKEN_INVALID')
  const form = await fetch(`${instance.url()}/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify(credentials),
  })
  expect(form.status).toBe(415)
  expect((await browser.call('PATCH', '/auth/account', { name: 'Renamed' })).code).toBe('SUCCESS')
  expect((await browser.session()).account?.name).toBe('Renamed')
})

test('sessions are listed, ended one by one, and all at once', async () => {
  const first = await joined('many@example.org')
  const second = open({ 'user-agent': 'Second/1.0' })
  const third = open()
  const credentials = { email: 'many@example.org', password: PASSWORD }
  await second.call('POST', '/auth/sign-in', credentials)
  await third.call('POST', '/auth/sign-in', credentials)
  const { data } = await first.call<{
    items: { id: string; isCurrent: boolean; userAgent: string; address: string }[]
  }>('GET', '/auth/sessions')
  expect(data.items).toHaveLength(3)
  expect(data.items.filter(({ isCurrent }) => isCurrent)).toHaveLength(1)
  const ended = data.items.find(({ userAgent }) => userAgent === 'Second/1.0')
  expect(ended?.address).toBe('127.0.0.1')
  expect((await first.call('DELETE', `/auth/sessions/${ended?.id}`)).code).toBe('SUCCESS')
  expect((await second.session()).account).toBeNull()
  const foreign = await joined('foreign@example.org')
  const other = data.items.find(({ isCurrent }) => isCurrent)
  expect((await foreign.call('DELETE', `/auth/sessions/${other?.id}`)).code).toBe('NOT_FOUND')
  await first.call('POST', '/auth/sign-out-everywhere')
  for (const browser of [first, third]) expect((await browser.session()).account).toBeNull()
})

test('a changed password ends all other sessions and replaces this one', async () => {
  const browser = await joined('changer@example.org')
  const other = open()
  await other.call('POST', '/auth/sign-in', { email: 'changer@example.org', password: PASSWORD })
  const before = browser.cookieValue()
  const wrong = await browser.call('POST', '/auth/password', { currentPassword: 'wrong', password: `new ${PASSWORD}` })
  expect(wrong).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ field: 'body.currentPassword' }] })
  await browser.call('POST', '/auth/password', { currentPassword: PASSWORD, password: `new ${PASSWORD}` })
  expect(browser.cookieValue()).not.toBe(before)
  expect((await browser.session()).account?.email).toBe('changer@example.org')
  expect((await other.session()).account).toBeNull()
  const again = (password: string) => open().call('POST', '/auth/sign-in', { email: 'changer@example.org', password })
  expect((await again(PASSWORD)).code).toBe('SIGN_IN_REFUSED')
  expect((await again(`new ${PASSWORD}`)).code).toBe('SUCCESS')
})

test('a reset link sets a password once, and ends all sessions', async () => {
  const browser = await joined('reset@example.org')
  const { memberships } = await browser.session()
  const memberId = memberships[0]?.memberId
  const made = await instance.manage<Made>('POST', `/members/${memberId}/reset-link`)
  const older = await instance.manage<Made>('POST', `/members/${memberId}/reset-link`)
  expect(Date.parse(made.expiresAt) - Date.now()).toBeLessThanOrEqual(3_600_000)
  const use = { token: tokenOf(made), password: `reset ${PASSWORD}` }
  const after = open()
  expect((await after.call<PortalSession>('POST', '/auth/links/use', use)).data.account?.email).toBe(
    'reset@example.org',
  )
  expect((await browser.session()).account).toBeNull()
  for (const { path } of [made, older])
    expect((await open().call('POST', '/auth/links/use', { ...use, token: tokenOf({ path }) })).code).toBe(
      'LINK_INVALID',
    )
  const credentials = { email: 'reset@example.org', password: `reset ${PASSWORD}` }
  expect((await open().call('POST', '/auth/sign-in', credentials)).code).toBe('SUCCESS')
})

test('a role that was changed or withdrawn takes effect on the next call', async () => {
  const browser = await joined('roles@example.org')
  const memberId = (await browser.session()).memberships[0]?.memberId
  await instance.manage('PATCH', `/members/${memberId}`, { role: 'admin' })
  expect((await browser.session()).memberships).toMatchObject([{ role: 'admin' }])
  await instance.manage('DELETE', `/members/${memberId}`)
  expect((await browser.session()).memberships).toEqual([])
})

test('a link makes an account for a person; a suspended person owns nothing', async () => {
  const person = await instance.manage<{ id: string }>('POST', '/people', { email: 'Person@example.org', plan: 'pro' })
  const made = await instance.manage<Made>('POST', `/people/${person.id}/links`)
  const browser = open()
  await browser.call('POST', '/auth/links/use', { token: tokenOf(made), name: 'Person', password: PASSWORD })
  expect((await browser.session()).personId).toBe(person.id)
  await instance.manage('PATCH', `/people/${person.id}`, { status: 'suspended' })
  expect((await browser.session()).personId).toBeNull()
})

test('an operator can invite another one', async () => {
  const made = await instance.manage<Made>('POST', '/operators/invitations', { email: 'second@example.org' })
  const browser = open()
  await browser.call('POST', '/auth/links/use', { token: tokenOf(made), name: 'Second', password: PASSWORD })
  expect((await browser.session()).isOperator).toBe(true)
})

test('the audit log has sign-ins, sign-outs, links and passwords, but no secret', async () => {
  const browser = await joined('audited@example.org')
  await browser.call('POST', '/auth/sign-out')
  const credentials = { email: 'audited@example.org', password: PASSWORD }
  await browser.call('POST', '/auth/sign-in', credentials)
  await browser.call('POST', '/auth/password', { currentPassword: PASSWORD, password: `other ${PASSWORD}` })
  type Entry = { actor: string; action: string; subjectKind: string }
  const { items } = await instance.manage<{ items: Entry[] }>('GET', '/audit?limit=1000')
  const own = items.filter(({ actor }) => actor === 'account audited@example.org')
  const seen = own.map(({ action, subjectKind }) => `${action} ${subjectKind}`)
  expect(seen).toEqual([
    'update password',
    'sign-in account',
    'sign-out account',
    'use one-time-link',
    'create member',
    'create account',
  ])
  expect(JSON.stringify(items)).not.toMatch(/sha256|Sha256|password_hash|passwordHash|horse/)
})

test('behind a proxy that ends TLS the cookie is Secure', async () => {
  await joined('proxied@example.org')
  const credentials = { email: 'proxied@example.org', password: PASSWORD }
  const secure = open({ 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https' })
  await secure.call('POST', '/auth/sign-in', credentials)
  expect(secure.cookie()).toEndWith('; HttpOnly; SameSite=Lax; Secure')
  const plain = open({ 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'http' })
  await plain.call('POST', '/auth/sign-in', credentials)
  expect(plain.cookie()).toEndWith('; HttpOnly; SameSite=Lax')
}, 60_000)

test('accounts, sessions and the secret survive a restart', async () => {
  const browser = await joined('lasting@example.org')
  await instance.kill('SIGTERM')
  await instance.restart({
    SIGN_INS_PER_ACCOUNT: '3',
    PUBLIC_URL: 'https://portal.example',
    MANAGE_WRITES_PER_MINUTE: '3',
    OPERATOR_WRITES_PER_MINUTE: '1000',
  })
  const earlier = browser.cookieValue()
  expect((await browser.session()).account?.email).toBe('lasting@example.org')
  // without a report of a proxy; the cookie without a prefix is replaced
  expect(browser.cookie()).toStartWith(`__Host-groundwave_session=${earlier}; Max-Age=`)
  expect(browser.cookie()).toEndWith('; Path=/; HttpOnly; SameSite=Lax; Secure')
  expect(browser.cookieValue()).toBe('')
  expect((await browser.session()).account?.email).toBe('lasting@example.org')
  expect(instance.log().match(/first operator/g)).toHaveLength(1)
}, 60_000)

test('too many attempts for one account are refused, whether or not the account exists', async () => {
  await joined('limited@example.org')
  for (const email of ['limited@example.org', 'unknown@example.org']) {
    const codes: string[] = []
    for (let i = 0; i < 4; i++)
      codes.push((await open().call('POST', '/auth/sign-in', { email, password: 'wrong' })).code)
    expect(codes).toEqual([...Array<string>(3).fill('SIGN_IN_REFUSED'), 'SIGN_IN_LIMITED'])
  }
}, 60_000)

test('an account that exceeds its limit of changes must wait; reads and other accounts are not affected', async () => {
  const [busy, other] = [await joined('busy@example.org', 'admin'), await joined('calm@example.org', 'admin')]
  const members = `/manage/v1/enterprises/${enterpriseId}/members`
  const add = (browser: BrowserSession, i: number) =>
    browser.call('POST', members, { email: `member-${i}@example.org`, role: 'member' })
  const codes: string[] = []
  // a change that is refused counts too
  for (let i = 0; i < 4; i++) codes.push((await add(busy, i === 1 ? 0 : i)).code)
  expect(codes).toEqual(['SUCCESS', 'CONFLICT', 'SUCCESS', 'RATE_LIMITED'])
  expect((await busy.call('GET', members)).code).toBe('SUCCESS')
  expect((await add(other, 9)).code).toBe('SUCCESS')
  await invite('one-more@example.org', 'member')
}, 60_000)

test('attempts of others do not lock out the right password', async () => {
  const credentials = { email: 'target@example.org', password: PASSWORD }
  const device = await joined(credentials.email)
  const at = (address: string): BrowserSession => open({ 'x-forwarded-for': address })
  const attempt = async (browser: BrowserSession, password: string): Promise<string> =>
    (await browser.call('POST', '/auth/sign-in', { ...credentials, password })).code
  const codes: string[] = []
  for (let i = 0; i < 6; i++) codes.push(await attempt(at(`203.0.113.${i % 3}`), 'wrong'))
  expect(codes).toEqual(Array<string>(6).fill('SIGN_IN_REFUSED'))
  // from another address, and at the attacker's address if the person has signed in there before
  expect(await attempt(at('198.51.100.1'), PASSWORD)).toBe('SUCCESS')
  for (let i = 0; i < 4; i++) await attempt(open(), 'wrong')
  expect(await attempt(open(), PASSWORD)).toBe('SIGN_IN_LIMITED')
  const change = { currentPassword: PASSWORD, password: `${PASSWORD}!` }
  expect((await device.call('POST', '/auth/password', change)).code).toBe('SUCCESS')
  expect(await attempt(device, change.password)).toBe('SUCCESS')
  // its separate count is limited too, and the device belongs to one account only
  for (const code of ['SIGN_IN_REFUSED', 'SIGN_IN_REFUSED', 'SIGN_IN_LIMITED'])
    expect(await attempt(device, 'wrong')).toBe(code)
  const other = { email: 'stranger@example.org', password: 'wrong' }
  for (const code of ['SIGN_IN_REFUSED', 'SIGN_IN_REFUSED', 'SIGN_IN_REFUSED', 'SIGN_IN_LIMITED'])
    expect((await device.call('POST', '/auth/sign-in', other)).code).toBe(code)
}, 60_000)

test("better-auth's own routes are not served", async () => {
  for (const path of [
    '/auth/sign-up/email',
    '/auth/get-session',
    '/auth/list-sessions',
    '/auth/delete-user',
    '/auth/ok',
  ])
    expect((await open().call('POST', path, {})).statusCode).toBe(404)
})
