/** Applications: named key pairs that expire and rotate, counts for each application, and exports of the audit log. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Envelope, Organization } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { callAs, memberAccount, personAccount } from '../../support/sessions.ts'
import { until } from '../../support/until.ts'
import { callTool, GIS, keysOf, POINTS } from '../../support/workers/tools.ts'

type Key = {
  id: string
  name: string
  publicKey: string
  secretKey: string
  lastFour: string
  expiresAt: string | null
  lastUsedAt: string | null
}
type Usage = {
  days: { day: string; requests: number; runs: number; failures: number; credits: number }[]
  tools: { tool: string; runs: number; failures: number; credits: number }[]
}
type Daily = {
  days: { day: string; runs: number; failures: number; credits: number; requests: number; readings: number | null }[]
  groups: {
    id: string | null
    name: string | null
    runs: number
    failures: number
    credits: number
    daily: { runs: number[]; credits: number[] } | null
  }[]
  months: { month: string; credits: number }[]
}

const dir = mkdtempSync(join(tmpdir(), 'groundwave-audit-'))

const instance = await sharedInstance()
const organization = await instance.organization('business')
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true })
})

const keysPath = () => `/applications/${organization.applicationId}/keys`
const statusWith = async (key: Pick<Key, 'publicKey' | 'secretKey'>, path = '/runs'): Promise<string> => {
  const response = await fetch(`${instance.url()}${GIS}${path}`, { headers: keysOf({ ...organization, ...key }) })
  const envelope = (await response.json()) as Envelope
  return `${response.status} ${envelope.code}`
}

test('an application has several named key pairs, and an expired one is refused like a wrong one', async () => {
  const inAMoment = new Date(Date.now() + 3_000).toISOString()
  const short = await instance.manage<Key>('POST', keysPath(), { name: 'Trial <b>', expiresAt: inAMoment })
  expect(short).toMatchObject({ name: 'Trial <b>', expiresAt: inAMoment, lastUsedAt: null })
  expect(short.lastFour).toBe(short.secretKey.slice(-4))
  const lasting = await instance.manage<Key>('POST', keysPath())
  expect(lasting).toMatchObject({ name: 'Key', expiresAt: null })
  expect(await Promise.all([short, lasting, organization].map((key) => statusWith(key)))).toEqual([
    '200 SUCCESS',
    '200 SUCCESS',
    '200 SUCCESS',
  ])
  await Bun.sleep(Math.max(0, Date.parse(inAMoment) - Date.now()) + 20)
  const expired = await statusWith(short)
  expect(expired).toBe('401 API_KEY_INVALID')
  expect(await statusWith({ ...lasting, secretKey: short.secretKey })).toBe(expired)
  expect(await statusWith(lasting)).toBe('200 SUCCESS')
  await instance.manage('DELETE', `${keysPath()}/${lasting.id}`)
  expect(await statusWith(lasting)).toBe(expired)
  const listed = () => instance.manage<{ items: Key[] }>('GET', keysPath())
  await until(async () => (await listed()).items.every(({ lastUsedAt }) => lastUsedAt !== null), 'noting the use')
  const used = await listed()
  for (const { lastUsedAt } of used.items)
    expect(Math.abs(Date.parse(lastUsedAt ?? '') - Date.now())).toBeLessThan(60_000)
  expect(JSON.stringify(used)).not.toContain(short.secretKey)
  for (const body of [{ expiresAt: 'soon' }, { expiresAt: '2020-01-01T00:00:00Z' }, { name: ' ' }, { nme: 'x' }])
    await expect(instance.manage('POST', keysPath(), body)).rejects.toThrow('body.')
})

test('daily figures are the sums of the runs, for each application and for the portal', async () => {
  const second = await instance.manage<{ id: string } & Organization>(
    'POST',
    `/enterprises/${organization.id}/applications`,
    { name: '=cmd()|"x"', tools: 'all' },
  )
  const other = { ...organization, publicKey: second.publicKey, secretKey: second.secretKey }
  const stations = { file: 'stations.geojson', target_format: 'geojson' }
  for (const [who, times] of [
    [organization, 3],
    [other, 2],
  ] as const)
    for (let i = 0; i < times; i++) {
      expect((await callTool(instance, who, '/buffer', { ...stations, distance_m: '10' }, true)).status).toBe(200)
      await callTool(instance, who, '/distance-bearing', POINTS, false)
    }
  const broken = { name: 'broken.geojson', content: '{"type":"FeatureCollection","features":[{"type":' }
  const failed = await callTool(
    instance,
    other,
    '/buffer',
    { file: broken, target_format: 'geojson', distance_m: '10' },
    true,
  )
  expect(failed.status).toBe(422)
  const admin = await memberAccount(instance, organization.id, 'admin')
  const own = await callAs(instance.url(), admin, 'POST', `${GIS}/distance-bearing`, {
    enterprise: organization.id,
    body: POINTS,
  })
  expect(own.status).toBe(200)
  const sensor = await instance.sensor(organization.id, [{ name: 'level', measurement: 'number' }])
  const readings = Array.from({ length: 7 }, (_, i) => ({
    at: new Date(Date.now() - i * 60_000).toISOString(),
    values: { level: i },
  }))
  expect((await instance.send(sensor, { readings })).status).toBe(200)

  const listed = await instance.query<never>(organization, '/sensors')
  expect(listed.statusCode).toBe(200)
  const all = await fetch(`${instance.url()}${GIS}/runs?limit=1000`, { headers: keysOf(organization) })
  const { items } = (
    (await all.json()) as Envelope<{
      items: { processID: string; applicationId: string | null; status: string; creditsCharged: number }[]
    }>
  ).data
  const today = new Date().toISOString().slice(0, 10)
  const path = `/owners/${organization.id}/usage/daily`
  const credits = items.reduce((sum, run) => sum + run.creditsCharged, 0)
  const failures = items.filter(({ status }) => status === 'failed').length
  expect([credits, failures, items.length]).toEqual([5, 1, 12])
  for (const [by, keyOf] of [
    ['tool', (run: (typeof items)[number]) => run.processID],
    ['application', (run: (typeof items)[number]) => run.applicationId],
  ] as const) {
    const daily = await instance.manage<Daily>('GET', `${path}?by=${by}`)
    expect(daily.days).toHaveLength(30)
    expect(daily.days.at(-1)).toEqual({ day: today, runs: items.length, failures, credits, requests: 0, readings: 7 })
    expect(daily.days[0]).toMatchObject({ runs: 0, credits: 0, readings: 0 })
    expect(daily.months[0]).toEqual({ month: today.slice(0, 7), credits })
    const groups = [...Map.groupBy(items, keyOf)].map(([id, some]) => ({
      id,
      runs: some.length,
      failures: some.filter(({ status }) => status === 'failed').length,
      credits: some.reduce((sum, run) => sum + run.creditsCharged, 0),
    }))
    const sorted = <T extends { id: string | null }>(list: T[]): T[] =>
      list.toSorted((a, b) => String(a.id).localeCompare(String(b.id)))
    expect(sorted(daily.groups.map(({ name: _, daily: __, ...group }) => group))).toEqual(sorted(groups))
    for (const group of daily.groups) expect(group.daily?.runs.at(-1)).toBe(group.runs)
  }
  const allowances = await instance.manage<Record<string, Record<string, number>>>(
    'GET',
    `/owners/${organization.id}/usage`,
  )
  expect(allowances.credits).toMatchObject({ used: credits, allowance: 50_000 })
  expect(allowances.readings).toEqual({ day: today, used: 7, allowance: 50_000_000 } as never)
  expect(allowances.storage?.bytes).toBeGreaterThan(0)

  const usage = await instance.manage<Usage>('GET', `/applications/${second.id}/usage`)
  // two tools, twice, and the failed one
  expect(usage.days).toEqual([{ day: today, requests: 5, runs: 5, failures: 1, credits: 2 }])
  expect(usage.tools).toEqual([
    { tool: 'vector.buffer', runs: 3, failures: 1, credits: 2 },
    { tool: 'measure.distance-bearing', runs: 2, failures: 0, credits: 0 },
  ])
  await instance.manage('DELETE', `/applications/${second.id}`)
  const after = await instance.manage<Daily>('GET', `${path}?by=application`)
  expect(after.groups.find(({ id }) => id === second.id)).toMatchObject({ name: null, runs: 5 })

  // counts survive a kill
  await instance.kill('SIGKILL')
  await instance.restart()
  const again = await instance.manage<Daily>('GET', path)
  expect(again.days.at(-1)).toMatchObject({ runs: items.length, credits, readings: 7 })
  await instance.send(sensor, { readings: [{ at: new Date().toISOString(), values: { level: 9 } }] })
  expect((await instance.manage<Daily>('GET', path)).days.at(-1)).toMatchObject({ readings: 8 })
}, 120_000)

test('people see their own usage, ranges are checked, and other owners do not exist', async () => {
  const person = await personAccount(instance, 'pro')
  const run = await callAs(instance.url(), person, 'POST', `${GIS}/distance-bearing`, { body: POINTS })
  expect(run.status).toBe(200)
  const path = `/manage/v1/owners/${person.personId}/usage/daily`
  const daily = await callAs<Daily>(instance.url(), person, 'GET', path)
  expect(daily.data.days.at(-1)).toMatchObject({ runs: 1, credits: 0, readings: null })
  expect(daily.data.groups).toMatchObject([{ id: 'measure.distance-bearing', runs: 1 }])
  const allowances = await callAs(instance.url(), person, 'GET', `/manage/v1/owners/${person.personId}/usage`)
  expect(allowances.data).toMatchObject({
    requests: { used: 0, allowance: 1_000 },
    readings: null,
    credits: null,
    storage: { bytes: 0, quotaBytes: 10_240 * 2 ** 20 },
  })
  const foreign = await callAs(instance.url(), person, 'GET', `/manage/v1/owners/${organization.id}/usage/daily`)
  expect(foreign).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  for (const query of ['from=2026-02-30', 'from=2024-01-01&to=2026-01-01', 'from=2026-02-02&to=2026-02-01', 'by=day'])
    expect((await callAs(instance.url(), person, 'GET', `${path}?${query}`)).status).toBe(422)
})

/** The rows that Python's csv module reads. */
async function readCsv(text: string): Promise<Record<string, string>[]> {
  const file = join(dir, 'audit.csv')
  writeFileSync(file, text)
  const code = 'import csv, json, sys; print(json.dumps(list(csv.DictReader(open(sys.argv[1], newline="")))))'
  const running = Bun.spawn(['python3', '-c', code, file], { stdout: 'pipe' })
  return (await new Response(running.stdout).json()) as Record<string, string>[]
}

test('an export has every record of the pages, is read by other programs, and is recorded itself', async () => {
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Exported', tier: 'starter' })
  const names = ['=1+1', 'a,"b"\nc', '\u202eevil', '🚚 <script>alert(1)</script>', '@sum']
  for (const name of names) await instance.manage('POST', `/enterprises/${id}/applications`, { name })
  // more than a page of the export
  for (let i = 0; i < 210; i++) await instance.manage('POST', `/enterprises/${id}/assets`, { name: `Asset ${i}` })
  const admin = await memberAccount(instance, id, 'admin')
  type Entry = { id: string; actor: string; subjectName: string | null; after: Record<string, unknown> | null }
  const listed: Entry[] = []
  let cursor: string | null = null
  do {
    const page: { items: Entry[]; nextCursor: string | null } = await instance.manage(
      'GET',
      `/audit?owner=${id}&limit=50${cursor === null ? '' : `&cursor=${cursor}`}`,
    )
    listed.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  const exported = (query: string): Promise<Response> =>
    fetch(`${instance.url()}/manage/v1/audit/export?owner=${id}&${query}`, {
      headers: { cookie: `groundwave_session=${admin.browser.cookieValue()}` },
    })
  const csv = await exported('format=csv')
  expect(csv.headers.get('content-disposition')).toContain('audit.csv')
  const rows = await readCsv(await csv.text())
  // the record of the export itself comes first
  expect(rows[0]).toMatchObject({ action: 'download', subjectKind: 'audit', actor: `admin ${admin.email}` })
  expect(rows.slice(1).map((row) => row.id)).toEqual(listed.map((entry) => entry.id))
  const made = rows.filter(({ subjectKind }) => subjectKind === 'application').map(({ subjectName }) => subjectName)
  expect(made.toReversed()).toEqual(["'=1+1", 'a,"b"\nc', '\u202eevil', '🚚 <script>alert(1)</script>', "'@sum"])
  const raw = await readCsv(await (await exported('format=csv&escapeFormulas=false&kind=application')).text())
  expect(raw.map(({ subjectName }) => subjectName).toReversed()).toEqual(names)
  // the operator's export, with the records of every owner
  const everything = await fetch(`${instance.url()}/manage/v1/audit/export?format=csv&kind=application`, {
    headers: { authorization: `Bearer ${instance.operatorToken()}` },
  })
  const shown = (await readCsv(await everything.text())).map(({ subjectName }) => subjectName)
  expect(shown).toContain("'=1+1")
  expect(shown).not.toContain('=1+1')
  const lines = (await (await exported('format=jsonl&kind=application')).text()).trimEnd().split('\n')
  const parsed = lines.map((line) => JSON.parse(line) as Entry)
  expect(parsed.map(({ subjectName }) => subjectName).toReversed()).toEqual(names)
  expect(JSON.stringify(parsed)).not.toMatch(/svc_sk_|secret/i)
  const exports = await instance.manage<{ items: { after: object }[] }>('GET', `/audit?owner=${id}&kind=audit`)
  expect(exports.items.map(({ after }) => after)).toEqual([
    { owner: id, format: 'jsonl', kind: 'application' },
    { owner: id, format: 'csv', escapeFormulas: 'false', kind: 'application' },
    { owner: id, format: 'csv' },
  ])
  const byAdmin = await instance.manage<{ items: Entry[] }>('GET', `/audit?owner=${id}&actor=${admin.email}`)
  expect(new Set(byAdmin.items.map(({ actor }) => actor.split(' ')[1]))).toEqual(new Set([admin.email]))
  const actors = await instance.manage<{ items: { actor: string }[] }>('GET', `/audit/actors?owner=${id}`)
  expect(actors.items.map(({ actor }) => actor)).toContain(`admin ${admin.email}`)
  for (const query of ['kind=secret', 'action=steal', 'from=yesterday', 'format=xlsx']) {
    const refused = await callAs(
      instance.url(),
      admin,
      'GET',
      `/manage/v1/audit/export?format=csv&owner=${id}&${query}`,
    )
    expect(refused).toMatchObject({ status: 422, errors: [{ field: expect.stringContaining('query.') }] })
  }
  const member = await memberAccount(instance, id, 'member')
  const refused = await callAs(instance.url(), member, 'GET', `/manage/v1/audit/export?format=csv&owner=${id}`)
  expect(refused).toMatchObject({ status: 403, code: 'FORBIDDEN' })
}, 120_000)

test('the records that would be deleted with an enterprise are counted, for its owner', async () => {
  const owner = await memberAccount(instance, organization.id, 'owner')
  const path = `/manage/v1/enterprises/${organization.id}/belongings`
  await until(async () => (await callAs(instance.url(), owner, 'GET', path)).data.readings === 8, 'loading readings')
  const counted = await callAs(instance.url(), owner, 'GET', path)
  expect(counted.data).toMatchObject({ sensors: 1, applications: 1, readings: 8, layers: 0, toolApis: 0 })
  const admin = await memberAccount(instance, organization.id, 'admin')
  expect((await callAs(instance.url(), admin, 'GET', path)).status).toBe(403)
})
