/** Starts servers for benches and tests, and reads their figures from the kernel. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { withParentDeathSignal } from '../../src/stores/supervised-process.ts'

export const ROOT = join(import.meta.dir, '../..')

export type Server = {
  process: ChildProcess
  port: number
  url: string
  pid: number
  startedInMs: number
  logFile: string
}

/** Starts a program with Bun, as src/setup/run.mjs does, and waits until it listens. Its output goes to `logFile`. */
export async function startServer(args: string[], env: Record<string, string>, logFile: string): Promise<Server> {
  const startedMs = performance.now()
  const fd = openSync(logFile, 'a')
  const [program, ...rest] = withParentDeathSignal([process.execPath, ...args], 'SIGKILL') as [string, ...string[]]
  const child = spawn(program, rest, {
    cwd: ROOT,
    env: { UV_THREADPOOL_SIZE: '16', ...process.env, ...env },
    stdio: ['ignore', fd, fd],
  })
  closeSync(fd)
  for (;;) {
    const said = readFileSync(logFile, 'utf8')
    const found = /listening on (http:\/\/127\.0\.0\.1:(\d+))/.exec(said)
    if (found !== null) {
      reportUnexpectedEnd(child, logFile)
      return {
        process: child,
        port: Number(found[2]),
        url: found[1] as string,
        pid: child.pid as number,
        startedInMs: performance.now() - startedMs,
        logFile,
      }
    }
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${said}`)
    if (performance.now() - startedMs > 100_000)
      throw new Error(`the server did not listen within 100 s: ${lastLines(logFile)}`)
    await Bun.sleep(20)
  }
}

/**
 * Starts a server that must fail to start.
 * @returns its stderr
 */
export async function refusedStart(env: Record<string, string>): Promise<string> {
  const child = Bun.spawn([process.execPath, 'src/main.ts'], {
    cwd: ROOT,
    env: { ...process.env, PORT: '0', ...env },
    stderr: 'pipe',
    stdout: 'ignore',
  })
  const text = await new Response(child.stderr).text()
  if ((await child.exited) !== 1) throw new Error(`the server ended with ${child.exitCode}: ${text}`)
  return text
}

const LAST_LOG_BYTES = 4_000

const lastLines = (logFile: string): string =>
  existsSync(logFile) ? readFileSync(logFile, 'utf8').slice(-LAST_LOG_BYTES) : ''

/**
 * A test whose server crashes fails with ECONNREFUSED, which gives no reason: print how the server ended, and its last
 * lines.
 */
function reportUnexpectedEnd(child: ChildProcess, logFile: string): void {
  child.once('exit', (code, signal) => {
    if (child.killed || code === 0 || signal === 'SIGKILL') return
    process.stderr.write(
      `the server with pid ${child.pid} ended with ${signal ?? `exit code ${code}`}:\n${lastLines(logFile)}\n`,
    )
  })
}

/** A server ends within 10 s of a signal by itself; the rest is for a loaded machine. */
const STOP_PATIENCE_MS = 60_000

/** @throws Error with the last lines of the log when the server does not end */
export async function stopServer(server: Server, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  if (server.process.exitCode !== null || server.process.signalCode !== null) return server.process.exitCode
  return new Promise<number | null>((resolve, reject) => {
    const patience = setTimeout(() => {
      server.process.kill('SIGKILL')
      reject(new Error(`the server did not end within 60 s of ${signal}: ${lastLines(server.logFile)}`))
    }, STOP_PATIENCE_MS)
    server.process.once('exit', (code) => {
      clearTimeout(patience)
      resolve(code)
    })
    server.process.kill(signal)
  })
}

/** Waits until no process runs in a folder: the children of a killed server end a moment after it. */
export async function untilUnused(dir: string): Promise<void> {
  for (const deadlineMs = Date.now() + 60_000; ; await Bun.sleep(30)) {
    const users = processesIn(dir)
    if (users.length === 0) return
    if (Date.now() > deadlineMs) throw new Error(`${dir} is still used by pid ${users.join(', ')}`)
  }
}

/** Processes whose working directory is the folder or a folder below it. */
export function processesIn(dir: string): number[] {
  const isIn = (name: string): boolean => {
    try {
      const folder = readlinkSync(`/proc/${name}/cwd`)
      return folder === dir || folder.startsWith(`${dir}/`)
    } catch {
      // the process has ended since /proc was listed
      return false
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isIn(name))
    .map(Number)
}

/** All processes, grouped by their parent. */
function processesByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one)))
    try {
      const parent = Number(statFields(Number(name))[1])
      children.set(parent, [...(children.get(parent) ?? []), Number(name)])
    } catch {
      // the process has ended since /proc was listed
    }
  return children
}

/** The child processes of a process. */
export const childrenOf = (pid: number): number[] => processesByParent().get(pid) ?? []

/** The process and all its descendants. */
export function familyOf(pid: number): number[] {
  // reads /proc once: benches call this while they measure
  const children = processesByParent()
  const family = (one: number): number[] => [one, ...(children.get(one) ?? []).flatMap(family)]
  return family(pid)
}

/** The fields of /proc/<pid>/stat after the name of the program, which may contain any character. */
function statFields(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
}

const TICKS_PER_SECOND = 100

export function cpuSeconds(pid: number): number {
  const fields = statFields(pid)
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

export function residentMb(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? 0) / 1024
}

/** Calls /manage/v1 and returns `data`. */
export async function manage<T>(url: string, token: string, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${url}/manage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const envelope = (await response.json()) as { ok: boolean; data: T; message: string }
  if (!envelope.ok) throw new Error(`${method} ${path}: ${envelope.message}`)
  return envelope.data
}
