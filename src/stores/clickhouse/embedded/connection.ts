/** A chDB connection: one statement at a time, each with its own settings and parameters. */
import { randomUUID } from 'node:crypto'
import { type ChdbQueryStream, Session } from 'chdb'
import type { Settings } from '../client.ts'
import type { Statement } from './protocol.ts'
import { parameterText, quoted } from './sql.ts'

export type Connection = {
  /** Statements under way and waiting. */
  running(): number
  /** The result as bytes of `format`; aborting cancels the statement. */
  run(statement: Statement, format: string, signal?: AbortSignal): Promise<Uint8Array>
  /** The result piece by piece, under a name by which it can be cancelled; for a connection that does nothing else. */
  stream(statement: Statement, format: string, name: string): Promise<ChdbQueryStream>
  /** Closes the connection once the statement under way has ended. */
  close(): Promise<void>
}

/** @param kill cancels the statement that bears a name, unless it is over */
export function openConnection(
  dir: string,
  args: readonly string[],
  kill: (name: string, isOver: () => boolean) => Promise<void>,
): Connection {
  const session = new Session(dir, { connectionArgs: [...args] })
  /** Settings that statements have changed. */
  const changed = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()
  let running = 0

  /**
   * chDB keeps what SET changed for the connection's next statements, so each sets what it needs and undoes what those
   * before it set. Parameters travel the same way: chDB's call that binds them lets only one statement of the whole
   * process run at a time.
   */
  function preparation({ params = {}, settings = {} }: Statement, name: string): string {
    const all: Settings = { ...settings, log_comment: name }
    const assignments = Object.entries(all).map(([key, value]) => `${key} = ${quoted(String(value))}`)
    for (const key of changed) if (!(key in all)) assignments.push(`${key} = DEFAULT`)
    for (const key of Object.keys(all)) changed.add(key)
    for (const [key, value] of Object.entries(params))
      assignments.push(`param_${key} = ${quoted(parameterText(value))}`)
    return `SET ${assignments.join(', ')}`
  }

  async function runNow(statement: Statement, format: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
    signal?.throwIfAborted()
    const name = randomUUID()
    const sql = `${preparation(statement, name)}; ${statement.query}`
    let isOver = false
    const cancel = (): void => void kill(name, () => isOver).catch(() => undefined)
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return (await session.queryAsync(sql, { format })).bytes()
    } catch (error) {
      // chDB keeps the memory of a statement that failed, and the first bytes of its result, until the next one
      await session.queryAsync('SELECT 1').catch(() => undefined)
      throw error
    } finally {
      isOver = true
      signal?.removeEventListener('abort', cancel)
    }
  }

  return {
    running: () => running,
    async run(statement, format, signal) {
      running++
      const turn = last.then(() => runNow(statement, format, signal))
      last = turn.catch(() => undefined)
      try {
        return await turn
      } finally {
        running--
      }
    },
    async stream(statement, format, name) {
      await session.queryAsync(preparation(statement, name))
      return session.queryStream(statement.query, { format })
    },
    async close() {
      await last
      session.close()
    },
  }
}
