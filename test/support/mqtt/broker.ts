/** A real broker: Mosquitto with its store on disk. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withParentDeathSignal } from '../../../src/stores/supervised-process.ts'
import type { Certificate } from '../stores/certificates.ts'
import { freePort } from '../stores/postgres.ts'
import { until } from '../until.ts'

export type Broker = {
  port: number
  /** @param signal SIGTERM lets it write its store */
  stop(signal?: NodeJS.Signals): Promise<void>
  start(): Promise<void>
  log(): string
  remove(): Promise<void>
}

export type BrokerSettings = {
  /** User and password that clients need. */
  account?: { user: string; password: string }
  tls?: Certificate
  /** Writes its store after each change, and not only when it stops. */
  savesChanges?: boolean
}

/** Messages wait without limit. */
const STORE = ['persistence true', 'max_queued_messages 0']

export async function startBroker({ account, tls, savesChanges }: BrokerSettings = {}): Promise<Broker> {
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-broker-'))
  const path = (name: string): string => join(dir, name)
  const lines = [`listener ${port} 127.0.0.1`, `persistence_location ${dir}/`, ...STORE]
  if (savesChanges === true) lines.push('autosave_on_changes true', 'autosave_interval 1')
  // as root, it would change to an account that may not write to the folder
  if (process.getuid?.() === 0) lines.push('user root')
  if (tls !== undefined) lines.push(`certfile ${tls.cert}`, `keyfile ${tls.key}`)
  lines.push(account === undefined ? 'allow_anonymous true' : `password_file ${path('passwords')}`)
  if (account !== undefined) {
    const made = Bun.spawn(['mosquitto_passwd', '-b', '-c', path('passwords'), account.user, account.password])
    if ((await made.exited) !== 0) throw new Error('mosquitto_passwd failed')
  }
  writeFileSync(path('mosquitto.conf'), `${lines.join('\n')}\n`)
  let broker: ChildProcess | undefined

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const ending = broker
    broker = undefined
    if (ending === undefined || ending.exitCode !== null) return
    await new Promise((resolve) => {
      ending.once('exit', resolve)
      ending.kill(signal)
    })
  }

  async function start(): Promise<void> {
    const command = ['/usr/sbin/mosquitto', '-c', path('mosquitto.conf')]
    const [program, ...args] = withParentDeathSignal(command, 'SIGKILL') as [string, ...string[]]
    const fd = openSync(path('log'), 'a')
    const started = spawn(program, args, { stdio: ['ignore', fd, fd] })
    broker = started
    closeSync(fd)
    await until(async () => {
      if (started.exitCode !== null) throw new Error(`the broker ended: ${readFileSync(path('log'), 'utf8')}`)
      return isOpen(port)
    }, 'the start of the broker')
  }

  await start()
  return {
    port,
    stop,
    start,
    log: () => readFileSync(path('log'), 'utf8'),
    async remove() {
      await stop('SIGKILL')
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
