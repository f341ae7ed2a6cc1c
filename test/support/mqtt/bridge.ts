/** The bridge as a process of its own, as `bun run mqtt-bridge` starts it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withParentDeathSignal } from '../../../src/stores/supervised-process.ts'
import { ROOT } from '../processes.ts'
import { until } from '../until.ts'

export type Bridge = {
  pid(): number
  /** Starts it, and waits until it is connected. */
  start(): Promise<void>
  /** @returns its exit code */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  log(): string
  /** Waits for a line of its log from now on. */
  untilLogged(text: string): Promise<void>
  remove(): Promise<void>
}

const CONNECTED = 'connected to the broker'

export async function startBridge(env: Record<string, string>): Promise<Bridge> {
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-bridge-'))
  const logFile = join(dir, 'log')
  const log = (): string => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : '')
  let bridge: ChildProcess | undefined

  async function untilLogged(text: string, from = log().length): Promise<void> {
    await until(() => log().slice(from).includes(text), `the line "${text}" of the bridge`)
  }

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const ending = bridge
    bridge = undefined
    if (ending === undefined || ending.exitCode !== null) return ending?.exitCode ?? null
    return new Promise((resolve) => {
      ending.once('exit', resolve)
      ending.kill(signal)
    })
  }

  async function start(): Promise<void> {
    const from = log().length
    const command = withParentDeathSignal([process.execPath, 'src/mqtt-bridge.ts'], 'SIGKILL')
    const [program, ...args] = command as [string, ...string[]]
    const fd = openSync(logFile, 'a')
    bridge = spawn(program, args, { cwd: ROOT, env: { ...process.env, ...env }, stdio: ['ignore', fd, fd] })
    closeSync(fd)
    await untilLogged(CONNECTED, from)
  }

  await start()
  return {
    pid: () => bridge?.pid as number,
    start,
    stop,
    log,
    untilLogged: (text) => untilLogged(text),
    async remove() {
      await stop('SIGKILL')
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
