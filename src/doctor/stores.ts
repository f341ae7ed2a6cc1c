/** Checks of the stores: reachability, versions, migrations and clocks. */
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import type { Config } from '../config.ts'
import { createClamd } from '../stores/clamd.ts'
import { OLDEST_CLICKHOUSE } from '../stores/clickhouse/migrate.ts'
import { openServerClickHouse } from '../stores/clickhouse/server.ts'
import { openS3Store } from '../stores/files/s3.ts'
import { checkUnknown, readMigrations } from '../stores/migrations.ts'
import { openServerPostgres } from '../stores/postgres/client.ts'
import { MAJOR_VERSION } from '../stores/postgres/embedded/programs.ts'
import { OLDEST_POSTGRES } from '../stores/postgres/migrate.ts'
import { rowsOf } from '../stores/postgres/rows.ts'
import { openRedis } from '../stores/redis/client.ts'
import { requireVersion, UnsupportedStoreError } from '../stores/requirements.ts'
import { embeddedPostgresVersion } from './disk.ts'
import { causeOf, type Finding, ok, problem, skipped, warning } from './finding.ts'

const SQL = join(import.meta.dir, '../../sql')
const TIMEOUT_MS = 5_000
/** The same limit as in the monitor of a server. */
const CLOCK_TOLERANCE_MS = 2_000
const PRIVATE = /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[::1\]|\[f[cd])/

type Applied = { number: number; name: string }

async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** @param work returns the time of the store's clock, in milliseconds since 1970 */
async function offsetOf(work: () => Promise<number>): Promise<number> {
  const beforeMs = Date.now()
  const storeMs = await work()
  const afterMs = Date.now()
  if (!Number.isFinite(storeMs)) throw new Error('the store does not answer the time of its clock')
  // the store read its clock somewhere between request and answer
  if (storeMs < beforeMs) return storeMs - beforeMs
  return storeMs > afterMs ? storeMs - afterMs : 0
}

function clockFindings(store: string, offsetMs: number): Finding[] {
  if (Math.abs(offsetMs) <= CLOCK_TOLERANCE_MS) return [ok('clock', `agrees with the clock of ${store}`)]
  const [seconds, direction] = [(Math.abs(offsetMs) / 1000).toFixed(1), offsetMs > 0 ? 'behind' : 'ahead of']
  return [
    problem(
      'clock',
      `this machine is ${seconds} s ${direction} ${store}`,
      'Synchronise both with NTP: readings look as if they came from the future, and links and sessions end at wrong times.',
    ),
  ]
}

function encryptionFindings(check: string, variable: string, url: string, isEncrypted: boolean): Finding[] {
  if (isEncrypted) return [ok(`${check} TLS`, 'the connection is encrypted')]
  const { hostname } = new URL(url)
  const found = `the connection to ${hostname} is not encrypted`
  if (PRIVATE.test(hostname) || !hostname.includes('.'))
    return [ok(`${check} TLS`, `${found}; it is a private address`)]
  return [
    warning(`${check} TLS`, found, `Use TLS (${variable}, docs/configuration.md), unless the network is private.`),
  ]
}

async function migrationFindings(check: string, folder: string, applied: readonly Applied[]): Promise<Finding[]> {
  const own = await readMigrations(join(SQL, folder))
  const missing = own.filter(({ number }) => !applied.some((one) => one.number === number)).map(({ name }) => name)
  const name = `${check} migrations`
  try {
    const unknown = checkUnknown(check, applied, own)
    const all: Finding[] = []
    if (unknown.length > 0)
      all.push(
        warning(
          name,
          `a newer release applied ${unknown.join(', ')}`,
          'This is normal after a rollback by one release. Otherwise start the newer release.',
        ),
      )
    if (missing.length > 0)
      all.push(
        warning(name, `not applied yet: ${missing.join(', ')}`, 'Back up before the next start, which applies them.'),
      )
    return all.length > 0 ? all : [ok(name, `all ${own.length} are applied`)]
  } catch (error) {
    return [problem(name, causeOf(error), 'See Rollback in docs/operations.md.')]
  }
}

/** Hosts and ports of a URL, without user and password. */
const placeOf = (url: string): string =>
  url
    .replace(/^[^:]+:\/\//, '')
    .replace(/^.*@/, '')
    .replace(/[/?#].*$/, '')

/** Matches an HTML page, and the error of the Redis client for one. */
const OF_OTHERS = /^<|^Protocol error/

/** @param advice shown for a store that does not answer */
async function reach(check: string, url: string, advice: string, work: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await inTime(work())
  } catch (error) {
    const cause = causeOf(error)
    // with a cause, the server could not be reached
    if (error instanceof UnsupportedStoreError && error.cause === undefined)
      return [problem(check, cause, 'Upgrade or configure the server as the message says.')]
    const reason = OF_OTHERS.test(cause) ? `another program than ${check} answers there` : cause
    return [problem(check, `${placeOf(url)}: ${reason}`, advice)]
  }
}

async function postgresFindings({ postgresUrl }: Config): Promise<Finding[]> {
  if (postgresUrl === undefined) return []
  return reach(
    'PostgreSQL',
    postgresUrl,
    'Check POSTGRES_URL, that the server runs, and its pg_hba.conf.',
    async () => {
      const postgres = await openServerPostgres(postgresUrl)
      try {
        const version = await postgres.version()
        requireVersion('PostgreSQL', version, OLDEST_POSTGRES)
        const [state] = rowsOf<{ ssl: boolean | null; has: boolean }>(
          await postgres.db.execute(
            sql`SELECT (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS ssl,
            to_regclass('migrations') IS NOT NULL AS has`,
          ),
        )
        const applied = state?.has
          ? rowsOf<Applied>(await postgres.db.execute(sql`SELECT number, name FROM migrations ORDER BY number`))
          : []
        return [
          ok('PostgreSQL', `version ${version}`),
          ...encryptionFindings('PostgreSQL', 'POSTGRES_URL', postgresUrl, state?.ssl === true),
          ...(await migrationFindings('PostgreSQL', 'postgres', applied)),
          ...clockFindings('PostgreSQL', await offsetOf(() => postgres.clockMs())),
        ]
      } finally {
        await postgres.close()
      }
    },
  )
}

async function embeddedFindings(config: Config): Promise<Finding[]> {
  const findings: Finding[] = []
  if (config.postgresUrl === undefined) {
    const version = await embeddedPostgresVersion(config)
    if (version === undefined) findings.push(skipped('PostgreSQL', 'embedded; the first start creates its folder'))
    else if (version === MAJOR_VERSION) findings.push(ok('PostgreSQL', `embedded; its folder is of version ${version}`))
    else
      findings.push(
        problem(
          'PostgreSQL',
          `the folder ${config.postgresDir} is of version ${version}; this release has ${MAJOR_VERSION}`,
          'Start the release that wrote it, or restore a dump of it into a new folder.',
        ),
      )
  }
  if (config.clickhouseUrl === undefined)
    findings.push(skipped('ClickHouse', 'embedded; GET /health/ready on a running server shows its state'))
  if (config.redisUrl === undefined) findings.push(skipped('Redis', 'not used: one instance needs none'))
  return findings
}

async function clickhouseFindings({ clickhouseUrl }: Config): Promise<Finding[]> {
  if (clickhouseUrl === undefined) return []
  const clickhouse = openServerClickHouse(clickhouseUrl, TIMEOUT_MS)
  try {
    return await reach('ClickHouse', clickhouseUrl, 'Check CLICKHOUSE_URL and that the server runs.', async () => {
      const [about] = await clickhouse.rows<{ version: string; has: number }>(
        "SELECT version() AS version, countIf(name = 'migrations') AS has FROM system.tables WHERE database = currentDatabase()",
      )
      requireVersion('ClickHouse', about?.version ?? '', OLDEST_CLICKHOUSE)
      const applied = Number(about?.has)
        ? await clickhouse.rows<Applied>('SELECT number, name FROM migrations ORDER BY number')
        : []
      const clockMs = async (): Promise<number> => {
        const [row] = await clickhouse.rows<{ ms: string }>('SELECT toString(toUnixTimestamp64Milli(now64(3))) AS ms')
        return Number(row?.ms)
      }
      return [
        ok('ClickHouse', `version ${about?.version}`),
        ...encryptionFindings('ClickHouse', 'CLICKHOUSE_URL', clickhouseUrl, clickhouseUrl.startsWith('https:')),
        ...(await migrationFindings('ClickHouse', 'clickhouse', applied)),
        ...clockFindings('ClickHouse', await offsetOf(clockMs)),
      ]
    })
  } finally {
    await clickhouse.close()
  }
}

async function redisFindings({ redisUrl }: Config): Promise<Finding[]> {
  if (redisUrl === undefined) return []
  return reach('Redis', redisUrl, 'Check REDIS_URL and that the server runs.', async () => {
    // the errors of this connection are repeated by the failed command
    const client = await openRedis(redisUrl, () => undefined)
    try {
      const [server] = client.servers()
      if (server === undefined) throw new Error('no server is known')
      const version = /^redis_version:(\S+)/m.exec(await server.info('server'))?.[1] ?? 'unknown'
      const clockMs = async (): Promise<number> => {
        const [seconds, micros] = await server.time()
        return Number(seconds) * 1000 + Number(micros) / 1000
      }
      return [
        ok('Redis', `version ${version}, maxmemory-policy noeviction`),
        ...encryptionFindings('Redis', 'REDIS_URL', redisUrl, redisUrl.startsWith('rediss')),
        ...clockFindings('Redis', await offsetOf(clockMs)),
      ]
    } finally {
      await client.close()
    }
  })
}

async function otherFindings({ s3Url, clamdUrl }: Config): Promise<Finding[]> {
  const findings: Finding[] = []
  if (s3Url !== undefined)
    findings.push(
      ...(await reach('files', s3Url, 'Check S3_URL: host, bucket, key, secret and region.', async () => {
        await openS3Store(s3Url).ping()
        return [
          ok('files', 'the bucket answers'),
          ...encryptionFindings('files', 'S3_URL', s3Url, s3Url.startsWith('https:')),
        ]
      })),
    )
  if (clamdUrl !== undefined)
    findings.push(
      ...(await reach('ClamAV', clamdUrl, 'Check CLAMD_URL and that clamd runs.', async () => {
        await createClamd(clamdUrl, TIMEOUT_MS).ping()
        return [ok('ClamAV', 'clamd answers')]
      })),
    )
  return findings
}

export async function storeFindings(config: Config): Promise<Finding[]> {
  const groups = await Promise.all(
    [postgresFindings, clickhouseFindings, redisFindings, embeddedFindings, otherFindings].map((check) =>
      check(config),
    ),
  )
  return groups.flat()
}
