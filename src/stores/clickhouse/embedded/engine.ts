/** chDB on a folder: its connections by kind of work. */

import { quoted } from '../values.ts'
import { type Connection, openConnection } from './connection.ts'
import { CONNECTIONS, type RunRequest, type StreamRequest } from './protocol.ts'

export type Engine = {
  run(request: Omit<RunRequest, 'file'>, signal: AbortSignal): Promise<Uint8Array>
  /** Returns the rows piece by piece. Aborting, or leaving the loop early, cancels the query. */
  stream(request: StreamRequest, signal: AbortSignal): AsyncGenerator<Uint8Array>
  /** Cancels the running statements and closes the connections. */
  close(): Promise<void>
}

const KILL_AGAIN_MS = 20

/** @param args see settings.ts */
export async function openEngine(dir: string, args: readonly string[]): Promise<Engine> {
  const open = (): Connection => openConnection(dir, args, kill)
  const control = open()

  const killWhere = (condition: string): Promise<Uint8Array> =>
    control.run({ query: `KILL QUERY WHERE ${condition} ASYNC` }, 'TSV')
  async function kill(name: string, isOver: () => boolean): Promise<void> {
    // a statement that was just sent may not have started
    while (!isOver() && (await killWhere(`Settings['log_comment'] = ${quoted(name)}`)).length === 0)
      await Bun.sleep(KILL_AGAIN_MS)
  }

  await control.run({ query: 'SELECT 1' }, 'TSV')
  const connections = (count: number): Connection[] => Array.from({ length: count }, open)
  const lanes = {
    lookup: connections(CONNECTIONS.lookup),
    query: connections(CONNECTIONS.query),
    write: connections(CONNECTIONS.write),
    work: connections(CONNECTIONS.work),
  }

  return {
    async run({ lane, format = 'TSV', ...statement }, signal) {
      if (lane === 'own') {
        const own = open()
        try {
          return await own.run(statement, format, signal)
        } finally {
          await own.close()
        }
      }
      const connection = lanes[lane].reduce((best, other) => (other.running() < best.running() ? other : best))
      return connection.run(statement, format, signal)
    },

    async *stream({ id, format, ...statement }, signal) {
      const connection = open()
      let isWaiting = true
      const cancel = (): void => void kill(id, () => !isWaiting).catch(() => undefined)
      signal.addEventListener('abort', cancel, { once: true })
      try {
        for await (const piece of await connection.stream(statement, format, id)) {
          isWaiting = false
          yield piece.raw()
          isWaiting = true
        }
      } finally {
        isWaiting = false
        signal.removeEventListener('abort', cancel)
        await connection.close()
      }
    },

    async close() {
      await killWhere("query NOT LIKE 'KILL QUERY%'")
      await Promise.all([...Object.values(lanes).flat(), control].map((connection) => connection.close()))
    },
  }
}
