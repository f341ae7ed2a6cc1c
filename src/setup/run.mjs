#!/usr/bin/env node
/**
 * `npm start` and `npm test` on a machine that has Node and npm and nothing else: sets up what is missing, telling
 * what and how far it is, then hands over to Bun. What is there already is not looked at twice.
 *
 * Plain JavaScript for Node, since it runs before anything is installed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { STEPS, TEST_STEPS } from './steps.mjs'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** What the set-up depends on; another lock file or another Node wants another set-up. */
function fingerprint() {
  const hash = createHash('sha256').update(process.platform).update(process.arch)
  for (const file of ['package-lock.json', 'src/setup/steps.mjs']) hash.update(readFileSync(join(ROOT, file)))
  return hash.digest('hex')
}

/**
 * @param {string} what names the stamp that says that these steps are done
 * @param {import('./steps.mjs').Step[]} steps
 */
async function setUp(what, steps) {
  const stamp = join(ROOT, 'node_modules', `.groundwave-${what}`)
  const wanted = fingerprint()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  process.stdout.write('Setting up; this is done once.\n')
  for (const [i, { title, run }] of steps.entries()) {
    const startedMs = Date.now()
    const tell = (/** @type {string} */ text) => process.stdout.write(`[${i + 1}/${steps.length}] ${title}: ${text}\n`)
    tell('…')
    await run(ROOT, tell)
    tell(`done in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`)
  }
  writeFileSync(stamp, wanted)
}

/** The Bun that npm installed, also where npm was told to run no install scripts. */
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
  if (found === undefined) throw new Error(`Bun was installed but does not run on ${process.platform} ${process.arch}`)
  return found
}

/**
 * Runs Bun in place of this process: its output, its signals, its exit.
 * @param {string[]} args
 */
function become(args) {
  const bun = findBun()
  const env = {
    // Bun runs file writes, syncs and ClickHouse's statements on one pool of threads, by default as many as there are
    // cores: a long insert would keep the log waiting.
    UV_THREADPOOL_SIZE: '16',
    ...process.env,
    PATH: `${dirname(bun)}:${process.env.PATH ?? ''}`,
  }
  const child = spawn(bun, args, { cwd: ROOT, stdio: 'inherit', env })
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
    process.on(signal, () => void child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)))
}

const [task = 'start', ...rest] = process.argv.slice(2)
try {
  await setUp('packages', STEPS)
  if (task === 'test') await setUp('test-servers', TEST_STEPS)
  if (task === 'start') become(['src/main.ts', ...rest])
  else if (task === 'test') become(['src/setup/test.ts', ...rest])
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
