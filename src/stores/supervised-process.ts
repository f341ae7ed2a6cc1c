/**
 * A program that belongs to this process and does one job for it: an embedded PostgreSQL, or chDB. It is started in a
 * separate session, so that Ctrl-C in a terminal reaches only the server; the kernel signals it when the server dies,
 * however that happens; and when it ends unexpectedly it is restarted with exponential backoff.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createBackoff } from './backoff.ts'

export type SupervisedProcessOptions = {
  /** Name of the program in the log and in errors. */
  name: string
  /** The program and its arguments. */
  command: readonly string[]
  /** Programs that change the user before they run the command; changing the user clears the kernel's signal. */
  runAs?: readonly string[]
  /** The whole environment of the program. */
  env?: Record<string, string | undefined>
  cwd?: string
  /** Sent by `stop`, and by the kernel when this process dies. */
  stopSignal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'
  /** Runs before each start, for example to clean up after a crash; rejecting makes the start fail. */
  prepare?(): Promise<void>
  /** Resolves once the program can do its work. `ended` is aborted when the program ends first. */
  untilReady(pid: number, ended: AbortSignal): Promise<void>
  startTimeoutMs: number
  stopTimeoutMs: number
  /** One line of the program's output. */
  onLine(line: string): void
  onEvent(event: SupervisionEvent): void
}

export type SupervisionEvent =
  | { event: 'ready'; pid: number; durationMs: number }
  | { event: 'ended'; how: string }
  | { event: 'failed'; error: unknown; retryInMs: number }

export type SupervisedProcess = {
  /** Undefined while it does not run. */
  pid(): number | undefined
  isReady(): boolean
  /** Resolves when the program has ended; it is not started again. */
  stop(): Promise<void>
}

/** The first start failed; the message contains the program's last lines. */
export class ProcessStartError extends Error {}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** A program that ran this long has recovered: the next pause is the shortest one. */
const STABLE_MS = 60_000
const LAST_LINES = 5
const LAST_LINES_MS = 200
const SETPRIV = '/usr/bin/setpriv'

/** The command, changed so that the kernel sends `signal` to it when this process dies. */
export function withParentDeathSignal(command: readonly string[], signal: string): string[] {
  if (!existsSync(SETPRIV)) return [...command]
  return [SETPRIV, '--pdeathsig', signal.replace(/^SIG/, ''), '--no-new-privs', '--', ...command]
}

/**
 * Starts the program and resolves once it is ready.
 * @throws ProcessStartError when the first start fails, which is not tried again
 */
export async function superviseProcess(options: SupervisedProcessOptions): Promise<SupervisedProcess> {
  let current: Running | undefined
  const stopped = new AbortController()

  async function start(): Promise<Running> {
    await options.prepare?.()
    const startedMs = performance.now()
    const running = launch(options)
    current = running
    await untilReady(running, options)
    running.isReady = true
    options.onEvent({ event: 'ready', pid: running.pid, durationMs: performance.now() - startedMs })
    return running
  }

  async function keepRunning(first: Running): Promise<void> {
    let running: Running | undefined = first
    const backoff = createBackoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
    for (;;) {
      if (running !== undefined) {
        const readyMs = performance.now()
        const how = await running.ended
        current = undefined
        if (stopped.signal.aborted) return
        options.onEvent({ event: 'ended', how })
        if (performance.now() - readyMs > STABLE_MS) backoff.reset()
      }
      await backoff.pause(stopped.signal)
      if (stopped.signal.aborted) return
      try {
        running = await start()
      } catch (error) {
        running = undefined
        current = undefined
        if (stopped.signal.aborted) return
        options.onEvent({ event: 'failed', error, retryInMs: backoff.nextMs() })
      }
    }
  }

  const supervising = keepRunning(await start())
  return {
    pid: () => current?.pid,
    isReady: () => current?.isReady ?? false,
    async stop() {
      stopped.abort()
      if (current !== undefined) await end(current, options.stopSignal, options.stopTimeoutMs)
      await supervising
    },
  }
}

type Running = {
  pid: number
  isReady: boolean
  /** Resolves with its exit code or the signal that ended it. */
  ended: Promise<string>
  endedSignal: AbortSignal
  lastLines: string[]
  kill(signal: NodeJS.Signals): void
}

function launch({ name, command, runAs = [], env, cwd, stopSignal, onLine }: SupervisedProcessOptions): Running {
  const [program, ...args] = [...runAs, ...withParentDeathSignal(command, stopSignal)] as [string, ...string[]]
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...(env && { env: env as NodeJS.ProcessEnv }),
    ...(cwd !== undefined && { cwd }),
  })
  const lastLines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      lastLines.push(line)
      if (lastLines.length > LAST_LINES) lastLines.shift()
      onLine(line)
    })
  const over = new AbortController()
  const ended = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      over.abort()
      resolve(how)
    }
    child.once('error', (error) => end(`${name} could not be started: ${error.message}`))
    child.once('exit', (code, signal) => {
      const how = signal === null ? `exit code ${code}` : signal
      // its last lines may still be in the pipe; a child process may keep the pipe open for longer
      child.once('close', () => end(how))
      setTimeout(() => end(how), LAST_LINES_MS)
    })
  })
  return {
    pid: child.pid ?? 0,
    isReady: false,
    ended,
    endedSignal: over.signal,
    lastLines,
    kill: (signal) => void child.kill(signal),
  }
}

async function untilReady(running: Running, options: SupervisedProcessOptions): Promise<void> {
  const { name, startTimeoutMs } = options
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new ProcessStartError(`${name} was not ready within ${startTimeoutMs / 1000} s`)),
    startTimeoutMs,
  )
  const endedFirst = running.ended.then((how) => {
    const lines = running.lastLines.join('\n')
    throw new ProcessStartError(`${name} did not start (${how})${lines === '' ? '' : `:\n${lines}`}`)
  })
  try {
    await Promise.race([options.untilReady(running.pid, running.endedSignal), endedFirst, late.promise])
  } catch (error) {
    await end(running, 'SIGKILL', 0)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function end(running: Running, signal: NodeJS.Signals, timeoutMs: number): Promise<void> {
  running.kill(signal)
  const timer = setTimeout(() => running.kill('SIGKILL'), timeoutMs)
  await running.ended
  clearTimeout(timer)
}
