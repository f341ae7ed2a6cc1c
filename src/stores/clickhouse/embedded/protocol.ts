/** What the server and its chDB process say to each other over HTTP on a Unix socket. */
import type { Settings, StreamFormat } from '../client.ts'

/**
 * Connections for each kind of work, since a chDB connection runs one statement at a time: what the server needs to
 * know of readings does not wait for queries from outside, and storing readings does not wait for long work.
 */
export const CONNECTIONS = { lookup: 2, query: 3, write: 1, work: 1 } as const

/** `own`: a connection for this statement alone. */
export type Lane = keyof typeof CONNECTIONS | 'own'

export type Statement = {
  query: string
  params?: Record<string, unknown> | undefined
  settings?: Settings | undefined
}

/** POST /run, answered with the result as `format`; hanging up cancels the statement. */
export type RunRequest = Statement & { lane: Lane; format?: string | undefined }

/**
 * POST /stream, answered with the rows piece by piece, on a connection of its own. When it ends, POST /failure tells
 * whether it is whole.
 */
export type StreamRequest = Statement & { id: string; format: StreamFormat }

/** POST /failure, answered with the text of the error that ended a stream; empty when there was none. */
export type FailureRequest = { id: string }

/** The arguments of the process, as JSON. */
export type ChdbProcessOptions = {
  dir: string
  socketPath: string
  /** Ends with this process. */
  parentPid: number
  memoryBytes: number
}

/** The status of an answer that holds the text of ClickHouse's error. */
export const FAILED = 500

/** One line that the process prints on its own account; ClickHouse's log lines are JSON as well. */
export type OwnLine = { event: 'ready' }
