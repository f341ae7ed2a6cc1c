/**
 * Programs that a test waits for. Bun's synchronous spawn can lose the exit of a child and wait forever
 * (oven-sh/bun#34069), which no test timeout ends, so the C library runs them.
 */
import { dlopen, FFIType } from 'bun:ffi'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type ProgramOptions = { input?: string | Uint8Array; cwd?: string; env?: Record<string, string> }
export type ProgramResult = { status: number; stdout: Buffer; stderr: string }

const libc = dlopen('libc.so.6', { system: { args: [FFIType.cstring], returns: FFIType.i32 } })
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** @returns the exit status (128 + signal if a signal ended the program) and everything it printed */
export function runProgram(program: string, args: readonly string[], options: ProgramOptions = {}): ProgramResult {
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-program-'))
  const [script, input, stdout, stderr] = ['script', 'input', 'stdout', 'stderr'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
    string,
  ]
  try {
    writeFileSync(input, options.input ?? '')
    const environment = Object.entries(options.env ?? {}).map(([name, value]) => `${name}=${value}`)
    const command = [...(options.env ? ['env', '-i', ...environment] : []), program, ...args]
    // the shell stays the parent, so that it turns a signal into a status
    writeFileSync(
      script,
      `cd ${quoted(options.cwd ?? process.cwd())} || exit 127
${command.map(quoted).join(' ')} <${quoted(input)} >${quoted(stdout)} 2>${quoted(stderr)}
exit $?
`,
    )
    const waitStatus = libc.symbols.system(Buffer.from(`sh ${quoted(script)}\0`))
    if (waitStatus === -1) throw new Error(`${program} could not be started`)
    return { status: waitStatus >> 8, stdout: readFileSync(stdout), stderr: readFileSync(stderr, 'utf8') }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** @returns the standard output; throws with the standard error if the program fails */
export function outputOf(program: string, args: readonly string[], options: ProgramOptions = {}): Buffer {
  const { status, stdout, stderr } = runProgram(program, args, options)
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} (status ${status}): ${stderr}`)
  return stdout
}
