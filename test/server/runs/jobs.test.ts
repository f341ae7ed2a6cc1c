/** Jobs, and worker processes that run too long, grow too large or die without affecting other calls. */

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { childrenOf, familyOf } from '../../support/processes.ts'
import { createInstance, type Envelope, type Organization } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { eventually } from '../../support/until.ts'
import { callTool, fetchFile, GIS, keysOf } from '../../support/workers/tools.ts'

const instance = await sharedInstance()
const organization = await instance.organization()

type JobDocument = {
  jobID: string
  status: string
  progress: number
  links: { rel: string; href: string }[]
  started: string | null
}
const STATIONS = { file: 'stations.geojson', target_format: 'geojson' }
/** A run of several seconds. */
const LONG = { file: 'districts.geojson', target_format: 'geojson', cell_size_m: 180 }
/** A run of a second, for tests that wait for its end. */
const SHORT = { ...LONG, cell_size_m: 350 }
const ASYNC = { prefer: 'respond-async' }

async function post(route: string, input: Record<string, unknown>, headers = {}, at = instance, who = organization) {
  const response = await callTool(at, who, route, input, true, headers)
  return { response, envelope: (await response.json()) as Envelope }
}
async function start(route: string, input: Record<string, unknown>): Promise<JobDocument> {
  const { response, envelope } = await post(route, input, ASYNC)
  expect([response.status, envelope.code]).toEqual([202, 'JOB_ACCEPTED'])
  const job = envelope.data as JobDocument
  expect(response.headers.get('location')).toBe(`${GIS}/jobs/${job.jobID}`)
  return job
}
const ask = async <T = JobDocument>(path: string, method = 'GET', who = organization): Promise<Envelope<T>> =>
  (await (await fetch(`${instance.url()}${GIS}${path}`, { method, headers: keysOf(who) })).json()) as Envelope<T>

async function until(id: string, statuses: string[]): Promise<JobDocument> {
  for (const deadline = Date.now() + 60_000; ; ) {
    const { data } = await ask(`/jobs/${id}`)
    if (statuses.includes(data.status)) return data
    if (Date.now() > deadline) throw new Error(`the job is ${data.status} still`)
    await Bun.sleep(50)
  }
}

test('a job is accepted and runs, and its results equal the answer of a synchronous call', async () => {
  const { jobID } = await start('/buffer', { ...STATIONS, distance_m: 250 })
  const done = await until(jobID, ['successful', 'failed'])
  expect(done).toMatchObject({
    status: 'successful',
    progress: 100,
    processID: 'vector.buffer',
    type: 'process',
  } as never)
  const results = await ask<Record<string, unknown>>(`/jobs/${jobID}/results`)
  expect(results).toMatchObject({
    ok: true,
    code: 'SUCCESS',
    path: `${GIS}/buffer`,
    method: 'POST',
    data: { featureCount: 5, distanceM: 250 },
  })
  expect(results.data.usage).toMatchObject({ creditsCharged: 1 })
  const bytes = await fetchFile(instance, organization, results.data.key as string)
  expect(JSON.parse(bytes.toString()).features).toHaveLength(5)
  const { data: run } = await ask<Record<string, unknown>>(`/runs/${(results.data.usage as { runId: string }).runId}`)
  expect(run).toMatchObject({ jobId: jobID, status: 'successful' })
})

test('the results of a job may be long, and equal the results of a synchronous call', async () => {
  const features = Array.from({ length: 5_000 }, (_, i) => ({
    type: 'Feature',
    properties: {},
    geometry: { type: 'Point', coordinates: [(i % 100) / 10, i / 1_000] },
  }))
  const file = { name: 'a.geojson', content: JSON.stringify({ type: 'FeatureCollection', features }) }
  const input = { file, reference: 'zones.geojson', rule: 'inside' }
  const { envelope: now } = await post('/inside-check', input)
  expect(now.data.results).toHaveLength(5_000)
  const { jobID } = await start('/inside-check', input)
  await until(jobID, ['successful', 'failed'])
  const later = await ask<Record<string, unknown>>(`/jobs/${jobID}/results`)
  const settled = ({ usage, inputKey, ...data }: Record<string, unknown>): Record<string, unknown> => ({
    ...data,
    outputBytes: (usage as { outputBytes: number }).outputBytes,
  })
  expect(settled(later.data)).toEqual(settled(now.data))
  expect(later).toMatchObject({ ok: true, code: 'SUCCESS', method: 'POST' })
}, 60_000)

test('a failed job returns its error and charges nothing', async () => {
  const { jobID } = await start('/buffer', { ...STATIONS, file: { name: 'a.geojson', content: '{"type":"Nothing"}' } })
  await until(jobID, ['failed'])
  const response = await fetch(`${instance.url()}${GIS}/jobs/${jobID}/results`, { headers: keysOf(organization) })
  expect(response.status).toBe(422)
  expect((await response.json()) as Envelope).toMatchObject({
    ok: false,
    code: 'INPUT_UNREADABLE',
    errors: [{ field: 'file' }],
  })
  // invalid fields are rejected immediately
  expect((await post('/buffer', { ...STATIONS, unit: 'parsec' }, ASYNC)).envelope).toMatchObject({
    code: 'VALIDATION_FAILED',
  })
})

test('dismissing a job stops its work; other organizations cannot see it', async () => {
  const { jobID } = await start('/grid', LONG)
  await until(jobID, ['running'])
  const stranger = await instance.organization()
  expect(await ask(`/jobs/${jobID}`, 'DELETE', stranger)).toMatchObject({ code: 'NOT_FOUND' })
  expect((await ask(`/jobs/${jobID}/results`)).code).toBe('NOT_FOUND')
  const before = childrenOf(instance.pid())
  expect((await ask(`/jobs/${jobID}`, 'DELETE')).data).toMatchObject({ status: 'dismissed' })
  // its process was killed and replaced
  await eventually(() => {
    const after = childrenOf(instance.pid())
    expect(before.filter((pid) => !after.includes(pid))).toHaveLength(1)
  })
  expect((await ask(`/jobs/${jobID}`)).data.status).toBe('dismissed')
  const { data } = await ask<{ items: { runId: string; jobId: string | null; status: string }[] }>('/runs?limit=5')
  const run = data.items.find(({ jobId }) => jobId === jobID)
  // the run is recorded as failed a moment after its process ended
  await eventually(async () =>
    expect((await ask(`/runs/${run?.runId}`)).data).toMatchObject({ status: 'failed', isDismissed: true }),
  )
  const { data: list } = await ask<{ items: JobDocument[] }>('/jobs?limit=1')
  expect(list.items[0]).toMatchObject({ jobID, status: 'dismissed' })
}, 120_000)

test('a job survives a kill of the server and is charged once', async () => {
  const own = await instance.organization()
  const response = await callTool(instance, own, '/grid', SHORT, true, ASYNC)
  const { jobID } = ((await response.json()) as Envelope<JobDocument>).data
  for (;;) {
    const { data } = await ask(`/jobs/${jobID}`, 'GET', own)
    if (data.status === 'running') break
    await Bun.sleep(20)
  }
  await instance.kill('SIGKILL')
  await instance.restart()
  for (;;) {
    const { data } = await ask(`/jobs/${jobID}`, 'GET', own)
    if (data.status === 'successful') break
    expect(['accepted', 'running']).toContain(data.status)
    await Bun.sleep(100)
  }
  const { data } = await ask<{ items: { status: string; creditsCharged: number }[] }>('/runs', 'GET', own)
  // the first attempt was interrupted, or killed before it was recorded
  const [last, ...cutOff] = data.items
  expect(last).toMatchObject({ status: 'successful', creditsCharged: 1 })
  for (const run of cutOff) expect(run).toMatchObject({ status: 'failed', creditsCharged: 0 })
  const results = await ask<{ usage: { creditsRemaining: number } }>(`/jobs/${jobID}/results`, 'GET', own)
  expect(results.data.usage.creditsRemaining).toBe(49_999)
}, 120_000)

test('the jobs of several enterprises take turns', async () => {
  const [first, second] = [await instance.organization(), await instance.organization()]
  const begin = async (input: Record<string, unknown>, route: string, who: Organization): Promise<string> =>
    ((await post(route, input, ASYNC, instance, who)).envelope.data as JobDocument).jobID
  // the server runs one job at a time: while it runs this one, the others wait
  const ids = [await begin(SHORT, '/grid', first)]
  for (let i = 0; i < 3; i++) ids.push(await begin(STATIONS, '/buffer', first))
  const other = await begin(STATIONS, '/buffer', second)
  const startOf = async (id: string, who: Organization): Promise<string> => {
    for (;;) {
      const { data } = await ask(`/jobs/${id}`, 'GET', who)
      if (data.status === 'successful') return data.started as string
      expect(['accepted', 'running']).toContain(data.status)
      await Bun.sleep(50)
    }
  }
  const starts = await Promise.all(ids.map((id) => startOf(id, first)))
  const otherStart = await startOf(other, second)
  expect([...starts, otherStart].toSorted().indexOf(otherStart)).toBe(1)
}, 120_000)

test('a client that disconnects stops the run and is not charged', async () => {
  const own = await instance.organization()
  const before = childrenOf(instance.pid())
  const controller = new AbortController()
  const { formOf } = await import('../../support/workers/tools.ts')
  const call = fetch(`${instance.url()}${GIS}/grid`, {
    method: 'POST',
    headers: keysOf(own),
    body: formOf(LONG),
    signal: controller.signal,
  })
  const runs = async () =>
    (await ask<{ items: { status: string; creditsCharged: number }[] }>('/runs', 'GET', own)).data.items
  await eventually(async () => expect(await runs()).toMatchObject([{ status: 'running' }]))
  controller.abort()
  await call.catch(() => undefined)
  await eventually(() => {
    const after = childrenOf(instance.pid())
    expect(before.filter((pid) => !after.includes(pid))).toHaveLength(1)
  })
  await eventually(async () => expect(await runs()).toMatchObject([{ status: 'failed', creditsCharged: 0 }]))
}, 120_000)

test('a worker that dies fails only its own run and is replaced', async () => {
  /** User time of each worker in hundredths of a second (proc(5), stat). A worker of the test before may just be ending. */
  const times = (): Map<number, number> =>
    new Map(
      familyOf(instance.pid()).flatMap((pid): [number, number][] => {
        try {
          if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('engine/worker.ts')) return []
          const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
            .replace(/^.*\) /s, '')
            .split(' ')
          return [[pid, Number(fields[11])]]
        } catch {
          // ended since it was listed
          return []
        }
      }),
    )
  const before = times()
  const long = post('/grid', LONG)
  let busiest = 0
  await eventually(() => {
    // more CPU time than a worker uses that is still starting
    busiest = [...times()].find(([pid, time]) => time - (before.get(pid) ?? 0) >= 200)?.[0] ?? 0
    expect(busiest).toBeGreaterThan(0)
  })
  process.kill(busiest, 'SIGKILL')
  const { response, envelope } = await long
  expect([response.status, envelope.code]).toEqual([500, 'TOOL_FAILED'])
  expect(JSON.stringify(envelope)).not.toMatch(/SIGKILL|worker|\/tmp/)
  const answers = await Promise.all(Array.from({ length: 6 }, () => post('/buffer', STATIONS)))
  expect(answers.map(({ envelope: { code } }) => code)).toEqual(Array(6).fill('SUCCESS'))
}, 120_000)

test('time limit, memory limit and full queue are reported with their own codes', async () => {
  const strict = await createInstance({
    TOOL_TIMEOUT_S: '1',
    TOOL_WORKERS: '1',
    TOOL_QUEUE: '1',
    JOB_SLOTS: '0',
    CALLS_PER_MINUTE: '100000',
  })
  const own = await strict.organization()
  try {
    const answers = await Promise.all([1, 2, 3, 4].map(() => post('/grid', LONG, {}, strict, own)))
    const codes = answers.map(({ envelope }) => envelope.code).sort()
    expect(codes).toEqual(['SERVICE_BUSY', 'SERVICE_BUSY', 'TOOL_TIMEOUT', 'TOOL_TIMEOUT'])
    const status = (code: string) => answers.find(({ envelope }) => envelope.code === code)?.response
    expect([status('TOOL_TIMEOUT')?.status, status('SERVICE_BUSY')?.status]).toEqual([504, 503])
    expect(Number(status('SERVICE_BUSY')?.headers.get('retry-after'))).toBeGreaterThan(0)
    // a second may be too short on a busy machine
    await eventually(async () =>
      expect((await post('/buffer', STATIONS, {}, strict, own)).envelope.code).toBe('SUCCESS'),
    )
  } finally {
    await strict.remove()
  }
  const small = await createInstance({ WORKER_MEMORY_MB: '256', TOOL_WORKERS: '1', CALLS_PER_MINUTE: '100000' })
  const other = await small.organization()
  try {
    const { response, envelope } = await post('/grid', { ...LONG, cell_size_m: 140 }, {}, small, other)
    expect([response.status, envelope.code]).toEqual([413, 'FILE_TOO_LARGE'])
    expect(envelope.message).toContain('256 MB')
    expect((await post('/buffer', STATIONS, {}, small, other)).envelope.code).toBe('SUCCESS')
  } finally {
    await small.remove()
  }
}, 120_000)
