/** `bun run doctor`: set-ups that are broken in one way each, and its findings. */
import { afterAll, expect, test } from 'bun:test'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../../src/config.ts'
import { checkCombinations, checkVariables } from '../../../src/doctor/configuration.ts'
import { openServerPostgres } from '../../../src/stores/postgres/client.ts'
import { migratePostgres } from '../../../src/stores/postgres/migrate.ts'
import { examined, of } from '../../support/doctor.ts'
import { ROOT } from '../../support/processes.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { freePort } from '../../support/stores/postgres.ts'
import { startSharedStores } from '../../support/stores/shared-stores.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-doctor-'))
const instance = await sharedInstance()
const stores = await startSharedStores()
afterAll(async () => {
  await stores.remove()
  rmSync(home, { recursive: true, force: true })
})

const ofVariables = (environment: Record<string, string>): [string, string][] =>
  checkVariables(environment).map(({ state, found }) => [state, found])

test('a working installation beside its running server has no problem, and nothing is changed', async () => {
  const lock = readFileSync(join(instance.dir, 'lock'), 'utf8')
  const report = await examined({ DATA_DIR: instance.dir })
  // another test covers its ledger: files of this process change rows of the shared server by SQL
  const others = report.findings.filter(({ check }) => check !== 'ledger')
  expect(others.filter(({ state }) => state === 'problem')).toEqual([])
  const isBalanced = of(report, 'ledger').every(({ state }) => state === 'ok')
  expect([report.code, report.healthy]).toEqual(isBalanced ? [0, true] : [1, false])
  const states = Object.fromEntries(report.findings.map(({ check, state }) => [check, state]))
  expect(states).toMatchObject({ 'data folder': 'ok', PostgreSQL: 'ok', ClickHouse: 'skipped', GDAL: 'ok' })
  expect(of(report, 'data folder')[0]?.found).toEndWith(`a server uses it (pid ${lock.trim()})`)
  for (const { state, advice } of report.findings) expect(advice === null).toBe(['ok', 'skipped'].includes(state))
  expect(readFileSync(join(instance.dir, 'lock'), 'utf8')).toBe(lock)
  expect([...new Bun.Glob('.doctor*').scanSync({ cwd: instance.dir, dot: true })]).toEqual([])
}, 60_000)

test('misspelt and useless variables are named, and variables of other programs are not', () => {
  expect(ofVariables({ DATADIR: '/x', POSTGRESS_URL: 'x', LOG_LEVL: 'x' })).toEqual([
    ['problem', 'DATADIR is not a variable, so it has no effect'],
    ['problem', 'POSTGRESS_URL is not a variable, so it has no effect'],
    ['problem', 'LOG_LEVL is not a variable, so it has no effect'],
  ])
  expect(checkVariables({ DATADIR: '/x' })[0]?.advice).toContain('Rename it to DATA_DIR')
  expect(ofVariables({ PUBLIC_URL_FILE: '/x' })).toEqual([
    ['problem', 'PUBLIC_URL_FILE is not a variable: PUBLIC_URL holds no secret, so it is not read from a file'],
  ])
  expect(ofVariables({ INSTANCE: '1' })).toEqual([['problem', 'INSTANCE is set']])
  expect(ofVariables({ ADMIN_HOST: 'x', MAIL_FROM: 'x', CLAIMS_MEMORY_MB: '1', REDIS_URL_FILE: '/x' })).toEqual([
    ['warning', 'ADMIN_HOST has no effect without ADMIN_PORT'],
    ['warning', 'MAIL_FROM has no effect without SMTP_URL'],
    ['warning', 'CLAIMS_MEMORY_MB has no effect with REDIS_URL'],
  ])
  expect(
    ofVariables({
      OTEL_SERVICE_NAME: 'x',
      OTEL_METRICS_EXPORTER: 'x',
      OTEL_BLRP_SCHEDULE_DELAY: '1',
      OTEL_PROPAGATORS: 'b3',
    }),
  ).toEqual([
    ['warning', 'OTEL_METRICS_EXPORTER has no effect: only traces are sent to collectors of OpenTelemetry'],
    ['warning', 'OTEL_BLRP_SCHEDULE_DELAY has no effect: only traces are sent to collectors of OpenTelemetry'],
    ['warning', 'OTEL_PROPAGATORS is not read, so it has no effect'],
    ['warning', 'OTEL_SERVICE_NAME: no effect without OTEL_EXPORTER_OTLP_ENDPOINT'],
  ])
  expect(ofVariables({ OTEL_SDK_DISABLED: 'true' })).toEqual([])
  expect(ofVariables({ OTEL_SERVICE_NAME: 'x', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c' })).toEqual([])
  const others =
    'HOME PATH SHELL USER PWD LANG TERM HOSTNAME EDITOR SHLVL LOGNAME XDG_DATA_DIRS NODE_ENV TMPDIR MAIL DB_URL'
  expect(ofVariables(Object.fromEntries(others.split(' ').map((name) => [name, 'x'])))).toEqual([])
  expect(ofVariables({ POSTGRES_URL_FILE: '/x', PORT: '1', LOG_LEVELS: '' })).toEqual([])
})

test('values that contradict each other', () => {
  const found = (environment: Record<string, string>): [string, string][] =>
    checkCombinations(readConfig(environment)).map(({ state, found: text }) => [state, text])
  expect(found({})).toEqual([])
  expect(found({ PORT: '8080', ADMIN_PORT: '8080' })).toEqual([['problem', 'PORT and ADMIN_PORT are both 8080']])
  expect(found({ PORT: '0' })).toEqual([])
  expect(found({ HOST: '0.0.0.0', PUBLIC_URL: 'http://gis.example' }).map(([state]) => state)).toEqual([
    'warning',
    'warning',
  ])
  expect(found({ HOST: '0.0.0.0', ADMIN_PORT: '8081' })).toEqual([
    ['warning', expect.stringContaining('cookies are not Secure')],
  ])
  const proxied = { HOST: '0.0.0.0', ADMIN_PORT: '8081', PUBLIC_URL: 'https://gis.example' }
  expect(found({ ...proxied, TRUSTED_PROXIES: '10.0.0.9' })).toEqual([])
  expect(found(proxied)).toEqual([['warning', expect.stringContaining('TRUSTED_PROXIES is empty')]])
})

test('a configuration that the server would refuse is reported, and the rest of the machine is still examined', async () => {
  const report = await examined({ PORT: 'x', POSTGRES_URL_FILE: '/none' })
  expect(report.code).toBe(1)
  expect(of(report, 'configuration')).toMatchObject([
    { state: 'problem', found: 'POSTGRES_URL_FILE="/none" cannot be read: there is no such file' },
  ])
  expect(of(report, 'sandbox')).toHaveLength(1)
}, 60_000)

test('permissions of the folder and its contents, and the version of the embedded database', async () => {
  const dir = join(home, 'open')
  mkdirSync(join(dir, 'postgres'), { recursive: true })
  chmodSync(dir, 0o755)
  writeFileSync(join(dir, 'operator.token'), 'svcop_x\n', { mode: 0o644 })
  chmodSync(join(dir, 'operator.token'), 0o644)
  writeFileSync(join(dir, 'postgres/PG_VERSION'), '16\n')
  const report = await examined({ DATA_DIR: dir })
  expect(report.code).toBe(1)
  expect(of(report, 'data folder').map(({ state, found }) => [state, found])).toEqual([
    ['problem', `${dir} has mode 0755, so other accounts can enter it`],
    ['problem', `${dir}/operator.token has mode 0644, so other accounts can read it`],
  ])
  expect(of(report, 'PostgreSQL')).toMatchObject([
    { state: 'problem', found: `the folder ${dir}/postgres is of version 16; this release has 18` },
  ])
  const deep = join(home, 'd'.repeat(100))
  mkdirSync(deep, { mode: 0o700 })
  const long = await examined({ DATA_DIR: deep })
  expect(of(long, 'data folder')).toMatchObject([{ state: 'problem', advice: 'Set DATA_DIR to a shorter path.' }])
}, 60_000)

test.if(process.getuid?.() === 0)(
  'a folder of another account',
  async () => {
    const dir = join(home, 'of-root')
    mkdirSync(dir, { mode: 0o700 })
    chmodSync(home, 0o711)
    const wrap = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--']
    const report = await examined({ DATA_DIR: dir, TMPDIR: '/tmp' }, wrap)
    expect(report.code).toBe(1)
    const [finding] = of(report, 'data folder')
    expect(finding).toMatchObject({
      state: 'problem',
      found: expect.stringContaining('cannot be written to by uid 65534'),
    })
  },
  60_000,
)

test('little disk, little memory and few open files', async () => {
  const report = await examined(
    { DATA_DIR: instance.dir, MIN_FREE_DISK_MB: '100000000', WORKER_MEMORY_MB: '1000000' },
    ['prlimit', '--nofile=1024', '--nproc=256', '--'],
  )
  expect(report.code).toBe(1)
  const problems = report.findings.filter(({ state }) => state === 'problem').map(({ check, found }) => [check, found])
  expect(problems).toEqual([
    ['limits', '1024 open files are allowed; 4096 are needed'],
    ['limits', '256 processes and threads are allowed; 512 are needed'],
    ['sandbox', expect.stringContaining('failed to set the NOFILE resource limit')],
    ['memory', expect.stringMatching(/needed are at least 100\d{4} MB/)],
    ['disk', expect.stringContaining('MIN_FREE_DISK_MB is 100000000')],
  ])
}, 60_000)

test.if(process.getuid?.() === 0)(
  'a system that forbids namespaces, one without Landlock as well, and modes that are asked for by name',
  async () => {
    const report = await examined({}, ['setpriv', '--bounding-set=-sys_admin', '--'])
    expect(of(report, 'sandbox')).toMatchObject([
      { state: 'ok', found: expect.stringContaining('isolated by Landlock alone (namespaces: ') },
    ])
    expect(report.code).toBe(0)
    const neither = [process.execPath, 'test/support/workers/without-namespaces.ts', '--refuse=landlock_create_ruleset']
    const refused = await examined({}, neither)
    expect(of(refused, 'sandbox')).toMatchObject([
      { state: 'problem', found: expect.stringContaining('WORKER_ISOLATION=limits starts without isolation') },
    ])
    expect(refused.code).toBe(1)
    const limited = await examined({ WORKER_ISOLATION: 'limits' }, neither)
    expect(of(limited, 'sandbox')).toMatchObject([{ state: 'warning' }])
  },
  60_000,
)

test('servers that work: versions, encryption, migrations and clocks', async () => {
  const url = `${stores.postgres.url.replace(/\/[^/]*$/, '')}/doctor`
  const admin = new Bun.SQL(stores.postgres.url, { max: 1 })
  await admin.unsafe('CREATE DATABASE doctor')
  await admin.close()
  const env = { ...stores.env, POSTGRES_URL: url }
  const empty = await examined(env)
  expect(empty.findings.filter(({ state }) => state === 'problem')).toEqual([])
  for (const name of ['PostgreSQL', 'ClickHouse', 'Redis']) expect(of(empty, name)[0]?.state).toBe('ok')
  expect(of(empty, 'PostgreSQL migrations')[0]).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('not applied yet: 0001-metadata.sql'),
  })
  expect(of(empty, 'clock')).toHaveLength(3)
  expect(of(empty, 'Redis TLS')[0]).toMatchObject({ state: 'ok', found: expect.stringContaining('a private address') })

  const postgres = await openServerPostgres(url)
  const newer = join(home, 'newer')
  cpSync(join(ROOT, 'sql/postgres'), newer, { recursive: true })
  await migratePostgres(postgres, newer)
  // 0.0.0.0 is this machine too, but not a private address
  const open = await examined({ ...env, POSTGRES_URL: url.replace('127.0.0.1', '0.0.0.0') })
  expect(of(open, 'PostgreSQL migrations')).toMatchObject([{ state: 'ok' }])
  expect(of(open, 'PostgreSQL TLS')).toMatchObject([
    { state: 'warning', found: 'the connection to 0.0.0.0 is not encrypted' },
  ])
  writeFileSync(join(newer, '9001-gone.breaking.sql'), 'CREATE TABLE gone (id text);\n')
  await migratePostgres(postgres, newer)
  await postgres.close()
  const rolledBack = await examined(env)
  expect(rolledBack.code).toBe(1)
  expect(of(rolledBack, 'PostgreSQL migrations')).toMatchObject([
    { state: 'problem', found: expect.stringContaining('(9001-gone.breaking.sql)') },
  ])
}, 120_000)

test('servers that are unavailable, unsuitable, or have a wrong clock', async () => {
  const closed = await freePort()
  /** A ClickHouse that is too old, or whose clock is an hour ahead. */
  const clickhouse = (version: string) =>
    Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const bytes = new Uint8Array(await request.arrayBuffer())
        const isPacked = request.headers.get('content-encoding') === 'gzip'
        const query = new TextDecoder().decode(isPacked ? Bun.gunzipSync(bytes) : bytes)
        const row = query.includes('now64')
          ? { ms: String(Date.now() + 3_600_000) }
          : query.includes('FROM migrations')
            ? { number: 1, name: '0001-readings.sql' }
            : { version, has: 1 }
        return Response.json([row])
      },
    })
  const [old, fast] = [clickhouse('23.8.1'), clickhouse('25.8.1')]
  try {
    await stores.redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    const report = await examined({
      POSTGRES_URL: `postgres://a:b@127.0.0.1:${closed}/c`,
      REDIS_URL: stores.redis.url,
      CLICKHOUSE_URL: `http://a:b@127.0.0.1:${old.port}/c`,
      S3_URL: `http://key:hidden@127.0.0.1:${closed}/bucket`,
      CLAMD_URL: `tcp://127.0.0.1:${closed}`,
    })
    expect([report.code, report.healthy]).toEqual([1, false])
    for (const name of ['PostgreSQL', 'Redis', 'files', 'ClamAV', 'ClickHouse'])
      expect(of(report, name)).toMatchObject([{ state: 'problem', advice: expect.any(String) }])
    expect(of(report, 'ClickHouse')[0]?.found).toBe('ClickHouse 25.3 or newer is needed, this is 23.8.1')
    expect(of(report, 'Redis')[0]?.found).toContain('maxmemory-policy is allkeys-lru')
    expect(JSON.stringify(report)).not.toContain('hidden')

    const wrong = await examined({
      POSTGRES_URL: stores.postgres.url.replace('secret', 'wrong'),
      CLICKHOUSE_URL: `http://a:b@127.0.0.1:${fast.port}/c`,
    })
    expect(of(wrong, 'PostgreSQL')[0]?.found).toContain('password authentication failed')
    expect(of(wrong, 'clock')).toMatchObject([
      { state: 'problem', found: expect.stringMatching(/^this machine is 3\d{3}\.\d s behind ClickHouse$/) },
    ])
  } finally {
    await stores.redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
    await Promise.all([old.stop(true), fast.stop(true)])
  }
}, 120_000)

test('it prints lines for people, and refuses unknown arguments', async () => {
  const run = async (...args: string[]): Promise<[number, string]> => {
    const child = Bun.spawn([process.execPath, 'src/doctor.ts', ...args], {
      cwd: ROOT,
      env: { PATH: process.env.PATH ?? '', DATADIR: '/x', DATA_DIR: join(home, 'none'), PORT: '0' },
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const text = await new Response(child.stdout).text()
    return [await child.exited, text]
  }
  const [code, text] = await run()
  expect(code).toBe(1)
  expect(text).toMatch(/^PROBLEM +configuration +DATADIR is not a variable, so it has no effect\n +→ Rename/)
  expect(text).toMatch(/\n\n1 problems, \d+ warnings\n$/)
  expect(await run('--yaml')).toEqual([2, ''])
  expect(existsSync(join(home, 'none'))).toBe(false)
}, 60_000)

test('proxies that are not addresses stop the start, and a licence without assets is named', async () => {
  for (const value of ['10.0.0.0/8', 'proxy.example', '10.0.0.1, bogus'])
    expect(() => readConfig({ TRUSTED_PROXIES: value })).toThrow(/^TRUSTED_PROXIES="[^"]*" must contain IP addresses/)
  expect(readConfig({ TRUSTED_PROXIES: '10.0.0.1, ::1,' }).trustedProxies).toEqual(['10.0.0.1', '::1'])
  const found = (features: string) => checkCombinations(readConfig({ LICENSE_FEATURES: features }))
  expect(found('gis,assets')).toEqual([])
  expect(found('asets')).toMatchObject([
    {
      state: 'warning',
      found: expect.stringContaining('LICENSE_FEATURE_MISSING'),
      advice: expect.stringContaining('assets'),
    },
  ])
})
