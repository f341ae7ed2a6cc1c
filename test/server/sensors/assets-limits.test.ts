/** Limits of one application on /enterprise/v1/assets: calls a minute, queries at a time, streams, grants. */
import { afterAll, expect, test } from 'bun:test'
import { createInstance, type Envelope, type Organization } from '../../support/server/instance.ts'
import { keysOf } from '../../support/workers/tools.ts'

const instance = await createInstance({ ASSETS_CALLS_PER_MINUTE: '20', ASSETS_CALLS_AT_ONCE: '1', ASSETS_STREAMS: '2' })
afterAll(instance.remove)

const get = (who: Organization, path: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${instance.url()}/enterprise/v1/assets${path}`, { headers: keysOf(who), ...(signal && { signal }) })
const outcome = async (response: Response) => {
  const { code } = (await response.json()) as Envelope
  return { code, status: response.status, retryAfter: Number(response.headers.get('retry-after')) }
}

test('calls beyond the rate get 429 with Retry-After, on every route, and other applications are not affected', async () => {
  const [own, other] = [await instance.organization(), await instance.organization()]
  for (let i = 0; i < 20; i++) expect((await get(own, '/sensors')).status).toBe(200)
  for (const path of [
    '/sensors',
    '/latest',
    '/live',
    '/live/stream',
    '/rules',
    '/export?format=csv',
    '/rules/rul_x/events',
  ]) {
    const { retryAfter, ...rest } = await outcome(await get(own, path))
    expect(rest).toEqual({ code: 'RATE_LIMITED', status: 429 })
    expect(retryAfter).toBeGreaterThan(0)
  }
  expect((await get(other, '/sensors')).status).toBe(200)
})

test('queries at the same time wait for their turn, and too many get 429', async () => {
  const own = await instance.organization()
  const answers = await Promise.all(Array.from({ length: 15 }, async () => outcome(await get(own, '/live'))))
  const codes = Map.groupBy(answers, ({ code }) => code)
  expect(new Set(codes.keys())).toEqual(new Set(['SUCCESS', 'RATE_LIMITED']))
  // one runs and eight wait
  expect(codes.get('SUCCESS')?.length).toBeGreaterThanOrEqual(9)
  expect((await get(own, '/live')).status).toBe(200)
})

test('event streams of an application are limited until one is closed', async () => {
  const [own, other] = [await instance.organization(), await instance.organization()]
  const open = async (who: Organization) => {
    const abort = new AbortController()
    const response = await get(who, '/live/stream', abort.signal)
    return { response, close: () => abort.abort() }
  }
  const [first, second] = [await open(own), await open(own)]
  expect([first.response.status, second.response.status]).toEqual([200, 200])
  expect(await outcome((await open(own)).response)).toMatchObject({ code: 'RATE_LIMITED', status: 429 })
  const ofOther = await open(other)
  expect(ofOther.response.status).toBe(200)
  first.close()
  let again = await open(own)
  while (again.response.status !== 200) {
    // each attempt counts as a call
    await Bun.sleep(1000)
    again = await open(own)
  }
  for (const { close } of [second, again, ofOther]) close()
}, 120_000)

test('an application that is limited to tools reads sensors only with the grant', async () => {
  const { id } = await instance.organization()
  const make = (body: object) =>
    instance.manage<Organization & { assets: boolean | null }>('POST', `/enterprises/${id}/applications`, {
      name: 'x',
      ...body,
    })
  const limited = await make({ tools: ['vector.buffer'] })
  expect(await outcome(await get(limited, '/sensors'))).toMatchObject({ code: 'ASSETS_NOT_GRANTED', status: 403 })
  expect((await get(await make({ tools: ['vector.buffer'], assets: true }), '/sensors')).status).toBe(200)
  expect((await get(await make({}), '/sensors')).status).toBe(200)
  expect((await get(await make({ assets: false }), '/sensors')).status).toBe(403)
  await instance.manage('PATCH', `/applications/${limited.id}`, { assets: true })
  expect((await get(limited, '/sensors')).status).toBe(200)
})
