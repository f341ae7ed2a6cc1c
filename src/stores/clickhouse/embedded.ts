/** ClickHouse in this process: chDB on a folder. */
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import {
  type ClickHouse,
  queryLimitedColumns,
  queryLimitedRows,
  queryRows,
  type Settings,
  STREAM_LIMITS,
  type StreamFormat,
  tooLarge,
} from './client.ts'

const READERS = 3
/** One connection writes, one does what takes long, and a few read, since a chDB connection runs one statement at a time. */
export async function openEmbeddedClickHouse(dir: string): Promise<ClickHouse> {
  // loaded here: the engine is half a gigabyte that a process with a ClickHouse server does not need
  const { createChdbConnection } = await import('chdb/connection')
  const connect = (): ClickHouseClient => createClient({ connection: createChdbConnection({ path: dir }) } as never)
  const writer = connect()
  await writer.command({ query: 'SELECT 1' })
  const worker = connect()
  const readers = Array.from({ length: READERS }, () => ({ client: connect(), running: 0 }))

  async function read<T>(work: (client: ClickHouseClient) => Promise<T>): Promise<T> {
    const reader = readers.reduce((best, other) => (other.running < best.running ? other : best))
    reader.running++
    try {
      return await work(reader.client)
    } finally {
      reader.running--
    }
  }

  return {
    rows: (query, params) => read((client) => queryRows(client, query, params)),
    ask: (query, params, signal) => read((client) => queryLimitedRows(client, query, params, signal)),
    queryLimitedColumns: (query, params, signal) =>
      read((client) => queryLimitedColumns(client, query, params, signal)),
    stream: (query, params, format) => streamFrom(dir, connect, query, params, format),
    async write(query, params = {}, settings = {}) {
      await writer.command({ query, query_params: params, clickhouse_settings: settings })
    },
    async work(query, params, settings) {
      await worker.command({ query, query_params: params, clickhouse_settings: settings })
    },
    async insertFile({ table, path, structure, where, settings }) {
      await writer.command({
        query: `INSERT INTO ${table} SELECT * FROM file({path:String}, 'RowBinary', {structure:String}) WHERE ${where}`,
        query_params: { path, structure },
        clickhouse_settings: settings,
      })
    },
    async close() {
      await Promise.all([writer.close(), worker.close(), ...readers.map(({ client }) => client.close())])
    },
  }
}

const settingsText = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = ${typeof value === 'string' ? `'${value}'` : value}`)
    .join(', ')

const PIECE_BYTES = 1 << 20
let exports = 0

/** A connection streams one result at a time, so each has its own. */
async function* streamFrom(
  dir: string,
  connect: () => ClickHouseClient,
  query: string,
  params: Record<string, unknown>,
  format: StreamFormat,
): AsyncGenerator<Uint8Array> {
  const limited = `${query} SETTINGS ${settingsText(STREAM_LIMITS)}`
  try {
    if (format === 'CSV' || format === 'JSONEachRow') yield* piecesOf(dir, limited, params, format)
    else yield* throughFile(dir, connect, limited, params, format)
  } catch (error) {
    throw tooLarge(error) ?? error
  }
}

/** Lines can be cut where chDB cuts them. */
async function* piecesOf(
  dir: string,
  query: string,
  params: Record<string, unknown>,
  format: StreamFormat,
): AsyncGenerator<Uint8Array> {
  const { Session } = await import('chdb')
  const session = new Session(dir)
  try {
    for await (const chunk of session.queryStreamBind(query, params, { format })) yield chunk.raw()
  } finally {
    session.close()
  }
}

/** Formats that are one file from head to foot, which chDB would make of every piece. */
async function* throughFile(
  dir: string,
  connect: () => ClickHouseClient,
  query: string,
  params: Record<string, unknown>,
  format: StreamFormat,
): AsyncGenerator<Uint8Array> {
  const folder = `${dir}-exports`
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${process.pid}-${exports++}`)
  const client = connect()
  try {
    await client.command({
      query: `INSERT INTO FUNCTION file({path:String}, '${format}') ${query}`,
      query_params: { ...params, path },
    })
    const file = await open(path, 'r')
    try {
      for (;;) {
        const piece = Buffer.allocUnsafe(PIECE_BYTES)
        const { bytesRead } = await file.read(piece, 0, PIECE_BYTES)
        if (bytesRead === 0) return
        yield piece.subarray(0, bytesRead)
      }
    } finally {
      await file.close()
    }
  } finally {
    await client.close()
    await rm(path, { force: true })
  }
}
