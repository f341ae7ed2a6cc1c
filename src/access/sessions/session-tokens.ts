/**
 * Session tokens: the browser has the token, the database its SHA-256, so that read access to the database does not
 * allow taking over sessions. better-auth knows only the token; this adapter sits between it and its tables.
 */
import type { DBAdapterInstance, DBTransactionAdapter, Where } from 'better-auth'
import { sha256Hex } from '../keys/keys.ts'

const MODEL = 'session'

type NewRow<T> = {
  model: string
  data: Omit<T, 'id'>
  select?: string[] | undefined
  forceAllowId?: boolean | undefined
}

const hashed = (value: Where['value']): Where['value'] => {
  if (typeof value === 'string') return sha256Hex(value)
  return Array.isArray(value) ? value.map((token) => sha256Hex(String(token))) : value
}

function hashedWhere<Query extends { model: string; where?: Where[] | undefined }>(query: Query): Query {
  if (query.model !== MODEL || query.where === undefined) return query
  const where = query.where.map((part) => (part.field === 'token' ? { ...part, value: hashed(part.value) } : part))
  return { ...query, where }
}

function withHashes<Adapter extends DBTransactionAdapter>(inner: Adapter): Adapter {
  return {
    ...inner,
    async create<T extends Record<string, unknown>, R = T>(query: NewRow<T>): Promise<R> {
      const token: unknown = query.model === MODEL ? (query.data as Record<string, unknown>).token : undefined
      if (typeof token !== 'string') return inner.create<T, R>(query)
      const row = await inner.create<T, R>({ ...query, data: { ...query.data, token: sha256Hex(token) } })
      return { ...row, token }
    },
    findOne: <T>(query: Parameters<Adapter['findOne']>[0]) => inner.findOne<T>(hashedWhere(query)),
    findMany: <T>(query: Parameters<Adapter['findMany']>[0]) => inner.findMany<T>(hashedWhere(query)),
    count: (query: Parameters<Adapter['count']>[0]) => inner.count(hashedWhere(query)),
    update: <T>(query: Parameters<Adapter['update']>[0]) => inner.update<T>(hashedWhere(query)),
    updateMany: (query: Parameters<Adapter['updateMany']>[0]) => inner.updateMany(hashedWhere(query)),
    delete: <T>(query: Parameters<Adapter['delete']>[0]) => inner.delete<T>(hashedWhere(query)),
    deleteMany: (query: Parameters<Adapter['deleteMany']>[0]) => inner.deleteMany(hashedWhere(query)),
    consumeOne: <T>(query: Parameters<Adapter['consumeOne']>[0]) => inner.consumeOne<T>(hashedWhere(query)),
  }
}

export const hashSessionTokens =
  (make: DBAdapterInstance): DBAdapterInstance =>
  (options) => {
    const inner = make(options)
    return {
      ...withHashes(inner),
      transaction: (work) => inner.transaction((transaction) => work(withHashes(transaction))),
    }
  }
