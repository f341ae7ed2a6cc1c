/** Answers in progress end with the right of their caller, within a second, and other answers continue. */
import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { AppError, type Code } from '../../../src/errors.ts'
import { checkLongAnswers, whileAllowed } from '../../../src/http/long-answers.ts'
import { hold } from '../../../src/http/request-context.ts'
import { keyOf } from '../../support/personal-keys.ts'
import type { Organization } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import {
  type Account,
  callAs,
  cookieOf,
  memberAccount,
  operatorAccount,
  PASSWORD,
  personAccount,
} from '../../support/sessions.ts'
import { withSql } from '../../support/stores/with-sql.ts'
import { until } from '../../support/until.ts'

const instance = await sharedInstance()
const bystanders = await instance.organization()
const bystander = await memberAccount(instance, bystanders.id, 'member')
/** It takes milliseconds where nothing else runs; nothing else would end a stream before its first heartbeat. */
const WITHIN_MS = 10_000

type Answer = { ended(): boolean; leave(): void }

async function stream(headers: Record<string, string>): Promise<Answer> {
  const leaving = new AbortController()
  const path = '/enterprise/v1/assets/stream?topics=states'
  const response = await fetch(instance.url() + path, { headers, signal: leaving.signal })
  expect(response.status).toBe(200)
  let hasEnded = false
  // disconnecting ends it with an error
  const reading = response.text().catch(() => undefined)
  void reading.finally(() => {
    hasEnded = true
  })
  return { ended: () => hasEnded, leave: () => leaving.abort() }
}
const streamAs = (account: Account, enterprise: string): Promise<Answer> =>
  stream({ cookie: cookieOf(account), 'x-enterprise': enterprise })
const streamWith = ({ publicKey, secretKey }: { publicKey: string; secretKey: string }): Promise<Answer> =>
  stream({ 'x-api-key': publicKey, 'x-api-secret': secretKey })

/** Ends the given stream, but neither other streams in the enterprise nor streams of another enterprise. */
async function endsOnly(answer: Answer, others: readonly Answer[], change: () => Promise<unknown>): Promise<void> {
  await change()
  const changedMs = performance.now()
  await until(answer.ended, 'the end of the stream')
  expect(performance.now() - changedMs).toBeLessThan(WITHIN_MS)
  expect(others.map((one) => one.ended())).toEqual(others.map(() => false))
  for (const one of others) one.leave()
}

const bystandersStreams = async (organization?: Organization): Promise<Answer[]> => [
  await streamWith(bystanders),
  await streamAs(bystander, bystanders.id),
  ...(organization === undefined ? [] : [await streamWith(organization)]),
]

describe('the stream of a session', () => {
  const auth = (account: Account, path: string, body: object = {}) =>
    callAs(instance.url(), account, 'POST', `/auth/${path}`, { body })
  type Case = [string, (account: Account, enterprise: string) => Promise<unknown>]
  const ofMember: Case[] = [
    ['sign-out', (account) => auth(account, 'sign-out')],
    ['sign-out everywhere', (account) => auth(account, 'sign-out-everywhere')],
    ['a new password', (account) => auth(account, 'password', { currentPassword: PASSWORD, password: `${PASSWORD}!` })],
    [
      'the end of this session in the list',
      async (account) => {
        const list = await callAs<{ items: { id: string }[] }>(instance.url(), account, 'GET', '/auth/sessions')
        return callAs(instance.url(), account, 'DELETE', `/auth/sessions/${list.data.items[0]?.id}`)
      },
    ],
    [
      'removal of the member',
      (account, enterprise) => instance.manage('DELETE', `/members/${account.memberIds[enterprise]}`),
    ],
    [
      'another role',
      (account, enterprise) => instance.manage('PATCH', `/members/${account.memberIds[enterprise]}`, { role: 'admin' }),
    ],
  ]
  test.each(ofMember)('ends with %s', async (_, change) => {
    const organization = await instance.organization()
    const account = await memberAccount(instance, organization.id, 'member')
    const [own, others] = [await streamAs(account, organization.id), await bystandersStreams(organization)]
    await endsOnly(own, others, () => change(account, organization.id))
  })

  test('ends with the removal of an operator', async () => {
    const organization = await instance.organization()
    await operatorAccount(instance)
    const operator = await operatorAccount(instance)
    const { account } = await operator.browser.session()
    const [own, others] = [await streamAs(operator, organization.id), await bystandersStreams(organization)]
    await endsOnly(own, others, () => instance.manage('DELETE', `/operators/${account?.id}`))
  })

  test('survives changes that affect no right', async () => {
    const organization = await instance.organization()
    const account = await memberAccount(instance, organization.id, 'member')
    const own = await streamAs(account, organization.id)
    const body = { preferences: { theme: 'dark' } }
    expect((await callAs(instance.url(), account, 'PATCH', '/auth/account', { body })).status).toBe(200)
    await instance.manage('POST', `/enterprises/${organization.id}/members`, {
      email: 'new@example.org',
      role: 'member',
    })
    const left = await memberAccount(instance, organization.id, 'member')
    await endsOnly(await streamAs(left, organization.id), [own, ...(await bystandersStreams())], () =>
      auth(left, 'sign-out'),
    )
  })
})

describe('the stream of a key', () => {
  type Key = { applicationId: string; keyId: string; enterprise: string }
  type Case = [string, (key: Key) => Promise<unknown>]
  test.each<Case>([
    [
      'its revocation',
      ({ applicationId, keyId }) => instance.manage('DELETE', `/applications/${applicationId}/keys/${keyId}`),
    ],
    [
      'the deletion of its application',
      ({ applicationId }) => instance.manage('DELETE', `/applications/${applicationId}`),
    ],
    [
      'the loss of its grant',
      ({ applicationId }) => instance.manage('PATCH', `/applications/${applicationId}`, { assets: false }),
    ],
  ])('ends with %s', async (_, change) => {
    const organization = await instance.organization()
    const application = await instance.manage<{
      id: string
      keys: { id: string }[]
      publicKey: string
      secretKey: string
    }>('POST', `/enterprises/${organization.id}/applications`, { name: 'other', tools: [], assets: true })
    const key = { applicationId: application.id, keyId: application.keys[0]?.id ?? '', enterprise: organization.id }
    const [own, others] = [await streamWith(application), await bystandersStreams(organization)]
    await endsOnly(own, others, () => change(key))
  })

  test('ends when the key expires', async () => {
    const organization = await instance.organization()
    const [application] = (
      await instance.manage<{ items: { id: string }[] }>('GET', `/enterprises/${organization.id}/applications`)
    ).items
    const expiresMs = Date.now() + 1_500
    const body = { expiresAt: new Date(expiresMs).toISOString() }
    const key = await instance.manage<{ publicKey: string; secretKey: string }>(
      'POST',
      `/applications/${application?.id}/keys`,
      body,
    )
    const [own, others] = [await streamWith(key), await bystandersStreams(organization)]
    await endsOnly(own, others, () => until(() => Date.now() >= expiresMs, 'the end of the key'))
  })

  test.each([
    ['suspension', { status: 'suspended' }],
    ['a hold', { assetsHeld: true }],
  ])('ends with %s of the enterprise', async (_, change) => {
    const organization = await instance.organization()
    const own = await streamWith(organization)
    await endsOnly(own, await bystandersStreams(), () =>
      instance.manage('PATCH', `/enterprises/${organization.id}`, change),
    )
  })
})

/** Requests a file, reads none of it until released, and then slowly: the server may notice a change within the pauses. */
function slowDownload(path: string, headers: Record<string, string>) {
  const begun = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  let bytes = 0
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(instance.port(), '127.0.0.1', () =>
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines.join('')}\r\n`),
  )
  socket.on('data', (data) => {
    socket.pause()
    if (bytes > 0) setTimeout(() => socket.resume(), 2)
    bytes += data.length
    begun.resolve()
  })
  // a broken transfer
  socket.on('error', () => undefined)
  socket.on('close', () => closed.resolve())
  return {
    begun: begun.promise,
    async rest(): Promise<number> {
      socket.resume()
      await closed.promise
      return bytes
    },
  }
}

describe('a download that is still being read', () => {
  const BYTES = 24 * 2 ** 20
  /** The path of a file of the person. */
  async function fileOf(person: Account & { personId: string }): Promise<string> {
    const owned = `/manage/v1/owners/${person.personId}/files`
    const body = new FormData()
    body.append('file', new Blob(['a,b\n', Buffer.alloc(BYTES, '1,2\n')]), 'table.csv')
    const { data } = await callAs<{ id: string }>(instance.url(), person, 'POST', owned, { body })
    await instance.manage('PATCH', `/owners/${person.personId}/files/${data.id}`, { scanStatus: 'clean' })
    return `${owned}/${data.id}/versions/1/content`
  }

  test('ends with its session, and is complete with another session', async () => {
    const person = await personAccount(instance)
    const path = await fileOf(person)
    const signedIn = await person.browser.call('POST', '/auth/sign-in', { email: person.email, password: PASSWORD })
    expect(signedIn.code).toBe('SUCCESS')
    const [ended, whole] = [
      slowDownload(path, { cookie: cookieOf(person) }),
      slowDownload(path, { authorization: `Bearer ${instance.operatorToken()}` }),
    ]
    await Promise.all([ended.begun, whole.begun])
    await person.browser.call('POST', '/auth/sign-out', {})
    expect((await fetch(instance.url() + path, { headers: { cookie: cookieOf(person) } })).status).toBe(401)
    expect(await ended.rest()).toBeLessThan(BYTES)
    expect(await whole.rest()).toBeGreaterThan(BYTES)
  })

  test('ends with its personal key, and with another key is complete and counted once', async () => {
    const person = await personAccount(instance)
    const path = await fileOf(person)
    const [gone, kept] = [
      await keyOf(instance, { id: person.personId }),
      await keyOf(instance, { id: person.personId }),
    ] as const
    const [ended, whole] = [gone, kept].map(({ key }) => slowDownload(path, { authorization: `Bearer ${key}` })) as [
      ReturnType<typeof slowDownload>,
      ReturnType<typeof slowDownload>,
    ]
    await Promise.all([ended.begun, whole.begun])
    await instance.manage('DELETE', `/people/${person.personId}/api-keys/${gone.id}`)
    expect(await ended.rest()).toBeLessThan(BYTES)
    expect(await whole.rest()).toBeGreaterThan(BYTES)
    const [row] = await withSql(
      instance,
      (sql) => sql`SELECT sum(used)::integer AS used FROM api_request_days WHERE owner_id = ${person.personId}`,
    )
    expect(row.used).toBe(2)
  })
})

test('a check beyond the rate limit ends nothing, and a refusal ends the answer', async () => {
  const request = new Request('http://localhost/')
  let code: Code = 'RATE_LIMITED'
  let checks = 0
  hold(request, { as: 'app_1', ids: ['app_1'], expiresMs: Number.POSITIVE_INFINITY }, async () => {
    checks++
    throw new AppError(code)
  })
  let source: ReadableStreamDefaultController<Uint8Array> | undefined
  const reader = whileAllowed(
    request,
    new ReadableStream<Uint8Array>({
      start(controller) {
        source = controller
      },
    }),
  ).getReader()
  const one = reader.read()
  checkLongAnswers(['app_1'])
  await until(() => checks > 0, 'the check')
  source?.enqueue(Buffer.from('one'))
  expect(Buffer.from((await one).value ?? []).toString()).toBe('one')
  code = 'API_KEY_INVALID'
  // the failed check is repeated
  await expect(reader.read()).rejects.toThrow('may not have the rest')
  expect(checks).toBe(2)
})
