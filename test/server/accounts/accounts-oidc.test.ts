/** Signing in through OpenID Connect, with the real oidc-provider and Chromium. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import Provider from 'oidc-provider'
import type { BrowserContext, Page } from 'playwright-core'
import { buildPortal } from '../../../src/setup/build-portal.ts'
import { sharedBrowser, visitor } from '../../support/browser/browser.ts'
import { browserSession, tokenOf } from '../../support/browser/browser-session.ts'
import { callWithKey, keyOf } from '../../support/personal-keys.ts'
import { createInstance, type Instance } from '../../support/server/instance.ts'
import { freePort } from '../../support/stores/postgres.ts'

const PASSWORD = 'correct horse battery'
/** Authorization requests that the browser sent to the provider. */
const asked: URL[] = []
let provider: Server
let instance: Instance
const contexts: BrowserContext[] = []
let env: Record<string, string>
let issuer = ''

beforeAll(async () => {
  await buildPortal()
  const [port, providerPort] = [await freePort(), await freePort()]
  const address = `http://127.0.0.1:${port}`
  issuer = `http://127.0.0.1:${providerPort}`
  const oidc = new Provider(issuer, {
    clients: [
      {
        client_id: 'groundwave',
        client_secret: 'secret of the client',
        redirect_uris: [`${address}/auth/callback/oidc`],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    cookies: { keys: ['a key of the test'] },
    // the subject is not the address
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: `subject of ${id}`,
        email: id,
        email_verified: !id.startsWith('unverified'),
        name: 'Amal',
      }),
    }),
  })
  const handle = oidc.callback()
  provider = createServer((request, response) => {
    const url = new URL(request.url ?? '/', issuer)
    if (url.pathname === '/auth' && url.searchParams.has('state')) asked.push(url)
    void handle(request, response)
  })
  await new Promise<void>((resolve) => provider.listen(providerPort, '127.0.0.1', () => resolve()))
  env = {
    PORT: String(port),
    PUBLIC_URL: address,
    SIGN_INS_PER_ADDRESS: '100000',
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'groundwave',
    OIDC_CLIENT_SECRET: 'secret of the client',
  }
  instance = await createInstance(env)
}, 120_000)
afterAll(async () => {
  for (const context of contexts) await context.close()
  await instance?.remove()
  provider?.closeAllConnections()
  await new Promise<void>((resolve) => provider?.close(() => resolve()))
})

const open = () => browserSession(() => instance.url())

async function member(email: string) {
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Test', tier: 'business' })
  const made = await instance.manage<{ path: string }>('POST', `/enterprises/${id}/invitations`, {
    email,
    role: 'admin',
  })
  const session = open()
  await session.call('POST', '/auth/links/use', { token: tokenOf(made), name: 'Member', password: PASSWORD })
  return session
}

/** Signs in at the provider, in the forms that it has for developers. */
async function signIn(email: string): Promise<Page> {
  const context = await visitor(await sharedBrowser(), instance.url())
  contexts.push(context)
  const page = await context.newPage()
  await page.goto('/portal/sign-in?next=/account')
  await page.getByRole('link', { name: 'Sign in with your organization' }).click()
  await page.locator('input[name=login]').fill(email)
  await page.locator('input[name=password]').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(`${instance.url()}/**`)
  return page
}

type Shown = { account: { email: string } | null; memberships: unknown[]; personId: string | null }
const sessionOf = (page: Page): Promise<Shown> =>
  page.evaluate(async () => {
    const envelope = (await (await fetch('/auth/session')).json()) as { data: Shown }
    return envelope.data
  })

test('a verified address signs in to the account with it, with PKCE, state and nonce', async () => {
  await member('amal@example.org')
  const page = await signIn('amal@example.org')
  expect(new URL(page.url()).pathname).toBe('/portal/account')
  expect(await sessionOf(page)).toMatchObject({
    account: { email: 'amal@example.org' },
    memberships: [{ role: 'admin' }],
  })
  const parameters = Object.fromEntries(asked.at(-1)?.searchParams ?? [])
  expect(parameters).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    scope: 'openid email profile',
  })
  for (const name of ['code_challenge', 'nonce', 'state']) expect(parameters[name]?.length).toBeGreaterThan(20)
  const { items } = await instance.manage<{ items: { actor: string; action: string; after: object | null }[] }>(
    'GET',
    '/audit?limit=20',
  )
  expect(items.find(({ action }) => action === 'sign-in')).toMatchObject({
    actor: 'account amal@example.org',
    after: { with: 'OpenID Connect' },
  })
}, 60_000)

test('an account with an unconfirmed address loses its password and its sessions', async () => {
  const taken = await member('squatted@example.org')
  const page = await signIn('squatted@example.org')
  expect((await sessionOf(page)).account?.email).toBe('squatted@example.org')
  expect((await taken.session()).account).toBeNull()
  const again = await open().call('POST', '/auth/sign-in', { email: 'squatted@example.org', password: PASSWORD })
  expect(again.code).toBe('SIGN_IN_REFUSED')
  // the second time it is the same account
  const second = await signIn('squatted@example.org')
  expect((await sessionOf(second)).memberships).toHaveLength(1)
  expect((await sessionOf(page)).account?.email).toBe('squatted@example.org')
}, 60_000)

test('the personal keys of an account with an unconfirmed address end, in the log too', async () => {
  const email = 'squatted-person@example.org'
  const person = await instance.manage<{ id: string }>('POST', '/people', { email, plan: 'pro', password: PASSWORD })
  const key = await keyOf(instance, person)
  const code = async () => (await callWithKey(instance, key, 'GET', '/enterprise/v1/gis/runs')).code
  expect(await code()).toBe('SUCCESS')
  await signIn(email)
  expect(await code()).toBe('API_KEY_INVALID')
  const { items } = await instance.manage<{ items: object[] }>('GET', `/audit?owner=${person.id}&limit=5`)
  expect(items).toContainEqual(
    expect.objectContaining({ action: 'revoke', subjectKind: 'personal-key', subjectId: key.id }),
  )
}, 60_000)

test('an address that the issuer has not verified signs in to no account', async () => {
  const own = await member('unverified@example.org')
  const page = await signIn('unverified@example.org')
  await page.getByRole('alert').getByText('has not verified your e-mail address').waitFor()
  expect((await sessionOf(page)).account).toBeNull()
  expect((await own.session()).account?.email).toBe('unverified@example.org')
}, 60_000)

test('an unknown address gets no account while sign-up is closed', async () => {
  const page = await signIn('unknown@example.org')
  await page.getByRole('alert').getByText('this server has no account for you').waitFor()
  expect((await sessionOf(page)).account).toBeNull()
}, 60_000)

test('a state of another browser, or of none, starts no session', async () => {
  const start = await fetch(`${instance.url()}/auth/oidc`, { redirect: 'manual' })
  const state = new URL(start.headers.get('location') ?? '').searchParams.get('state')
  for (const search of [`?code=made-up&state=${state}`, '?code=made-up&state=made-up', '?code=made-up', '']) {
    const answer = await fetch(`${instance.url()}/auth/callback/oidc${search}`, { redirect: 'manual' })
    expect([search, answer.status]).toEqual([search, 302])
    expect(answer.headers.get('location')).toBe('/portal/sign-in?error=OIDC_FAILED')
    expect(answer.headers.getSetCookie().filter((cookie) => /groundwave_session=\w/.test(cookie))).toEqual([])
  }
})

test('the page afterwards is one of the portal', async () => {
  const start = await fetch(`${instance.url()}/auth/oidc?next=//example.org`, { redirect: 'manual' })
  expect(start.status).toBe(302)
  expect(start.headers.get('location')).toStartWith(`${issuer}/auth?`)
  expect(start.headers.get('location')).not.toContain('example.org')
})

test('with open sign-up a verified address gets an account of a person; an unreachable provider is reported', async () => {
  await instance.kill('SIGTERM')
  const mail = { SMTP_URL: `smtp://127.0.0.1:${await freePort()}`, SIGN_UP: 'open' }
  await instance.restart(mail)
  const page = await signIn('fresh@example.org')
  expect(await sessionOf(page)).toMatchObject({
    account: { email: 'fresh@example.org' },
    personId: expect.stringMatching(/^per_/),
  })
  await signIn('unverified-fresh@example.org').then((other) =>
    other.getByRole('alert').getByText('has not verified your e-mail address').waitFor(),
  )
  await instance.kill('SIGTERM')
  await instance.restart({ OIDC_ISSUER: `http://127.0.0.1:${await freePort()}` })
  expect((await open().call('GET', '/auth/oidc')).code).toBe('OIDC_UNAVAILABLE')
  expect((await open().session()).account).toBeNull()
}, 120_000)
