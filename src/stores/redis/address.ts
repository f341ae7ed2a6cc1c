/**
 * Parses `REDIS_URL`. `redis://` and `rediss://` list Redis servers. `redis+sentinel://` and `rediss+sentinel://` list
 * Sentinels, and their path is the name under which they monitor the master:
 * `redis+sentinel://user:password@host1:26379,host2:26379/mymaster/0?sentinelUsername=…&sentinelPassword=…`.
 */
import { UnsupportedStoreError } from '../requirements.ts'

export type Host = { host: string; port: number }

export type RedisAddress = {
  /** Redis servers, or Sentinels if there is a `master`. */
  hosts: Host[]
  isTls: boolean
  username?: string
  password?: string
  db: number
  /** The name of the master that the Sentinels monitor. */
  master?: string
  sentinelUsername?: string
  sentinelPassword?: string
}

const REDIS_PORT = 6379
const SENTINEL_PORT = 26_379

/**
 * @param urls the same URL once for each of its hosts
 * @throws UnsupportedStoreError
 */
export function redisAddress(urls: readonly string[]): RedisAddress {
  const parsed = urls.map((url) => new URL(url))
  const { protocol, username, password, pathname, searchParams } = parsed[0] as URL
  const isSentinel = protocol.endsWith('+sentinel:')
  const path = pathname.split('/').slice(1).map(decodeURIComponent)
  const master = isSentinel ? path.shift() : undefined
  if (master === '' || (isSentinel && master === undefined))
    throw new UnsupportedStoreError(
      'the path must be the name of the master, for example redis+sentinel://host1,host2/mymaster',
    )
  const dbText = path[0] ?? ''
  if (!/^\d{0,6}$/.test(dbText) || path.length > 1)
    throw new UnsupportedStoreError('the number of the database, at the end of the path, must be a whole number')
  const port = isSentinel ? SENTINEL_PORT : REDIS_PORT
  return {
    hosts: parsed.map((url) => ({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? port : Number(url.port),
    })),
    isTls: protocol.startsWith('rediss'),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    db: Number(dbText),
    ...(master !== undefined && { master }),
    ...parameter('sentinelUsername', searchParams),
    ...parameter('sentinelPassword', searchParams),
  }
}

function parameter<Name extends string>(name: Name, parameters: URLSearchParams): Partial<Record<Name, string>> {
  const value = parameters.get(name)
  return value === null ? {} : ({ [name]: value } as Record<Name, string>)
}
