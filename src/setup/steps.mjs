/**
 * The steps of the set-up, in order; each is done once for a lock file. A step that is allowed to fail (a native
 * binding that only some tools need) tells so and returns.
 *
 * @typedef {{ title: string, run: (root: string, tell: (text: string) => void) => Promise<void> }} Step
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Of one line of progress, in milliseconds. */
const PROGRESS_MS = 5_000

/**
 * Runs a command; its output is shown only when it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @param {() => void} onProgress
 */
function runQuietly(command, args, cwd, onProgress) {
  return new Promise((resolve, reject) => {
    // RUNLEVEL 1: packages of servers do not start them
    const env = { ...process.env, SCARF_ANALYTICS: 'false', DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const timer = setInterval(onProgress, PROGRESS_MS)
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('close', (code) => {
      clearInterval(timer)
      if (code === 0) resolve(undefined)
      else reject(new Error(`${command} ${args.join(' ')} failed:\n${output.slice(-4000)}`))
    })
  })
}

/** @type {Step} */
const packages = {
  title: 'packages from npm, Bun and ClickHouse (chDB) among them, about 1 GB',
  async run(root, tell) {
    const installed = () => {
      const dir = join(root, 'node_modules')
      return existsSync(dir) ? readdirSync(dir).length : 0
    }
    // not `npm ci`: it refuses a lock file that lacks packages for other platforms, which registries may lack too
    const args = ['install', '--no-save', '--no-audit', '--no-fund']
    await runQuietly('npm', args, root, () => tell(`${installed()} folders so far`))
  },
}

/** Programs that the tests start for themselves, and the system packages that bring them. */
const SERVERS = [
  { program: 'initdb', folder: '/usr/lib/postgresql', name: 'postgresql' },
  { program: 'redis-server', folder: '/usr/bin/redis-server', name: 'redis-server' },
]

/**
 * PostgreSQL and Redis for the tests of the server mode; installed only, never started by the system.
 * @type {Step}
 */
const testServers = {
  title: 'PostgreSQL and Redis for the tests of the server mode, from the system packages',
  async run(root, tell) {
    const missing = SERVERS.filter(
      ({ program, folder }) => !existsSync(folder) && spawnSync(program, ['--version']).status !== 0,
    ).map(({ name }) => name)
    if (missing.length === 0) return
    const names = missing.join(' ')
    if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
      tell(`${names} not found, and only root can install with apt-get; tests of the server mode will fail`)
      return
    }
    tell(`apt-get install ${names}`)
    mkdirSync('/etc/postgresql-common', { recursive: true })
    writeFileSync('/etc/postgresql-common/createcluster.conf', 'create_main_cluster = false\n', { flag: 'a' })
    const wait = () => tell('still at it')
    await runQuietly('apt-get', ['update'], root, wait)
    await runQuietly('apt-get', ['install', '-y', '--no-install-recommends', ...missing], root, wait)
  },
}

// The GDAL binding takes its place here once there are tools that need it.
/** @type {Step[]} */
export const STEPS = [packages]

/**
 * What only the tests need.
 * @type {Step[]}
 */
export const TEST_STEPS = [testServers]
