/**
 * Options of routes: which answers are bilingual, and which connections may be silent for longer than the idle timeout.
 */
import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { Elysia } from 'elysia'
import { AppError } from '../../../src/errors.ts'
import { envelope } from '../../../src/http/envelope.ts'
import { listen } from '../../../src/http/listener.ts'
import { bilingual, longRunning } from '../../../src/http/route-options.ts'

/** Bun checks its timeouts every four seconds. */
const SILENCE_MS = 9_000
const IDLE_S = 1
const silence = async (): Promise<string> => {
  await Bun.sleep(SILENCE_MS)
  return 'done'
}
const refuse = (): never => {
  throw new AppError('SENSOR_DISABLED')
}
const app = new Elysia()
  .use(envelope())
  .use(new Elysia().use(new Elysia().onBeforeHandle(longRunning).get('/all-of-a-plugin', silence)))
  .use(
    new Elysia()
      .get('/short', silence)
      .get('/long', silence, { beforeHandle: longRunning })
      .get('/both', refuse, { transform: bilingual })
      .get('/one', refuse)
      .post('/refused', refuse, { parse: 'none', beforeHandle: longRunning }),
  )
const server = listen((request) => app.handle(request), {
  hostname: '127.0.0.1',
  port: 0,
  reusePort: false,
  idleTimeoutS: IDLE_S,
  publicOnly: false,
  trustedProxies: new Set<string>(),
  onError: () => undefined,
})
afterAll(() => server.stop(true))

const ask = (path: string): Promise<Response> => fetch(new URL(path, `http://127.0.0.1:${server.port}`))

test('a long-running route outlives the idle timeout, other routes do not', async () => {
  const [short, ...long] = await Promise.allSettled(['/short', '/long', '/all-of-a-plugin'].map(ask))
  expect(short?.status).toBe('rejected')
  for (const answer of long) expect(answer.status === 'fulfilled' && (await answer.value.text())).toBe('done')
}, 120_000)

test('a connection is closed after the answer of a long-running route, also when its body never arrives', async () => {
  const heads = ['content-length: 1000\r\n\r\nabc', 'content-length: 3\r\n\r\nabc', 'content-length: 0\r\n\r\n']
  const answers = heads.map(
    (head) =>
      new Promise<string>((resolve) => {
        const socket = connect(server.port as number, '127.0.0.1')
        let text = ''
        socket.on('connect', () => socket.write(`POST /refused HTTP/1.1\r\nhost: localhost\r\n${head}`))
        socket.on('data', (bytes) => {
          text += bytes
        })
        // the other end closes; the test ends by its own timeout if it does not
        socket.on('close', () => resolve(text.slice(0, 12)))
      }),
  )
  expect(await Promise.all(answers)).toEqual(Array(3).fill('HTTP/1.1 403'))
}, 30_000)

test('a bilingual route adds the Arabic text to a failure', async () => {
  expect(await (await ask('/both')).json()).toMatchObject({
    code: 'SENSOR_DISABLED',
    messageAr: expect.stringMatching(/\p{Script=Arabic}/u),
  })
  expect(await (await ask('/one')).json()).not.toHaveProperty('messageAr')
})
