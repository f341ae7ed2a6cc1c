/** Requests that change something need the token of their session, and a page of this server. */
import { expect, test } from 'bun:test'
import { A, G, M } from '../../support/role-policy.ts'
import { ownedThings } from '../../support/server/owned-things.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { callAs, cookieOf, memberAccount } from '../../support/sessions.ts'

const instance = await sharedInstance()
const home = (await ownedThings(instance).enterprise()).id
const owner = await memberAccount(instance, home, 'owner')

async function send(method: string, path: string, headers: Record<string, string>): Promise<string> {
  const body = method === 'GET' ? {} : { body: JSON.stringify({ name: 'Forged' }) }
  const all = { cookie: cookieOf(owner), 'x-enterprise': home, 'content-type': 'application/json', ...headers }
  const response = await fetch(instance.url() + path, { method, headers: all, ...body })
  return `${response.status} ${((await response.json()) as { code: string }).code}`
}

const writes: [string, string][] = [
  ['PATCH', `${M}/enterprises/`],
  ['DELETE', `${M}/enterprises/`],
  ['POST', `${M}/owners/`],
  ['POST', `${A}/rules`],
  ['POST', `${G}/convert-coordinates`],
  ['DELETE', `${G}/files/fil_1`],
]
writes.push(['POST', '/auth/sign-out'], ['PATCH', '/auth/account'], ['POST', '/auth/password'])
const pathOf = (path: string): string =>
  path.endsWith('/owners/') ? `${path}${home}/layers` : path.endsWith('/') ? path + home : path

test('a change without the token, or with another one, is refused on every surface', async () => {
  const wrong: Record<string, string>[] = [
    {},
    { 'x-csrf-token': '' },
    { 'x-csrf-token': 'token-0' },
    { 'x-csrf-token': `${owner.csrfToken}x` },
    { 'x-csrf-token': owner.csrfToken.slice(0, -1) },
  ]
  for (const [method, path] of writes)
    for (const headers of wrong)
      expect([method, path, await send(method, pathOf(path), headers)]).toEqual([
        method,
        path,
        '403 CSRF_TOKEN_INVALID',
      ])
  expect((await instance.manage<{ name: string }>('GET', `/enterprises/${home}`)).name).toBe('Other')
})

test('a page of another site cannot change anything, even with the token', async () => {
  const token = { 'x-csrf-token': owner.csrfToken }
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `${instance.url().replace('127.0.0.1', 'localhost')}` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: instance.url() },
  ]
  for (const headers of foreign)
    expect([headers, await send('PATCH', `${M}/enterprises/${home}`, { ...token, ...headers })]).toEqual([
      headers,
      '403 CSRF_TOKEN_INVALID',
    ])
  const own: Record<string, string>[] = [
    {},
    { origin: instance.url() },
    { 'sec-fetch-site': 'same-origin', origin: 'https://behind-a-proxy.example' },
    { 'sec-fetch-site': 'none' },
  ]
  for (const headers of own)
    expect([headers, await send('PATCH', `${M}/enterprises/${home}`, { ...token, ...headers })]).toEqual([
      headers,
      '200 SUCCESS',
    ])
})

test('reading needs no token, and neither does a key', async () => {
  expect(await send('GET', `${M}/enterprises/${home}`, {})).toBe('200 SUCCESS')
  const operator = { authorization: `Bearer ${instance.operatorToken()}`, origin: 'https://elsewhere.example' }
  expect(await send('PATCH', `${M}/enterprises/${home}`, operator)).toBe('200 SUCCESS')
  const { status } = await callAs(instance.url(), owner, 'HEAD', `${M}/enterprises/${home}`)
  expect(status).toBe(200)
})
