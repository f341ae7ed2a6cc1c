/** Deliveries to real receivers: which answers count, and that nothing that a receiver does takes long or much memory. */
import { afterAll, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { answered, answering, failed, type Handle, OK, openReceivers } from '../../support/destinations/receivers.ts'
import { until } from '../../support/until.ts'

const { receiver, send, openConnections, close } = openReceivers()
afterAll(close)

describe('the status line decides', () => {
  test('a redirect is not followed', async () => {
    let followed = 0
    const other = await receiver(() => (followed += 1))
    const location = `HTTP/1.1 307 x\r\nLocation: http://127.0.0.1:${other}/\r\nContent-Length: 0\r\n\r\n`
    const port = await receiver(answering(location))
    expect(await send(`http://hooks.example:${port}/`)).toMatchObject(answered(307, ''))
    expect(followed).toBe(0)
  })

  test('what a receiver asks for comes with the status', async () => {
    const port = await receiver(answering('HTTP/1.1 429 x\r\nRetry-After: 30\r\nContent-Length: 4\r\n\r\nslow'))
    expect(await send(`http://hooks.example:${port}/`)).toMatchObject({
      ...answered(429, 'slow'),
      retryAfterMs: 30_000,
    })
  })

  test('an answer without an end is read for 15 s, here less, and counts', async () => {
    const port = await receiver(answering('HTTP/1.1 200 OK\r\n\r\nopen'))
    const outcome = await send(`http://hooks.example:${port}/`, {}, { attemptMs: 600 })
    expect(outcome).toMatchObject(answered(200, 'open'))
    expect(outcome.durationMs).toBeGreaterThanOrEqual(590)
    expect(outcome.durationMs).toBeLessThan(20_000)
  })

  test('a complete answer ends the attempt, although the connection stays open', async () => {
    const port = await receiver(answering(OK))
    expect((await send(`http://hooks.example:${port}/`)).durationMs).toBeLessThan(20_000)
  })

  test('a reset after it changes nothing, and one before it fails', async () => {
    const after = await receiver((socket) =>
      socket.once('data', () =>
        socket.write('HTTP/1.1 202 x\r\nContent-Length: 9\r\n\r\nhalf', () =>
          setTimeout(() => socket.resetAndDestroy(), 100),
        ),
      ),
    )
    expect(await send(`http://hooks.example:${after}/`)).toMatchObject(answered(202, 'half'))
    const before = await receiver((socket) => socket.once('data', () => socket.resetAndDestroy()))
    expect(await send(`http://hooks.example:${before}/`)).toMatchObject(failed('reset'))
  })

  test('an end, or another protocol, in its place fails', async () => {
    const ending = await receiver((socket) => socket.once('data', () => socket.end()))
    expect(await send(`http://hooks.example:${ending}/`)).toMatchObject(failed('no-answer'))
    const half = await receiver((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK')))
    expect(await send(`http://hooks.example:${half}/`)).toMatchObject(failed('no-answer'))
    const other = await receiver(answering('220 mail.example ESMTP\r\n'))
    expect(await send(`http://hooks.example:${other}/`)).toMatchObject(failed('not-http'))
  })
})

describe('a receiver cannot hold an attempt', () => {
  /** Writes for as long as the connection takes bytes. @returns what was written */
  function flood(first: string): { handle: Handle; written: () => number } {
    const block = Buffer.alloc(65_536, 'z')
    let bytes = 0
    function handle(socket: Socket): void {
      const write = (): void => {
        while (!socket.destroyed && bytes < 10 * 2 ** 30) {
          bytes += block.length
          if (!socket.write(block)) {
            socket.once('drain', write)
            return
          }
        }
      }
      socket.once('data', () => {
        socket.write(first)
        write()
      })
    }
    return { handle, written: () => bytes }
  }

  test.each([
    ['in its body', 'HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n', answered(200, 'z'.repeat(1024))],
    [
      'in one chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n280000000\r\n',
      answered(200, 'z'.repeat(1024)),
    ],
    ['in one header', 'HTTP/1.1 200 OK\r\nX: ', answered(200, '')],
    ['in its status line', 'HTTP/1.1 200 ', failed('not-http')],
  ])('with 10 GB %s', async (_, first, outcome) => {
    const { handle, written } = flood(first)
    const port = await receiver(handle)
    const before = process.memoryUsage().rss
    const result = await send(`http://hooks.example:${port}/`)
    expect(result).toMatchObject(outcome)
    expect(result.durationMs).toBeLessThan(20_000)
    // buffers of the kernel; memory of this process includes the receiver
    expect(written()).toBeLessThan(64 * 2 ** 20)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20)
  })

  test('with single bytes', async () => {
    const slowly =
      (text: string): Handle =>
      (socket) => {
        let i = 0
        const timer = setInterval(() => socket.write(text.charAt(i++) || 'x'), 50)
        socket.on('close', () => clearInterval(timer))
      }
    const limit = { attemptMs: 700 }
    const line = await receiver(slowly('HTTP/1.1 200 OK, and many more words\r\n'))
    expect(await send(`http://hooks.example:${line}/`, {}, limit)).toMatchObject(failed('timeout'))
    const body = await receiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      slowly('X: y')(socket)
    })
    const outcome = await send(`http://hooks.example:${body}/`, {}, limit)
    expect(outcome).toMatchObject(answered(200, ''))
    expect(outcome.durationMs).toBeLessThan(20_000)
  })

  test('with silence, before and in the TLS handshake, or in the look-up of the name', async () => {
    const port = await receiver(() => undefined)
    const limit = { attemptMs: 500 }
    for (const url of [`http://hooks.example:${port}/`, `https://localhost:${port}/`]) {
      const outcome = await send(url, {}, limit)
      expect(outcome).toMatchObject(failed('timeout'))
      expect(outcome.durationMs).toBeLessThan(20_000)
    }
    const lost = { ...limit, resolve: () => new Promise<string[]>(() => undefined) }
    expect(await send('http://hooks.example/', {}, lost)).toMatchObject(failed('timeout'))
  })

  test('and the server can end it', async () => {
    const port = await receiver(() => undefined)
    const stop = new AbortController()
    const sending = send(`http://hooks.example:${port}/`, { signal: stop.signal })
    setTimeout(() => stop.abort(new Error('the server stops')), 100)
    await expect(sending).rejects.toThrow('the server stops')
    await expect(send(`http://hooks.example:${port}/`, { signal: stop.signal })).rejects.toThrow('the server stops')
  })

  test('no connection stays open', async () => {
    await until(async () => (await openConnections()) === 0)
  })
})
