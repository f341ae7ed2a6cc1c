/** Measures the statements that drizzle sends through a connection of Bun. */
import { describeStatement, type OnStoreCall, verbOf, watchCall } from '../store-watch.ts'

type Query = Promise<unknown> & { values(): Promise<unknown> }
type Connection = {
  unsafe(text: string, params?: unknown[]): Query
  begin?(work: (connection: Connection) => unknown): unknown
  savepoint?(work: (connection: Connection) => unknown): unknown
}

/** A connection that behaves like the given one. */
export function watchConnection<T extends object>(connection: T, onCall: OnStoreCall): T {
  const given = connection as unknown as Connection
  const within = (work: (connection: Connection) => unknown) => (inner: Connection) =>
    work(watchConnection(inner, onCall))
  return new Proxy(connection, {
    get(target, property) {
      if (property === 'unsafe') return (text: string, params?: unknown[]) => watched(given, text, params, onCall)
      if (property === 'begin') return (work: (connection: Connection) => unknown) => given.begin?.(within(work))
      if (property === 'savepoint')
        return (work: (connection: Connection) => unknown) => given.savepoint?.(within(work))
      const value: unknown = Reflect.get(target, property, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Bun sends a statement when it is awaited, and until then `values()` changes the form of its answer. */
function watched(connection: Connection, text: string, params: unknown[] | undefined, onCall: OnStoreCall): Query {
  let asValues = false
  const send = async (): Promise<unknown> => {
    // a caller that wants `values()` has called it by the next turn
    await undefined
    const query = connection.unsafe(text, params)
    return asValues ? query.values() : query
  }
  const describe = () => describeStatement('postgresql', text)
  const running = watchCall(onCall, 'postgres', verbOf(text).toLowerCase(), describe, send)
  const values = (): Promise<unknown> => {
    asValues = true
    return running
  }
  return Object.assign(running, { values })
}
