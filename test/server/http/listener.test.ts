/** The listener over real sockets: guarantees to clients, and requests that must not reach a route. */
import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { nextPass } from '../../../src/event-loop-yield.ts'
import { listen } from '../../../src/http/listener.ts'
import { answersIn, exchange as exchangeWith, post } from '../../support/server/raw-http.ts'

const failures: unknown[] = []
const strangeProxies: string[] = []
/** Targets of the requests that were routed. */
const routed: string[] = []
/** Answers with the request as parsed, after a delay if the path asks for it. */
const listener = listen(
  async (request) => {
    const { pathname, search } = new URL(request.url)
    routed.push(pathname + search)
    const wait = Number(new URLSearchParams(search).get('wait') ?? 0)
    if (pathname === '/late') {
      await Bun.sleep(wait)
      return Response.json({ length: (await request.arrayBuffer()).byteLength })
    }
    if (pathname === '/unread') return new Response('unread', { status: 401 })
    if (pathname === '/until-gone') {
      // answered late: the client may have disconnected before
      await Bun.sleep(wait)
      const { signal } = request
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      abandoned.resolve()
      return new Response()
    }
    if (pathname === '/reads') {
      const sizes: number[] = []
      for await (const chunk of request.body ?? []) {
        sizes.push(chunk.length)
        await nextPass()
      }
      return Response.json({ bytes: sizes.reduce((sum, size) => sum + size, 0), reads: sizes.length })
    }
    if (pathname === '/silent') return new Response(new ReadableStream({ pull: () => Bun.sleep(60_000) }))
    if (pathname === '/stream') return new Response(slowStream(), { headers: { 'content-type': 'text/event-stream' } })
    if (pathname === '/document') return new Response(document)
    if (pathname === '/breaks') return new Response(brokenStream())
    if (pathname === '/no-file') return new Response(Bun.file('/nothing/there'))
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
    const body = await request.text()
    if (wait > 0) await Bun.sleep(wait)
    return Response.json({ method: request.method, target: pathname + search, body })
  },
  {
    hostname: '127.0.0.1',
    port: 0,
    reusePort: false,
    idleTimeoutS: 8,
    publicOnly: false,
    trustedProxies: new Set<string>(),
    onStrangeProxy: (proxy) => strangeProxies.push(proxy),
    onError: (error) => failures.push(error),
  },
)
const port = listener.port as number
const document = new Blob(['x'.repeat(8_000_000)])
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
function brokenStream(): ReadableStream<Uint8Array> {
  let count = 0
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(20)
      if (count++ > 0) throw new Error('a bug')
      controller.enqueue(new TextEncoder().encode('part'))
    },
  })
}
afterAll(() => listener.stop(true))

const exchange = (
  parts: (string | Buffer)[],
  options: { quietMs?: number; pauseMs?: number; inTurn?: boolean; end?: boolean } = {},
) => exchangeWith(parts, { port, ...options })

test('a pipelined request is not routed, and closes the connection', async () => {
  routed.length = 0
  const { closed } = await exchange([post('/a?wait=60', 'one') + post('/b', 'two')])
  expect({ closed, routed }).toEqual({ closed: true, routed: ['/a?wait=60'] })
})

test('a proxy that is not trusted is reported once', async () => {
  const get = 'GET /a HTTP/1.1\r\nHost: x\r\n'
  await exchange([`${get}\r\n`])
  expect(strangeProxies).toEqual([])
  for (let i = 0; i < 2; i++) await exchange([`${get}X-Forwarded-For: 203.0.113.9\r\n\r\n`])
  expect(strangeProxies).toEqual(['127.0.0.1'])
})

test('a request may arrive byte by byte', async () => {
  const { text } = await exchange([...post('/slow', 'body')], { pauseMs: 0 })
  expect(answersIn(text).map(({ target, body }) => `${target} ${body}`)).toEqual(['/slow body'])
})

test('chunked bodies are joined, also with chunk extensions', async () => {
  const request =
    'PUT /chunks HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4;a=b\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n'
  expect(answersIn((await exchange([...request], { pauseMs: 0 })).text)[0]?.body).toBe('Wikipedia')
  const { text } = await exchange([request, request], { inTurn: true })
  expect(answersIn(text).map(({ body }) => body)).toEqual(['Wikipedia', 'Wikipedia'])
})

test('a trailer is not treated as a request, and ends the connection', async () => {
  routed.length = 0
  const chunks = '3\r\nabc\r\n0\r\nX-Sum: 1\r\nGET /hidden HTTP/1.1\r\nHost: x\r\n\r\n'
  const { closed } = await exchange([`PUT /chunks HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`])
  expect({ closed, routed }).toEqual({ closed: true, routed: ['/chunks'] })
})

test('many small chunks reach a reader together if it takes one in a pass of the event loop', async () => {
  const body = '1\r\nx\r\n'.repeat(100_000)
  const request = `POST /reads HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`
  const { text } = await exchange([request], { quietMs: 1000 })
  const [, bytes, reads] = /"bytes":(\d+),"reads":(\d+)/.exec(text) ?? []
  expect(Number(bytes)).toBe(100_000)
  expect(Number(reads)).toBeLessThan(500)
})

test('a large body arrives completely, and its sender waits while nobody reads', async () => {
  const body = 'ab'.repeat(2_000_000)
  const response = await fetch(`http://127.0.0.1:${port}/large-body`, { method: 'POST', body })
  expect(((await response.json()) as { body: string }).body === body).toBe(true)
})

test('a client waits with a body while nobody reads it', async () => {
  const socket = connect(port, '127.0.0.1')
  const bytes = 60_000_000
  socket.write(`POST /late?wait=400 HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`)
  socket.write(Buffer.alloc(bytes, 'x'))
  await Bun.sleep(300)
  // the buffers of the system and the read-ahead of the listener
  expect(socket.writableLength).toBeGreaterThan(bytes / 2)
  const { promise, resolve } = Promise.withResolvers<string>()
  socket.once('data', (data) => resolve(data.toString()))
  expect(await promise).toContain(`"length":${bytes}`)
  socket.destroy()
})

test('an answer has a Content-Length, or is chunked if it is long or slow', async () => {
  const short = await exchange(['GET /a HTTP/1.1\r\nHost: x\r\n\r\n'])
  expect(short.text).toContain('\r\nContent-Length: ')
  expect(short.text).toMatch(/\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/)
  const long = await (await fetch(`http://127.0.0.1:${port}/large`)).text()
  expect(long.length).toBe(5_000_000)
  const oneZero = await exchange(['GET /large HTTP/1.0\r\n\r\n'], { quietMs: 1000 })
  expect(oneZero.closed).toBe(true)
  expect(oneZero.text).not.toContain('Transfer-Encoding')
  expect(oneZero.text.endsWith('x'.repeat(1000))).toBe(true)
})

test('HEAD, 204 and repeated headers follow the standard', async () => {
  const requests = ['HEAD /a HTTP/1.1', 'GET /cookies HTTP/1.1', 'GET /last HTTP/1.1\r\nConnection: close']
  const { text, closed } = await exchange(
    requests.map((request) => `${request}\r\nHost: x\r\n\r\n`),
    { inTurn: true },
  )
  const [head, cookies, last] = text.split('HTTP/1.1 ').slice(1)
  expect(head).toStartWith('200 OK')
  expect(head).not.toContain('{')
  expect(cookies).toStartWith('204 No Content')
  expect(cookies).toMatch(/set-cookie: a=1\r\nset-cookie: b=2/i)
  expect(cookies).not.toContain('Content-Length')
  expect(last).toContain('"target":"/last"')
  expect(closed).toBe(true)
})

test('a stream reaches its reader at once, and ends when the reader disconnects', async () => {
  streamCancelled = Promise.withResolvers()
  const { text } = await exchange(['GET /stream HTTP/1.1\r\nHost: x\r\n\r\n'], { quietMs: 20, pauseMs: 100 })
  expect(text).toContain('data: 0')
  const silent = await exchange(['GET /silent HTTP/1.1\r\nHost: x\r\n\r\n'])
  expect(silent.text).toStartWith('HTTP/1.1 200 OK')
  await streamCancelled.promise
})

test('a body that nobody reads does not lose the answer or the next request', async () => {
  const small = await exchange([post('/unread', 'x'.repeat(20_000)), post('/after', 'yes')], { inTurn: true })
  expect(small.text).toStartWith('HTTP/1.1 401')
  expect(answersIn(small.text)[0]?.body).toBe('yes')
  const large = await exchange([post('/unread', 'x'.repeat(30_000_000))], { quietMs: 1000 })
  expect(large.text).toStartWith('HTTP/1.1 401')
})

test('a client that closes its side gets an answer that is ready; longer work is aborted', async () => {
  const ready = await exchange([post('/a', '1')], { end: true })
  expect(answersIn(ready.text).map(({ body }) => body)).toEqual(['1'])
  expect(ready.closed).toBe(true)
  abandoned = Promise.withResolvers()
  await exchange(['GET /until-gone HTTP/1.1\r\nHost: x\r\n\r\n'], { end: true })
  await abandoned.promise
})

test('answers that nobody reads share the bytes of a document', async () => {
  const beforeBytes = process.memoryUsage.rss()
  const sockets = Array.from({ length: 100 }, () => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /document HTTP/1.1\r\nHost: x\r\n\r\n'))
    return socket.pause()
  })
  const neighbour = await fetch(`http://127.0.0.1:${port}/document`)
  expect((await neighbour.arrayBuffer()).byteLength).toBe(8_000_000)
  // a separate copy for each would be 800 MB
  expect(process.memoryUsage.rss() - beforeBytes).toBeLessThan(200_000_000)
  for (const socket of sockets) socket.destroy()
})

test('a client that disconnects in the middle of a body or an answer does not affect others', async () => {
  for (const parts of [[post('/a', 'whole').slice(0, -2)], ['GET /large HTTP/1.1\r\nHost: x\r\n\r\n']])
    await exchange(parts, { quietMs: 1, pauseMs: 1 })
  expect(answersIn((await exchange([post('/a', 'still here')])).text)[0]?.body).toBe('still here')
})

test('an answer that fails closes its connection before the end of its body', async () => {
  const { text, closed } = await exchange(['GET /breaks HTTP/1.1\r\nHost: x\r\n\r\n'])
  expect(closed).toBe(true)
  expect(text).toContain('part')
  expect(text).not.toContain('0\r\n\r\n')
})

test('HTTP/1.0 needs no Host, and its connection is closed after the answer', async () => {
  const { text, closed } = await exchange(['GET /a?b HTTP/1.0\r\n\r\n'])
  expect(answersIn(text)[0]?.target).toBe('/a?b')
  expect(closed).toBe(true)
})

test('work for a disconnected client is aborted', async () => {
  for (const wait of [0, 60]) {
    abandoned = Promise.withResolvers()
    await exchange([`GET /until-gone?wait=${wait} HTTP/1.1\r\nHost: x\r\n\r\n`], { quietMs: 30 })
    await abandoned.promise
  }
})

test('a failing handler is answered, and a file that cannot be read is reported', async () => {
  failures.length = 0
  const { text } = await exchange([post('/fails', ''), post('/b', '')], { inTurn: true })
  expect(text).toContain('"code":"INTERNAL_ERROR"')
  expect(answersIn(text)[0]?.target).toBe('/b')
  expect(failures).toEqual([])
  expect((await exchange(['GET /no-file HTTP/1.1\r\nHost: x\r\n\r\n'])).text).toStartWith('HTTP/1.1 500')
  expect(failures).toHaveLength(1)
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
  ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
  ['a list of lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\nab', 400],
  ['a length with a sign', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na', 400],
  [
    'length and chunks',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['chunks of HTTP/1.0', 'POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
  ['another coding', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n', 400],
  ['a folded header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n', 400],
  ['a space before the colon', 'GET / HTTP/1.1\r\nHost: a\r\nX : a\r\n\r\n', 400],
  ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\0\r\n\r\n', 400],
  ['a lone LF in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\nY: b\r\n\r\n', 400],
  ['two spaces in the request line', 'GET  / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['HTTP/2.0', 'GET / HTTP/2.0\r\nHost: a\r\n\r\n', 505],
  ['a long head', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ['an endless head', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(40_000)}`, 431],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['a Host with an account', 'GET / HTTP/1.1\r\nHost: a@b\r\n\r\n', 400],
  ['a Host with an impossible port', 'GET / HTTP/1.1\r\nHost: a:99999\r\n\r\n', 400],
  ['no name in Host', 'GET http://a/ HTTP/1.1\r\nHost: a b\r\n\r\n', 400],
  ['a fragment in the path', 'GET /a#/hidden HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['a fragment in the query', 'GET /a?owner=1#&owner=2 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['a target that is no path', 'GET a HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['another scheme', 'GET file:///etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n', 400],
]
test.each(REFUSED)('%s is refused, and the connection closed', async (_what, request, status) => {
  routed.length = 0
  const { text, closed } = await exchange([`${request}${post('/hidden', 'x')}`], { quietMs: 3000 })
  expect(text).toStartWith(`HTTP/1.1 ${status} `)
  expect({ closed, routed }).toEqual({ closed: true, routed: [] })
})

test('a method in lower case is not answered', async () => {
  routed.length = 0
  const { text, closed } = await exchange([`get / HTTP/1.1\r\nHost: a\r\n\r\n${post('/hidden', 'x')}`])
  expect({ text, closed, routed }).toEqual({ text: '', closed: true, routed: [] })
})

test('an absolute URL as target has its path and the host of Host', async () => {
  const { text } = await exchange(['GET http://other/a/../b?c=d HTTP/1.1\r\nHost: x\r\n\r\n'])
  expect(answersIn(text)[0]?.target).toBe('/b?c=d')
})

test('a broken chunk fails its request and does not hide another one', async () => {
  routed.length = 0
  const blanks = ['3 \r\nabc\r\n', '3\t\r\nabc\r\n']
  const broken = ['x\r\n', '3\r\nabcd\r\n', '3\nabc\r\n', '-1\r\n']
  for (const chunks of [...broken, ...blanks]) {
    const request = `POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n${post('/hidden', 'x')}`
    const { text, closed } = await exchange([request], { quietMs: 3000 })
    expect(text).not.toContain('HTTP/1.1 200')
    expect({ closed, hidden: routed.includes('/hidden') }).toEqual({ closed: true, hidden: false })
  }
})
