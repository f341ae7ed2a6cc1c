/** The HTTP parser beside Node's. */
import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { listenHttp } from '../src/http/http-listener.ts'
import { ROOT } from './support/processes.ts'
import { seeded, whole } from './support/random.ts'
import { answersIn, exchange, post } from './support/raw-http.ts'

/** Node's own server, whose parser is llhttp, and the requests it understood from each connection, by its client's port, last first. */
async function startNode(): Promise<{ port: number; understood: Map<number, string[][]>; stop(): Promise<void> }> {
  const program = `require('http').createServer((request, response) => {
    console.log(request.socket.remotePort + ' ' + request.method + ' ' + request.url)
    request.resume().on('error', () => {}).on('end', () => response.end())
  }).on('connection', (socket) => console.log(socket.remotePort + ' connected')).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`
  const child = spawn(join(ROOT, `node_modules/node-${process.platform}-${process.arch}/bin/node`), ['-e', program])
  const understood = new Map<number, string[][]>()
  const listening = Promise.withResolvers<number>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [port, ...request] = line.split(' ')
    if (request.length === 0) listening.resolve(Number(port))
    else if (request[0] === 'connected') understood.set(Number(port), [[], ...(understood.get(Number(port)) ?? [])])
    else understood.get(Number(port))?.[0]?.push(request.join(' '))
  })
  async function stop(): Promise<void> {
    // what it has printed is read before that
    await Bun.sleep(500)
    child.kill()
  }
  return { port: await listening.promise, understood, stop }
}

const PIECES = [
  'GET ',
  'POST ',
  'HEAD ',
  'PUT ',
  '/a',
  '/b?c=d',
  ' HTTP/1.1',
  ' HTTP/1.0',
  '\r\n',
  '\r\n\r\n',
  '\n',
  '\r',
  'Host: x',
  'Host:y',
  'Content-Length: 3',
  'Content-Length: 0',
  'content-length:  5 ',
  'Transfer-Encoding: chunked',
  'transfer-encoding: Chunked',
  'Connection: close',
  'Connection: keep-alive',
  'abc',
  '3\r\nabc\r\n',
  '0\r\n\r\n',
  '5;x=y\r\nabcde\r\n',
  ' ',
  '\t',
  ':',
  ';',
  '\0',
  'X: é',
  ',',
]
test('it never takes for a request what Node does not', async () => {
  const seed = Number(process.env.REQUESTS_SEED ?? whole(Math.random, 2 ** 31))
  process.stderr.write(`requests: replay with REQUESTS_SEED=${seed}\n`)
  const next = seeded(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T
  const node = await startNode()
  const listener = listenHttp(
    { hostname: '127.0.0.1', port: 0, reusePort: false, idleTimeoutS: 8, onError: () => undefined },
    async (request, _connection, received) => {
      const { pathname, search } = new URL(request.url)
      const body = received === undefined ? await request.text() : new TextDecoder().decode(received)
      return Response.json({ method: request.method, target: pathname + search, body })
    },
  )
  try {
    const rounds: { bytes: string; ourAnswers: string[]; localPort: number }[] = []
    for (let round = 0; round < 40; round++) {
      await Promise.all(
        Array.from({ length: 25 }, async () => {
          const valid = [
            post('/a', 'abc'),
            'GET /b?c=d HTTP/1.1\r\nHost: x\r\n\r\n',
            'POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
          ]
          let bytes = Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(valid)).join('')
          for (let change = Math.floor(next() * 4); change > 0; change--) {
            const at = Math.floor(next() * bytes.length)
            bytes = bytes.slice(0, at) + pick(PIECES) + bytes.slice(at + Math.floor(next() * 4))
          }
          const options = { quietMs: 150, end: true }
          const [ours, theirs] = await Promise.all([
            exchange([bytes], { ...options, port: listener.port }),
            exchange([bytes], { ...options, port: node.port }),
          ])
          const ourAnswers = answersIn(ours.text).map(({ method, target }) => `${method} ${target}`)
          rounds.push({ bytes, ourAnswers, localPort: theirs.localPort })
        }),
      )
    }
    await node.stop()
    for (const { bytes, ourAnswers, localPort } of rounds) {
      const understood = node.understood.get(localPort) ?? []
      const isSame = understood.some((requests) => ourAnswers.every((answer, i) => answer === requests[i]))
      if (!isSame) throw new Error(`seed ${seed}: ${JSON.stringify({ bytes, ourAnswers, understood })}`)
    }
    expect(rounds.flatMap(({ ourAnswers }) => ourAnswers).length).toBeGreaterThan(500)
  } finally {
    listener.terminate()
    await node.stop()
  }
}, 120_000)

test('extensions of chunks are accepted where Node accepts them', async () => {
  const node = await startNode()
  const listener = listenHttp(
    { hostname: '127.0.0.1', port: 0, reusePort: false, idleTimeoutS: 8, onError: () => undefined },
    async (request) => Response.json({ method: request.method, target: '/c', body: await request.text() }),
  )
  const valid = ['', ';a', ';a=b', ';a="b c"', ';a;b=c;d=""', ";!#$%&'*+-.^_`|~1=2"]
  const invalid = [';', ';;a', ';a;', ';=b', ';a=', ';a=b c', ';a="b', ';a=b"c"', ';a\0', ';a=\u00e9']
  const accepts = async (extension: string, port: number): Promise<boolean> => {
    const head = 'POST /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
    const { text } = await exchange([`${head}3${extension}\r\nabc\r\n0\r\n\r\n`], { port, quietMs: 2_000 })
    return text.startsWith('HTTP/1.1 200')
  }
  try {
    const all = [...valid, ...invalid]
    const ours = await Promise.all(all.map((extension) => accepts(extension, listener.port)))
    const theirs = await Promise.all(all.map((extension) => accepts(extension, node.port)))
    expect(all.filter((_, i) => ours[i])).toEqual(valid)
    // Node also accepts some of the invalid ones
    expect(all.filter((_, i) => ours[i] === true && theirs[i] !== true)).toEqual([])
  } finally {
    listener.terminate()
    await node.stop()
  }
}, 60_000)
