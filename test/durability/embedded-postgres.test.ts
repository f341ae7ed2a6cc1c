/** The embedded PostgreSQL: a child process of the server, on a Unix socket, with every commit synced. */
import { afterAll, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../support/program.ts'
import { killRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { createInstance, type Envelope, fromNow, outcomeOf } from '../support/server/instance.ts'
import { createEnterprise, postgresIn, postmasterOf } from '../support/stores/embedded-postgres.ts'
import { connectTo } from '../support/stores/with-sql.ts'
import { until } from '../support/until.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-pg-'))
// a separate server: the last test makes thousands of enterprises
const instance = await createInstance()
afterAll(async () => {
  await instance.remove()
  rmSync(home, { recursive: true, force: true })
})

/** Whether another PostgreSQL runs; the connections of a killed one outlive it for a moment, and still answer. */
const isRestarted = (dataDir: string, previousPid: number): boolean =>
  existsSync(join(dataDir, 'postgres/postmaster.pid')) &&
  postmasterOf(dataDir) !== previousPid &&
  existsSync(`/proc/${postmasterOf(dataDir)}`)

test('it has checksums and synced commits, listens only on its socket, and only its owner can reach it', async () => {
  const sql = connectTo(instance)
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
})

test('a write is answered only after PostgreSQL has synced it', async () => {
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
}, 120_000)

test('when it crashes, only calls that need metadata fail, cached sensors keep ingesting, and it is restarted', async () => {
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
}, 120_000)

const reading = (ms: number) => ({ readings: [{ at: fromNow(ms - 1000), values: { a: 1 } }] })

const KILLS = Number(process.env.POSTGRES_KILLS ?? rounds(2, 10))

test(`${KILLS} kills of PostgreSQL or of the server lose no acknowledged write and leave no process behind`, async () => {
  const random = killRandom('embedded-postgres')('kills')
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
        // the server has ended
        failures++
      }
      await Bun.sleep(rounds(20, 5))
    }
  }
  const clients = Array.from({ length: 4 }, (_, index) => client(index))
  for (let kill = 0; kill < KILLS; kill++) {
    const enough = acknowledged.size + 11
    await until(() => acknowledged.size >= enough, `writes before kill ${kill}`)
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
  const sql = connectTo(instance)
  const stored = new Set((await sql`SELECT name FROM enterprises`).map(({ name }: { name: string }) => name))
  await sql.close()
  const lost = [...acknowledged].filter((name) => !stored.has(name))
  expect(lost).toEqual([])
  expect(acknowledged.size).toBeGreaterThan(KILLS * 10)
  expect(failures).toBeGreaterThan(0)
  await instance.kill('SIGTERM')
  expect(postgresIn(instance.dir)).toEqual([])
}, 600_000)
