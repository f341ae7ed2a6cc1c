/** The data folder of the embedded PostgreSQL (in PostgreSQL's words, the database cluster): creation and checks. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '../../durable-files.ts'
import { UnsupportedStoreError } from '../../requirements.ts'
import type { Account } from './account.ts'
import { findProgram, MAJOR_VERSION, runProgram } from './programs.ts'

export const SUPERUSER = 'groundwave'
export const DATABASE = 'postgres'

/** Whether the folder contains a database that this PostgreSQL can open. @throws UnsupportedStoreError for any other content */
export async function hasCluster(dir: string): Promise<boolean> {
  const names: string[] = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (names.length === 0) return false
  if (!names.includes('PG_VERSION'))
    throw new UnsupportedStoreError(`${dir} is not a PostgreSQL data folder; move it away, or set DATA_DIR`)
  const version = (await readFile(join(dir, 'PG_VERSION'), 'utf8')).trim()
  if (version !== MAJOR_VERSION)
    throw new UnsupportedStoreError(
      `${dir} was written by PostgreSQL ${version}, and this Groundwave embeds PostgreSQL ${MAJOR_VERSION}. Start the Groundwave release that wrote it, or load a pg_dump of it into a server and set POSTGRES_URL.`,
    )
  if (!(await isNativeCluster(dir)))
    throw new UnsupportedStoreError(
      `${dir} was written by PGlite, which earlier Groundwave releases embedded; PostgreSQL cannot open it. Nothing was changed. Start the earlier release to use it, or move ${dir} away to begin with an empty database.`,
    )
  return true
}

// Offset in pg_control of version 18 of the flag that 8-byte values are passed by value. Every 64-bit build sets it;
// PGlite, a 32-bit build for WebAssembly, does not (src/include/catalog/pg_control.h).
const FLOAT8_BY_VALUE_OFFSET = 0xf8

async function isNativeCluster(dir: string): Promise<boolean> {
  const control = await readFile(join(dir, 'global/pg_control'))
  return control[FLOAT8_BY_VALUE_OFFSET] === 1
}

/**
 * Creates a database beside the folder and moves it there once it is complete and on disk, so that an interrupted
 * creation is never mistaken for a database.
 * @throws UnsupportedStoreError with the output of initdb
 */
export async function createCluster(dir: string, newDir: string, { runAs }: Account): Promise<void> {
  const args = [
    '-D',
    newDir,
    '-U',
    SUPERUSER,
    '--auth=peer',
    '--encoding=UTF8',
    '--data-checksums',
    // sorts and changes case by Unicode's rules, without the machine's locales
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    // a small database writes little: segments of 1 MB instead of 16
    '--wal-segsize=1',
    '--sync-method=syncfs',
    '--no-instructions',
  ]
  const { code, output } = await runProgram([...runAs, findProgram('initdb'), ...args], newDir)
  if (code !== 0) {
    await rm(newDir, { recursive: true, force: true })
    throw new UnsupportedStoreError(
      `PostgreSQL could not create its database in ${dirname(dir)}: ${failureIn(output)}. Free disk space or check the folder's permissions, or set POSTGRES_URL.`,
    )
  }
  await rm(dir, { recursive: true, force: true })
  await rename(newDir, dir)
  await syncFolder(dirname(dir))
}

/** The line of initdb's output that names the reason: the first error of the database or of initdb. */
function failureIn(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  const reason = lines.find((line) => /(FATAL|PANIC|ERROR|error):/.test(line)) ?? lines.findLast((line) => line !== '')
  return (reason ?? 'initdb printed nothing').replace(/^.*(FATAL|PANIC|ERROR|error):\s*/, '')
}

/** Only accounts with access to the socket's folder may connect, and only as the one database user. */
export async function writeAccessRules(dir: string, { names }: Account): Promise<void> {
  await writeFile(join(dir, 'pg_hba.conf'), `local all ${SUPERUSER} peer map=groundwave\n`)
  await writeFile(join(dir, 'pg_ident.conf'), names.map((name) => `groundwave ${name} ${SUPERUSER}\n`).join(''))
}

/** An empty folder for its owner alone. */
export async function emptyFolder(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true, mode: 0o700 })
}
