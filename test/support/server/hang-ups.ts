/** POST requests over separate connections, whose callers disconnect at different moments. */
import { connect } from 'node:net'
import { type Random, whole } from '../random.ts'

export const HANG_UPS = [
  'before the end of the body',
  'after the body',
  'half-close',
  'reset',
  'during the answer',
] as const
export type HangUp = (typeof HANG_UPS)[number]

export type RawRequest = { path: string; headers: Record<string, string>; body: Uint8Array }

/** Callers disconnect within this time after the body, mostly early: small calls take a few milliseconds. */
const LONGEST_MS = 100
const anyMoment = (random: Random): Promise<void> => Bun.sleep(LONGEST_MS * random() ** 3)

/** @returns the status and the received part of the answer, which is empty if none began to arrive */
export async function hangUp(
  port: number,
  { path, headers, body }: RawRequest,
  kind: HangUp,
  random: Random,
): Promise<{ status: number | undefined; text: string }> {
  const socket = connect(port, '127.0.0.1')
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const answered = new Promise((resolve) => socket.once('data', resolve))
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  // the server may close the connection first
  socket.on('error', () => undefined)
  const lines = Object.entries({ host: 'localhost', ...headers, 'content-length': body.length })
  const head = `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n`
  const sent = kind === 'before the end of the body' ? body.subarray(0, whole(random, body.length)) : body
  await new Promise((resolve) => socket.write(Buffer.concat([Buffer.from(head), sent]), resolve))
  if (kind === 'half-close') socket.end()
  else if (kind === 'during the answer') await Promise.race([answered, closed])
  else await anyMoment(random)
  if (kind === 'reset') socket.resetAndDestroy()
  else if (kind !== 'half-close') socket.destroy()
  await closed
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]
  return { status: status === undefined ? undefined : Number(status), text }
}
