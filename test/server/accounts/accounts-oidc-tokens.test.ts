/** Responses of an OpenID Connect issuer, from a server that can answer anything. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { browserSession, type PortalSession, tokenOf } from '../../support/browser/browser-session.ts'
import { createInstance, type Instance } from '../../support/server/instance.ts'
import { nextEmail, PASSWORD } from '../../support/sessions.ts'
import { freePort } from '../../support/stores/postgres.ts'
import { withSql } from '../../support/stores/with-sql.ts'

type Claims = Record<string, unknown>
type TokenAnswer = { idToken?: string; userinfo?: Claims }

const CLIENT = 'groundwave'
const SECRET = 'secret of the client'
const STARTS = 12
const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
/** Answers by code; each code may be used again, so that this server alone refuses a second use. */
const answers = new Map<string, TokenAnswer>()
let issuer = ''
let server: ReturnType<typeof Bun.serve>
let instance: Instance
let addresses = 0

beforeAll(async () => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/.well-known/openid-configuration')
        return Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/keys`,
          id_token_signing_alg_values_supported: ['RS256'],
        })
      if (pathname === '/keys')
        return Response.json({
          keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
        })
      if (pathname === '/token') {
        const code = (await request.formData()).get('code') as string
        const { idToken } = answers.get(code) ?? {}
        return Response.json({
          access_token: code,
          token_type: 'Bearer',
          expires_in: 60,
          ...(idToken && { id_token: idToken }),
        })
      }
      const code = request.headers.get('authorization')?.slice('Bearer '.length) ?? ''
      return Response.json(answers.get(code)?.userinfo ?? {}, { status: answers.has(code) ? 200 : 401 })
    },
  })
  issuer = `http://127.0.0.1:${server.port}`
  const port = await freePort()
  instance = await createInstance({
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    TRUSTED_PROXIES: '127.0.0.1',
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT,
    OIDC_CLIENT_SECRET: SECRET,
    SIGN_INS_PER_ADDRESS: String(STARTS),
  })
}, 120_000)
afterAll(async () => {
  await instance?.remove()
  await server?.stop(true)
})

/** Requests from a separate address, which is not limited yet. */
const visitor = (): Record<string, string> => {
  addresses++
  return { 'x-forwarded-for': `198.18.${addresses >> 8}.${addresses & 255}` }
}
const open = () => browserSession(() => instance.url(), visitor())
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
function signed(claims: Claims, { alg = 'RS256', key = own.privateKey as KeyObject | string } = {}): string {
  const text = `${encoded({ alg, kid: 'one', typ: 'JWT' })}.${encoded(claims)}`
  if (alg === 'none') return `${text}.`
  const signature =
    alg === 'HS256'
      ? createHmac('sha256', key as string)
          .update(text)
          .digest('base64url')
      : createSign('sha256')
          .update(text)
          .sign(key as KeyObject, 'base64url')
  return `${text}.${signature}`
}

type Start = { cookie: string; state: string; nonce: string; headers: Record<string, string> }
async function start(headers = visitor()): Promise<Start> {
  const answer = await fetch(`${instance.url()}/auth/oidc?next=/account`, { redirect: 'manual', headers })
  const { searchParams } = new URL(answer.headers.get('location') ?? '')
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
  return { cookie, headers, state: searchParams.get('state') ?? '', nonce: searchParams.get('nonce') ?? '' }
}

/** @returns the target of the redirect */
async function comeBack({ cookie, headers }: Start, parameters: Record<string, string>): Promise<string> {
  const url = `${instance.url()}/auth/callback/oidc?${new URLSearchParams(parameters)}`
  const answer = await fetch(url, { redirect: 'manual', headers: { ...headers, cookie } })
  const session = answer.headers.getSetCookie().some((line) => /^groundwave_session=\w/.test(line))
  const location = answer.headers.get('location') ?? `${answer.status}`
  return session ? `signed in: ${new URL(location).pathname}` : location
}
const SIGNED_IN = 'signed in: /portal/account'
const FAILED = '/portal/sign-in?error=OIDC_FAILED'

async function member(email = nextEmail(), role = 'admin') {
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Test', tier: 'business' })
  const made = await instance.manage<{ path: string }>('POST', `/enterprises/${id}/invitations`, { email, role })
  const browser = open()
  const use = { token: tokenOf(made), name: 'Member', password: PASSWORD }
  const { data } = await browser.call<PortalSession>('POST', '/auth/links/use', use)
  return { email, enterpriseId: id, memberId: data.memberships[0]?.memberId ?? '', browser }
}

const claimsOf = (email: string, { nonce }: Start): Claims => {
  const now = Math.floor(Date.now() / 1000)
  const identity = { sub: `subject of ${email}`, email, email_verified: true, name: 'Amal' }
  return { ...identity, iss: issuer, aud: CLIENT, iat: now, exp: now + 60, nonce }
}
function answerWith(code: string, answer: TokenAnswer): string {
  answers.set(code, answer)
  return code
}

type Forgery = [name: string, make: (claims: Claims) => string, outcome?: string]
const FORGERIES: Forgery[] = [
  ['several audiences, authorized for another party', (c) => signed({ ...c, aud: [CLIENT, 'other'], azp: 'other' })],
  ['several audiences without an authorized party', (c) => signed({ ...c, aud: [CLIENT, 'other'] })],
  ['one audience, authorized for another party', (c) => signed({ ...c, azp: 'other' })],
  ['no signature', (c) => signed(c, { alg: 'none' })],
  ['the secret as key', (c) => signed(c, { alg: 'HS256', key: SECRET })],
  [
    'the public key as secret',
    (c) => signed(c, { alg: 'HS256', key: own.publicKey.export({ type: 'spki', format: 'pem' }) as string }),
  ],
  ['another key', (c) => signed(c, { key: other.privateKey })],
  ['another audience', (c) => signed({ ...c, aud: 'other' })],
  ['another issuer', (c) => signed({ ...c, iss: 'https://issuer.example.org' })],
  ['an end in the past', (c) => signed({ ...c, iat: Number(c.iat) - 7200, exp: Number(c.exp) - 7200 })],
  ['another nonce', (c) => signed({ ...c, nonce: 'x'.repeat(32) })],
  ['no nonce', ({ nonce: _, ...c }) => signed(c)],
  [
    'an address that is not verified',
    (c) => signed({ ...c, email_verified: false }),
    '/portal/sign-in?error=EMAIL_UNVERIFIED',
  ],
  [
    'an address that is verified in words',
    (c) => signed({ ...c, email_verified: 'false' }),
    '/portal/sign-in?error=EMAIL_UNVERIFIED',
  ],
]

test('an ID token signs in only with a valid signature, audience, authorized party, issuer, expiry and nonce', async () => {
  const { email } = await member()
  for (const [name, make, outcome = FAILED] of FORGERIES) {
    const begun = await start()
    const claims = claimsOf(email, begun)
    const code = answerWith(name, { idToken: make(claims), userinfo: claims })
    expect([name, await comeBack(begun, { code, state: begun.state })]).toEqual([name, outcome])
  }
  for (const more of [{}, { azp: CLIENT }, { aud: [CLIENT, 'other'], azp: CLIENT }]) {
    const begun = await start()
    const code = answerWith(crypto.randomUUID(), { idToken: signed({ ...claimsOf(email, begun), ...more }) })
    expect(await comeBack(begun, { code, state: begun.state })).toBe(SIGNED_IN)
  }
})

test('userinfo alone signs nobody in, nor does the userinfo of another person', async () => {
  const { email } = await member()
  const withoutToken = await start()
  const userinfo = claimsOf(email, withoutToken)
  const code = answerWith('no ID token', { userinfo })
  expect(await comeBack(withoutToken, { code, state: withoutToken.state })).toBe(FAILED)
  const begun = await start()
  const { email: _, email_verified: __, ...rest } = claimsOf(email, begun)
  const asOther = answerWith('other userinfo', { idToken: signed({ ...rest, sub: 'other' }), userinfo })
  expect(await comeBack(begun, { code: asOther, state: begun.state })).toBe(FAILED)
  const asSame = await start()
  const { email: ___, ...same } = claimsOf(email, asSame)
  const right = answerWith('same userinfo', { idToken: signed(same), userinfo })
  expect(await comeBack(asSame, { code: right, state: asSame.state })).toBe(SIGNED_IN)
})

test('a state works once, in the same browser, and for its issuer', async () => {
  const { email } = await member()
  const cases: [name: string, change: (begun: Start) => Promise<Start> | Start, more?: Record<string, string>][] = [
    ['no cookie', (begun) => ({ ...begun, cookie: '' })],
    ['the cookie of another start', async (begun) => ({ ...begun, cookie: (await start()).cookie })],
    ['a cookie without its end', (begun) => ({ ...begun, cookie: begun.cookie.slice(0, -4) })],
    ['another state', (begun) => ({ ...begun, state: `${begun.state.slice(1)}x` })],
    ['another issuer', (begun) => begun, { iss: 'https://issuer.example.org' }],
  ]
  for (const [name, change, more] of cases) {
    const begun = await start()
    const code = answerWith(name, { idToken: signed(claimsOf(email, begun)) })
    const changed = await change(begun)
    expect([name, await comeBack(changed, { code, state: changed.state, ...more })]).toEqual([name, FAILED])
  }
  const last = await start()
  const once = { code: answerWith('once', { idToken: signed(claimsOf(email, last)) }), state: last.state, iss: issuer }
  const uses = await Promise.all(Array.from({ length: 5 }, () => comeBack(last, once)))
  expect(uses.toSorted()).toEqual([...Array<string>(4).fill(FAILED), SIGNED_IN])
  expect(await comeBack(last, once)).toBe(FAILED)
})

test('the start of a sign-in writes nothing, and one address cannot start sign-ins without limit', async () => {
  const rows = () => withSql(instance, (sql) => sql`SELECT count(*)::integer AS count FROM sign_in_states`)
  const before = await rows()
  const headers = visitor()
  const starts = await Promise.all(
    Array.from({ length: STARTS * 2 }, () => fetch(`${instance.url()}/auth/oidc`, { redirect: 'manual', headers })),
  )
  const count = (status: number) => starts.filter((answer) => answer.status === status).length
  expect([count(302), count(429)]).toEqual([STARTS, STARTS])
  expect(await rows()).toEqual(before)
  // a page of any length fits into the cookie
  const long = await fetch(`${instance.url()}/auth/oidc?next=/${'a'.repeat(1_999)}`, {
    redirect: 'manual',
    headers: visitor(),
  })
  for (const line of long.headers.getSetCookie()) expect(line.length).toBeLessThan(4_096)
})

test('the first such sign-in ends the links of the account and the links that it made, which a stranger may know', async () => {
  const squatted = await member()
  const reset = await instance.manage<{ path: string }>('POST', `/members/${squatted.memberId}/reset-link`)
  const invitation = await squatted.browser.call<{ path: string }>(
    'POST',
    `/manage/v1/enterprises/${squatted.enterpriseId}/invitations`,
    { email: nextEmail(), role: 'admin' },
  )
  const begun = await start()
  const code = answerWith('squatted', { idToken: signed(claimsOf(squatted.email, begun)) })
  expect(await comeBack(begun, { code, state: begun.state })).toBe(SIGNED_IN)
  for (const made of [reset, invitation.data]) {
    const use = { token: tokenOf(made), name: 'Thief', password: PASSWORD }
    expect((await open().call('POST', '/auth/links/use', use)).code).toBe('LINK_INVALID')
  }
})
