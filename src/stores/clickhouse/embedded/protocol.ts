/** The requests that the server sends to its chDB process, over HTTP on a Unix socket. */
import type { Settings, StreamFormat } from '../client.ts'

/**
 * The number of connections for each kind of work. A chDB connection runs one statement at a time, so lookups of the
 * server itself do not wait for users' queries, and storing readings does not wait for rollups.
 */
export const CONNECTIONS = { lookup: 2, query: 3, write: 1, work: 1 } as const

/** `own`: a connection for this statement alone. */
export type Lane = keyof typeof CONNECTIONS | 'own'

export type Statement = {
  query: string
  params?: Record<string, unknown> | undefined
  settings?: Settings | undefined
}

/** POST /run returns the result in `format`. Closing the connection cancels the statement. */
export type RunRequest = Statement & {
  lane: Lane
  format?: string | undefined
  /** The file that the statement writes; deleted after the statement if the connection was closed before. */
  file?: string
}

/**
 * POST /stream returns the rows piece by piece, on a separate connection. When the stream ends, POST /failure returns
 * whether it is complete.
 */
export type StreamRequest = Statement & { id: string; format: StreamFormat }

/** POST /failure returns the text of the error that ended a stream, or nothing. */
export type FailureRequest = { id: string }

/** The arguments of the process, as JSON. */
export type ChdbProcessOptions = {
  dir: string
  socketPath: string
  /** The server; the process ends with it. */
  parentPid: number
  memoryBytes: number
}

/** The status of a response whose body is ClickHouse's error message. */
export const FAILED = 500

/** A line that the program itself prints. ClickHouse's log lines are JSON as well. */
export type OwnLine = { event: 'ready' }
