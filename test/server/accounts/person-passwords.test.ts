/** People whom the operator creates with a password sign in with it. */
import { expect, test } from 'bun:test'
import { browserSession } from '../../support/browser/browser-session.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'

const PASSWORD = 'correct horse battery'
type Person = { id: string; accountId: string | null }

const instance = await sharedInstance()

const open = () => browserSession(() => instance.url())
const create = (email: string, password?: string): Promise<Person> =>
  instance.manage('POST', '/people', { email, plan: 'pro', ...(password !== undefined && { password }) })

test('a person with a password has an account that owns the person’s records', async () => {
  const person = await create('Pat@Example.org', PASSWORD)
  expect(person.accountId).toMatch(/^acc_/)
  const browser = open()
  expect((await browser.call('POST', '/auth/sign-in', { email: 'pat@example.org', password: 'wrong one' })).code).toBe(
    'SIGN_IN_REFUSED',
  )
  const { data } = await browser.call('POST', '/auth/sign-in', { email: 'pat@example.org', password: PASSWORD })
  expect(data).toMatchObject({ account: { email: 'pat@example.org' }, personId: person.id, memberships: [] })
})

test('a person without a password has no account; setting one creates it', async () => {
  const person = await create('sam@example.org')
  expect(person.accountId).toBeNull()
  await instance.manage('PATCH', `/people/${person.id}`, { password: PASSWORD })
  const { data } = await open().call('POST', '/auth/sign-in', { email: 'sam@example.org', password: PASSWORD })
  expect(data).toMatchObject({ personId: person.id })
})

test('a new password ends the sessions of the account', async () => {
  const person = await create('kim@example.org', PASSWORD)
  const browser = open()
  await browser.call('POST', '/auth/sign-in', { email: 'kim@example.org', password: PASSWORD })
  await instance.manage('PATCH', `/people/${person.id}`, { password: 'another long one' })
  expect((await browser.session()).account).toBeNull()
  const refused = await open().call('POST', '/auth/sign-in', { email: 'kim@example.org', password: PASSWORD })
  expect(refused.code).toBe('SIGN_IN_REFUSED')
  const { data } = await open().call('POST', '/auth/sign-in', {
    email: 'kim@example.org',
    password: 'another long one',
  })
  expect(data).toMatchObject({ personId: person.id })
})

test('an address that belongs to another account is refused, and nothing is created', async () => {
  const { id } = await instance.organization()
  const { path } = await instance.manage<{ path: string }>('POST', `/enterprises/${id}/invitations`, {
    email: 'ann@example.org',
    role: 'member',
  })
  const token = path.split('/').at(-1) as string
  await open().call('POST', '/auth/links/use', { token, name: 'Ann', password: PASSWORD })
  const response = await fetch(`${instance.url()}/manage/v1/people`, {
    method: 'POST',
    headers: { authorization: `Bearer ${instance.operatorToken()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ann@example.org', plan: 'pro', password: 'another long one' }),
  })
  expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([409, 'CONFLICT'])
  const { items } = await instance.manage<{ items: { email: string }[] }>('GET', '/people')
  expect(items.map(({ email }) => email)).not.toContain('ann@example.org')
  const again = await open().call('POST', '/auth/sign-in', { email: 'ann@example.org', password: PASSWORD })
  expect(again.code).toBe('SUCCESS')
})

test('a password has 10 to 256 characters', async () => {
  await expect(create('short@example.org', 'ninechars')).rejects.toThrow('password')
})

test('the audit log shows that a password was set, and no hash', async () => {
  const person = await create('eve@example.org', PASSWORD)
  const { items } = await instance.manage<{ items: { subjectKind: string; action: string }[] }>(
    'GET',
    `/audit?subject=${person.accountId}`,
  )
  expect(items.map(({ subjectKind, action }) => `${action} ${subjectKind}`)).toContain('create account')
  expect(JSON.stringify(items)).not.toContain('assword"')
})
