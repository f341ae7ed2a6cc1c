/** The state of two servers on shared stores, reported by either, while real parts fail and recover. */
import { afterAll, expect, test } from 'bun:test'
import { startClamd } from '../../support/clamd.ts'
import { batch, createInstance, type Instance, type MadeSensor, outcomeOf } from '../../support/server/instance.ts'
import { startSharedStores } from '../../support/stores/shared-stores.ts'
import { until } from '../../support/until.ts'

type Part = { part: string; state: string; since: string; detail: string | null; lastError: { text: string } | null }
type Process = {
  id: string
  status: string
  report: { parts: Part[]; figures: { readingsPerSecond: { accepted: number } }; lanes: { lane: string }[] }
}
type Event = { id: number; instanceId: string; part: string; state: string; detail: string | null; at: string }
type Events = { items: Event[]; before: Event[]; nextCursor: string | null }

const [stores, clamd] = await Promise.all([startSharedStores(), startClamd('Test', 'malware of a test')])
const one = await createInstance({ ...stores.env, CLAMD_URL: clamd.url, JOB_SLOTS: '0' })
const other = await createInstance({ ...stores.env, JOB_SLOTS: '0' })
afterAll(async () => {
  await one?.remove()
  await other?.remove()
  await clamd?.remove()
  await stores?.remove()
})

const processes = async (asked: Instance): Promise<Process[]> =>
  (await asked.manage<{ items: Process[] }>('GET', '/operator/health')).items
const running = async (asked: Instance): Promise<Process[]> =>
  (await processes(asked)).filter(({ status }) => status === 'running')
/** States of a part on all running processes, as one server reports them. */
const statesOf = async (asked: Instance, part: string): Promise<string[]> =>
  (await running(asked)).flatMap(({ report }) =>
    report.parts.filter((own) => own.part === part).map(({ state }) => state),
  )
const events = (part: string, query = ''): Promise<Events> =>
  one.manage<Events>('GET', `/operator/health/events?part=${part}${query}`)

test('each server reports both', async () => {
  await until(async () => (await running(one)).length === 2 && (await running(other)).length === 2, 'two reports')
  expect(await statesOf(other, 'postgres')).toEqual(['ok', 'ok'])
  expect(await statesOf(other, 'scanner')).toEqual(['ok'])
  expect((await running(one))[0]?.report.lanes.map(({ lane }) => lane)).toEqual(['bun', 'node'])
}, 60_000)

test('an outage of Redis is two events on each server, with the error and the time', async () => {
  const beforeMs = Date.now()
  await stores.redis.kill()
  await until(async () => (await statesOf(other, 'redis')).every((state) => state === 'failing'), 'both to notice')
  await until(async () => (await events('redis')).items.length === 2, 'both events')
  await stores.redis.start()
  await until(async () => (await statesOf(one, 'redis')).every((state) => state === 'ok'), 'both to recover')
  await until(async () => (await events('redis')).items.length === 4, 'four events')
  const { items } = await events('redis')
  expect(items.map(({ state }) => state)).toEqual(['ok', 'ok', 'failing', 'failing'])
  expect(new Set(items.map(({ instanceId }) => instanceId)).size).toBe(2)
  for (const { at } of items) expect(Date.parse(at)).toBeGreaterThan(beforeMs)
  for (const { detail, state } of items) expect(detail === null).toBe(state === 'ok')
  const [part] = (await running(one))[0]?.report.parts.filter((own) => own.part === 'redis') ?? []
  expect(part?.detail).toBeNull()
  expect(part?.lastError?.text).not.toBe('')

  const first = await events('redis', '&limit=3')
  expect(first.items).toHaveLength(3)
  const rest = await events('redis', `&limit=3&cursor=${first.nextCursor}`)
  expect([...first.items, ...rest.items]).toEqual(items)
  expect(rest.nextCursor).toBeNull()
  // a period that begins between failure and recovery starts with the failure
  const failed = Math.max(...items.filter(({ state }) => state === 'failing').map(({ at }) => Date.parse(at)))
  const between = await events('redis', `&from=${new Date(failed + 1).toISOString()}`)
  expect(between.before.filter(({ part }) => part === 'redis').map(({ state }) => state)).toEqual([
    'failing',
    'failing',
  ])
  expect(between.items.map(({ state }) => state)).toEqual(['ok', 'ok'])
}, 120_000)

test('a scanner fails on the server that has one', async () => {
  await clamd.kill()
  await until(async () => (await statesOf(other, 'scanner')).join() === 'failing', 'the scanner to fail')
  await clamd.start()
  await until(async () => (await statesOf(other, 'scanner')).join() === 'ok', 'the scanner to recover')
}, 120_000)

test('a ClickHouse that fails leaves readings in the log: the outage is reported and no reading is lost', async () => {
  const { id } = await one.organization()
  const sensor = await one.sensor(id, [{ name: 'a', measurement: 'number' }])
  await stores.killClickHouse()
  await until(async () => (await statesOf(one, 'clickhouse')).every((state) => state === 'failing'), 'the failure')
  await stores.startClickHouse()
  await until(async () => (await statesOf(one, 'clickhouse')).every((state) => state === 'ok'), 'the recovery')
  expect((await outcomeOf(await one.send(sensor, batch(3)))).accepted).toHaveLength(3)
}, 120_000)

test('events during an outage of PostgreSQL appear in the history afterwards, with their original time', async () => {
  await stores.postgres.stop('SIGKILL')
  const goneMs = Date.now()
  await Bun.sleep(12_000)
  const backMs = Date.now()
  await stores.postgres.start()
  await until(async () => {
    try {
      return (await events('postgres')).items.length >= 4
    } catch {
      // it is still starting
      return false
    }
  }, 'the events')
  const { items } = await events('postgres')
  const failures = items.filter(({ state }) => state === 'failing')
  expect(failures).toHaveLength(2)
  for (const { at } of failures) {
    expect(Date.parse(at)).toBeGreaterThanOrEqual(goneMs - 1_000)
    expect(Date.parse(at)).toBeLessThan(backMs)
  }
}, 120_000)

test('figures of an enterprise include readings of both servers, and pages follow the sort', async () => {
  const { id } = await one.organization('starter')
  const quiet = await one.organization('starter')
  const sensors: MadeSensor[] = []
  for (let i = 0; i < 3; i++) sensors.push(await one.sensor(id, [{ name: 'a', measurement: 'number' }]))
  await outcomeOf(await one.send(sensors[0] as MadeSensor, batch(5)))
  await outcomeOf(await other.send(sensors[1] as MadeSensor, batch(7)))
  await outcomeOf(await other.send(sensors[1] as MadeSensor, batch(2, 4_000)))
  type Row = { id: string; name: string; sensors: number; readingsToday: number; lastActiveAt: string | null }
  type Rows = { items: Row[]; nextCursor: string | null }
  const list = (query: string): Promise<Rows> => other.manage<Rows>('GET', `/operator/enterprises?${query}`)
  const figures = async () => (await list(`q=${id}`)).items[0]
  await until(async () => (await figures())?.readingsToday === 14, 'the readings of both servers')
  expect(await figures()).toMatchObject({ sensors: 3, readingsPerDay: 1_000_000, creditsUsed: 0, storedBytes: 0 })
  expect((await list(`q=${quiet.id}`)).items[0]).toMatchObject({ readingsToday: 0, lastActiveAt: null })
  await one.manage('DELETE', `/sensors/${sensors[2]?.id}`)
  expect((await figures())?.sensors).toBe(2)

  for (let i = 0; i < 5; i++) await one.manage('POST', '/enterprises', { name: `Page ${5 - i} %_'`, tier: 'scale' })
  for (const sort of ['id', 'name', 'sensors', 'readings', 'stored', 'active'])
    for (const order of ['asc', 'desc']) {
      const all = (await list(`sort=${sort}&order=${order}`)).items.map((row) => row.id)
      const paged: string[] = []
      for (let cursor = ''; ; ) {
        const page: Rows = await list(`sort=${sort}&order=${order}&limit=2${cursor}`)
        paged.push(...page.items.map((row) => row.id))
        if (page.nextCursor === null) break
        cursor = `&cursor=${page.nextCursor}`
      }
      expect(paged).toEqual(all)
      expect(new Set(paged).size).toBe(paged.length)
    }
  const names = (await list('sort=name&tier=scale')).items.map(({ name }) => name)
  expect(names).toEqual([1, 2, 3, 4, 5].map((n) => `Page ${n} %_'`))
  expect((await list(`q=${encodeURIComponent("%_'")}`)).items).toHaveLength(5)
  expect((await list('sort=readings&order=desc&limit=1')).items[0]?.id).toBe(id)
  await expect(list(`sort=name&cursor=${(await list('sort=id&limit=1')).nextCursor}`)).rejects.toThrow('cursor')
}, 120_000)

test('a killed server is reported as silent, and its next start reports that it ended', async () => {
  const [own] = (await processes(one)).filter(({ report }) => report.parts.every(({ part }) => part !== 'scanner'))
  await other.kill('SIGKILL')
  const stateOf = async () => (await processes(one)).find(({ id }) => id === own?.id)?.status
  expect(await stateOf()).toBe('running')
  await until(async () => (await stateOf()) === 'silent', 'the silence')
  await other.restart()
  await until(async () => (await stateOf()) === 'running', 'the restart')
  const { items } = await events('process')
  expect(items.filter(({ instanceId }) => instanceId === own?.id).map(({ state }) => state)).toEqual([
    'ok',
    'failing',
    'ok',
  ])
  await other.kill('SIGTERM')
  expect(await stateOf()).toBe('stopped')
  await other.restart()
}, 120_000)

test('every minute has one sample of each server, with the readings of that minute', async () => {
  type Samples = {
    stepSeconds: number
    items: { at: string; accepted: { avg: number }; serverBytes: { min: number } }[]
  }
  const samples = (query = ''): Promise<Samples> => one.manage<Samples>('GET', `/operator/health/samples?${query}`)
  await until(async () => (await samples()).items.length > 0, 'the samples of a minute')
  const { stepSeconds, items } = await samples()
  expect(stepSeconds).toBe(300)
  expect(items.every(({ serverBytes }) => serverBytes.min > 50e6)).toBe(true)
  const coarse = await samples('points=1')
  expect(coarse.stepSeconds).toBe(86_400)
  for (const query of [
    'from=yesterday',
    'from=2026-01-01T00:00:00Z',
    'to=2020-01-01T00:00:00Z&from=2020-01-02T00:00:00Z',
  ])
    await expect(samples(query)).rejects.toThrow('query.from')
}, 120_000)
