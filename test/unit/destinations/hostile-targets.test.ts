/** No hostile target is ever connected to. Sockets on all addresses of this machine count the connections. */
import { afterAll, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { sendWebhook } from '../../../src/destinations/send.ts'
import { checkTarget, parseAllow } from '../../../src/destinations/targets.ts'
import { hostileUrl, LISTED_HOSTS, LISTED_NAMES } from '../../support/destinations/hostile-targets.ts'
import { seeded, testSeed } from '../../support/random.ts'

let connections = 0
const server = createServer((socket) => {
  connections += 1
  socket.on('error', () => undefined)
  socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret')
})
// both families
await new Promise<void>((resolve) => server.listen(0, '::', resolve))
const { port } = server.address() as { port: number }
afterAll(() => void server.close())

/** Some range is allowed, so that plain http and this port are not what stops an attempt. */
const ELSEWHERE = parseAllow('203.0.113.0/24')

const attempt = (url: string, allow = ELSEWHERE, addresses: readonly string[] = ['127.0.0.1']) =>
  sendWebhook(
    { url, headers: {}, body: new Uint8Array(), allow, signal: new AbortController().signal },
    { resolve: async () => addresses, attemptMs: 3_000 },
  )

test('the sockets count connections to each address of this machine', async () => {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  // a link-local address needs a zone
  const addresses = own.map(({ address }) => address).filter((address) => !address.startsWith('fe80'))
  expect(addresses).toContain('127.0.0.1')
  connections = 0
  for (const address of addresses) {
    const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}/`
    expect(await attempt(url, parseAllow(addresses.join(',')))).toMatchObject({ kind: 'answered', answer: 'secret' })
    expect(await attempt(url)).toMatchObject({ kind: 'failed', reason: 'target' })
  }
  expect(connections).toBe(addresses.length)
})

test('1,000 hostile targets are refused without a connection, and show no address', async () => {
  process.stderr.write(`hostile targets: replay with TEST_SEED=${testSeed}\n`)
  const random = seeded(testSeed)
  const urls = LISTED_HOSTS.flatMap((host) => [`http://${host}:${port}/`, `https://${host}/`])
  while (urls.length < 1_000) urls.push(hostileUrl(random, port))
  connections = 0
  const answered: string[] = []
  for (const url of urls) {
    const outcome = await attempt(url)
    if (outcome.kind !== 'failed' || outcome.reason !== 'target') answered.push(url)
    expect(Object.keys(outcome).sort()).toEqual(['durationMs', 'kind', 'reason'])
  }
  expect(answered).toEqual([])
  expect(connections).toBe(0)
})

test('hostile literals are already refused when a destination is saved', () => {
  const accepted = LISTED_HOSTS.filter((host) => checkTarget(`https://${host}/`, parseAllow('')) === undefined)
  expect(accepted).toEqual([])
})

test('names that resolve into a private network are refused without a connection', async () => {
  connections = 0
  for (const [name, address] of LISTED_NAMES)
    for (const addresses of [[address], ['203.0.113.7', address], [address, '203.0.113.7']])
      for (const url of [`http://${name}:${port}/`, `https://${name}/`])
        expect([url, await attempt(url, ELSEWHERE, addresses)]).toMatchObject([
          url,
          { kind: 'failed', reason: 'target' },
        ])
  expect(connections).toBe(0)
})
