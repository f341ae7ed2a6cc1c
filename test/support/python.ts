/** Runs programs of Python, an independent reader of archives and tables. */
import { expect } from 'bun:test'

/** @returns its output; a failure fails the test */
export async function python(program: string, ...args: string[]): Promise<string> {
  const child = Bun.spawn(['python3', '-c', program, ...args], { stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect([code, errors]).toEqual([0, ''])
  return output
}
