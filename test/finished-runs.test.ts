/** Runs that charge nothing are recorded a moment after their answers, also when the server is killed meanwhile. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFinishedRuns } from '../src/runs/finished-runs.ts'
import type { FinishedRun } from '../src/stores/postgres/runs.ts'
import { createInstance, type Instance, type Organization } from './support/instance.ts'

const pointsOf = (count: number) => ({ points: Array.from({ length: count }, (_, i) => ({ lon: i / 10, lat: 50 })) })
let instance: Instance
let organization: Organization

beforeAll(async () => {
  instance = await createInstance({ CALLS_PER_MINUTE: '100000' })
  organization = await instance.organization('scale')
}, 120_000)
afterAll(() => instance.remove())

const headers = () => ({ 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey })

async function call(body: unknown): Promise<{ status: number; data?: { usage: { runId: string } } }> {
  const response = await fetch(`${instance.url()}/enterprise/v1/gis/distance-bearing`, {
    ...{ method: 'POST', body: JSON.stringify(body) },
    headers: { ...headers(), 'content-type': 'application/json' },
  })
  return { status: response.status, ...((await response.json()) as object) }
}

type Listed = { items: { runId: string; startedAt: string; finishedAt: string; settings: object; status: string }[] }

async function listed(): Promise<Listed['items']> {
  const response = await fetch(`${instance.url()}/enterprise/v1/gis/runs?limit=1000`, { headers: headers() })
  return ((await response.json()) as { data: Listed }).data.items
}

test('the record of a run can be read as soon as its answer is there', async () => {
  const { data } = await call(pointsOf(3))
  const response = await fetch(`${instance.url()}/enterprise/v1/gis/runs/${data?.usage.runId}`, { headers: headers() })
  const { data: run } = (await response.json()) as { data: Record<string, unknown> }
  expect(run).toMatchObject({ processID: 'measure.distance-bearing', status: 'successful', code: 'SUCCESS' })
  expect(run.settings).toEqual(pointsOf(3))
  const [startedMs, finishedMs] = [run.startedAt, run.finishedAt].map((at) => Date.parse(String(at))) as [
    number,
    number,
  ]
  expect(finishedMs - startedMs).toBeLessThanOrEqual(Math.ceil(run.durationMs as number))
  expect(finishedMs - startedMs).toBeGreaterThanOrEqual(Math.floor(run.durationMs as number) - 1)
})

test('every answered run is recorded once when the server is killed right after the answers', async () => {
  const answered: string[] = []
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(Array.from({ length: 24 }, () => call(pointsOf(2))))
    await instance.kill('SIGKILL')
    for (const { status, data } of answers) {
      expect(status).toBe(200)
      answered.push(data?.usage.runId as string)
    }
    await instance.restart()
  }
  const recorded = (await listed()).map(({ runId }) => runId)
  expect(answered.filter((id) => !recorded.includes(id))).toEqual([])
  expect(new Set(recorded).size).toBe(recorded.length)
  // what was read at the start is not kept
  expect(readdirSync(join(instance.dir, 'finished-runs'))).toEqual([])
}, 180_000)

/** Fails like a lost PostgreSQL as often as wanted, and notes the ids that it was asked to insert. */
function failingDatabase(failures: number) {
  let left = failures
  const inserted: string[] = []
  const execute = async (statement: { queryChunks: unknown[] }): Promise<object[]> => {
    if (left-- > 0) throw Object.assign(new Error('lost'), { code: 'ECONNREFUSED' })
    const text = statement.queryChunks.find((chunk) => typeof chunk === 'string' && chunk.startsWith('[')) as string
    inserted.push(...(JSON.parse(text) as { id: string }[]).map(({ id }) => id))
    return []
  }
  return { db: { execute } as never, inserted }
}

const runOf = (id: string, settings: object = {}) => ({ id, settings }) as FinishedRun

test('records wait for a lost database, and survive an incomplete last line', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-runs-'))
  try {
    writeFileSync(join(dir, '7'), `${JSON.stringify(runOf('run_old'))}\n{"id":"run_cut`)
    const errors: unknown[] = []
    const { db, inserted } = failingDatabase(0)
    const first = await openFinishedRuns(db, dir, (error) => errors.push(error))
    expect(inserted).toEqual(['run_old'])
    expect(readdirSync(dir)).toEqual([])
    await first.stop()

    const lost = failingDatabase(1)
    const second = await openFinishedRuns(lost.db, dir, (error) => errors.push(error))
    expect(second.add(runOf('run_1'))).toBe(true)
    await second.flush()
    expect(errors.length).toBe(1)
    expect(readdirSync(dir).length).toBe(1)
    expect(second.add(runOf('run_2'))).toBe(true)
    await second.flush()
    expect(lost.inserted).toEqual(['run_1', 'run_2'])
    expect(readdirSync(dir)).toEqual([])
    await second.stop()
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})

test('text that the database cannot hold is left to the caller of add', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-runs-'))
  try {
    const { db, inserted } = failingDatabase(0)
    const finished = await openFinishedRuns(db, dir, () => undefined)
    expect(finished.add(runOf('run_nul', { text: 'a\u0000b' }))).toBe(false)
    expect(finished.add(runOf('run_half', { text: '\ud83d' }))).toBe(false)
    expect(finished.add(runOf('run_whole', { text: '\ud83d\ude00 \u0001' }))).toBe(true)
    await finished.stop()
    expect(inserted).toEqual(['run_whole'])
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})
