/** The HTTP listener over real sockets. */
import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { listenHttp } from '../src/http/http-listener.ts'
import { answersIn, exchange as exchangeWith, post } from './support/raw-http.ts'

const failures: unknown[] = []
/** Answers with what it understood, after a while when the path asks for it. */
const listener = listenHttp(
  { hostname: '127.0.0.1', port: 0, reusePort: false, idleTimeoutS: 8, onError: (error) => failures.push(error) },
  async (request, _connection, received) => {
    const { pathname, search } = new URL(request.url)
    const wait = Number(new URLSearchParams(search).get('wait') ?? 0)
    if (pathname === '/late') {
      await Bun.sleep(wait)
      return Response.json({ length: (await request.arrayBuffer()).byteLength })
    }
    if (pathname === '/unread') return new Response('unread', { status: 401 })
    if (pathname.startsWith('/declared/')) {
      const headers = { 'content-length': pathname.slice('/declared/'.length) }
      return new Response(new Blob(['x'.repeat(1_000_000)]).stream(), { headers })
    }
    if (pathname === '/until-gone') {
      // asked for late: the client may have gone before
      await Bun.sleep(wait)
      const { signal } = request
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      abandoned.resolve()
      return new Response()
    }
    if (pathname === '/reads') {
      const sizes: number[] = []
      for await (const chunk of request.body ?? []) sizes.push(chunk.length)
      return Response.json({ bytes: sizes.reduce((sum, size) => sum + size, 0), reads: sizes.length })
    }
    if (pathname === '/silent') return new Response(new ReadableStream({ pull: () => Bun.sleep(60_000) }))
    if (pathname === '/stream') return new Response(slowStream(), { headers: { 'content-type': 'text/event-stream' } })
    if (pathname === '/large') return new Response('x'.repeat(5_000_000))
    if (pathname === '/cookies')
      return new Response(null, {
        status: 204,
        headers: [
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
        ],
      })
    if (pathname === '/fails') throw new Error('a bug')
    const body = received === undefined ? await request.text() : new TextDecoder().decode(received)
    if (wait > 0) await Bun.sleep(wait)
    return Response.json({ method: request.method, target: pathname + search, body })
  },
)
let abandoned = Promise.withResolvers<void>()
let streamCancelled = Promise.withResolvers<void>()
function slowStream(): ReadableStream<Uint8Array> {
  let count = 0
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(30)
      controller.enqueue(new TextEncoder().encode(`data: ${count++}\n\n`))
    },
    cancel: () => streamCancelled.resolve(),
  })
}
afterAll(() => listener.terminate())

const exchange = (parts: (string | Buffer)[], options: { quietMs?: number; pauseMs?: number; end?: boolean } = {}) =>
  exchangeWith(parts, { port: listener.port, ...options })

test('pipelined requests are answered in order, though the first takes longest', async () => {
  const { text, closed } = await exchange([post('/a?wait=60', 'one') + post('/b', 'two') + post('/c?wait=1', 'three')])
  expect(answersIn(text).map(({ target, body }) => `${target} ${body}`)).toEqual([
    '/a?wait=60 one',
    '/b two',
    '/c?wait=1 three',
  ])
  expect(closed).toBe(false)
})

test('a request may arrive byte by byte', async () => {
  const bytes = `${post('/slow', 'body')}GET /next HTTP/1.1\r\nHost: x\r\n\r\n`
  const { text } = await exchange([...bytes], { pauseMs: 0 })
  expect(answersIn(text).map(({ target, body }) => `${target} ${body}`)).toEqual(['/slow body', '/next '])
})

test('chunked bodies are put together, with extensions and a trailer', async () => {
  const chunks = '4;a=b\r\nWiki\r\n5\r\npedia\r\n0\r\nX-Sum: 1\r\n\r\n'
  const request = `PUT /chunks HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`
  for (const parts of [[request + request], [...request, ...request]]) {
    const { text } = await exchange(parts, { pauseMs: 0 })
    expect(answersIn(text).map(({ body }) => body)).toEqual(['Wikipedia', 'Wikipedia'])
  }
})

test('many small chunks reach the reader together', async () => {
  const body = '1\r\nx\r\n'.repeat(100_000)
  const request = `POST /reads HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`
  const { text } = await exchange([`${request}${post('/after', 'yes')}`], { quietMs: 1000 })
  const [, bytes, reads] = /"bytes":(\d+),"reads":(\d+)/.exec(text) ?? []
  expect(Number(bytes)).toBe(100_000)
  // one for each part that the system hands over, not one for each chunk
  expect(Number(reads)).toBeLessThan(500)
  expect(answersIn(text).at(-1)?.body).toBe('yes')
})

test('empty lines before a request are ignored, however many there are', async () => {
  const { text } = await exchange([Buffer.alloc(2_000_000, '\r\n'), post('/after', 'yes')], { quietMs: 1000 })
  expect(answersIn(text)[0]?.body).toBe('yes')
})

test('a large body arrives whole, and its sender waits while nobody reads', async () => {
  const body = 'ab'.repeat(2_000_000)
  const response = await fetch(`http://127.0.0.1:${listener.port}/large-body`, { method: 'POST', body })
  expect(((await response.json()) as { body: string }).body === body).toBe(true)
})

test('a client waits with a body while nobody reads it', async () => {
  const socket = connect(listener.port, '127.0.0.1')
  const bytes = 60_000_000
  socket.write(`POST /late?wait=400 HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`)
  socket.write(Buffer.alloc(bytes, 'x'))
  await Bun.sleep(300)
  // what the system buffers and what the listener reads ahead
  expect(socket.writableLength).toBeGreaterThan(bytes / 2)
  const { promise, resolve } = Promise.withResolvers<string>()
  socket.once('data', (data) => resolve(data.toString()))
  expect(await promise).toContain(`"length":${bytes}`)
  socket.destroy()
})

test('an answer has its length, or chunks when it is long or slow', async () => {
  const short = await exchange(['GET /a HTTP/1.1\r\nHost: x\r\n\r\n'])
  expect(short.text).toContain('\r\nContent-Length: ')
  expect(short.text).toMatch(/\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/)
  const long = await (await fetch(`http://127.0.0.1:${listener.port}/large`)).text()
  expect(long.length).toBe(5_000_000)
  const oneZero = await exchange(['GET /large HTTP/1.0\r\n\r\n'], { quietMs: 1000 })
  expect(oneZero.closed).toBe(true)
  expect(oneZero.text).not.toContain('Transfer-Encoding')
  expect(oneZero.text.endsWith('x'.repeat(1000))).toBe(true)
})

test('HEAD, 204 and repeated headers follow the standard', async () => {
  const { text, closed } = await exchange([
    'HEAD /a HTTP/1.1\r\nHost: x\r\n\r\nGET /cookies HTTP/1.1\r\nHost: x\r\n\r\nGET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  ])
  const [head, cookies, last] = text.split('HTTP/1.1 ').slice(1)
  expect(head).toStartWith('200 OK')
  expect(head).not.toContain('{')
  expect(cookies).toStartWith('204 No Content')
  expect(cookies).toContain('set-cookie: a=1\r\nset-cookie: b=2')
  expect(cookies).not.toContain('Content-Length')
  expect(last).toContain('Connection: close')
  expect(closed).toBe(true)
})

test('a stream reaches its reader at once, and ends when the reader goes', async () => {
  streamCancelled = Promise.withResolvers()
  const { text } = await exchange(['GET /stream HTTP/1.1\r\nHost: x\r\n\r\n'], { quietMs: 20, pauseMs: 100 })
  expect(text).toContain('data: 0')
  const silent = await exchange(['GET /silent HTTP/1.1\r\nHost: x\r\n\r\n'])
  expect(silent.text).toStartWith('HTTP/1.1 200 OK')
  await streamCancelled.promise
})

test('a body that nobody reads does not lose the answer or the next request', async () => {
  const small = await exchange([
    post('/unread', 'x'.repeat(20_000)).slice(0, 300),
    post('/unread', 'x'.repeat(20_000)).slice(300) + post('/after', 'yes'),
  ])
  expect(small.text).toStartWith('HTTP/1.1 401')
  expect(answersIn(small.text)[0]?.body).toBe('yes')
  const large = await exchange([post('/unread', 'x'.repeat(30_000_000))], { quietMs: 1000 })
  expect(large.text).toStartWith('HTTP/1.1 401')
  expect(large.text).toContain('Connection: close')
})

test('a client that ends its side still gets its answers', async () => {
  const { text, closed } = await exchange([post('/a?wait=50', '1') + post('/b', '2')], { end: true })
  expect(answersIn(text).map(({ body }) => body)).toEqual(['1', '2'])
  expect(closed).toBe(true)
})

test('a client that goes in the middle of a body or an answer leaves the others alone', async () => {
  for (const parts of [[post('/a', 'whole').slice(0, -2)], ['GET /large HTTP/1.1\r\nHost: x\r\n\r\n']])
    await exchange(parts, { quietMs: 1, pauseMs: 1 })
  expect(answersIn((await exchange([post('/a', 'still here')])).text)[0]?.body).toBe('still here')
})

test('an answer of another length than it says ends its connection', async () => {
  for (const length of [999_999, 1_000_001]) {
    failures.length = 0
    const { text, closed } = await exchange([`GET /declared/${length} HTTP/1.1\r\nHost: x\r\n\r\n${post('/b', '')}`])
    expect({ closed, failures: failures.length }).toEqual({ closed: true, failures: 1 })
    expect(text).not.toContain('"/b"')
  }
  const { text } = await exchange([`GET /declared/1000000 HTTP/1.1\r\nHost: x\r\n\r\n${post('/b', '')}`])
  expect(text).toContain('"/b"')
})

test('HTTP/1.0 keeps a connection when it is asked to', async () => {
  const get = 'GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'
  const { text, closed } = await exchange([get + get])
  expect(text.match(/Connection: keep-alive/g)).toHaveLength(2)
  expect(closed).toBe(false)
})

test('work for a client that hangs up is aborted', async () => {
  for (const wait of [0, 60]) {
    abandoned = Promise.withResolvers()
    await exchange([`GET /until-gone?wait=${wait} HTTP/1.1\r\nHost: x\r\n\r\n`], { quietMs: 30 })
    await abandoned.promise
  }
})

test('a failing handler closes its connection and is reported', async () => {
  failures.length = 0
  const { text, closed } = await exchange([`${post('/fails', '')}${post('/b', '')}`])
  expect({ text, closed, failures: failures.length }).toEqual({ text: '', closed: true, failures: 1 })
})

test('Expect: 100-continue is answered before the body is sent', async () => {
  const request = post('/c', 'body', 'Expect: 100-continue\r\n')
  const { text } = await exchange([request.slice(0, -4), request.slice(-4)], { pauseMs: 50 })
  expect(text).toStartWith('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200')
  expect(answersIn(text)[0]?.body).toBe('body')
})

const REFUSED: [what: string, request: string, status: number][] = [
  ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
  ['a Host with a path', 'GET / HTTP/1.1\r\nHost: a/b?\r\n\r\n', 400],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nab', 400],
  ['a length with a sign', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na', 400],
  [
    'length and chunks',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['chunks of HTTP/1.0', 'POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
  ['another coding', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n', 501],
  ['a folded header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n', 400],
  ['a space before the colon', 'GET / HTTP/1.1\r\nHost: a\r\nX : a\r\n\r\n', 400],
  ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\0\r\n\r\n', 400],
  ['a lone LF in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\nY: b\r\n\r\n', 400],
  ['two spaces in the request line', 'GET  / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['HTTP/2.0', 'GET / HTTP/2.0\r\nHost: a\r\n\r\n', 505],
  ['an unknown expectation', 'POST / HTTP/1.1\r\nHost: a\r\nExpect: cake\r\n\r\n', 417],
  ['a long head', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ['an endless head', `GET /${'a'.repeat(40_000)}`, 431],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['an unknown method', 'get / HTTP/1.1\r\nHost: a\r\n\r\n', 501],
  ['another scheme', 'GET file:///etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n', 400],
]
test.each(REFUSED)('%s is refused, and the connection closed', async (_what, request, status) => {
  const { text, closed } = await exchange([`${request}${post('/hidden', 'x')}`], { quietMs: 3000 })
  expect(text).toStartWith(`HTTP/1.1 ${status} `)
  expect(text).not.toContain('hidden')
  expect(closed).toBe(true)
})

test('a broken chunk fails its request and hides no other one', async () => {
  const blanks = ['3 \r\nabc\r\n', '3\t\r\nabc\r\n']
  const broken = ['x\r\n', '3\r\nabcd\r\n', '3\nabc\r\n', `${'0'.repeat(20)}3\r\nabc\r\n`, '-1\r\n']
  for (const chunks of [...broken, ...blanks]) {
    const request = `POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n${post('/hidden', 'x')}`
    const { text, closed } = await exchange([request], { quietMs: 3000 })
    expect(text).not.toContain('"/hidden"')
    expect(text).not.toContain('HTTP/1.1 200')
    expect(closed).toBe(true)
  }
})

test('what a client may send ahead is bounded, and all of it is answered in the end', async () => {
  const { text } = await exchange([post('/a?wait=100', 'x') + post('/b', 'y'.repeat(1000)).repeat(500)], {
    quietMs: 1000,
  })
  expect(answersIn(text).length).toBe(501)
}, 20_000)
