/** Accounts on two instances with one PostgreSQL and one Redis (both real): what one changes acts on the other at once. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserSession, browserSession, tokenOf } from './support/browser-session.ts'
import { createInstance, type Instance } from './support/instance.ts'
import { type SharedStores, startSharedStores } from './support/shared-stores.ts'

const PASSWORD = 'correct horse battery'
let stores: SharedStores
let one: Instance
let other: Instance
let enterpriseId: string

beforeAll(async () => {
  stores = await startSharedStores()
  const env = { ...stores.env, SIGN_INS_PER_ADDRESS: '100000', SIGN_INS_PER_ACCOUNT: '6' }
  one = await createInstance(env)
  other = await createInstance(env)
  enterpriseId = (await one.organization()).id
}, 120_000)
afterAll(async () => {
  await one?.remove()
  await other?.remove()
  await stores?.remove()
})

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

test('a session of one instance is one of the other; a changed role and a sign-out act there on the next call', async () => {
  const here = await joined('shared@example.org')
  const there = at(other, here.cookieValue())
  const [membership] = (await there.session()).memberships
  expect(membership?.role).toBe('member')
  await one.manage('PATCH', `/members/${membership?.memberId}`, { role: 'admin' })
  expect((await there.session()).memberships).toMatchObject([{ role: 'admin' }])
  await here.call('POST', '/auth/sign-out')
  expect((await there.session()).account).toBeNull()
})

test('a change on the other instance acts on this one', async () => {
  const here = await joined('back@example.org')
  await here.session()
  const there = at(other)
  await there.call('POST', '/auth/sign-in', { email: 'back@example.org', password: PASSWORD })
  await there.call('PATCH', '/auth/account', { name: 'Renamed there' })
  expect((await here.session()).account?.name).toBe('Renamed there')
  await there.call('POST', '/auth/sign-out-everywhere')
  expect((await here.session()).account).toBeNull()
})

test('a link that both instances use at the same time works on one of them', async () => {
  const token = tokenOf(await invite('both@example.org'))
  const uses = await Promise.all(
    [one, other, one, other].map((instance) =>
      at(instance).call('POST', '/auth/links/use', { token, name: 'Both', password: PASSWORD }),
    ),
  )
  expect(uses.map(({ code }) => code).sort()).toEqual([...Array<string>(3).fill('LINK_INVALID'), 'SUCCESS'])
})

test('attempts are counted together', async () => {
  const codes: string[] = []
  for (let i = 0; i < 8; i++) {
    const { code } = await at(i % 2 === 0 ? one : other).call('POST', '/auth/sign-in', {
      ...{ email: 'counted@example.org', password: 'wrong' },
    })
    codes.push(code)
  }
  expect(codes).toEqual([...Array<string>(6).fill('SIGN_IN_REFUSED'), 'SIGN_IN_LIMITED', 'SIGN_IN_LIMITED'])
})

test('each machine prints a link for the first operator, and only the first one that is used works', async () => {
  const tokens = [one, other].map((instance) => {
    const found = instance.log().match(/first operator +\S+\/portal\/welcome\/([\w-]{43})/)
    return found?.[1] ?? ''
  })
  expect(new Set(tokens).size).toBe(2)
  const uses = await Promise.all(
    tokens.map((token, i) =>
      at(i === 0 ? one : other).call('POST', '/auth/links/use', {
        ...{ token, name: 'First', email: `first${i}@example.org`, password: PASSWORD },
      }),
    ),
  )
  expect(uses.map(({ code }) => code).sort()).toEqual(['LINK_INVALID', 'SUCCESS'])
  expect(existsSync(join(uses[0]?.ok ? one.dir : other.dir, 'first-operator.link'))).toBe(false)
})
