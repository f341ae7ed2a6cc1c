/**
 * `npm test`: lint, types and tests. The tests use a temporary folder of this run, and the run fails when a process
 * or a file is left behind. The last line is `N passed, N failed`.
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Longer than any test may take. */
const STALL_MS = 8 * 60_000

type Outcome = { code: number; output: string }

const temporary = mkdtempSync(join(tmpdir(), 'groundwave-tests-'))
// tests run PostgreSQL under other accounts, which need to traverse this folder
chmodSync(temporary, 0o711)

/** Prints the output when the command has ended, so that commands that run at the same time do not mix theirs. */
function run(command: string[], printAtOnce = false): Promise<Outcome> {
  return new Promise((resolve) => {
    const [program, ...args] = command as [string, ...string[]]
    // lint and types run in Node, which would cache their code in the temporary folder
    const env = { ...process.env, TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: '1' }
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
    let output = ''
    // a test that blocks its thread also blocks the timeouts of the test runner, and CI would wait until its own limit
    const stall = setTimeout(() => {
      const stalled = processesLeft()
      process.stdout.write(`\nNo output for ${STALL_MS / 60_000} minutes; ending:\n${stalled.join('\n')}\n`)
      for (const line of stalled) process.kill(Number.parseInt(line, 10), 'SIGKILL')
    }, STALL_MS)
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        stall.refresh()
        output += chunk
        if (printAtOnce) process.stdout.write(chunk)
      })
    child.on('exit', () => clearTimeout(stall))
    child.on('close', (code) => {
      if (!printAtOnce) process.stdout.write(`\n# ${command.slice(0, 3).join(' ')}\n${output}`)
      resolve({ code: code ?? 1, output })
    })
  })
}

/** Processes of this run; each has its temporary folder in its environment. */
function processesLeft(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((pid) => {
      try {
        const isOurs = readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`TMPDIR=${temporary}\0`)
        return isOurs
          ? [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 200)}`]
          : []
      } catch {
        // the process has ended or belongs to another account
        return []
      }
    })
}

const LEFT_PATIENCE_MS = 5_000
/** Resources shared by several test files; no single file can remove them (see test/support/run-end.ts). */
const SHARED_BY_FILES = 'groundwave-shared'

/** Processes and folders that remain after the run, once ending processes have had time to exit. */
async function leftBehind(): Promise<string[]> {
  for (const deadlineMs = Date.now() + LEFT_PATIENCE_MS; processesLeft().length > 0 && Date.now() < deadlineMs; )
    await Bun.sleep(50)
  const folders = readdirSync(temporary).filter((name) => name !== SHARED_BY_FILES)
  return [...processesLeft(), ...folders.map((name) => join(temporary, name))]
}

/** Lines in front of a failure that are printed again at the end: the error, and the code around it. */
const ERROR_LINES = 50

type Failure = { title: string; error: string }
type TestFailure = Failure & { file: string; name: string }

const failures: Failure[] = []
const endOf = (output: string): string => output.split('\n').slice(-ERROR_LINES).join('\n')

let passed = 0
let failed = 0
const checks = ['lint', 'types']
for (const [i, { code, output }] of (await Promise.all(checks.map((check) => run(['bun', 'run', check])))).entries())
  if (code === 0) passed++
  else {
    failed++
    failures.push({ title: checks[i] as string, error: endOf(output) })
  }
// some tests wait for servers or other programs; Bun accepts the timeout on its command line only
const TIMEOUT_MS = 120_000
const bunTest = (...args: string[]): string[] => ['bun', 'test', '--timeout', String(TIMEOUT_MS), ...args]

/**
 * Tests that kill servers under full load, or fill disks. They mostly wait, and what they find depends on time, so they
 * run one after the other, in front of the rest.
 */
const IN_FRONT = /^test\/(instances-failures|kill|embedded-postgres|clickhouse-process|store-requirements)/
/** Test files that run at the same time beside them. With three, tests that measure time failed on two cores. */
const PARALLEL = 2
/** That of worker processes, which would get no time beside tests of a higher priority. */
const NICENESS = 10

const extra = process.argv.slice(2)
const files = [...new Bun.Glob('test/**/*.test.ts').scanSync()].sort()
const commands =
  extra.length > 0
    ? [run(bunTest(...extra), true)]
    : [
        run(
          [
            'nice',
            '-n',
            String(NICENESS),
            ...bunTest(`--parallel=${PARALLEL}`, '--no-isolate'),
            ...files.filter((file) => !IN_FRONT.test(file)),
          ],
          true,
        ),
        run(bunTest(...files.filter((file) => IN_FRONT.test(file)))),
      ]
/** The failed tests, from the lines before the runner's summary. */
function failuresOf(output: string): TestFailure[] {
  const found: TestFailure[] = []
  let file = ''
  let before: string[] = []
  for (const line of output.split('\n')) {
    if (/^\d+ tests? failed:$/.test(line)) break
    const header = /^(test\/\S+\.test\.ts):$/.exec(line)?.[1]
    const [, outcome, name = ''] = /^\((pass|fail|skip)\) (.*?)(?: \[[\d.]+ms\])?$/.exec(line) ?? []
    file = header ?? file
    if (outcome === 'fail') found.push({ title: `${file}: ${name}`, file, name, error: before.join('\n') })
    before = header !== undefined || outcome !== undefined ? [] : [...before, line].slice(-ERROR_LINES)
  }
  return found
}

/** With more files than these, something is wrong with the code, not with a deadline. */
const MAX_REPEATED = 4

/**
 * Repeats files of failed tests once, with the machine to themselves: a test that shares two cores with others may miss
 * a deadline. What passes only then is listed as unstable, with its error. Tests that run in front are not repeated: a
 * durability test that fails once has found something.
 * @returns the tests that passed now
 */
async function repeatUnstable(found: readonly TestFailure[]): Promise<TestFailure[]> {
  const unstable = found.filter(({ file }) => !IN_FRONT.test(file))
  const files = new Set(unstable.map(({ file }) => file))
  if (files.size === 0 || files.size > MAX_REPEATED) return []
  const { code, output } = await run(bunTest(...files), true)
  return unstable.filter(({ name }) => code === 0 || output.includes(`(pass) ${name} [`))
}

const mended: Failure[] = []
for (const { code, output } of await Promise.all(commands)) {
  const count = (word: string): number => Number(output.match(new RegExp(`^\\s*(\\d+) ${word}$`, 'm'))?.[1] ?? 0)
  const found = failuresOf(output)
  const passedNow = extra.length > 0 ? [] : await repeatUnstable(found)
  failures.push(...found.filter((failure) => !passedNow.includes(failure)))
  mended.push(...passedNow)
  passed += count('pass') + passedNow.length
  const reported = count('fail') + count('errors?')
  // a test runner that crashes reports no failures
  if (code !== 0 && reported === 0) failures.push({ title: 'the test runner', error: endOf(output) })
  failed += code !== 0 && reported === 0 ? 1 : reported - passedNow.length
}
const left = await leftBehind()
if (left.length === 0) passed++
else {
  failed++
  process.stdout.write(`\nThe tests left behind:\n${left.join('\n')}\n`)
}
/** The end of a long output is all that some CI systems show, so an error is printed once per file. */
function printAgain(heading: string, failed: readonly Failure[]): void {
  const printed = new Set<string>()
  for (const { title, error } of failed) {
    const message = /^(\w*Error|error): .*$/m.exec(error)?.[0]
    const key = `${title.split(': ')[0]} ${message}`
    process.stdout.write(`\n${heading}: ${title}\n${message !== undefined && printed.has(key) ? message : error}\n`)
    printed.add(key)
  }
}
printAgain('Unstable, passed only when repeated', mended)
printAgain('Failed', failures)
rmSync(temporary, { recursive: true, force: true })
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)
