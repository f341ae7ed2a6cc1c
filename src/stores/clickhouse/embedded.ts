/** The embedded ClickHouse: chDB on a folder, in a child process that is reached over a Unix socket. */
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseError } from '@clickhouse/client'
import {
  type ClickHouse,
  QUERY_LIMITS,
  queryLimitedRows,
  queryNumbers,
  queryRows,
  type RunStatement,
  reached,
  STREAM_LIMITS,
  type StreamFormat,
  tooLarge,
} from './client.ts'
import { createGate } from './embedded/gate.ts'
import { readWhileWritten } from './embedded/growing-file.ts'
import { type EmbeddedClickHouseOptions, socketPathIn, startChdb } from './embedded/process.ts'
import { CONNECTIONS, FAILED, type FailureRequest, type RunRequest, type StreamRequest } from './embedded/protocol.ts'
import { FILE_SETTINGS, memoryShares } from './embedded/settings.ts'

const CLOSE_TIMEOUT_MS = 5_000
const MEMORY_BYTES = 1536 * 2 ** 20

/**
 * Opens the folder, which is created where it does not exist.
 * @throws UnsupportedStoreError with a message for the operator when it cannot run here
 */
export async function openEmbeddedClickHouse(
  dir: string,
  options: Partial<Omit<EmbeddedClickHouseOptions, 'dir'>> = {},
): Promise<ClickHouse> {
  const { memoryBytes = MEMORY_BYTES, socketDir = `${dir}-run`, onLog = () => undefined } = options
  const { socketPath, process: chdb } = await startChdb({ dir, socketDir, memoryBytes, onLog })
  const exportsDir = exportsDirOf(dir)
  // left over by exports that a kill interrupted
  await rm(exportsDir, { recursive: true, force: true })
  const clickhouse = connect(socketPath, exportsDir, memoryBytes)
  return {
    ...clickhouse,
    async close() {
      // not needed for durability: statements that have returned survive the kill
      await clickhouse.close()
      // Removed because not every program can copy a folder that contains a socket, and before the process ends because
      // afterwards the path may be the socket of another process.
      await rm(socketPath, { force: true })
      await chdb.stop()
    },
  }
}

/** Connects to the process that a running server on the same folder started. Closing leaves that process alone. */
export function attachEmbeddedClickHouse(dir: string, socketDir: string, memoryBytes: number): ClickHouse {
  const clickhouse = connect(socketPathIn(resolve(socketDir)), exportsDirOf(dir), memoryBytes)
  return { ...clickhouse, close: async () => undefined }
}

const exportsDirOf = (dir: string): string => resolve(`${dir}-exports`)

function connect(socketPath: string, exportsDir: string, memoryBytes: number): ClickHouse {
  async function call(path: string, body: object, signal?: AbortSignal): Promise<Response> {
    const response = await fetch(`http://chdb${path}`, {
      method: 'POST',
      unix: socketPath,
      body: JSON.stringify(body),
      timeout: false,
      ...(signal && { signal }),
    })
    if (response.status === FAILED) throw parseError(await response.text())
    return response
  }
  // calls wait here, because Bun limits the number of connections of the whole process
  const gates = {
    lookup: createGate(CONNECTIONS.lookup),
    query: createGate(CONNECTIONS.query),
    write: createGate(CONNECTIONS.write),
    work: createGate(CONNECTIONS.work),
    own: <T>(work: () => Promise<T>): Promise<T> => work(),
  }
  const run = (request: RunRequest, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> =>
    gates[request.lane](async () => new Uint8Array(await (await call('/run', request, signal)).arrayBuffer()))
  const lookUp: RunStatement = (statement) => run({ lane: 'lookup', ...statement })
  const shares = memoryShares(memoryBytes)
  const query: RunStatement = ({ settings, ...statement }, signal) =>
    run({ lane: 'query', ...statement, settings: { ...settings, ...shares.query } }, signal)

  /** For formats of lines or rows: chDB's pieces form one file. */
  async function* piecesOf(query: string, params: Record<string, unknown>, format: StreamFormat) {
    const id = randomUUID()
    const leaving = new AbortController()
    try {
      const request: StreamRequest = { id, query, params, settings: { ...STREAM_LIMITS, ...shares.query }, format }
      const { body } = await call('/stream', request, leaving.signal)
      if (body !== null) yield* body
      const failure = await (await call('/failure', { id } satisfies FailureRequest)).text()
      if (failure !== '') throw parseError(failure)
    } finally {
      leaving.abort()
    }
  }

  /** For formats with a header and a footer: a stream of chDB would repeat both in every piece. */
  async function* throughFile(query: string, params: Record<string, unknown>, format: StreamFormat) {
    await mkdir(exportsDir, { recursive: true, mode: 0o700 })
    const path = join(exportsDir, randomUUID())
    const leaving = new AbortController()
    const request: RunRequest = {
      lane: 'own',
      query: `INSERT INTO FUNCTION file({path:String}, '${format}') ${query}`,
      params: { ...params, path },
      settings: { ...STREAM_LIMITS, ...shares.query, ...FILE_SETTINGS },
      file: path,
    }
    try {
      yield* readWhileWritten(path, () => run(request, leaving.signal))
    } finally {
      leaving.abort()
      await rm(path, { force: true })
    }
  }

  return {
    rows: (sql, params) => reached(queryRows(lookUp, sql, params)),
    ask: (sql, params, signal) => reached(queryLimitedRows(query, sql, params, signal)),
    askNumbers: (sql, params, signal) => reached(queryNumbers(query, sql, params, signal)),
    async *stream(query, params, format) {
      const pieces =
        format === 'TSVRaw' || format === 'RowBinary'
          ? piecesOf(query, params, format)
          : throughFile(query, params, format)
      try {
        yield* pieces
      } catch (error) {
        throw tooLarge(error) ?? (await reached(Promise.reject(error)))
      }
    },
    async writeFile(path, query, params, signal) {
      const file = resolve(path)
      const request: RunRequest = {
        lane: 'query',
        query: `INSERT INTO FUNCTION file({path:String}, 'RowBinary') ${query}`,
        params: { ...params, path: file },
        settings: { ...QUERY_LIMITS, ...shares.query, ...FILE_SETTINGS },
        file,
      }
      try {
        // a query without rows makes no file
        await Bun.write(file, '')
        await reached(run(request, signal))
      } catch (error) {
        throw tooLarge(error) ?? error
      }
    },
    async write(query, params, settings) {
      await reached(run({ lane: 'write', query, params, settings }))
    },
    async work(query, params, settings) {
      await reached(run({ lane: 'work', query, params, settings: { ...settings, ...shares.work } }))
    },
    workRows: (sql, params, settings) => {
      const work: RunStatement = (statement) => run({ lane: 'work', ...statement })
      return reached(queryRows(work, sql, params, { ...settings, ...shares.work }))
    },
    async insertFile({ table, path, format, structure, select, where, settings }) {
      const query = `INSERT INTO ${table} SELECT ${select} FROM file({path:String}, '${format}', {structure:String}) WHERE ${where}`
      await reached(run({ lane: 'write', query, params: { path: resolve(path), structure }, settings }))
    },
    async close() {
      await call('/close', {}, AbortSignal.timeout(CLOSE_TIMEOUT_MS)).catch(() => undefined)
    },
  }
}
