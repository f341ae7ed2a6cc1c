/** Links by mail, against a real SMTP server: invitations, resets and sign-ups that anybody can request. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SMTPServer } from 'smtp-server'
import { browserSession, type PortalSession, tokenOf } from '../../support/browser/browser-session.ts'
import { createInstance, type Instance } from '../../support/server/instance.ts'
import { memberAccount } from '../../support/sessions.ts'
import { freePort } from '../../support/stores/postgres.ts'
import { until } from '../../support/until.ts'

const PASSWORD = 'correct horse battery'
const PUBLIC_URL = 'https://gis.example.org'
type Received = { to: string[]; text: string }
const mails: Received[] = []
let smtp: SMTPServer
let env: Record<string, string>
let instance: Instance

const open = () => browserSession(() => instance.url())

beforeAll(async () => {
  const port = await freePort()
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, callback) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        mails.push({ to, text: Buffer.concat(parts).toString() })
        callback()
      })
    },
  })
  await new Promise<void>((resolve) => smtp.listen(port, '127.0.0.1', () => resolve()))
  env = { SMTP_URL: `smtp://127.0.0.1:${port}`, PUBLIC_URL, SIGN_UP: 'open', SIGN_INS_PER_ADDRESS: '100000' }
  instance = await createInstance(env)
}, 120_000)
afterAll(async () => {
  await instance?.remove()
  await new Promise<void>((resolve) => smtp.close(() => resolve()))
})

function unquoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** The text of a MIME part (RFC 2045), decoded. */
function partOf(mail: string, type: string): string {
  const [, headers = '', body = ''] =
    new RegExp(`content-type: ${type}([^]*?)\\r\\n\\r\\n([^]*?)(?:\\r\\n--|$)`, 'i').exec(mail) ?? []
  if (/quoted-printable/i.test(headers)) return unquoted(body.replace(/=\r\n/g, ''))
  return /base64/i.test(headers) ? Buffer.from(body, 'base64').toString() : body
}

async function mailTo(address: string, count = 1): Promise<{ text: string; html: string; token: string; raw: string }> {
  const own = () => mails.filter(({ to }) => to.includes(address))
  await until(() => own().length >= count, `a mail to ${address}`)
  const raw = own().at(-1)?.text ?? ''
  const text = partOf(raw, 'text/plain')
  const token = /https:\/\/gis\.example\.org\/portal\/welcome\/([\w-]{43})/.exec(text)?.[1] ?? ''
  return { text, html: partOf(raw, 'text/html'), token, raw }
}

test('an invitation is sent in both languages, with the shown link and without remote content', async () => {
  const name = 'Amal <b>&\r\nBcc: eve@example.org\u202e'
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name, tier: 'business' })
  const made = await instance.manage<{ path: string; isMailed: boolean }>('POST', `/enterprises/${id}/invitations`, {
    email: 'Invited@Example.org',
    role: 'member',
  })
  expect(made.isMailed).toBe(true)
  const { text, html, token, raw } = await mailTo('invited@example.org')
  expect(token).toBe(tokenOf(made))
  expect(text).toContain('You were invited to “Amal <b>& Bcc: eve@ example. org” on Groundwave.')
  expect(text).toContain('دُعيت إلى')
  expect(html).toContain('Amal &#60;b&#62;&#38; Bcc')
  expect(html).not.toMatch(/src=|url\(|<link|<script|<b>/i)
  expect(raw).not.toMatch(/^bcc:/im)
  expect(mails.some(({ to }) => to.includes('eve@example.org'))).toBe(false)
  expect(raw).toMatch(/^From: Groundwave <no-reply@gis\.example\.org>/m)
})

test('a name makes no link in a mail: not in the subject, the text or the HTML', async () => {
  const name =
    'Locked, go to https://evil.example/reset www.evil.example eve@evil.example evil．example evil。example ftp:x'
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name, tier: 'business' })
  const email = 'named@example.org'
  await instance.manage('POST', `/enterprises/${id}/invitations`, { email, role: 'member' })
  const { text, html, raw } = await mailTo(email)
  const [, encoded = ''] = /^subject: (.*(?:\r\n .*)*)/im.exec(raw) ?? []
  const subject = encoded
    .replace(/\?=\s+=\?UTF-8\?Q\?/gi, '')
    .replace(/=\?UTF-8\?Q\?(.*?)\?=/gis, (_, words: string) => unquoted(words.replaceAll('_', ' ')))
  const link = /https:\/\/gis\.example\.org\/portal\/welcome\/[\w-]{43}/g
  for (const shown of [subject, text.replace(link, ''), html.replace(link, '').replace(/<[^>]*>/g, ' ')]) {
    expect(shown).toContain('Locked, go to https: //evil. example')
    expect(shown).not.toMatch(/[.．。:@](?=[^\s”])/u)
  }
  expect(html.match(/href="/g)).toHaveLength(2)
})

test('mails to one address are limited, also for links made by different accounts; the link is still made', async () => {
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Flood', tier: 'business' })
  const email = 'flooded-by-owner@example.org'
  const mailed = []
  for (let i = 0; i < 8; i++) {
    const path = i % 2 === 0 ? `/enterprises/${id}/invitations` : '/operators/invitations'
    const body = i % 2 === 0 ? { email, role: 'member' } : { email }
    const made = await instance.manage<{ path: string; isMailed: boolean }>('POST', path, body)
    expect(tokenOf(made)).toHaveLength(43)
    mailed.push(made.isMailed)
  }
  expect(mailed).toEqual([...Array<boolean>(5).fill(true), ...Array<boolean>(3).fill(false)])
  await mailTo(email, 5)
  expect(mails.filter(({ to }) => to.includes(email))).toHaveLength(5)
})

test('a sign-up creates a person on the plan free, with a confirmed address', async () => {
  const browser = open()
  expect((await browser.session()).signUp).toBe('open')
  expect(await browser.call('POST', '/auth/sign-up', { email: 'New@example.org' })).toMatchObject({
    code: 'SUCCESS',
    data: {},
  })
  const { token } = await mailTo('new@example.org')
  const { code, data } = await browser.call<PortalSession>('POST', '/auth/links/use', {
    token,
    name: 'New',
    password: PASSWORD,
  })
  expect([token.length, code]).toEqual([43, 'SUCCESS'])
  const person = await instance.manage<{ email: string; plan: string }>('GET', `/people/${data.personId}`)
  expect(person).toMatchObject({ email: 'new@example.org', plan: 'free' })
})

test('only the mail shows whether an address has an account', async () => {
  const answers = []
  for (const [path, email] of [
    ['/auth/reset-links', 'new@example.org'],
    ['/auth/reset-links', 'nobody@example.org'],
    ['/auth/sign-up', 'new@example.org'],
    ['/auth/sign-up', 'other@example.org'],
  ] as const) {
    const { code, message, statusCode, data } = await open().call('POST', path, { email })
    answers.push({ code, message, statusCode, data })
  }
  for (const answer of answers) expect(answer).toEqual(answers[0] as (typeof answers)[0])
  await mailTo('other@example.org')
  // mails are sent concurrently
  await mailTo('new@example.org', 3)
  const texts = mails.filter(({ to }) => to.includes('new@example.org')).map(({ text }) => partOf(text, 'text/plain'))
  expect(texts.filter((text) => text.includes('has one already'))).toHaveLength(1)
  expect(mails.some(({ to }) => to.includes('nobody@example.org'))).toBe(false)
})

test('a reset by mail', async () => {
  const before = mails.filter(({ to }) => to.includes('new@example.org')).length
  await open().call('POST', '/auth/reset-links', { email: 'NEW@example.org' })
  const { token } = await mailTo('new@example.org', before + 1)
  const browser = open()
  await browser.call('POST', '/auth/links/use', { token, password: 'another long one' })
  expect((await browser.session()).account?.email).toBe('new@example.org')
})

test('a forged Host does not reach a mail', async () => {
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Hosts', tier: 'business' })
  const { email } = await memberAccount(instance, id, 'member')
  const forged = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    forwarded: 'host=evil.example',
  }
  const before = mails.filter(({ to }) => to.includes(email)).length
  await fetch(`${instance.url()}/auth/reset-links`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...forged },
    body: JSON.stringify({ email }),
  })
  const { token, text, html } = await mailTo(email, before + 1)
  expect(token).not.toBe('')
  expect(text + html).not.toContain('evil.example')
})

test('mails to one address are limited, known or not, and malformed addresses are named', async () => {
  for (const email of ['new@example.org', 'flooded@example.org']) {
    const codes = []
    for (let i = 0; i < 7; i++) codes.push((await open().call('POST', '/auth/reset-links', { email })).code)
    expect(codes.at(-1)).toBe('SIGN_IN_LIMITED')
  }
  for (const email of [
    'a@b@c.org',
    'a b@example.org',
    'a,b@example.org',
    '"a"@example.org',
    'a@exa mple.org',
    '@example.org',
  ])
    expect(await open().call('POST', '/auth/reset-links', { email })).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ field: 'body.email' }],
    })
})

let signUpToken = ''
test('a mail server that fails changes no answer', async () => {
  await open().call('POST', '/auth/sign-up', { email: 'late@example.org' })
  signUpToken = (await mailTo('late@example.org')).token
  await instance.kill('SIGTERM')
  await instance.restart({ SMTP_URL: `smtp://127.0.0.1:${await freePort()}` })
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Down', tier: 'business' })
  await instance.manage('POST', `/enterprises/${id}/invitations`, { email: 'down@example.org', role: 'member' })
  await until(() => instance.log().includes('a mail could not be sent'), 'the log line')
}, 60_000)

test('without mail, links are only shown, and sign-up is closed, also for links made earlier', async () => {
  await instance.kill('SIGTERM')
  await instance.restart({ SMTP_URL: '', SIGN_UP: 'closed' })
  expect(await open().session()).toMatchObject({ mail: false, signUp: 'closed' })
  const late = await open().call('POST', '/auth/links/use', { token: signUpToken, name: 'Late', password: PASSWORD })
  expect(late.code).toBe('LINK_INVALID')
  const ask = (path: string) => open().call('POST', path, { email: 'new@example.org' })
  expect((await ask('/auth/reset-links')).code).toBe('MAIL_UNAVAILABLE')
  expect((await ask('/auth/sign-up')).code).toBe('SIGN_UP_CLOSED')
}, 60_000)
