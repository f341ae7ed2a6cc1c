/** Receivers of webhooks on sockets of this machine, and deliveries to them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { type Network, type Outcome, sendWebhook, type Webhook } from '../../../src/destinations/send.ts'
import { parseAllow } from '../../../src/destinations/targets.ts'
import { type Certificate, makeCertificates } from '../stores/certificates.ts'

export type Handle = (socket: Socket & { servername?: string | false | null }) => void

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
export const answered = (statusCode: number, answer: string) => ({ kind: 'answered', statusCode, answer })
export const failed = (reason: string) => ({ kind: 'failed', reason })

/** Answers once the first bytes of a request are there. */
export const answering =
  (text: string): Handle =>
  (socket) =>
    socket.once('data', () => socket.write(text))

const quiet =
  (handle: Handle): Handle =>
  (socket) => {
    // the sender ends connections as it likes
    socket.on('error', () => undefined)
    handle(socket)
    // a socket that nobody reads does not see its end
    socket.resume()
  }

/** A webhook that may go to loopback addresses. */
export const webhookTo = (url: string): Webhook => ({
  url,
  headers: {},
  body: Buffer.from('{}'),
  allow: parseAllow('127.0.0.0/8'),
  signal: new AbortController().signal,
})

export function openReceivers() {
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-receivers-'))
  const certificates = makeCertificates(dir)
  const ca = readFileSync(certificates.ca, 'utf8')
  const servers: Server[] = []

  async function listen(server: Server, host: string, port = 0): Promise<number> {
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(port, host, resolve))
    return (server.address() as { port: number }).port
  }

  return {
    certificates,
    /** @returns its port */
    receiver: (handle: Handle, host = '127.0.0.1', port = 0) => listen(createTcpServer(quiet(handle)), host, port),
    /** @returns its port */
    tlsReceiver({ cert, key }: Certificate, handle: Handle) {
      const server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, quiet(handle))
      server.on('tlsClientError', () => undefined)
      return listen(server, '127.0.0.1')
    },
    /** Every name is this machine, and the CA of the certificates is trusted. */
    send: (url: string, webhook: Partial<Webhook> = {}, network: Partial<Network> = {}): Promise<Outcome> =>
      sendWebhook(
        { ...webhookTo(url), ...webhook },
        { resolve: async () => ['127.0.0.1'], ca, attemptMs: 60_000, ...network },
      ),
    /** Connections that no side has closed. */
    async openConnections() {
      const counts = servers.map(
        (server) => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count))),
      )
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
    },
    close() {
      for (const server of servers) server.close()
      rmSync(dir, { recursive: true })
    },
  }
}
