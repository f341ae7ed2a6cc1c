/** PostgreSQL as a child process of this server, on a folder and a Unix socket. */
import { mkdir, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { UnsupportedStoreError } from '../../requirements.ts'
import { socketPathFault } from '../../socket-path.ts'
import { ProcessStartError, type SupervisedProcess, superviseProcess } from '../../supervised-process.ts'
import { type Account, chooseAccount } from './account.ts'
import { createCluster, emptyFolder, hasCluster, writeAccessRules } from './cluster.ts'
import { readPostmaster, stopLeftover } from './holders.ts'
import { findProgram } from './programs.ts'
import { settingArguments } from './settings.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type EmbeddedPostgresOptions = {
  /** Its data folder; created when it does not exist. */
  dir: string
  /** Its socket's folder, mode 0700. */
  socketDir: string
  onLog(level: LogLevel, text: string): void
}

export const SOCKET = '.s.PGSQL.5432'
/** A start after a crash reads the write-ahead log, at most 64 MB. */
const START_TIMEOUT_MS = 120_000
/** A fast shutdown writes a checkpoint. After this it is killed, which costs the next start a recovery. */
const STOP_TIMEOUT_MS = 8_000
const READY_POLL_MS = 5

/**
 * Starts PostgreSQL, on a new database when the folder has none, and keeps it running.
 * @returns the path of its socket, and the process
 * @throws UnsupportedStoreError with a message for the operator when it cannot run here
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<{ socketPath: string; process: SupervisedProcess }> {
  // PostgreSQL's processes report the resolved path, by which they are recognized
  await mkdir(dirname(options.dir), { recursive: true, mode: 0o700 })
  const home = await realpath(dirname(options.dir))
  const dir = join(home, basename(options.dir))
  const { socketDir } = options
  const socketPath = join(socketDir, SOCKET)
  const fault = socketPathFault(socketPath)
  if (fault !== undefined)
    throw new UnsupportedStoreError(`${fault}; set DATA_DIR to a folder with a shorter path, or set POSTGRES_URL`)
  const isNew = !(await hasCluster(dir))
  if (!isNew) await stopLeftover(dir, socketDir)
  await emptyFolder(socketDir)
  const account = isNew ? await create(dir, socketDir) : await chooseAccount([dir, socketDir], findProgram('postgres'))
  await writeAccessRules(dir, account)
  const process = await supervise(dir, socketDir, account, options)
  return { socketPath, process }
}

async function create(dir: string, socketDir: string): Promise<Account> {
  const newDir = `${dir}.new`
  await emptyFolder(newDir)
  const account = await chooseAccount([newDir, socketDir], findProgram('initdb'))
  await createCluster(dir, newDir, account)
  return account
}

async function supervise(
  dir: string,
  socketDir: string,
  account: Account,
  { onLog }: EmbeddedPostgresOptions,
): Promise<SupervisedProcess> {
  let isFirst = true
  try {
    return await superviseProcess({
      name: 'PostgreSQL',
      command: [findProgram('postgres'), '-D', dir, '-k', socketDir, ...settingArguments()],
      runAs: account.runAs,
      // without the server's environment, which may contain secrets or PostgreSQL's variables
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', TZ: 'UTC' },
      cwd: dir,
      stopSignal: 'SIGINT',
      startTimeoutMs: START_TIMEOUT_MS,
      stopTimeoutMs: STOP_TIMEOUT_MS,
      async prepare() {
        if (!isFirst) {
          await stopLeftover(dir, socketDir)
          await rm(join(socketDir, `${SOCKET}.lock`), { force: true })
        }
        isFirst = false
      },
      untilReady: (pid, ended) => untilReady(join(dir, 'postmaster.pid'), pid, ended),
      onLine: (line) => logLine(line, onLog),
      onEvent(event) {
        if (event.event === 'ready') onLog('info', `ready after ${Math.round(event.durationMs)} ms, pid ${event.pid}`)
        else if (event.event === 'ended') onLog('error', `ended unexpectedly: ${event.how}`)
        else onLog('error', `did not start again, next attempt in ${event.retryInMs} ms: ${event.error}`)
      },
    })
  } catch (error) {
    if (error instanceof ProcessStartError) throw new UnsupportedStoreError(error.message, { cause: error })
    throw error
  }
}

async function untilReady(pidFile: string, pid: number, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    const postmaster = await readPostmaster(pidFile)
    if (postmaster?.pid === pid && postmaster.state === 'ready') return
    await Bun.sleep(READY_POLL_MS)
  }
}

/** A log line about a single connection, whose failure the server reports with the request. */
const OF_ONE_CONNECTION = /^(the database system is |terminating connection due to )/

function logLine(line: string, onLog: EmbeddedPostgresOptions['onLog']): void {
  const [, severity = 'LOG', text = line] = /^([A-Z]+): {2}(.*)$/.exec(line) ?? []
  if (severity === 'PANIC') onLog('error', text)
  else if (severity === 'FATAL') onLog(OF_ONE_CONNECTION.test(text) ? 'debug' : 'warn', text)
  else onLog(severity === 'WARNING' ? 'warn' : 'info', text)
}
