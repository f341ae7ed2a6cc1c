/** Starts the chDB process and keeps it running. */
import { chmod, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { UnsupportedStoreError } from '../../requirements.ts'
import { socketPathFault } from '../../socket-path.ts'
import { ProcessStartError, type SupervisedProcess, superviseProcess } from '../../supervised-process.ts'
import type { ChdbProcessOptions, OwnLine } from './protocol.ts'
import { ALLOCATOR } from './settings.ts'

export type LogLevel = 'info' | 'warn' | 'error'
export type EmbeddedClickHouseOptions = {
  /** Its data folder; created when it does not exist. */
  dir: string
  /** Its socket's folder, mode 0700. */
  socketDir: string
  memoryBytes: number
  onLog(level: LogLevel, text: string, details?: object): void
}

const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 1_000
/** Size of Bun's thread pool, which runs chDB's statements; by default it has one thread for each core. */
const THREADS = 16
const PROGRAM = join(import.meta.dir, 'program.ts')

export const socketPathIn = (socketDir: string): string => join(socketDir, 'chdb.sock')

/**
 * @returns the path of its socket, and the process
 * @throws UnsupportedStoreError with a message for the operator when it cannot run here
 */
export async function startChdb({
  memoryBytes,
  onLog,
  ...folders
}: EmbeddedClickHouseOptions): Promise<{ socketPath: string; process: SupervisedProcess }> {
  const [dir, socketDir] = [resolve(folders.dir), resolve(folders.socketDir)]
  const socketPath = socketPathIn(socketDir)
  const fault = socketPathFault(socketPath)
  if (fault !== undefined)
    throw new UnsupportedStoreError(`${fault}; set DATA_DIR to a folder with a shorter path, or set CLICKHOUSE_URL`)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await mkdir(socketDir, { recursive: true, mode: 0o700 })
  await chmod(socketDir, 0o700)
  const options: ChdbProcessOptions = { dir, socketPath, memoryBytes, parentPid: process.pid }
  let ready = Promise.withResolvers<void>()
  function logLine(line: string): void {
    const parsed = parseLine(line)
    if (parsed === undefined) onLog('warn', line)
    else if ('event' in parsed) ready.resolve()
    else
      onLog(LEVELS[parsed.level] ?? 'info', parsed.message.split(', Stack trace')[0] as string, {
        logger: parsed.logger_name,
        ...(parsed.query_id !== '' && { query: parsed.query_id }),
      })
  }
  try {
    const chdb = await superviseProcess({
      name: 'ClickHouse',
      command: [process.execPath, PROGRAM, JSON.stringify(options)],
      // without the server's environment, which may contain secrets
      env: { TZ: 'UTC', UV_THREADPOOL_SIZE: String(THREADS), JE_MALLOC_CONF: ALLOCATOR },
      cwd: dir,
      // it loses no statement that has returned, and a running one must not delay the end of the server
      stopSignal: 'SIGKILL',
      startTimeoutMs: START_TIMEOUT_MS,
      stopTimeoutMs: STOP_TIMEOUT_MS,
      async prepare() {
        ready = Promise.withResolvers<void>()
      },
      untilReady: () => ready.promise,
      onLine: logLine,
      onEvent(event) {
        if (event.event === 'ready') onLog('info', `ready after ${Math.round(event.durationMs)} ms, pid ${event.pid}`)
        else if (event.event === 'ended') onLog('error', `ended unexpectedly: ${event.how}`)
        else onLog('error', `did not start again, next attempt in ${event.retryInMs} ms: ${event.error}`)
      },
    })
    return { socketPath, process: chdb }
  } catch (error) {
    if (error instanceof ProcessStartError) throw new UnsupportedStoreError(error.message, { cause: error })
    throw error
  }
}

type ClickHouseLine = { level: string; logger_name: string; query_id: string; message: string }

const LEVELS: Record<string, LogLevel> = { Fatal: 'error', Critical: 'error', Error: 'error', Warning: 'warn' }

/** A line that the program or ClickHouse printed as JSON; undefined for other lines. */
function parseLine(line: string): OwnLine | ClickHouseLine | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as OwnLine | ClickHouseLine
  } catch {
    return undefined
  }
}
