/** A real PostgreSQL on a free port of 127.0.0.1 in a temporary folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withParentDeathSignal } from '../../../src/stores/supervised-process.ts'
import { untilUnused } from '../processes.ts'
import { outputOf } from '../program.ts'
import { atRunEnd, onceInProcess, sharedFolder } from '../run-end.ts'

const DEBIAN = '/usr/lib/postgresql'

/** The folder of PostgreSQL's programs; Debian's newest, or empty for those in PATH. */
function programs(): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const newest = versions.find((version) => existsSync(join(DEBIAN, version, 'bin/initdb')))
  return newest === undefined ? '' : join(DEBIAN, newest, 'bin')
}

/** Below the range of outgoing connections, which could take a port between its choice and its use. */
const FIRST_PORT = 15_000
const PORTS = 17_000
const givenPorts = new Set<number>()

/** A port of 127.0.0.1 that nobody listens on, and that was not returned before in this process. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS)
    if (givenPorts.has(port)) continue
    givenPorts.add(port)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

// PostgreSQL does not run as root; its package creates a user for it
const asRoot = process.getuid?.() === 0

function command(program: string, args: string[]): [string, string[]] {
  const [path, ...rest] = withParentDeathSignal([join(programs(), program), ...args], 'SIGQUIT') as [
    string,
    ...string[],
  ]
  return asRoot ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', path, ...rest]] : [path, rest]
}

export type PostgresServer = {
  url: string
  /** The folder of the data. */
  data: string
  stop(signal?: NodeJS.Signals): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

/** The data of a new server, made once in a process: a copy takes less time than initdb. */
function newData(): Promise<string> {
  return onceInProcess('initdb', async () => {
    const home = sharedFolder('initdb')
    if (asRoot) outputOf('chown', ['postgres:postgres', home])
    const data = join(home, 'data')
    const password = join(home, 'password')
    writeFileSync(password, 'secret\n', { mode: 0o644 })
    const args = [
      '-D',
      data,
      '-U',
      'groundwave',
      '--auth=scram-sha-256',
      '--pwfile',
      password,
      '-E',
      'UTF8',
      '--no-sync',
    ]
    outputOf(...command('initdb', args), { cwd: home })
    return data
  })
}

/** The kernel keeps what a killed process wrote, and no test ends the kernel. */
const WITHOUT_SYNC = ['fsync=off', 'full_page_writes=off']

/**
 * @param settings as `name=value`
 * @param home an empty folder
 * @param origin the URL of a server from which the new one replicates, or a folder with data to copy
 */
export async function startPostgres(
  settings: readonly string[] = [],
  home = mkdtempSync(join(tmpdir(), 'groundwave-pg-')),
  origin?: string,
): Promise<PostgresServer> {
  if (asRoot) outputOf('chown', ['postgres:postgres', home])
  const data = join(home, 'data')
  if (origin?.startsWith('postgres:')) {
    const args = ['-d', origin, '-D', data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']
    outputOf(...command('pg_basebackup', args), { cwd: home })
  } else outputOf('cp', ['-a', origin ?? (await newData()), data])
  const port = await freePort()
  const url = `postgres://groundwave:secret@127.0.0.1:${port}/postgres`
  let child: ChildProcess

  async function start(): Promise<void> {
    const [program, args] = command('postgres', [
      '-D',
      data,
      '-p',
      String(port),
      '-c',
      'listen_addresses=127.0.0.1',
      '-k',
      home,
      ...[...WITHOUT_SYNC, ...settings].flatMap((setting) => ['-c', setting]),
    ])
    child = spawn(program, args, { cwd: home, stdio: 'ignore' })
    for (const deadline = Date.now() + 60_000; ; ) {
      try {
        const client = new Bun.SQL(url, { max: 1, connectionTimeout: 1 })
        await client`SELECT 1`
        await client.close()
        return
      } catch (error) {
        if (Date.now() > deadline) throw error
        await Bun.sleep(50)
      }
    }
  }
  async function stop(signal: NodeJS.Signals = 'SIGQUIT'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
    // processes of a killed server end a moment later, and a new one does not start beside them
    await untilUnused(data)
  }
  await start()
  return {
    url,
    data,
    start,
    stop,
    async remove() {
      await stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function startShared(): Promise<PostgresServer> {
  const server = await startPostgres()
  atRunEnd(server.remove)
  return server
}
let databases = 0

/**
 * @param template the name of a database to copy
 * @returns the URL of a new database, on one server for all test files of a process
 */
export async function freshDatabase(template = 'template1'): Promise<string> {
  const { url } = await onceInProcess('postgres', startShared)
  const name = `fresh_${process.pid}_${Date.now()}_${databases++}`
  const client = new Bun.SQL(url, { max: 1 })
  await client.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  await client.close()
  return url.replace(/postgres$/, name)
}
