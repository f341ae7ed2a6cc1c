/** Jobs that several processes take, on a real PostgreSQL. */
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { openServerPostgres, type Postgres } from '../../../src/stores/postgres/client.ts'
import { finishJob, getJob, renewJob, type TakenJob, takeJob } from '../../../src/stores/postgres/runs/jobs.ts'
import { rounds } from '../../support/rounds.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'

const OWNERS = 20
const JOBS = rounds(600, 5_000)
/** With `JOBS` slots each, so that no job is taken again because its lease is over. */
const QUEUES = rounds(1, 20)

const { postgres: one, url } = await migratedPostgres()
// for later connections: these tests do not survive a crash, and a hundred thousand commits need not wait for the disk
await one.script(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`)
const [another, other] = [await openServerPostgres(url), await openServerPostgres(url)]
afterAll(() => Promise.all([another.close(), other.close()]))
await one.script(
  `INSERT INTO enterprises (id, name, tier) SELECT 'ent_' || i, 'One', 'scale' FROM generate_series(1, ${OWNERS}) AS i`,
)
beforeEach(() => one.script('DELETE FROM jobs'))

const addJobs = (count: number): Promise<void> =>
  one.script(`
    INSERT INTO jobs (id, enterprise_id, tool_id, tool_version, call, status, created_at)
    SELECT 'job_' || i, 'ent_' || 1 + (i - 1) % ${OWNERS}, 'vector.centroids', '1', '{}', 'accepted', now() + i * interval '1 ms'
    FROM generate_series(1, ${count}) AS i;
    ANALYZE jobs`)
const expireLeases = (): Promise<void> => one.script("UPDATE jobs SET leased_until = now() - interval '1 second'")

async function takeAll({ db }: Postgres, instanceId: string): Promise<TakenJob[]> {
  const taken: TakenJob[] = []
  for (;;) {
    const job = await takeJob(db, instanceId)
    if (job === undefined) return taken
    taken.push(job)
  }
}

test(`four takers on two connections take ${QUEUES} × ${JOBS} jobs, each once`, async () => {
  for (let queue = 0; queue < QUEUES; queue++) {
    await one.script('TRUNCATE jobs CASCADE')
    await addJobs(JOBS)
    const taken = await Promise.all(
      [another, other, another, other].map((postgres, i) => takeAll(postgres, `instance-${i}`)),
    )
    const ids = taken.flat().map(({ id }) => id)
    expect(ids).toHaveLength(JOBS)
    expect(new Set(ids).size).toBe(JOBS)
    expect(taken.flat().every(({ attempts }) => attempts === 1)).toBe(true)
  }
}, 900_000)

test('owners take turns, each with its oldest job', async () => {
  await addJobs(OWNERS * 3)
  const taken = await takeAll(one, 'a')
  for (let turn = 0; turn < 3; turn++) {
    const owners = taken.slice(turn * OWNERS, (turn + 1) * OWNERS).map(({ ownerId }) => ownerId)
    expect(new Set(owners).size).toBe(OWNERS)
  }
  for (let owner = 1; owner <= OWNERS; owner++) {
    const own = taken.filter(({ ownerId }) => ownerId === `ent_${owner}`).map(({ createdAt }) => createdAt.getTime())
    expect(own).toEqual(own.toSorted((a, b) => a - b))
  }
})

test('a job is taken again when its lease has expired, and reports of the earlier attempt then change nothing', async () => {
  await addJobs(1)
  const first = (await takeJob(one.db, 'a')) as TakenJob
  // no longer than the lease of an instance, which may never come back
  expect((first.leasedUntil?.getTime() ?? 0) - Date.now()).toBeWithin(0, 60_000)
  expect(await takeJob(other.db, 'b')).toBeUndefined()
  await expireLeases()
  // the same process may take it again
  const second = (await takeJob(other.db, 'a')) as TakenJob
  expect([first.id, second.id, second.attempts]).toEqual(['job_1', 'job_1', 2])
  expect(await renewJob(one.db, first, 50)).toBe(false)
  await finishJob(one.db, first, {
    status: 'failed',
    resultStatus: 500,
    code: 'TOOL_FAILED',
    result: Buffer.from('{}'),
  })
  expect(await renewJob(other.db, second, 50)).toBe(true)
  await finishJob(other.db, second, {
    status: 'successful',
    resultStatus: 200,
    code: 'SUCCESS',
    result: Buffer.from('{}'),
  })
  expect((await getJob(one.db, { ownerId: 'ent_1' }, 'job_1')).status).toBe('successful')
})
