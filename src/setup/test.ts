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

function run(command: string[]): Promise<Outcome> {
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
        process.stdout.write(chunk)
      })
    child.on('exit', () => clearTimeout(stall))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
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

const extra = process.argv.slice(2)
let passed = 0
let failed = 0
for (const check of ['lint', 'types']) {
  process.stdout.write(`\n# ${check}\n`)
  const { code } = await run(['bun', 'run', check])
  if (code === 0) passed++
  else failed++
}
process.stdout.write('\n# tests\n')
// some tests wait for servers or other programs; Bun accepts the timeout on its command line only
const TIMEOUT_MS = 120_000
async function runTests(args: readonly string[]): Promise<void> {
  const { code, output } = await run(['bun', 'test', '--timeout', String(TIMEOUT_MS), ...args])
  const count = (word: string): number => Number(output.match(new RegExp(`^\\s*(\\d+) ${word}$`, 'm'))?.[1] ?? 0)
  const failures = count('fail') + count('errors?')
  passed += count('pass')
  // a test runner that crashes reports no failures
  failed += code !== 0 && failures === 0 ? 1 : failures
}

// one file after the other: worker processes run at a low priority and would starve next to other tests
await runTests(extra)
const left = await leftBehind()
if (left.length === 0) passed++
else {
  failed++
  process.stdout.write(`\nThe tests left behind:\n${left.join('\n')}\n`)
}
rmSync(temporary, { recursive: true, force: true })
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)
