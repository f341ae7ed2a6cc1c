/** Mail over TLS, from the beginning and by STARTTLS: certificates of a test CA are accepted, others get no mail. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { createInstance, type Instance } from '../../support/server/instance.ts'
import { type Certificate, type Certificates, makeCertificates } from '../../support/stores/certificates.ts'
import { freePort } from '../../support/stores/postgres.ts'
import { until } from '../../support/until.ts'

const USER = 'groundwave'
const PASSWORD = 'very-secret'
const home = mkdtempSync(join(tmpdir(), 'groundwave-mail-tls-'))
type Mail = { to: string[]; isSecure: boolean; user: string }
type Smtp = { mails: Mail[]; passwords: string[]; close(): Promise<void> }

let certificates: Certificates
let instance: Instance | undefined
const servers: Smtp[] = []

/**
 * @param certificate undefined for a server without TLS
 * @param secure TLS from the first byte; otherwise the client requests it with STARTTLS
 */
async function startSmtp(certificate: Certificate | undefined, secure: boolean, port: number): Promise<Smtp> {
  const mails: Mail[] = []
  const passwords: string[] = []
  const server = new SMTPServer({
    ...(certificate === undefined
      ? { disabledCommands: ['STARTTLS'], authOptional: true, allowInsecureAuth: true }
      : { secure, cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) }),
    onAuth({ username, password }, _session, callback) {
      passwords.push(password ?? '')
      if (username === USER && password === PASSWORD) callback(null, { user: username })
      else callback(new Error('wrong password'))
    },
    onData(stream, session, callback) {
      stream.resume()
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        mails.push({ to, isSecure: session.secure, user: String(session.user) })
        callback()
      })
    },
  })
  // a client that rejects the certificate ends its connection
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  const smtp = { mails, passwords, close: () => new Promise<void>((resolve) => server.close(() => resolve())) }
  servers.push(smtp)
  return smtp
}

const ADDRESS = 'member@example.org'

/** Starts a server that sends by `smtpUrl`. */
async function start(smtpUrl: string): Promise<Instance> {
  await instance?.remove()
  instance = await createInstance({
    SMTP_URL: smtpUrl,
    PUBLIC_URL: 'https://gis.example.org',
    NODE_EXTRA_CA_CERTS: certificates.ca,
  })
  return instance
}

/** Invites somebody on the server that was started last. */
async function invite(): Promise<void> {
  if (instance === undefined) throw new Error('no server')
  const { id } = await instance.organization()
  const made = await instance.manage('POST', `/enterprises/${id}/invitations`, { email: ADDRESS, role: 'member' })
  expect(made).toMatchObject({ isMailed: true })
}
const urlOf = (scheme: string, port: number): string => `${scheme}://${USER}:${PASSWORD}@127.0.0.1:${port}`

beforeAll(() => {
  certificates = makeCertificates(home)
})
afterAll(async () => {
  await instance?.remove()
  for (const { close } of servers) await close()
  rmSync(home, { recursive: true, force: true })
}, 120_000)

for (const [scheme, secure] of [
  ['smtps', true],
  ['smtp', false],
] as const)
  test(`${secure ? 'TLS' : 'STARTTLS'}: neither a mail nor the password is sent with a wrong certificate, and a mail with one of the CA in NODE_EXTRA_CA_CERTS`, async () => {
    const port = await freePort()
    const url = urlOf(scheme, port)
    const { log } = await start(url)
    // one server after the other at the same address
    for (const name of ['expired', 'otherName', 'foreign'] as const) {
      const smtp = await startSmtp(certificates[name], secure, port)
      const begin = Buffer.byteLength(log())
      await invite()
      await until(() => /"msg":"a mail could not be sent/.test(log(begin)), `the failure in the log: ${name}`)
      expect([smtp.mails, smtp.passwords]).toEqual([[], []])
      expect(log()).not.toContain(PASSWORD)
      expect(log(begin)).toMatch(/certificate|altname|CERT_|self.signed/i)
      await smtp.close()
    }
    const smtp = await startSmtp(certificates.good, secure, port)
    await invite()
    await until(() => smtp.mails.length > 0, 'the mail')
    expect(smtp.mails).toEqual([{ to: [ADDRESS], isSecure: true, user: USER }])
  }, 240_000)

test('a password is sent without TLS within the machine only; mail without a password is also sent to other machines', async () => {
  const port = await freePort()
  const smtp = await startSmtp(undefined, false, port)
  // an address that does not look local, although it is
  const elsewhere = `0.0.0.0:${port}`
  // the URL cannot turn off TLS either, nor could a man in the middle
  for (const query of ['', '?requireTLS=false', '?ignoreTLS=true&opportunisticTLS=true']) {
    const { log } = await start(`smtp://${USER}:${PASSWORD}@${elsewhere}${query}`)
    await invite()
    await until(() => /"msg":"a mail could not be sent/.test(log()), 'the failure in the log')
    expect([smtp.mails, smtp.passwords]).toEqual([[], []])
    expect(log()).toMatch(/STARTTLS/)
    expect(log()).not.toContain(PASSWORD)
  }
  await start(`smtp://${elsewhere}`)
  await invite()
  await until(() => smtp.mails.length === 1, 'the mail without a password')
  await start(urlOf('smtp', port))
  await invite()
  await until(() => smtp.mails.length === 2, 'the mail within the machine')
  expect(smtp.mails).toEqual([
    { to: [ADDRESS], isSecure: false, user: 'undefined' },
    { to: [ADDRESS], isSecure: false, user: USER },
  ])
}, 240_000)
