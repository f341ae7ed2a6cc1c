/** Sends mails by SMTP_URL. A one-time link that cannot be sent does not fail the request that asked for it. */
import { createTransport } from 'nodemailer'
import { isLoopback } from '../../multi-host-url.ts'
import { type MailText, mailOf } from './mail-texts.ts'

export type ComposedMail = {
  to: string
  subject: string
  text: string
  html: string
  headers?: Readonly<Record<string, string>>
  /** Shown in the HTML by `cid:` and their name. */
  pictures?: readonly { name: string; png: Uint8Array }[]
}

export type Mail = {
  /** Returns at once; the mail is sent afterwards. */
  send(to: string, text: MailText): void
  /** @returns what the mail server answered @throws Error as nodemailer describes it (NodemailerError) */
  deliver(mail: ComposedMail): Promise<string>
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
      // message content must never be read from a file or URL
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  )
  const sending = new Set<Promise<unknown>>()

  async function deliver({ to, headers = {}, pictures = [], ...content }: ComposedMail): Promise<string> {
    const sent = transport.sendMail({
      ...content,
      // an object, since a text could be read as a list of addresses
      to: { name: '', address: to },
      headers,
      attachments: pictures.map(({ name, png }) => ({
        filename: `${name}.png`,
        contentType: 'image/png',
        content: Buffer.from(png),
        cid: name,
        contentDisposition: 'inline' as const,
      })),
    })
    sending.add(sent)
    try {
      return (await sent).response
    } finally {
      sending.delete(sent)
    }
  }

  return {
    deliver,
    send(to, text) {
      deliver({ to, ...mailOf(text) }).catch(onError)
    },
    async stop() {
      await Promise.allSettled(sending)
      transport.close()
    },
  }
}
