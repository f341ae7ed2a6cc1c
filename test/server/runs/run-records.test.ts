/** Runs that charge nothing are recorded once when their answers are there, also when the server is killed then. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createInstance, type Instance, type Organization } from '../../support/server/instance.ts'

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
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...headers(), 'content-type': 'application/json' },
  })
  return { status: response.status, ...((await response.json()) as object) }
}

type Listed = { items: { runId: string; startedAt: string; finishedAt: string; settings: object; status: string }[] }

async function listed(): Promise<Listed['items']> {
  const response = await fetch(`${instance.url()}/enterprise/v1/gis/runs?limit=1000`, { headers: headers() })
  return ((await response.json()) as { data: Listed }).data.items
}

test('the record of a run can be read as soon as its answer has arrived', async () => {
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
}, 180_000)
