/** A real SMTP server on this machine, and a reader of MIME (RFC 2045 to 2047) that shares nothing with the sender. */
import { SMTPServer } from 'smtp-server'
import { freePort } from '../stores/postgres.ts'

export type Part = { headers: Map<string, string>; body: Buffer }
export type ReceivedMail = { to: string[]; raw: string; headers: Map<string, string>; subject: string; parts: Part[] }
export type MailServer = {
  url: string
  mails: ReceivedMail[]
  /** Answers a recipient with a code; undefined accepts. */
  refuse: (address: string) => number | undefined
  /** Answers the content of a mail with a code; undefined takes it. */
  refuseContent: () => number | undefined
  close(): Promise<void>
}

export async function openMailServer(): Promise<MailServer> {
  const port = await freePort()
  const server: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    mails: [],
    refuse: () => undefined,
    refuseContent: () => undefined,
    close: () => new Promise((resolve) => smtp.close(() => resolve())),
  }
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, callback) {
      const code = server.refuse(address)
      callback(code === undefined ? null : Object.assign(new Error('no such mailbox'), { responseCode: code }))
    },
    onData(stream, session, callback) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const code = server.refuseContent()
        if (code !== undefined) return callback(Object.assign(new Error('not now'), { responseCode: code }))
        const to = session.envelope.rcptTo.map(({ address }) => address)
        server.mails.push({ to, ...readMail(Buffer.concat(parts).toString('latin1')) })
        callback()
      })
    },
  })
  await new Promise<void>((resolve) => smtp.listen(port, '127.0.0.1', () => resolve()))
  return server
}

export function readMail(raw: string): Omit<ReceivedMail, 'to'> {
  const { headers, body } = split(raw)
  return { raw, headers, subject: decodedWords(headers.get('subject') ?? ''), parts: partsOf(headers, body) }
}

function split(text: string): { headers: Map<string, string>; body: string } {
  const end = text.indexOf('\r\n\r\n')
  const lines = text
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  return { headers, body: text.slice(end + 4) }
}

/** The leaves, in their order. */
function partsOf(headers: Map<string, string>, body: string): Part[] {
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get('content-type') ?? '')?.[1]
  if (boundary === undefined) return [{ headers, body: decoded(headers.get('content-transfer-encoding') ?? '', body) }]
  const pieces = body.split(`--${boundary}`).slice(1, -1)
  return pieces.flatMap((piece) => {
    const part = split(piece.replace(/^\r\n/, '').replace(/\r\n$/, ''))
    return partsOf(part.headers, part.body)
  })
}

function decoded(encoding: string, body: string): Buffer {
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64')
  if (!/quoted-printable/i.test(encoding)) return Buffer.from(body, 'latin1')
  const joined = body.replace(/=\r\n/g, '')
  return Buffer.from(
    joined.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}

const decodedWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([BQ])\?(.*?)\?=/gi, (_, form: string, word: string) =>
      form.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString()
        : decoded('quoted-printable', word.replaceAll('_', ' ')).toString(),
    )

/** The text of the first part of a type. */
export function textOf({ parts }: Pick<ReceivedMail, 'parts'>, type: string): string {
  const part = parts.find(({ headers }) => headers.get('content-type')?.startsWith(type))
  return part?.body.toString() ?? ''
}
