/**
 * A server whose routes have bugs of every kind that handlers do not catch. Prints its port, and its metrics at the
 * end.
 */
import { EventEmitter } from 'node:events'
import { createReadStream } from 'node:fs'
import { PassThrough } from 'node:stream'
import { Elysia } from 'elysia'
import pino from 'pino'
import { envelope } from '../../../src/http/envelope.ts'
import { listen } from '../../../src/http/listener.ts'
import { createMetrics } from '../../../src/http/observability/metrics.ts'
import { handleUncaught } from '../../../src/http/observability/uncaught-errors.ts'

const metrics = createMetrics()
const bug = new Error('a bug')
const never = (): Promise<Response> => new Promise(() => undefined)
const BUGS: Record<string, () => unknown> = {
  '/timer': () =>
    setTimeout(() => {
      throw bug
    }, 1),
  '/immediate': () => setImmediate(() => new EventEmitter().emit('error', bug)),
  '/stream': () => new PassThrough().destroy(bug),
  '/file': () => createReadStream('/nothing/there'),
}
const app = new Elysia().use(envelope()).get('/fine', () => 'fine')
for (const [path, start] of Object.entries(BUGS))
  app.get(path, () => {
    start()
    return never()
  })
app.get('/rejection', () => {
  void Promise.reject(bug)
  return 'answered'
})

const server = listen((request) => app.handle(request), {
  hostname: '127.0.0.1',
  port: 0,
  reusePort: false,
  idleTimeoutS: 10,
  publicOnly: false,
  trustedProxies: new Set<string>(),
  onError: () => undefined,
})
handleUncaught(pino({ base: null }, pino.destination({ dest: 1, sync: true })), metrics)
process.stdout.write(`port ${server.port}\n`)
process.on('SIGTERM', async () => {
  const text = await metrics.registry.metrics()
  process.stdout.write(
    `${text
      .split('\n')
      .filter((line) => line.startsWith('uncaught_errors_total'))
      .join('\n')}\n`,
  )
  process.exit(0)
})
