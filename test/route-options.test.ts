/** Options of routes: who gets both languages, and which routes may be silent for longer than the idle timeout. */
import { afterAll, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { AppError } from '../src/errors.ts'
import { envelope } from '../src/http/envelope.ts'
import { bilingual, longRunning } from '../src/http/route-options.ts'

/** Bun looks at its timeouts every four seconds. */
const SILENCE_MS = 9_000
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
      .get('/one', refuse),
  )
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 1,
  fetch: (request) => app.handle(request),
})
app.server = server
afterAll(() => server.stop(true))

const ask = (path: string): Promise<Response> => fetch(new URL(path, server.url))

test('a long-running route outlives the idle timeout, another one does not', async () => {
  const [short, ...long] = await Promise.allSettled(['/short', '/long', '/all-of-a-plugin'].map(ask))
  expect(short?.status).toBe('rejected')
  for (const answer of long) expect(answer.status === 'fulfilled' && (await answer.value.text())).toBe('done')
}, 120_000)

test('a bilingual route adds the Arabic text to a failure', async () => {
  expect(await (await ask('/both')).json()).toMatchObject({
    code: 'SENSOR_DISABLED',
    messageAr: expect.stringMatching(/\p{Script=Arabic}/u),
  })
  expect(await (await ask('/one')).json()).not.toHaveProperty('messageAr')
})
