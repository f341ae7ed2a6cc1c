/** Links, invitations and operator tokens end with the rights, of maker and target, that they were made with. */
import { expect, test } from 'bun:test'
import { browserSession, type PortalSession, tokenOf } from '../../support/browser/browser-session.ts'
import { M } from '../../support/role-policy.ts'
import { ownedThings } from '../../support/server/owned-things.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import {
  type Account,
  type Call,
  callAs,
  memberAccount,
  nextEmail,
  operatorAccount,
  PASSWORD,
  personAccount,
} from '../../support/sessions.ts'
import { withSql } from '../../support/stores/with-sql.ts'

const instance = await sharedInstance()
const things = ownedThings(instance)
const home = (await things.enterprise()).id
const otherHome = (await things.enterprise()).id
const owner = await memberAccount(instance, home, 'owner')
const operator = await operatorAccount(instance)

type Link = { id: string; path: string }
const call = <T = Record<string, unknown>>(account: Account | undefined, method: string, path: string, more?: Call) =>
  callAs<T>(instance.url(), account, method, M + path, more)
async function made(by: Account | string, path: string, body: object = {}): Promise<Link> {
  const answer = await (typeof by === 'string'
    ? callAs<Link>(instance.url(), undefined, 'POST', M + path, { headers: { authorization: `Bearer ${by}` }, body })
    : call<Link>(by, 'POST', path, { body }))
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.code} ${answer.message}`)
  return answer.data
}
/** @returns the code of the answer */
async function use(link: Link, more: object = { name: 'Somebody', password: PASSWORD }): Promise<string> {
  const answer = await browserSession(instance.url).call('POST', '/auth/links/use', { token: tokenOf(link), ...more })
  return answer.code
}
const open = async (link: Link): Promise<string> =>
  (await browserSession(instance.url).call('POST', '/auth/links/open', { token: tokenOf(link) })).code
/** Neither link works. */
const isDead = async (link: Link): Promise<void> =>
  expect([await open(link), await use(link)]).toEqual(Array(2).fill('LINK_INVALID'))
/** The link would also fail if it had not been revoked, because the rule is checked again. */
async function isDeadByRule(link: Link): Promise<void> {
  await isDead(link)
  await withSql(instance, (sql) => sql`UPDATE one_time_links SET revoked_at = NULL WHERE id = ${link.id}`)
  await isDead(link)
}
const accept = (account: Account, link: Link) =>
  account.browser.call<PortalSession>('POST', '/auth/links/use', { token: tokenOf(link), asSignedIn: true })
const resetOf = (by: Account, of: Account, enterprise = home): Promise<Link> =>
  made(by, `/members/${of.memberIds[enterprise]}/reset-link`)
const memberPath = (account: Account, enterprise = home): string => `/members/${account.memberIds[enterprise]}`
const signsIn = async ({ email }: Account): Promise<string> =>
  (await browserSession(instance.url).call('POST', '/auth/sign-in', { email, password: PASSWORD })).code

test('a reset link ends when its account becomes an operator', async () => {
  const member = await memberAccount(instance, home, 'member')
  const link = await resetOf(owner, member)
  await operatorAccount(instance, member)
  await isDeadByRule(link)
  expect((await member.browser.session()).isOperator).toBe(true)
})

test('a reset link ends when its account joins another enterprise, or becomes a person', async () => {
  const member = await memberAccount(instance, home, 'member')
  const link = await resetOf(owner, member)
  await memberAccount(instance, otherHome, 'owner', member)
  await isDeadByRule(link)

  const second = await memberAccount(instance, home, 'member')
  const other = await resetOf(owner, second)
  const person = await instance.manage<{ id: string }>('POST', '/people', { email: second.email, plan: 'pro' })
  await accept(second, await made(operator, `/people/${person.id}/links`))
  expect((await second.browser.session()).personId).toBe(person.id)
  await isDeadByRule(other)
})

test('a reset link of an admin ends when its account is promoted, and one of an owner too', async () => {
  const admin = await memberAccount(instance, home, 'admin')
  const member = await memberAccount(instance, home, 'member')
  const byAdmin = await resetOf(admin, member)
  const byOwner = await resetOf(owner, member)
  await call(owner, 'PATCH', memberPath(member), { body: { role: 'owner' } })
  await isDead(byOwner)
  await isDeadByRule(byAdmin)
  expect(await signsIn(member)).toBe('SUCCESS')
})

test('a new password ends the reset links of the account, and so does its removal', async () => {
  const member = await memberAccount(instance, home, 'member')
  const link = await resetOf(owner, member)
  const change = { currentPassword: PASSWORD, password: `new ${PASSWORD}` }
  expect((await member.browser.call('POST', '/auth/password', change)).code).toBe('SUCCESS')
  await isDead(link)
  const last = await resetOf(owner, member)
  await call(owner, 'DELETE', memberPath(member))
  await isDead(last)
})

test('the links of a removed admin end: invitations for the admin’s address and for others, and reset links', async () => {
  const admin = await memberAccount(instance, home, 'admin')
  const member = await memberAccount(instance, home, 'member')
  const invite = (by: Account, email: string) => made(by, `/enterprises/${home}/invitations`, { email, role: 'admin' })
  const own = await invite(admin, admin.email)
  const byOwner = await invite(owner, admin.email.toUpperCase())
  const second = await invite(admin, nextEmail())
  const reset = await resetOf(admin, member)
  const kept = await invite(owner, nextEmail())
  await call(owner, 'DELETE', memberPath(admin))
  for (const link of [own, byOwner]) expect((await accept(admin, link)).code).toBe('LINK_INVALID')
  await isDead(byOwner)
  for (const link of [own, second, reset]) await isDeadByRule(link)
  expect((await admin.browser.session()).memberships).toEqual([])
  expect(await open(kept)).toBe('SUCCESS')
  expect(await use(kept)).toBe('SUCCESS')
})

test('the links of an admin end when the admin becomes a member; a corrected address ends its invitation', async () => {
  const admin = await memberAccount(instance, home, 'admin')
  const link = await made(admin, `/enterprises/${home}/invitations`, { email: nextEmail(), role: 'member' })
  await call(owner, 'PATCH', memberPath(admin), { body: { role: 'member' } })
  await isDeadByRule(link)
  const body = { email: nextEmail(), role: 'admin' }
  const { data } = await call<{ id: string }>(owner, 'POST', `/enterprises/${home}/members`, { body })
  const wrong = await made(owner, `/enterprises/${home}/invitations`, body)
  await call(owner, 'PATCH', `/members/${data.id}`, { body: { email: nextEmail() } })
  await isDead(wrong)
})

test('links of an enterprise are refused while it is suspended, like the right to make them', async () => {
  const enterprise = (await things.enterprise()).id
  const head = await memberAccount(instance, enterprise, 'owner')
  const link = await made(head, `/enterprises/${enterprise}/invitations`, { email: nextEmail(), role: 'member' })
  await instance.manage('PATCH', `/enterprises/${enterprise}`, { status: 'suspended' })
  expect(await use(link)).toBe('LINK_INVALID')
  await instance.manage('PATCH', `/enterprises/${enterprise}`, { status: 'active' })
  expect(await use(link)).toBe('SUCCESS')
})

test('a removed operator stays removed, and the operator tokens that the operator made stop at once', async () => {
  const removed = await operatorAccount(instance)
  const invite = (by: Account | string, email: string) => made(by, '/operators/invitations', { email })
  const own = await invite(removed, removed.email)
  const byOther = await invite(operator, removed.email)
  const second = await invite(removed, nextEmail())
  const token = async (by: Account | string): Promise<string> =>
    ((await made(by, '/operators/tokens', { name: 'script' })) as unknown as { token: string }).token
  const tokens = [await token(removed)]
  tokens.push(await token(tokens[0] as string))
  const byToken = await invite(tokens[1] as string, nextEmail())
  const kept = await token(operator)
  const works = async (bearer: string): Promise<number> =>
    (await callAs(instance.url(), undefined, 'GET', `${M}/tiers`, { headers: { authorization: `Bearer ${bearer}` } }))
      .status
  for (const bearer of [...tokens, kept]) expect(await works(bearer)).toBe(200)

  const { data } = await removed.browser.call<PortalSession>('GET', '/auth/session')
  expect((await call(operator, 'DELETE', `/operators/${data.account?.id}`)).status).toBe(200)
  for (const bearer of tokens) expect(await works(bearer)).toBe(401)
  expect(await works(kept)).toBe(200)
  for (const link of [own, byOther]) expect((await accept(removed, link)).code).toBe('LINK_INVALID')
  await isDead(byOther)
  for (const link of [own, second, byToken]) await isDeadByRule(link)
  expect((await removed.browser.session()).isOperator).toBe(false)
  const { items } = await instance.manage<{ items: { createdBy: string }[] }>('GET', '/operators/tokens?limit=1000')
  expect(items.filter(({ createdBy }) => createdBy.includes(removed.email))).toEqual([])
  await withSql(
    instance,
    (sql) => sql`UPDATE operator_tokens SET revoked_at = NULL WHERE created_by LIKE ${`%${removed.email}`}`,
  )
  // a change that empties the server's cache of tokens
  expect(await works(await token(operator))).toBe(200)
  expect(await works(tokens[0] as string)).toBe(401)
})

test('a revoked operator token ends the links that were made with it', async () => {
  const { id, token } = await instance.manage<{ id: string; token: string }>('POST', '/operators/tokens', {
    name: 'one',
  })
  const link = await made(token, '/operators/invitations', { email: nextEmail() })
  await instance.manage('DELETE', `/operators/tokens/${id}`)
  await isDeadByRule(link)
})

test('an invitation changes no owner: neither one without an account nor the role of one', async () => {
  const enterprise = (await things.enterprise()).id
  const email = nextEmail()
  const { id } = await instance.manage<{ id: string }>('POST', `/enterprises/${enterprise}/members`, {
    email,
    role: 'owner',
  })
  const admin = await memberAccount(instance, enterprise, 'admin')
  const head = await memberAccount(instance, enterprise, 'owner')
  const rows = async () => {
    const { items } = await instance.manage<{ items: { id: string; role: string; accountId: string | null }[] }>(
      'GET',
      `/enterprises/${enterprise}/members`,
    )
    return items.find((item) => item.id === id)
  }
  for (const role of ['member', 'admin'])
    for (const address of [email, email.toUpperCase(), head.email]) {
      const answer = await call(admin, 'POST', `/enterprises/${enterprise}/invitations`, {
        body: { email: address, role },
      })
      expect([answer.status, answer.code]).toEqual([409, 'CONFLICT'])
    }
  // made before the address belonged to an owner
  const later = nextEmail()
  const early = await made(admin, `/enterprises/${enterprise}/invitations`, { email: later, role: 'member' })
  const added = await instance.manage<{ id: string }>('POST', `/enterprises/${enterprise}/members`, {
    email: later,
    role: 'owner',
  })
  expect(await use(early)).toBe('LINK_INVALID')
  expect(await instance.manage('GET', `/members/${added.id}`)).toMatchObject({ role: 'owner', accountId: null })
  expect(await rows()).toMatchObject({ role: 'owner', accountId: null })
  // an invitation as owner, which only owners and operators make, links the account
  expect(await use(await made(head, `/enterprises/${enterprise}/invitations`, { email, role: 'owner' }))).toBe(
    'SUCCESS',
  )
  expect(await rows()).toMatchObject({ role: 'owner', accountId: expect.stringMatching(/^acc_/) })
})

test('an account has one row in an enterprise, even if the row has another address', async () => {
  const admin = await memberAccount(instance, home, 'admin')
  await call(admin, 'PATCH', memberPath(admin), { body: { email: nextEmail() } })
  const again = await made(admin, `/enterprises/${home}/invitations`, { email: admin.email, role: 'member' })
  const { data } = await accept(admin, again)
  expect(data.memberships).toMatchObject([{ memberId: admin.memberIds[home], role: 'member' }])
  await call(owner, 'DELETE', memberPath(admin))
  expect((await admin.browser.session()).memberships).toEqual([])
})

test('an admin changes no owner, nor a member who becomes an owner at the same moment', async () => {
  const admin = await memberAccount(instance, home, 'admin')
  for (let round = 0; round < 20; round++) {
    const member = await instance.manage<{ id: string }>('POST', `/enterprises/${home}/members`, {
      email: nextEmail(),
      role: 'member',
    })
    const path = `/members/${member.id}`
    const change = (by: Account, role: string) => call(by, 'PATCH', path, { body: { role } })
    const [promoted] = await Promise.all([
      change(owner, 'owner'),
      round % 2 === 0 ? change(admin, 'admin') : call(admin, 'DELETE', path),
    ])
    // the admin is refused, or is the first of the two
    const { data } = await call<{ role: string } | undefined>(owner, 'GET', path)
    expect([promoted.code, data?.role]).toEqual(data === undefined ? ['NOT_FOUND', undefined] : ['SUCCESS', 'owner'])
  }
})

test('a link of a person ends when the person is suspended or gets another address', async () => {
  for (const change of [{ email: nextEmail() }, { status: 'suspended' }]) {
    const { id } = await instance.manage<{ id: string }>('POST', '/people', { email: nextEmail(), plan: 'pro' })
    const link = await made(operator, `/people/${id}/links`)
    await instance.manage('PATCH', `/people/${id}`, change)
    await isDead(link)
  }
  const person = await personAccount(instance)
  const link = await made(operator, `/people/${person.personId}/links`)
  await instance.manage('PATCH', `/people/${person.personId}`, { password: `other ${PASSWORD}` })
  await isDead(link)
})

test('of ten concurrent uses one succeeds, also while the account gains rights', async () => {
  const invitation = await made(owner, `/enterprises/${home}/invitations`, { email: nextEmail(), role: 'member' })
  const member = await memberAccount(instance, home, 'member')
  const reset = await resetOf(owner, member)
  for (const link of [invitation, reset]) {
    const codes = await Promise.all(Array.from({ length: 10 }, () => use(link)))
    expect(codes.toSorted()).toEqual([...Array<string>(9).fill('LINK_INVALID'), 'SUCCESS'])
  }
  // whichever comes first: the account that resets the password has no session with the new right
  for (let round = 0; round < 5; round++) {
    const target = await memberAccount(instance, home, 'member')
    const link = await resetOf(owner, target)
    const promotion = await made(operator, '/operators/invitations', { email: target.email })
    const thief = browserSession(instance.url)
    const [stolen, promoted] = await Promise.all([
      thief.call<PortalSession>('POST', '/auth/links/use', { token: tokenOf(link), password: `stolen ${PASSWORD}` }),
      accept(target, promotion),
    ])
    expect([stolen.code, promoted.code].filter((code) => code === 'SUCCESS')).toHaveLength(1)
    expect((await thief.session()).isOperator).toBe(false)
  }
})
