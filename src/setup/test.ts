/** `npm test`: lint, types, tests; ends with the line `N passed, N failed`. */
import { spawn } from 'node:child_process'

type Outcome = { code: number; output: string }

function run(command: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const [program, ...args] = command as [string, ...string[]]
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk
        process.stdout.write(chunk)
      })
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
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
// some wait for servers, or for other programs on a busy machine; Bun takes this from its command line alone
const TIMEOUT_MS = 120_000
const { code, output } = await run(['bun', 'test', '--timeout', String(TIMEOUT_MS), ...extra])
const count = (word: string): number => Number(output.match(new RegExp(`^\\s*(\\d+) ${word}$`, 'm'))?.[1] ?? 0)
passed += count('pass')
failed += count('fail') + count('errors?')
// a runner that dies says nothing of failures
if (code !== 0 && failed === 0) failed = 1
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)
