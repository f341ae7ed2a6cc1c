/**
 * `npm test`: lint, types and tests. Tests use a temporary folder of this run, and the run fails when a process or a
 * file is left behind. The last line is `N passed, N failed`.
 *
 * `npm run test:long` runs random tests in full, with a new seed each time. It prints the seed; with the same TEST_SEED
 * it runs only the files that have not passed yet.
 */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Longer than any test may take. */
const STALL_MS = 8 * 60_000
/** For programs to end after the test process that started them. */
const LEFT_PATIENCE_MS = 5_000

/** Where Linux has files in memory. */
const MEMORY = '/dev/shm'
/** For the files and the programs of all processes of the tests. */
const NEEDED_BYTES = 12e9

type Outcome = { code: number; output: string }

const isLong = process.env.TEST_LONG === '1'
/** Fixed in the short run, so that a commit passes or fails in the same way everywhere; the long run explores. */
const seed = process.env.TEST_SEED ?? (isLong ? String(Math.floor(Math.random() * 2 ** 31)) : '1')
const onDisk = mkdtempSync(join(tmpdir(), 'groundwave-tests-'))
const inMemory = hasMemory() ? mkdtempSync(join(MEMORY, 'groundwave-tests-')) : onDisk
const temporary = [...new Set([onDisk, inMemory])]
// tests run PostgreSQL under other accounts, which need to traverse these folders
for (const folder of temporary) chmodSync(folder, 0o711)

/**
 * Whether tests can keep temporary files in memory: they write the data of hundreds of servers, which takes a third of
 * their CPU time on a disk.
 */
function hasMemory(): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  // tests also run programs that they have written
  const isUsable = mounts.some((line) => line.startsWith(`tmpfs ${MEMORY} tmpfs `) && !/[ ,]noexec[ ,]/.test(line))
  if (!isUsable) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return Math.min(bavail * bsize, availableMemory()) > NEEDED_BYTES
}

function availableMemory(): number {
  const kilobytes = /^MemAvailable: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]
  return Math.min(Number(kilobytes ?? 0) * 1024, process.constrainedMemory() || Number.POSITIVE_INFINITY)
}

/**
 * Prints the output when the command has ended, so that commands that run at the same time do not mix theirs.
 * @param onLine receives each line; the output is printed at once then
 * @param folder of temporary files
 */
function run(command: string[], onLine?: (line: string) => void, folder = onDisk): Promise<Outcome> {
  return new Promise((resolve) => {
    const [program, ...args] = command as [string, ...string[]]
    // lint and types run in Node, which would cache their code in the temporary folder
    const env = { ...process.env, TMPDIR: folder, TEST_SEED: seed, NODE_DISABLE_COMPILE_CACHE: '1' }
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
    let output = ''
    // a test that blocks its thread also blocks the timeouts of the test runner, and CI would wait until its own limit
    const stall = setTimeout(() => {
      const stalled = processesLeft()
      process.stdout.write(`\nNo output for ${STALL_MS / 60_000} minutes; ending:\n${stalled.join('\n')}\n`)
      for (const line of stalled) process.kill(Number.parseInt(line, 10), 'SIGKILL')
    }, STALL_MS)
    for (const stream of [child.stdout, child.stderr]) {
      let rest = ''
      stream.on('data', (chunk: Buffer) => {
        stall.refresh()
        output += chunk
        if (onLine === undefined) return
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) onLine(line)
      })
    }
    child.on('exit', (code, signal) => {
      clearTimeout(stall)
      if (signal !== null) output += `\nended by ${signal}\n`
      const finish = (): void => {
        clearTimeout(patience)
        if (onLine === undefined) process.stdout.write(`\n# ${command.slice(0, 3).join(' ')}\n${output}`)
        resolve({ code: code ?? 1, output })
      }
      // programs that a crashed test process started keep its output open, and `close` would never follow
      const patience = setTimeout(finish, LEFT_PATIENCE_MS)
      child.on('close', finish)
    })
  })
}

/** Processes of this run; each has one of its temporary folders in its environment. */
function processesLeft(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'latin1')
        const isOurs = temporary.some((folder) => environment.includes(`TMPDIR=${folder}\0`))
        return isOurs
          ? [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 200)}`]
          : []
      } catch {
        // the process has ended or belongs to another account
        return []
      }
    })
}

/** Processes and folders that remain after the run, once ending processes have had time to exit. */
async function leftBehind(): Promise<string[]> {
  for (const deadlineMs = Date.now() + LEFT_PATIENCE_MS; processesLeft().length > 0 && Date.now() < deadlineMs; )
    await Bun.sleep(50)
  const files = temporary.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  return [...processesLeft(), ...files]
}

/** Seconds that each test file took in a whole run; `TEST_DURATIONS=write npm test` writes them. */
const DURATIONS = 'test/durations.json'
const known: Record<string, number> = existsSync(DURATIONS) ? JSON.parse(readFileSync(DURATIONS, 'utf8')) : {}
/** Assumed duration of a file that was never measured. */
const USUAL_S = 3
const durationOf = (file: string): number => known[file] ?? USUAL_S
const sum = (list: readonly string[]): number => list.reduce((seconds, file) => seconds + durationOf(file), 0)

/**
 * Tests that kill servers under full load, fill disks, or wait for looks that are seconds apart. Their results depend on
 * time, so they have their own process with a higher priority.
 */
const MOSTLY_WAIT =
  /\/(instances-failures|embedded-postgres|clickhouse-process|store-requirements|event-types|operator-health|alert-judging)[^/]*$/
/** Processes for all other files. With three, tests that measure time failed on two cores. */
const SHARDS = 2
/** Niceness of worker processes, which would get no time beside tests of a higher priority. */
const NICENESS = 10

const nice = ['nice', '-n', String(NICENESS)]

/** Distributes files over processes: longest first, each to the process with the least work. */
function shardsOf(files: readonly string[]): string[][] {
  const shards = Array.from({ length: SHARDS }, (): string[] => [])
  for (const file of [...files].sort((a, b) => durationOf(b) - durationOf(a)))
    shards.reduce((least, shard) => (sum(shard) < sum(least) ? shard : least)).push(file)
  return shards.filter((shard) => shard.length > 0)
}

// some tests wait for servers or other programs; Bun accepts the timeout on its command line only
const TIMEOUT_MS = isLong ? 900_000 : 120_000
/** Lines in front of a failure that are printed again at the end: the error, and the code around it. */
const ERROR_LINES = 50

type Failure = { title: string; error: string }
type Tested = { passed: number; failures: Failure[]; seconds: Map<string, number> }

/**
 * Runs test files in one process, one after the other. The process shares a server and a browser among them.
 * @param args files, and options of the test runner
 */
async function test(args: readonly string[], nice: string[], folder: string): Promise<Tested> {
  // without arguments it runs all files
  if (args.length === 0) throw new Error('no test files')
  const failures: Failure[] = []
  const seconds = new Map<string, number>()
  let passed = 0
  let file = ''
  let begunMs = Date.now()
  let before: string[] = []
  const finish = (): void => {
    if (file !== '') seconds.set(file, Math.round((Date.now() - begunMs) / 100) / 10)
    begunMs = Date.now()
  }
  let inSummary = false
  const { code, output } = await run(
    [...nice, 'bun', 'test', '--timeout', String(TIMEOUT_MS), ...args],
    (line) => {
      process.stdout.write(`${line}\n`)
      // the summary repeats the failures
      inSummary ||= /^\d+ tests? failed:$/.test(line)
      if (inSummary) return
      const header = /^(test\/\S+\.test\.ts):$/.exec(line)?.[1]
      const [, outcome, name = ''] = /^\((pass|fail|skip)\) (.*?)(?: \[[\d.]+ms\])?$/.exec(line) ?? []
      if (header !== undefined) {
        finish()
        file = header
      }
      if (outcome === 'pass') passed++
      if (outcome === 'fail') failures.push({ title: `${file}: ${name}`, error: before.join('\n') })
      before = header !== undefined || outcome !== undefined ? [] : [...before, line].slice(-ERROR_LINES)
    },
    folder,
  )
  finish()
  // errors outside of tests, and a crash of the test runner, do not count as failed tests
  if (code !== 0 && failures.length === 0) failures.push({ title: `the test runner, in ${file}`, error: endOf(output) })
  return { passed, failures, seconds }
}

/** Kills also fall into the time that a disk takes, and files in memory never leave the page cache. */
const ON_DISK = /^(\.\/)?test\/(durability|server\/runs\/large-inputs)/

/** Runs the files whose temporary files are in memory, then the others. */
async function testParts(all: readonly string[], nice: string[] = []): Promise<Tested[]> {
  const disk = all.filter((file) => ON_DISK.test(file))
  const memory = all.filter((file) => !ON_DISK.test(file))
  return [
    ...(memory.length > 0 ? [await test(memory, nice, inMemory)] : []),
    ...(disk.length > 0 ? [await test(disk, nice, onDisk)] : []),
  ]
}

const endOf = (output: string): string => output.split('\n').slice(-ERROR_LINES).join('\n')

/** Files that passed in an earlier long run with the same seed. */
const progressFile = `node_modules/.cache/groundwave-long-${seed}.json`
const passedBefore: string[] = isLong && existsSync(progressFile) ? JSON.parse(readFileSync(progressFile, 'utf8')) : []

async function check(name: string): Promise<Tested> {
  const { code, output } = await run([...nice, 'bun', 'run', name])
  const failures = code === 0 ? [] : [{ title: name, error: endOf(output) }]
  return { passed: code === 0 ? 1 : 0, failures, seconds: new Map() }
}

/** Lint, then types: at the same time they took so much CPU that servers of the first tests started too late. */
async function checks(): Promise<Tested> {
  const [lint, types] = [await check('lint'), await check('types')]
  return {
    passed: lint.passed + types.passed,
    failures: [...lint.failures, ...types.failures],
    seconds: new Map(),
  }
}

process.stdout.write(`replay with TEST_SEED=${seed}\n`)
const given = process.argv.slice(2)
const files = [...new Bun.Glob('test/**/*.test.ts').scanSync()].sort().filter((file) => !passedBefore.includes(file))
const front = files.filter((file) => MOSTLY_WAIT.test(file))
const others = files.filter((file) => !MOSTLY_WAIT.test(file))
const running =
  given.length > 0
    ? [test(given, [], given.some((arg) => ON_DISK.test(arg)) ? onDisk : inMemory).then((tested) => [tested])]
    : [checks(), testParts(front), ...shardsOf(others).map((shard) => testParts(shard, nice))]
const results = (await Promise.all(running)).flat()
const failures = results.flatMap((result) => result.failures)
let passed = results.reduce((sum, result) => sum + result.passed, 0)
const seconds = new Map(results.flatMap((result) => [...result.seconds]))
if (isLong && given.length === 0) {
  const passedNow = [...seconds.keys()].filter((file) => !failures.some(({ title }) => title.includes(file)))
  mkdirSync(dirname(progressFile), { recursive: true })
  writeFileSync(progressFile, JSON.stringify([...passedBefore, ...passedNow]))
}
if (process.env.TEST_DURATIONS === 'write' && given.length === 0)
  writeFileSync(DURATIONS, `${JSON.stringify(Object.fromEntries([...seconds].sort()), null, 2)}\n`)

const left = await leftBehind()
if (left.length === 0) passed++
else failures.push({ title: 'left behind by the tests', error: left.join('\n') })
/** The end of a long output is all that some CI systems show, so an error is printed once per file. */
const printed = new Set<string>()
for (const { title, error } of failures) {
  const message = /^(\w*Error|error): .*$/m.exec(error)?.[0]
  const key = `${title.split(': ')[0]} ${message}`
  process.stdout.write(`\nFailed: ${title}\n${message !== undefined && printed.has(key) ? message : error}\n`)
  printed.add(key)
}
for (const line of processesLeft()) process.kill(Number.parseInt(line, 10), 'SIGKILL')
for (const folder of temporary) rmSync(folder, { recursive: true, force: true })
process.stdout.write(`\n${passed} passed, ${failures.length} failed\n`)
process.exit(failures.length === 0 ? 0 : 1)
