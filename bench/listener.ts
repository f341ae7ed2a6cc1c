/**
 * CPU time of a POST in our own HTTP listener and in Bun.serve, with the same empty handler: fresh processes, alternating
 * order, medians. `bun run bench listener [rounds]`.
 */
import { listenHttp } from '../src/http/http-listener.ts'
import { setWholeContent } from '../src/http/response-writer.ts'
import { load, quantile, say } from './support/tool-harness.ts'

const KINDS = ['own', 'Bun.serve'] as const
type Kind = (typeof KINDS)[number]
/** A call of 10 and of 500 readings. */
const SIZES = [
  { bytes: 1_300, calls: 150_000 },
  { bytes: 55_000, calls: 30_000 },
]
const CONNECTIONS = 32
const ANSWER = new TextEncoder().encode(
  '{"ok":true,"statusCode":200,"data":{"accepted":[],"duplicates":[],"refused":[]}}',
)

function answerTo(): Response {
  const response = new Response(ANSWER, {
    headers: { 'content-type': 'application/json', 'x-request-id': 'request', 'x-frame-options': 'DENY' },
  })
  setWholeContent(response, ANSWER)
  return response
}

/** Prints its port, and its CPU time in microseconds at the end. */
function serve(kind: Kind): void {
  const address = { hostname: '127.0.0.1', port: 0 }
  const { port } =
    kind === 'own'
      ? listenHttp(
          { ...address, reusePort: false, idleTimeoutS: 60, onError: (error) => say(String(error)) },
          async (request, _connection, received) => {
            if (received === undefined) await request.arrayBuffer()
            return answerTo()
          },
        )
      : Bun.serve({
          ...address,
          async fetch(request) {
            await request.arrayBuffer()
            return answerTo()
          },
        })
  const before = process.cpuUsage()
  process.on('SIGTERM', () => {
    const { user, system } = process.cpuUsage(before)
    process.stdout.write(JSON.stringify({ user, system }))
    process.exit()
  })
  process.stdout.write(`${port}\n`)
}

/** Sends the calls over all connections, each after the answer to the one before. */
function send(port: number, bytes: number, calls: number): Promise<void> {
  const request = Buffer.from(
    `POST /sensors/sen_0123456789abcdef/readings HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer 0123456789abcdef\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`,
  )
  const { promise, resolve } = Promise.withResolvers<void>()
  let answered = 0
  let sent = 0
  for (let i = 0; i < CONNECTIONS; i++) {
    let rest: Buffer = request
    const write = (socket: { write(data: Buffer): number }): void => {
      rest = rest.subarray(Math.max(socket.write(rest), 0))
    }
    const next = (socket: { write(data: Buffer): number }): void => {
      if (sent++ >= calls) return
      rest = request
      write(socket)
    }
    void Bun.connect({
      ...{ hostname: '127.0.0.1', port },
      socket: {
        open: next,
        drain(socket) {
          if (rest.length > 0) write(socket)
        },
        data(socket) {
          if (++answered === calls) resolve()
          next(socket)
        },
      },
    })
  }
  return promise
}

async function measure(kind: Kind, bytes: number, calls: number): Promise<{ user: number; system: number }> {
  const child = Bun.spawn([process.execPath, import.meta.path, 'serve', kind], { stdout: 'pipe' })
  const reader = child.stdout.getReader()
  const text = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value)
  await send(Number(await text()), bytes, calls)
  child.kill('SIGTERM')
  const { user, system } = JSON.parse(await text()) as { user: number; system: number }
  await child.exited
  return { user: user / calls, system: system / calls }
}

const [mode = '5', kind = 'own'] = process.argv.slice(2)
if (mode === 'serve') serve(kind as Kind)
else {
  say(`load before ${load()}`)
  for (const { bytes, calls } of SIZES) {
    const runs = new Map<Kind, { user: number; system: number }[]>(KINDS.map((one) => [one, []]))
    for (let round = 0; round < Number(mode); round++)
      for (const one of round % 2 === 0 ? KINDS : KINDS.toReversed())
        runs.get(one)?.push(await measure(one, bytes, calls))
    for (const [one, figures] of runs) {
      const [user, system] = (['user', 'system'] as const).map((part) =>
        quantile(
          figures.map((figure) => figure[part]),
          0.5,
        ),
      )
      say(`${bytes} bytes, ${one}: ${user?.toFixed(1)} µs user, ${system?.toFixed(1)} µs system a call`)
    }
  }
  process.exit()
}
