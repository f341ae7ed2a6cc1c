/** Stopping is the reverse of opening, and a process ends by its deadline. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import pino from 'pino'
import { createShutdown } from '../../../src/composition/shutdown.ts'

const ROOT = join(import.meta.dir, '../../..')
const silent = pino({ level: 'silent' })

test('parts stop in the reverse order of opening, one after the other', async () => {
  const shutdown = createShutdown(silent)
  const log: string[] = []
  for (const name of ['store', 'log', 'listener'])
    shutdown.onStop(name, async () => {
      log.push(`${name} begins`)
      await Bun.sleep(1)
      log.push(`${name} ends`)
    })
  expect(await shutdown.stop()).toBe(true)
  expect(log).toEqual(['listener begins', 'listener ends', 'log begins', 'log ends', 'store begins', 'store ends'])
})

test('parts of one group stop at the same time, in the place of the group', async () => {
  const shutdown = createShutdown(silent)
  const log: string[] = []
  shutdown.onStop('lock', () => log.push('lock'))
  const stores = shutdown.together()
  shutdown.onStop('listener', () => log.push('listener'))
  // the first one waits for the second one, which a sequence would never reach
  const second = Promise.withResolvers<void>()
  stores.onStop('first', () => {
    log.push('first')
    second.resolve()
  })
  stores.onStop('second', async () => {
    expect(shutdown.stopping()).toEqual(['second'])
    await second.promise
    log.push('second')
  })
  await shutdown.stop()
  expect(log).toEqual(['listener', 'first', 'second', 'lock'])
  expect(shutdown.stopping()).toEqual([])
})

test('a part that fails to stop keeps no other part from stopping, and is logged', async () => {
  const lines: { part?: string; msg: string }[] = []
  const shutdown = createShutdown(pino({}, { write: (line: string) => lines.push(JSON.parse(line)) }))
  let isClosed = false
  shutdown.onStop('store', () => {
    isClosed = true
  })
  shutdown.onStop('jobs', () => Promise.reject(new Error('away')))
  shutdown.together().onStop('streams', () => {
    throw new Error('broken')
  })
  expect(await shutdown.stop()).toBe(false)
  expect(isClosed).toBe(true)
  expect(lines.map(({ part }) => part)).toEqual(['streams', 'jobs'])
})

/** Runs a process; `script` is the body of the function that opens its parts. */
async function runProcess(script: string, signal?: NodeJS.Signals) {
  const program = `
import { createLogger } from '${ROOT}/src/composition/logger.ts'
import { runUntilSignal } from '${ROOT}/src/composition/shutdown.ts'
const note = (text) => process.stdout.write(text + '\\n')
const writeStartError = (error) => note('cannot start: ' + error.message)
await runUntilSignal(createLogger('info'), async (shutdown) => { ${script} }, writeStartError, 100)
// runs until the signal
setInterval(() => {}, 1e6)
note('open')
`
  const child = Bun.spawn([process.execPath, '-e', program], { cwd: ROOT, stdout: 'pipe', stderr: 'inherit' })
  const reader = child.stdout.pipeThrough(new TextDecoderStream() as never).getReader()
  let output = ''
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    output += piece.value
    if (signal !== undefined && output.includes('open\n')) child.kill(signal)
  }
  return { code: await child.exited, output }
}

test('a signal stops all parts, and the exit code is 0', async () => {
  const { code, output } = await runProcess(`shutdown.onStop('store', () => note('store stopped'))`, 'SIGTERM')
  expect(code).toBe(0)
  expect(output).toContain('store stopped')
})

test('a part that cannot be opened closes the parts before it, and the exit code is 1', async () => {
  const { code, output } = await runProcess(
    `shutdown.onStop('store', () => note('store stopped')); throw new Error('the port is in use')`,
  )
  expect(code).toBe(1)
  expect(output).toStartWith('cannot start: the port is in use\nstore stopped\n')
})

test('at the deadline the log names the parts that hang, and the exit code is 1', async () => {
  const { code, output } = await runProcess(
    `shutdown.onStop('store', () => note('store stopped')); shutdown.onStop('jobs', () => new Promise(() => {}))`,
    'SIGINT',
  )
  expect(code).toBe(1)
  expect(output).toContain('"parts":["jobs"]')
  expect(output).not.toContain('store stopped')
})
