#!/usr/bin/env node
/**
 * `npm start` and `npm test` on a machine with only Node and npm: installs what is missing, shows progress, then hands
 * over to Bun. Completed steps leave a stamp and are skipped the next time. The server starts as soon as the packages
 * are there: GDAL, whose binding may take minutes to build, is installed beside it.
 *
 * Plain JavaScript for Node, because it runs before anything is installed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GDAL_STEPS, PACKAGE_STEPS, TEST_STEPS } from './steps.mjs'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** Identifies the setup; it runs again when the lock file, the steps, the operating system or the CPU change. */
function fingerprint() {
  const hash = createHash('sha256').update(process.platform).update(process.arch)
  for (const file of ['package-lock.json', 'src/setup/steps.mjs']) hash.update(readFileSync(join(ROOT, file)))
  return hash.digest('hex')
}

/** @param {string} what the steps that it marks as done */
const stampOf = (what) => join(ROOT, 'node_modules', `.groundwave-${what}`)
/** @param {string} what */
const isSetUp = (what) => existsSync(stampOf(what)) && readFileSync(stampOf(what), 'utf8') === fingerprint()

/**
 * @param {string} what name of the stamp file that marks these steps as done
 * @param {import('./steps.mjs').Step[]} steps
 * @param {(line: string) => void} onProgress
 */
async function setUp(what, steps, onProgress = () => undefined) {
  if (isSetUp(what)) return
  for (const { title, run } of steps) {
    const startedMs = Date.now()
    const report = (/** @type {string} */ text) => {
      process.stdout.write(`[setup] ${title}: ${text}\n`)
      onProgress(text)
    }
    report('started')
    await run(ROOT, report)
    report(`finished in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`)
  }
  writeFileSync(stampOf(what), fingerprint())
}

/** What a running server reads to know that GDAL is being installed (src/composition/gdal-setup.ts). */
const GDAL_PROGRESS = stampOf('gdal-progress')

/** Installs GDAL beside the server, which uses it from then on. */
async function installGdal() {
  const write = (/** @type {string} */ progress) =>
    writeFileSync(GDAL_PROGRESS, JSON.stringify({ pid: process.pid, progress }))
  write('started')
  try {
    await setUp('gdal', GDAL_STEPS, write)
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    process.stderr.write(
      `GDAL could not be installed. Tools that need it answer 503, and the next start tries again. ${reason}\n`,
    )
  } finally {
    rmSync(GDAL_PROGRESS, { force: true })
  }
}

/** The Bun that npm installed; found also when npm is configured to run no install scripts. */
function findBun() {
  const candidates = [
    join(ROOT, 'node_modules/.bin/bun'),
    ...['', '-baseline', '-musl'].map((kind) =>
      join(
        ROOT,
        `node_modules/@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : 'x64'}${kind}/bin/bun`,
      ),
    ),
  ]
  const found = candidates.find((path) => existsSync(path) && spawnSync(path, ['--version']).status === 0)
  if (found === undefined) throw new Error(`The installed Bun does not run on ${process.platform} ${process.arch}`)
  return found
}

/**
 * Runs Bun as a child that shares this process's output, signals and exit code.
 * @param {string[]} args
 */
function runBun(args) {
  const bun = findBun()
  const env = {
    // Bun runs file writes, syncs and ClickHouse statements on one thread pool, by default with one thread per core.
    // With too few threads a long insert delays writes to the log.
    UV_THREADPOOL_SIZE: '16',
    ...process.env,
    PATH: `${dirname(bun)}:${process.env.PATH ?? ''}`,
  }
  const child = spawn(bun, args, { cwd: ROOT, stdio: 'inherit', env })
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
    process.on(signal, () => void child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)))
}

/** Builds the browser's part of the portal, which takes a second or two when its sources have changed. */
function buildPortal() {
  return new Promise((resolve) => {
    const child = spawn(findBun(), ['src/setup/portal.ts'], { cwd: ROOT, stdio: 'inherit' })
    child.on('exit', resolve)
  })
}

const [task = 'start', ...rest] = process.argv.slice(2)
try {
  await setUp('packages', PACKAGE_STEPS)
  if (task === 'start') {
    // the file is written before the server looks for it
    if (!isSetUp('gdal')) void installGdal()
    void buildPortal()
    runBun(['src/main.ts', ...rest])
  } else {
    await Promise.all([setUp('gdal', GDAL_STEPS), buildPortal()])
    if (task === 'test') {
      await setUp('test-servers', TEST_STEPS)
      runBun(['src/setup/test.ts', ...rest])
    }
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
