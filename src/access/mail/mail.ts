/** Sends one-time links by mail (SMTP_URL). A mail that cannot be sent does not fail the request that asked for it. */
import { createTransport } from 'nodemailer'
import { isLoopback } from '../../multi-host-url.ts'
import { type MailText, mailOf } from './mail-texts.ts'

export type Mail = {
  /** Returns at once; the mail is sent afterwards. */
  send(to: string, text: MailText): void
  /** Resolves when all pending mails are sent or have failed. */
  stop(): Promise<void>
}

export type MailOptions = {
  smtpUrl: string
  from: string
  onError(error: unknown): void
}

const TIMEOUT_MS = 20_000
/** Maximum number of connections to the mail server; further mails wait. */
const CONNECTIONS = 2

/**
 * Without STARTTLS, a password would be readable on the network, also when a man in the middle strips the server's
 * offer of it. So the mail is then not sent, regardless of the URL.
 */
function protectedUrl(smtpUrl: string): string {
  const url = new URL(smtpUrl)
  if (url.protocol === 'smtp:' && url.password !== '' && !isLoopback(url.hostname))
    url.searchParams.set('requireTLS', 'true')
  return url.href
}

export function createMail({ smtpUrl, from, onError }: MailOptions): Mail {
  const transport = createTransport(
    {
      url: protectedUrl(smtpUrl),
      pool: true,
      maxConnections: CONNECTIONS,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      // mails have no attachments, and message content must never be read from a file or URL
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  )
  const sending = new Set<Promise<unknown>>()
  return {
    send(to, text) {
      // an object, since a text could be read as a list of addresses
      const mail = { to: { name: '', address: to }, ...mailOf(text) }
      const sent: Promise<unknown> = transport
        .sendMail(mail)
        .catch(onError)
        .finally(() => sending.delete(sent))
      sending.add(sent)
    },
    async stop() {
      await Promise.all(sending)
      transport.close()
    },
  }
}
