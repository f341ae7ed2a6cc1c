/** Lists of runs and jobs with filters, names of runs, kept results, and links to files. */
import { expect, test } from 'bun:test'
import { fileForm } from '../../support/server/owned-things.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { type Account, type Call, callAs, cookieOf, memberAccount, personAccount } from '../../support/sessions.ts'
import { until } from '../../support/until.ts'
import { callTool, GIS, STATIONS } from '../../support/workers/tools.ts'

type Listed = {
  runId: string | null
  jobId: string | null
  processID: string
  status: string
  isDismissed: boolean
  name: string | null
  folder: string | null
  memberEmail: string | null
  applicationName: string | null
  startedAt: string
  inputs: { filename: string; key: string }[]
  artifacts: { filename: string; key: string; artifactId: string }[]
}
type Page = { items: Listed[]; nextCursor: string | null }

const instance = await sharedInstance()
const home = await instance.organization('business')
const owner = await memberAccount(instance, home.id, 'owner')
const member = await memberAccount(instance, home.id, 'member')

const as = <T = Record<string, unknown>>(account: Account, method: string, path: string, call: Call = {}) =>
  callAs<T>(instance.url(), account, method, GIS + path, { enterprise: home.id, ...call })
const list = async (account: Account, query = ''): Promise<Page> =>
  (await as<Page>(account, 'GET', `/runs${query}`)).data

function centroids(account: Account, headers: Record<string, string> = {}, name = 'points.geojson') {
  const body = fileForm(name)
  body.set('target_format', 'geojson')
  return as<{ jobID: string; key: string; artifactId: string; usage: { runId: string } }>(
    account,
    'POST',
    '/centroids',
    {
      body,
      headers,
    },
  )
}

/** A file that is not a vector file: the call fails. */
function broken(): FormData {
  const body = fileForm('broken.geojson', '{"type":"Nothing"}')
  body.set('target_format', 'geojson')
  return body
}

async function finishedJob(account: Account): Promise<string> {
  const { data } = await centroids(account, { prefer: 'respond-async' })
  await until(
    async () => (await as<{ status: string }>(account, 'GET', `/jobs/${data.jobID}`)).data.status === 'successful',
  )
  return data.jobID
}

test('a job is listed once: as a job until it ends, then as its run, with the files of both', async () => {
  const jobId = await finishedJob(owner)
  const { items } = await list(owner, '?jobs=true')
  const found = items.filter((item) => item.jobId === jobId)
  expect(found.length).toBe(1)
  expect(found[0]).toMatchObject({ status: 'successful', processID: 'vector.centroids', memberEmail: owner.email })
  expect(found[0]?.inputs.map(({ filename }) => filename)).toEqual(['points.geojson'])
  expect(found[0]?.artifacts.map(({ filename }) => filename)).toEqual(['points_centroids.geojson'])
  const job = await as<{ runId: string }>(owner, 'GET', `/jobs/${jobId}`)
  expect(found[0]?.runId).toBe(job.data.runId)
  const run = await as<Listed & { hasResult: boolean }>(owner, 'GET', `/runs/${job.data.runId}`)
  expect(run.data.hasResult).toBe(true)
  expect(run.data.inputs).toEqual(found[0]?.inputs as never)
  const result = await as<{ key: string }>(owner, 'GET', `/runs/${job.data.runId}/result`)
  expect(result.data).toEqual((await as<{ key: string }>(owner, 'GET', `/jobs/${jobId}/results`)).data)
})

test('a job that cannot begin is listed until it is dismissed, and stays as dismissed', async () => {
  // a queue that is longer than the server's slots, so that the last one waits
  const jobs = await Promise.all(
    Array.from({ length: 6 }, async () => (await centroids(member, { prefer: 'respond-async' })).data.jobID),
  )
  const last = jobs.at(-1) as string
  await as(member, 'DELETE', `/jobs/${last}`)
  const { data } = await as<{ status: string }>(member, 'GET', `/jobs/${last}`)
  const all = await list(member, '?jobs=true&limit=1000')
  const entries = all.items.filter(({ jobId }) => jobId === last)
  if (data.status === 'dismissed') expect(entries.map(({ isDismissed }) => isDismissed)).toEqual([true])
  else expect(entries.map(({ status }) => status)).toEqual(['successful'])
  await until(async () => (await list(member, '?jobs=true&status=accepted,running')).items.length === 0)
  const ids = (await list(member, '?jobs=true&limit=1000')).items.map(({ jobId }) => jobId)
  expect(jobs.every((job) => ids.filter((id) => id === job).length === 1)).toBe(true)
})

test('pages of runs and jobs together follow each other without gaps or repeats', async () => {
  await Promise.all(Array.from({ length: 5 }, () => centroids(owner)))
  const whole = (await list(owner, '?jobs=true&limit=1000')).items.map(({ runId, jobId }) => runId ?? jobId)
  const paged: (string | null)[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await list(owner, `?jobs=true&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
    paged.push(...page.items.map(({ runId, jobId }) => runId ?? jobId))
    cursor = page.nextCursor
  }
  expect(paged).toEqual(whole)
  expect(new Set(paged).size).toBe(paged.length)
})

test('runs are filtered by tool, state, member, application and time; other filters are refused by name', async () => {
  await callTool(instance, home, '/centroids', STATIONS, true)
  await callTool(instance, home, '/convert-coordinates', { points: 'none' }, false)
  const refused = await as(owner, 'POST', '/centroids', { body: broken() })
  expect(refused.statusCode).toBe(422)
  const all = (await list(owner, '?limit=1000')).items
  expect(all.length).toBeGreaterThan(10)
  const ids = (items: Listed[]): (string | null)[] => items.map(({ runId }) => runId)
  const filtered = async (query: string): Promise<(string | null)[]> =>
    ids((await list(owner, `?limit=1000&${query}`)).items)
  expect(await filtered('processID=vector.centroids')).toEqual(
    ids(all.filter(({ processID }) => processID === 'vector.centroids')),
  )
  const failed = all.filter(({ status, isDismissed }) => status === 'failed' && !isDismissed)
  expect(failed.length).toBeGreaterThan(0)
  expect(await filtered('status=failed')).toEqual(ids(failed))
  expect(await filtered(`applicationId=${home.applicationId}`)).toEqual(
    ids(all.filter(({ applicationName }) => applicationName !== null)),
  )
  expect(await filtered(`memberId=${member.memberIds[home.id]}`)).toEqual(
    ids(all.filter(({ memberEmail }) => memberEmail === member.email)),
  )
  const middle = all[Math.floor(all.length / 2)]?.startedAt ?? ''
  // a run is created when its call is admitted, which is before it starts; its id, a UUID of version 7, begins with that time
  const createdMs = ({ runId }: Listed): number => Number.parseInt(runId?.slice(4, 16) ?? '', 16)
  expect(await filtered(`from=${middle}`)).toEqual(ids(all.filter((run) => createdMs(run) >= Date.parse(middle))))
  expect((await filtered(`to=${middle}`)).length + (await filtered(`from=${middle}`)).length).toBe(all.length)
  for (const [query, field] of [
    ['status=done', 'query.status'],
    ['from=yesterday', 'query.from'],
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'query.from'],
    ['processID=', 'query.processID'],
  ] as const) {
    const refused = await as(owner, 'GET', `/runs?${query}`)
    expect([query, refused.status, refused.errors?.[0]?.field]).toEqual([query, 422, field])
  }
  expect((await as<Page>(owner, 'GET', '/jobs?status=successful&processID=vector.buffer')).data.items).toEqual([])
})

test('a member lists only their runs, and another enterprise none of them', async () => {
  const mine = (await list(member, '?limit=1000&jobs=true')).items
  expect(new Set(mine.map(({ memberEmail }) => memberEmail))).toEqual(new Set([member.email]))
  const other = await instance.organization()
  const stranger = await memberAccount(instance, other.id, 'owner')
  const { runId } = (await list(owner)).items[0] as Listed
  for (const path of [`/runs/${runId}`, `/runs/${runId}/result`])
    expect((await as(stranger, 'GET', path, { enterprise: other.id })).status).toBe(404)
  const named = await as(stranger, 'PATCH', `/runs/${runId}`, { enterprise: other.id, body: { name: 'Mine' } })
  expect(named.status).toBe(404)
})

test('a run has a name and is found by it; a concurrent change of the name is refused', async () => {
  const { data } = await centroids(owner)
  const { runId } = data.usage
  const before = await as<Listed>(owner, 'GET', `/runs/${runId}`)
  const tag = before.headers.get('etag') ?? ''
  const named = await as<Listed>(owner, 'PATCH', `/runs/${runId}`, {
    body: { name: ' Wells 50% <b>نهائي</b> ' },
    headers: { 'if-match': tag },
  })
  expect([named.status, named.data.name]).toEqual([200, 'Wells 50% <b>نهائي</b>'])
  const late = await as(member, 'PATCH', `/runs/${runId}`, { body: { name: 'Late' } })
  expect(late.status).toBe(404)
  const stale = await as(owner, 'PATCH', `/runs/${runId}`, { body: { name: 'Stale' }, headers: { 'if-match': tag } })
  expect([stale.status, stale.code]).toEqual([412, 'PRECONDITION_FAILED'])
  const ids = async (query: string) => (await list(owner, query)).items.map((item) => item.runId)
  expect(await ids('?named=true')).toEqual([runId])
  expect(await ids('?q=50%25%20%3CB')).toEqual([runId])
  expect(await ids('?q=5_%25')).toEqual([])
  for (const name of ['', '  ', 'x'.repeat(201), 7]) {
    const refused = await as(owner, 'PATCH', `/runs/${runId}`, { body: { name } })
    expect([refused.status, refused.errors?.[0]?.field]).toEqual([422, 'body.name'])
  }
  await as(owner, 'PATCH', `/runs/${runId}`, { body: { name: null } })
  expect(await ids('?named=true')).toEqual([])
})

test('answers to accounts are kept, also failures; answers to keys are not', async () => {
  const made = await centroids(owner)
  const kept = await as(owner, 'GET', `/runs/${made.data.usage.runId}/result`)
  expect(kept.data).toEqual(made.data as never)
  const refused = await as(owner, 'POST', '/centroids', { body: broken() })
  const { runId } = (await list(owner)).items[0] as Listed
  const failure = await as(owner, 'GET', `/runs/${runId}/result`)
  expect([failure.status, failure.code, failure.message]).toEqual([refused.status, refused.code, refused.message])
  expect(failure.errors).toEqual(refused.errors)
  const answer = await callTool(instance, home, '/centroids', STATIONS, true)
  const byKey = ((await answer.json()) as { data: { usage: { runId: string } } }).data.usage.runId
  const detail = await as<{ hasResult: boolean; applicationName: string }>(owner, 'GET', `/runs/${byKey}`)
  expect([detail.data.hasResult, typeof detail.data.applicationName]).toEqual([false, 'string'])
  expect((await as(owner, 'GET', `/runs/${byKey}/result`)).status).toBe(404)
})

test('a link selects the enterprise for downloads of own pages, and for nothing else', async () => {
  const { data } = await centroids(owner)
  const links = [
    `${GIS}/files/${data.key}`,
    `${GIS}/runs/${data.usage.runId}/artifacts/${data.artifactId}`,
    '/enterprise/v1/assets/export?format=csv',
  ].map((path) => `${path}${path.includes('?') ? '&' : '?'}enterprise=${home.id}`)
  const follow = (path: string, headers: Record<string, string>, account = owner, method = 'GET') =>
    fetch(instance.url() + path, { method, headers: { cookie: cookieOf(account), ...headers } })
  for (const link of links) {
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { referer: `${instance.url()}/portal/runs` }] as Record<
      string,
      string
    >[])
      expect([link, (await follow(link, headers)).status]).toEqual([link, 200])
    const head = await follow(link, { 'sec-fetch-site': 'same-origin' }, owner, 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', referer: `${instance.url()}/portal` },
      { 'sec-fetch-site': 'same-site' },
      { referer: 'https://example.org/' },
      { referer: 'about:client' },
      {},
    ] as Record<string, string>[])
      expect([link, headers, (await follow(link, headers)).status]).toEqual([link, headers, 422])
  }
  const own = { 'sec-fetch-site': 'same-origin' }
  expect((await follow(links[0] as string, own, member)).status).toBe(404)
  const stranger = await personAccount(instance)
  expect((await follow(links[0] as string, own, stranger)).status).toBe(404)
  // lists and changes need the header
  for (const [method, path] of [
    ['GET', '/runs'],
    ['GET', `/runs/${data.usage.runId}`],
    ['DELETE', `/files/${data.key}`],
  ] as const) {
    const answer = await callAs(instance.url(), owner, method, `${GIS}${path}?enterprise=${home.id}`, { headers: own })
    expect([path, answer.status]).toEqual([path, 422])
  }
  const response = await follow(links[0] as string, own)
  expect(response.headers.get('content-disposition')).toContain('attachment; filename="points_centroids.geojson"')
  expect(response.headers.get('vary')).toBe('Cookie, Sec-Fetch-Mode')
})

test('an export of one sensor is named after it', async () => {
  const channels = [{ name: 'a', measurement: 'number' as const }]
  const { id } = await instance.sensor(home.id, channels, 'Pump / north\u202e <1>')
  const range = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z'
  const path = `/enterprise/v1/assets/export?format=csv&sensors=${id}&${range}`
  const answer = await callAs(instance.url(), owner, 'HEAD', path, { enterprise: home.id })
  expect(answer.headers.get('content-disposition')).toContain(
    `filename*=UTF-8''${encodeURIComponent('Pump north 1 2026-01-01 2026-01-02.csv')}`,
  )
  const backwards = path.replace('from=2026-01-01', 'from=2026-01-03')
  expect((await callAs(instance.url(), owner, 'HEAD', backwards, { enterprise: home.id })).status).toBe(422)
})

test('results are kept in folders, which exist as long as something is in them', async () => {
  const made = await Promise.all([centroids(member), centroids(member), centroids(owner)])
  const [first = '', second = '', third = ''] = made.map(({ data }) => data.usage.runId)
  const put = (account: Account, id: string, body: object) => as<Listed>(account, 'PATCH', `/runs/${id}`, { body })
  const folders = async (account: Account) =>
    (await as<{ items: { name: string; runs: number }[] }>(account, 'GET', '/run-folders')).data.items
  expect(await folders(owner)).toEqual([])
  expect((await put(member, first, { folder: ' مسح 2026 / 50% ' })).data.folder).toBe('مسح 2026 / 50%')
  await put(member, second, { folder: 'مسح 2026 / 50%', name: 'Second' })
  await put(owner, third, { folder: 'Archive' })
  // omitted fields keep their value
  expect((await put(member, second, { name: null })).data).toMatchObject({ name: null, folder: 'مسح 2026 / 50%' })
  expect((await put(member, third, { folder: 'Mine' })).status).toBe(404)

  expect(await folders(member)).toEqual([{ name: 'مسح 2026 / 50%', runs: 2 }])
  expect((await folders(owner)).toSorted((a, b) => a.runs - b.runs)).toEqual([
    { name: 'Archive', runs: 1 },
    { name: 'مسح 2026 / 50%', runs: 2 },
  ])
  const query = `?jobs=true&folder=${encodeURIComponent('مسح 2026 / 50%')}`
  expect((await list(owner, query)).items.map(({ runId }) => runId)).toEqual([first, second].sort().reverse())
  expect((await list(owner, '?folder=archive')).items).toEqual([])
  const stranger = await memberAccount(instance, (await instance.organization()).id, 'owner')
  const [other] = Object.keys(stranger.memberIds)
  expect((await as<{ items: unknown[] }>(stranger, 'GET', '/run-folders', { enterprise: other })).data.items).toEqual(
    [],
  )

  for (const folder of ['', '  ', 'x'.repeat(101), 7])
    expect(await put(owner, third, { folder })).toMatchObject({
      status: 422,
      errors: [{ field: 'body.folder', rule: 'text' }],
    })
  await put(owner, third, { folder: null })
  expect(await folders(owner)).toEqual([{ name: 'مسح 2026 / 50%', runs: 2 }])
})
