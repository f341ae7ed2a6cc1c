/**
 * Finds, among several PostgreSQL servers, the one that accepts writes, and follows the primary after a failover: like
 * libpq with `target_session_attrs=read-write`, and again whenever the primary changes.
 *
 * After a failover the old primary may be up and writable still. A promotion begins a new timeline, so of several
 * servers that accept writes the one with the highest timeline is the primary.
 */
import { createBackoff } from '../backoff.ts'
import { UnsupportedStoreError } from '../requirements.ts'

const CHECK_MS = 1_000
const CHECK_TIMEOUT_MS = 3_000
const LEAVE_TIMEOUT_S = 5
const ATTRIBUTE = 'target_session_attrs'
const ATTRIBUTES = ['read-write', 'primary']

export type PostgresServers = {
  /** Always leads to the current primary. */
  client: Bun.SQL
  close(): Promise<void>
}

type Server = { name: string; url: string; probe: Bun.SQL }

/** @throws UnsupportedStoreError */
export function withoutAttribute(url: string): { url: string; wantsPrimary: boolean } {
  const parsed = new URL(url)
  const value = parsed.searchParams.get(ATTRIBUTE)
  if (value === null) return { url, wantsPrimary: false }
  if (!ATTRIBUTES.includes(value))
    throw new UnsupportedStoreError(`${ATTRIBUTE}=${value} must be one of ${ATTRIBUTES.join(', ')}`)
  parsed.searchParams.delete(ATTRIBUTE)
  return { url: parsed.href, wantsPrimary: true }
}

/**
 * @param urls one for each server
 * @param onSwitch called after another server has become the primary
 * @throws UnsupportedStoreError when none of them accepts writes
 */
export async function followPrimary(
  urls: readonly string[],
  options: { max: number; connectionTimeout: number },
  onSwitch: (name: string) => void,
): Promise<PostgresServers> {
  const servers: Server[] = urls.map((url) => ({
    name: new URL(url).host,
    url,
    probe: new Bun.SQL(url, { ...options, max: 1 }),
  }))
  const closeProbes = (): Promise<unknown> => Promise.all(servers.map(({ probe }) => probe.close({ timeout: 0 })))
  const [first, reasons] = await findPrimary(servers)
  if (first === undefined) {
    await closeProbes()
    throw new UnsupportedStoreError(`no server accepts writes: ${reasons.join('; ')}`)
  }
  let primary = first
  let pool = new Bun.SQL(primary.url, options)
  const stop = new AbortController()
  const leaving = new Set<Promise<void>>()

  async function check(): Promise<void> {
    const [found] = await findPrimary(servers)
    // if there is no other primary, the pool reconnects as soon as this one is back
    if (found === undefined || found === primary || stop.signal.aborted) return
    const old = pool
    primary = found
    pool = new Bun.SQL(primary.url, options)
    onSwitch(primary.name)
    const left = old.close({ timeout: LEAVE_TIMEOUT_S }).finally(() => leaving.delete(left))
    leaving.add(left)
  }
  async function watch(): Promise<void> {
    const pause = createBackoff(CHECK_MS, CHECK_MS)
    for (;;) {
      await pause.pause(stop.signal)
      if (stop.signal.aborted) return
      await check()
    }
  }
  const watching = watch()

  const client = new Proxy(Bun.SQL, {
    apply: (_target, _this, args) => Reflect.apply(pool as unknown as (...all: unknown[]) => unknown, undefined, args),
    get(_target, name) {
      const value: unknown = Reflect.get(pool, name)
      return typeof value === 'function' ? value.bind(pool) : value
    },
  }) as unknown as Bun.SQL

  return {
    client,
    async close() {
      stop.abort()
      await watching
      await Promise.all([pool.close({ timeout: LEAVE_TIMEOUT_S }), closeProbes(), ...leaving])
    },
  }
}

/** The primary, or undefined and the reason why each server is not the primary. */
async function findPrimary(servers: readonly Server[]): Promise<[Server | undefined, string[]]> {
  const reasons: string[] = []
  let best: { server: Server; timeline: number } | undefined
  const found = await Promise.all(servers.map((server) => timelineOf(server.probe)))
  for (const [i, server] of servers.entries()) {
    const timeline = found[i] as number | string
    if (typeof timeline === 'string') reasons.push(`${server.name}: ${timeline}`)
    else if (best === undefined || timeline > best.timeline) best = { server, timeline }
  }
  return [best?.server, reasons]
}

/** The timeline of a server that accepts writes; otherwise the reason why it does not. */
async function timelineOf(probe: Bun.SQL): Promise<number | string> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not answer')), CHECK_TIMEOUT_MS)
  })
  const asking = (async () => {
    const [row] = await probe`
      SELECT CASE WHEN NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'
        THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline`
    return row?.timeline as string | null
  })()
  try {
    const timeline = await Promise.race([asking, tooLate])
    return timeline === null ? 'it is read-only' : Number.parseInt(timeline, 16)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    clearTimeout(timer)
  }
}
