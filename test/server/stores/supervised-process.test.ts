/** Child processes that serve the server: started, restarted with growing pauses, and ended with it. */
import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  ProcessStartError,
  type SupervisedProcessOptions,
  type SupervisionEvent,
  superviseProcess,
} from '../../../src/stores/supervised-process.ts'
import { until } from '../../support/until.ts'

type Given = Partial<SupervisedProcessOptions> & { command: readonly string[] }

function supervise(given: Given) {
  const events: SupervisionEvent[] = []
  const lines: string[] = []
  const starting = superviseProcess({
    name: 'the program',
    stopSignal: 'SIGTERM',
    untilReady: async () => undefined,
    startTimeoutMs: 5_000,
    stopTimeoutMs: 300,
    onLine: (line) => lines.push(line),
    onEvent: (event) => events.push(event),
    ...given,
  })
  return { starting, events, lines }
}

const shell = (script: string): string[] => ['sh', '-c', script]
const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`)

test('a first start that fails rejects with the last lines of the program and is not repeated', async () => {
  const { starting, events } = supervise({
    command: shell('for i in 1 2 3 4 5 6 7; do echo line $i; done; exit 3'),
    untilReady: () => new Promise(() => undefined),
  })
  const error = await starting.catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(ProcessStartError)
  expect(String(error)).toContain('the program did not start (exit code 3):\nline 3\nline 4\nline 5\nline 6\nline 7')
  expect(events).toEqual([])
})

test('a program that is not ready in time is killed', async () => {
  let pid = 0
  const { starting } = supervise({
    command: ['sleep', '60'],
    startTimeoutMs: 100,
    untilReady(started) {
      pid = started
      return new Promise(() => undefined)
    },
  })
  await expect(starting).rejects.toThrow('the program was not ready within 0.1 s')
  expect(isAlive(pid)).toBe(false)
})

test('a program that does not exist is reported', async () => {
  const { starting } = supervise({ command: ['/nonexistent/program'], untilReady: () => new Promise(() => undefined) })
  await expect(starting).rejects.toThrow(ProcessStartError)
})

test('a program that keeps ending is restarted after pauses that double', async () => {
  const readyMs: number[] = []
  const { starting, events } = supervise({
    command: shell('exit 1'),
    onEvent(event) {
      if (event.event === 'ready') readyMs.push(performance.now())
    },
  })
  const supervised = await starting
  await until(() => readyMs.length >= 5)
  await supervised.stop()
  const pauses = readyMs.slice(1).map((ms, i) => ms - (readyMs[i] as number))
  for (const [i, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(100 * 2 ** i)
  expect(events).toEqual([])
})

test('a restart that fails is tried again until it works', async () => {
  let starts = 0
  const { starting, events } = supervise({
    command: ['sleep', '60'],
    async prepare() {
      // the second and third start fail
      if (++starts === 2 || starts === 3) throw new Error('no room')
    },
  })
  const supervised = await starting
  process.kill(supervised.pid() as number, 'SIGKILL')
  await until(() => events.at(-1)?.event === 'ready' && events.length > 1)
  expect(events.map(({ event }) => event)).toEqual(['ready', 'ended', 'failed', 'failed', 'ready'])
  expect(supervised.isReady()).toBe(true)
  await supervised.stop()
  expect(supervised.isReady()).toBe(false)
})

test('it runs in a separate session, and stop waits for its end', async () => {
  const { starting, lines } = supervise({
    command: shell('trap "echo stopped; exit 0" TERM; echo up; while :; do sleep 0.01; done'),
  })
  const supervised = await starting
  const pid = supervised.pid() as number
  await until(() => lines.includes('up'))
  const session = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')[3]
  expect(Number(session)).toBe(pid)
  await supervised.stop()
  expect(isAlive(pid)).toBe(false)
  expect(lines).toEqual(['up', 'stopped'])
})

test('a program that ignores its stop signal is killed after the timeout', async () => {
  const { starting, lines } = supervise({ command: shell('trap "" TERM; echo up; while :; do sleep 0.05; done') })
  const supervised = await starting
  const pid = supervised.pid() as number
  await until(() => lines.includes('up'))
  const stoppedMs = performance.now()
  await supervised.stop()
  expect(performance.now() - stoppedMs).toBeGreaterThanOrEqual(299)
  expect(isAlive(pid)).toBe(false)
})

test('the kernel ends the program when its parent is killed', async () => {
  const program = `
    import { superviseProcess } from '${join(import.meta.dir, '../../../src/stores/supervised-process.ts')}'
    const supervised = await superviseProcess({
      name: 'child', command: ['sleep', '60'], stopSignal: 'SIGTERM', untilReady: async () => undefined,
      startTimeoutMs: 5000, stopTimeoutMs: 1000, onLine() {}, onEvent() {},
    })
    console.log(supervised.pid())
    await new Promise(() => setInterval(() => undefined, 1000))`
  const parent = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe' })
  const pid = Number(new TextDecoder().decode((await parent.stdout.getReader().read()).value))
  expect(isAlive(pid)).toBe(true)
  parent.kill('SIGKILL')
  await until(() => !isAlive(pid))
})
