/** A chDB connection, which runs one statement at a time, each with its own settings and parameters. */
import { randomUUID } from 'node:crypto'
import { type ChdbQueryStream, Session } from 'chdb'
import type { Settings } from '../client.ts'
import { parameterText, quoted } from '../values.ts'
import type { Statement } from './protocol.ts'

export type Connection = {
  /** The number of statements that run or wait. */
  running(): number
  /** Returns the result in `format`. Aborting cancels the statement. */
  run(statement: Statement, format: string, signal?: AbortSignal): Promise<Uint8Array>
  /** Returns the result piece by piece. The connection must not be used for anything else; `name` is for `kill`. */
  stream(statement: Statement, format: string, name: string): Promise<ChdbQueryStream>
  /** Closes the connection when the running statement has ended. */
  close(): Promise<void>
}

/** @param kill cancels the statement with a name, unless it is over */
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
   * A SET stays in effect for later statements of the connection, so each statement sets its own settings and resets
   * the others. Parameters are set the same way, because chDB's function for parameters runs one statement at a time in
   * the whole process.
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
      // until the next statement, chDB keeps the memory of a failed one and the first bytes of its result
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
