/** Deliveries to real receivers: what is sent, and to which address. */
import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sendWebhook } from '../../../src/destinations/send.ts'
import { parseAllow } from '../../../src/destinations/targets.ts'
import {
  answered,
  answering,
  failed,
  type Handle,
  OK,
  openReceivers,
  webhookTo,
} from '../../support/destinations/receivers.ts'
import { until } from '../../support/until.ts'

const { certificates, receiver, tlsReceiver, send, openConnections, close } = openReceivers()
afterAll(close)

describe('the request', () => {
  test('has the bytes of the body, its headers, and the host of the URL', async () => {
    let received = Buffer.alloc(0)
    const port = await receiver((socket) =>
      socket.on('data', (bytes) => {
        received = Buffer.concat([received, bytes as Buffer])
        if (received.length > 5_000_000) socket.write(OK)
      }),
    )
    const body = Buffer.alloc(5_000_000, 'é')
    const headers = { 'content-type': 'application/json', 'webhook-id': 'evt_1', 'X-Key': 'caf\xe9' }
    const outcome = await send(`http://hooks.example:${port}/a%20b?c=d#e`, { body, headers })
    expect(outcome).toMatchObject(answered(200, 'ok'))
    const end = received.indexOf('\r\n\r\n')
    expect(received.subarray(0, end).toString('latin1').split('\r\n')).toEqual([
      'POST /a%20b?c=d HTTP/1.1',
      `Host: hooks.example:${port}`,
      'content-type: application/json',
      'webhook-id: evt_1',
      'X-Key: caf\xe9',
      'Content-Length: 5000000',
      'Connection: close',
    ])
    expect(received.subarray(end + 4).equals(body)).toBe(true)
  })

  test('has no header that was smuggled in, or that the sender sets', async () => {
    const port = await receiver(answering(OK))
    const smuggled: Record<string, string>[] = [{ a: 'b\r\nc: d' }, { 'a\r\nb': 'c' }, { 'a b': 'c' }, { a: '\u0100' }]
    for (const headers of smuggled)
      await expect(send(`http://hooks.example:${port}/`, { headers })).rejects.toThrow(TypeError)
    for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'CONNECTION'])
      await expect(send(`http://hooks.example:${port}/`, { headers: { [name]: '1' } })).rejects.toThrow(
        'set by the sender',
      )
  })
})

describe('https', () => {
  const names: unknown[] = []
  const greeting: Handle = (socket) => {
    names.push(socket.servername)
    answering(OK)(socket)
  }

  test('names the host in SNI, and connects to the address', async () => {
    const port = await tlsReceiver(certificates.otherName, greeting)
    names.length = 0
    expect(await send(`https://other.example:${port}/`)).toMatchObject(answered(200, 'ok'))
    expect(names).toEqual(['other.example'])
  })

  test('takes a certificate for the address when the URL has one, without SNI', async () => {
    const port = await tlsReceiver(certificates.good, greeting)
    names.length = 0
    expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject(answered(200, 'ok'))
    expect(names).toEqual([false])
    const other = await tlsReceiver(certificates.otherName, greeting)
    expect(await send(`https://127.0.0.1:${other}/`)).toMatchObject(failed('certificate-name'))
  })

  test('refuses wrong certificates before anything is sent', async () => {
    let requests = 0
    const counting: Handle = (socket) => socket.once('data', () => (requests += 1))
    const cases = [
      [certificates.expired, 'certificate-expired'],
      [certificates.otherName, 'certificate-name'],
      [certificates.foreign, 'certificate-untrusted'],
    ] as const
    for (const [certificate, reason] of cases) {
      const port = await tlsReceiver(certificate, counting)
      expect(await send(`https://localhost:${port}/`)).toMatchObject(failed(reason))
    }
    const port = await tlsReceiver(certificates.good, counting)
    // the test's CA is none of the server's
    const trusted = await sendWebhook(webhookTo(`https://localhost:${port}/`))
    expect(trusted).toMatchObject(failed('certificate-untrusted'))
    expect(requests).toBe(0)
  })

  test('fails at a receiver that speaks another protocol', async () => {
    const port = await receiver((socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'))
    expect(await send(`https://localhost:${port}/`)).toMatchObject(failed('tls'))
  })

  test('needs no variable of a proxy, and no variable turns the check of certificates off', async () => {
    let proxied = 0
    const proxy = await receiver((socket) => {
      proxied += 1
      socket.end('HTTP/1.1 502 x\r\n\r\n')
    })
    const good = await tlsReceiver(certificates.good, answering(OK))
    const foreign = await tlsReceiver(certificates.foreign, answering(OK))
    const program = `
      const { sendWebhook } = await import('${join(import.meta.dir, '../../../src/destinations/send.ts')}')
      const { parseAllow } = await import('${join(import.meta.dir, '../../../src/destinations/targets.ts')}')
      const send = (port) => sendWebhook({ url: 'https://localhost:' + port + '/', headers: {}, body: Buffer.from('{}'), allow: parseAllow('localhost'), signal: new AbortController().signal })
      console.log(JSON.stringify([await send(${good}), await send(${foreign})]))`
    const address = `http://127.0.0.1:${proxy}`
    const child = Bun.spawn(['bun', '-e', program], {
      env: {
        PATH: process.env.PATH ?? '',
        NODE_EXTRA_CA_CERTS: certificates.ca,
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
        ...Object.fromEntries(
          ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
            [name, address],
            [name.toLowerCase(), address],
          ]),
        ),
      },
      stdout: 'pipe',
    })
    const outcomes = JSON.parse(await child.stdout.text())
    expect(outcomes).toMatchObject([answered(200, 'ok'), failed('certificate-untrusted')])
    expect(proxied).toBe(0)
  })
})

describe('the address', () => {
  test('is looked up once, and the connection goes to the checked one', async () => {
    let first = 0
    let second = 0
    const handle = answering(OK)
    const port = await receiver((socket) => {
      first += 1
      handle(socket)
    }, '127.0.0.2')
    await receiver(() => (second += 1), '127.0.0.3', port)
    const asked: string[] = []
    const resolve = async (host: string) => {
      asked.push(host)
      return asked.length === 1 ? ['127.0.0.2'] : ['127.0.0.3']
    }
    const allow = parseAllow('127.0.0.2')
    expect(await send(`http://rebinding.example:${port}/`, { allow }, { resolve })).toMatchObject(answered(200, 'ok'))
    expect(asked).toEqual(['rebinding.example'])
    expect(await send(`http://rebinding.example:${port}/`, { allow }, { resolve })).toMatchObject(failed('target'))
    expect([first, second]).toEqual([1, 0])
  })

  test('may be any one that an allowed host has', async () => {
    const port = await receiver(answering(OK))
    const url = `http://hooks.internal:${port}/`
    expect(await send(url, { allow: parseAllow('hooks.internal') })).toMatchObject(answered(200, 'ok'))
    expect(await send(url, { allow: parseAllow('other.internal') })).toMatchObject(failed('target'))
  })

  test('is looked up by the system, which reads its file of hosts', async () => {
    const port = await receiver(answering(OK))
    const webhook = { ...webhookTo(`http://localhost:${port}/`), allow: parseAllow('localhost') }
    expect(await sendWebhook(webhook)).toMatchObject(answered(200, 'ok'))
  })

  test('that refuses or does not answer is followed by the next one', async () => {
    const port = await receiver(answering(OK), '127.0.0.1')
    // accepts connections, and never speaks TLS
    await receiver(() => undefined, '127.0.0.4', port)
    const resolve = async () => ['127.0.0.3', '127.0.0.1']
    expect(await send(`http://hooks.example:${port}/`, {}, { resolve })).toMatchObject(answered(200, 'ok'))
    const tls = await tlsReceiver(certificates.good, answering(OK))
    await receiver(() => undefined, '127.0.0.4', tls)
    const silent = { resolve: async () => ['127.0.0.4', '127.0.0.1'], connectMs: 300 }
    expect(await send(`https://localhost:${tls}/`, {}, silent)).toMatchObject(answered(200, 'ok'))
    expect(await send(`http://hooks.example:${port}/`, {}, { resolve: async () => ['127.0.0.3'] })).toMatchObject(
      failed('refused'),
    )
  })

  test('that is missing fails like one that is not public', async () => {
    const resolve = async () => {
      throw new Error('ENOTFOUND')
    }
    const outcomes = [
      await send('http://missing.example/', {}, { resolve }),
      await send('http://empty.example/', {}, { resolve: async () => [] }),
      await send('http://internal.example/', {}, { resolve: async () => ['10.0.0.1'] }),
    ]
    expect(outcomes.map(({ durationMs: _, ...outcome }) => outcome)).toEqual(Array(3).fill(failed('target')))
  })
})

test('no connection stays open', async () => {
  await until(async () => (await openConnections()) === 0)
})
