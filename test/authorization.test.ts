/** Every route with every role, against the policy of role-policy.ts; in `npm test`, with a few roles each. */
import { beforeAll, expect, test } from 'bun:test'
import { fileForm, ownedThings, SQUARE } from './support/owned-things.ts'
import { A, G, M, O, POLICY, policyOf } from './support/role-policy.ts'
import {
  type Account,
  type Call,
  callAs,
  formerMember,
  memberAccount,
  operatorAccount,
  personAccount,
} from './support/sessions.ts'
import { sharedInstance } from './support/shared-instance.ts'
import { OCTETS, TUS } from './support/uploads.ts'

const ROLES = [
  ...['signed out', 'nobody', 'stranger', 'suspended', 'member', 'admin', 'owner', 'person', 'operator', 'token'],
] as const
type RoleName = (typeof ROLES)[number]
type Request = { method: string; path: string } & Call

let home = ''
let suspendedHome = ''
let personId = ''
const accounts = new Map<RoleName, Account>()

const instance = await sharedInstance()
const things = ownedThings(instance)
beforeAll(async () => {
  const [mine, other, suspended] = await Promise.all([things.enterprise(), things.enterprise(), things.enterprise()])
  home = mine.id
  suspendedHome = suspended.id
  const person = await personAccount(instance, 'max')
  personId = person.personId
  accounts.set('person', person)
  accounts.set('operator', await operatorAccount(instance))
  for (const role of ['owner', 'admin', 'member'] as const)
    accounts.set(role, await memberAccount(instance, home, role))
  accounts.set('stranger', await memberAccount(instance, other.id, 'owner'))
  accounts.set('suspended', await memberAccount(instance, suspendedHome, 'owner'))
  accounts.set('nobody', await formerMember(instance, other.id))
  await instance.manage('PATCH', `/enterprises/${suspendedHome}`, { status: 'suspended' })
}, 120_000)

/** A run, a job and their files, of the role if it can make them, and else of the owner. */
async function runsOf(role: RoleName): Promise<{ job: string; run: string; artifact: string; key: string }> {
  const maker = ['member', 'person'].includes(role) ? role : 'owner'
  const enterprise = maker === 'person' ? undefined : home
  const account = accounts.get(maker)
  const form = fileForm()
  form.set('target_format', 'geojson')
  const call = { enterprise, body: form, headers: { prefer: 'respond-async' } }
  const accepted = await callAs<{ jobID: string }>(instance.url(), account, 'POST', `${G}/centroids`, call)
  const job = accepted.data.jobID
  for (;;) {
    const { data } = await callAs<{ status: string }>(instance.url(), account, 'GET', `${G}/jobs/${job}`, {
      enterprise,
    })
    if (data.status === 'successful') break
    if (data.status === 'failed') throw new Error(`the job of ${role} failed`)
    await Bun.sleep(20)
  }
  const result = await callAs<{ key: string; artifactId: string; usage: { runId: string } }>(
    ...[instance.url(), account, 'GET', `${G}/jobs/${job}/results`, { enterprise }],
  )
  return { job, run: result.data.usage.runId, artifact: result.data.artifactId, key: result.data.key }
}

/** What a call of a route of uploads says beside its body. */
const UPLOAD_HEADERS: Record<string, Record<string, string>> = {
  POST: { 'upload-length': '3', 'content-type': OCTETS['content-type'] },
  PATCH: { 'upload-offset': '0', 'content-type': OCTETS['content-type'] },
}

/** An upload of the role if it can make one, and else of the owner. */
async function uploadOf(role: RoleName): Promise<string> {
  const maker = ['member', 'person'].includes(role) ? role : 'owner'
  const { headers } = await callAs(instance.url(), accounts.get(maker), 'POST', `${G}/uploads`, {
    ...{ enterprise: maker === 'person' ? undefined : home, headers: { ...TUS, 'upload-length': '3' } },
  })
  return headers.get('location')?.split('/').at(-1) ?? ''
}

const runs = new Map<RoleName, ReturnType<typeof runsOf>>()
const keptRuns = (role: RoleName) => {
  const known = runs.get(role) ?? runsOf(role)
  runs.set(role, known)
  return known
}

async function ruleOf(enterprise: string): Promise<{ id: string }> {
  const layer = await things.layer(enterprise)
  const { data } = await callAs(instance.url(), accounts.get('operator'), 'POST', `${A}/rules`, {
    ...{ enterprise, body: { when: 'enter', layerId: layer.id, sensorIds: 'all' } },
  })
  return data as { id: string }
}

const CHANGES: Record<string, unknown> = {
  [`PATCH ${M}/tiers/{name}`]: {},
  [`PATCH ${M}/enterprises/{id}`]: { name: 'Renamed' },
  [`PATCH ${M}/members/{id}`]: { role: 'admin' },
  [`PATCH ${M}/applications/{id}`]: { name: 'Renamed' },
  [`PATCH ${M}/people/{id}`]: { plan: 'max' },
  [`PATCH ${M}/sensors/{id}`]: { enabled: false },
  [`PATCH ${M}/assets/{id}`]: { name: 'Renamed' },
  [`PATCH ${O}/layers/{id}`]: { name: 'Renamed' },
  [`PUT ${O}/layers/{id}/features`]: SQUARE,
  [`PATCH ${O}/layers/{id}/features`]: { upsert: [] },
  [`PUT ${O}/layers/{id}/features/{featureId}`]: SQUARE.features[0],
  [`PATCH ${O}/files/{id}`]: { name: 'Renamed' },
  [`PATCH ${O}/files/{id}/versions/{version}`]: { scanStatus: 'clean' },
  [`PATCH ${M}/tool-apis/{id}`]: { enabled: false },
  [`PATCH ${A}/rules/{id}`]: { enabled: false },
  [`PATCH ${G}/runs/{id}`]: { name: 'Named' },
  [`PATCH ${G}/uploads/{id}`]: 'a',
}
const PERIOD = '?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z'
const QUERIES: Record<string, string> = {
  [`GET ${M}/audit`]: '?owner=OWNER',
  [`GET ${M}/audit/actors`]: '?owner=OWNER',
  [`GET ${M}/audit/export`]: '?owner=OWNER&format=csv',
  [`DELETE ${M}/sensors/{id}/readings`]: PERIOD,
  [`GET ${M}/sensors/{id}/deletions/preview`]: PERIOD,
  [`GET ${A}/series`]: '?channel=a',
  [`GET ${A}/sensors/{id}/series`]: '?channel=a',
  [`GET ${A}/export`]: '?format=csv',
  [`GET ${O}/layers/{id}/export`]: '?format=csv',
  [`GET ${O}/layers/{id}/versions/compare`]: '?from=1&to=2',
}
const readings = () => ({ readings: [{ at: new Date().toISOString(), values: { a: 1 } }] })
let addresses = 0
const CREATES: Record<string, () => unknown> = {
  [`POST ${A}/sensors/{id}/readings`]: readings,
  [`POST ${A}/inside`]: () => ({ polygon: SQUARE.features[0]?.geometry }),
  [`POST ${M}/enterprises`]: () => ({ name: 'New', tier: 'starter' }),
  [`POST ${M}/enterprises/{id}/members`]: () => ({ email: `n${++addresses}@example.org`, role: 'member' }),
  [`POST ${M}/enterprises/{id}/invitations`]: () => ({ email: `n${++addresses}@example.org`, role: 'member' }),
  [`POST ${M}/operators/tokens`]: () => ({ name: 'Script' }),
  [`POST ${M}/operators/invitations`]: () => ({ email: `n${++addresses}@example.org` }),
  [`POST ${M}/enterprises/{id}/applications`]: () => ({ name: 'New' }),
  [`POST ${M}/people`]: () => ({ email: `n${++addresses}@example.org`, plan: 'free' }),
  [`POST ${M}/enterprises/{id}/sensors`]: () => ({ name: 'New', channels: [] }),
  [`POST ${M}/enterprises/{id}/assets`]: () => ({ name: 'New' }),
  [`POST ${O}/layers`]: () => ({ name: 'New', geojson: SQUARE }),
  [`POST ${O}/files`]: () => fileForm(),
  [`POST ${O}/files/{id}/versions`]: () => fileForm(),
  // three bytes
  [`POST ${G}/uploads`]: () => 'a',
  [`POST ${O}/tool-apis`]: () => ({ tool: 'vector.centroids', name: 'New' }),
  [`POST ${M}/tool-apis/{id}/try`]: () => ({ input: SQUARE }),
  [`POST ${O}/tool-api-previews`]: () => ({ tool: 'vector.centroids', input: SQUARE }),
}

/** Of somebody who has an account. */
const memberIdIn = (enterprise: string): string =>
  accounts.get(enterprise === home ? 'member' : 'suspended')?.memberIds[enterprise] ?? ''

/** A request to a route that would succeed if the role were allowed to send it; what it deletes is made for it. */
async function requestOf(route: string, role: RoleName): Promise<Request> {
  const [method, template] = route.split(' ') as [string, string]
  const enterprise = role === 'suspended' ? suspendedHome : home
  const owner = role === 'person' ? personId : enterprise
  const below = template.startsWith(M) ? template.slice(M.length) : ''
  const values: Record<string, string> = {
    ownerId: owner,
    featureId: 'f',
    version: '1',
    name: 'starter',
    code: '32636',
    id: enterprise,
  }
  if (below.startsWith('/sensors/')) {
    const sensor = await things.sensor(enterprise)
    Object.assign(values, { id: sensor.id, keyId: sensor.keys[0]?.id })
    if (template.endsWith('/{deletionId}')) {
      const deletion = await instance.manage<{ id: string }>('DELETE', `/sensors/${sensor.id}/readings${PERIOD}`)
      values.deletionId = deletion.id
    }
  } else if (below.startsWith('/assets/')) values.id = (await things.asset(enterprise)).id
  else if (below.endsWith('/reset-link')) values.id = memberIdIn(enterprise)
  else if (below.startsWith('/members/')) values.id = (await things.member(enterprise)).id
  else if (below.startsWith('/invitations/')) values.id = (await things.invitation(enterprise)).id
  else if (below.startsWith('/operators/invitations/')) values.id = (await things.operatorInvitation()).id
  else if (below.startsWith('/operators/tokens/')) {
    const token = await instance.manage<{ id: string }>('POST', '/operators/tokens', { name: 'Script' })
    values.id = token.id
  } else if (below.startsWith('/operators/')) {
    const { browser } = await operatorAccount(instance)
    values.id = (await browser.session()).account?.id ?? ''
  } else if (below.startsWith('/operator/jobs/')) values.id = (await runsOf('owner')).job
  else if (below.startsWith('/applications/')) {
    const application = await things.application(enterprise)
    Object.assign(values, { id: application.id, keyId: application.keys[0]?.id })
  } else if (below.startsWith('/tool-apis/')) {
    const api = await things.toolApi(owner)
    Object.assign(values, { id: api.id, keyId: api.keys[0]?.id })
  } else if (below.startsWith('/people/')) values.id = role === 'person' ? personId : (await things.person()).id
  else if (below.includes('/exports/')) values.id = (await things.dataExport(owner)).id
  else if (below.includes('/layers/')) values.id = (await things.layer(owner)).id
  else if (below.includes('/files/')) values.id = (await things.file(owner)).id
  else if (template.endsWith('/crs/{code}')) values.code = '32636'
  else if (template.startsWith(`${A}/rules/`)) values.id = (await ruleOf(enterprise)).id
  else if (template.startsWith(A)) {
    const { id } = await things.sensor(enterprise)
    Object.assign(values, { id, sensorId: id })
  } else if (template.startsWith(`${G}/uploads`)) {
    if (template.includes('{id}')) values.id = await uploadOf(role)
  } else if (template.startsWith(G)) {
    const { job, run, artifact, key } = await (method === 'DELETE' ? runsOf(role) : keptRuns(role))
    values.id = template.includes('/processes/') ? 'vector.buffer' : template.includes('/jobs/') ? job : run
    Object.assign(values, { artifactId: artifact, key })
  }
  if (route === `DELETE ${M}/enterprises/{id}` && (role === 'operator' || role === 'token'))
    values.id = (await things.enterprise()).id
  if (template.endsWith('/versions/compare'))
    await instance.manage('PATCH', `/owners/${owner}/layers/${values.id}/features`, { upsert: [] })
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `{${name}}`)
  const query = QUERIES[route]?.replace('OWNER', owner) ?? ''
  const inHeader = template.startsWith('/enterprise/v1') && role !== 'person' ? enterprise : undefined
  const isRule = route === `POST ${A}/rules`
  const layerId = isRule ? (await things.layer(enterprise)).id : ''
  const isFromFile = route === `POST ${O}/layers/from-file`
  const body = isRule
    ? { when: 'enter', layerId, sensorIds: 'all' }
    : isFromFile
      ? { name: 'New', file: (await things.file(owner)).id }
      : (CREATES[route]?.() ?? CHANGES[route] ?? (method === 'POST' && template.startsWith(G) ? {} : undefined))
  const headers = template.startsWith(`${G}/uploads`) ? { ...TUS, ...UPLOAD_HEADERS[method] } : undefined
  return { method, path: path + query, enterprise: inHeader, body, headers }
}

/** A person has no sensors and no enterprise to name. */
const isOfEnterprises = (route: string): boolean =>
  /\/(enterprises|sensors|assets|members|applications|invitations)(\/|$)/.test(route.replace('/enterprise/v1', ''))

function expectedOf(route: string, role: RoleName): 'allowed' | 'refused' | 'hidden' | 'suspended' | number {
  if (role === 'signed out') return 401
  if (policyOf(route).split(' ').includes(role)) return 'allowed'
  if (/ \/manage\/v1\/operators?(\/|$)/.test(route)) return 'refused'
  const isOfServer =
    /^(GET|POST|PATCH|DELETE) \/manage\/v1\/(tiers|tool-api-tools|enterprises|people)(\/\{name\})?$/.test(route)
  if (isOfServer) return 'refused'
  if (role === 'suspended')
    return policyOf(route).includes('owner') ? 'suspended' : route.includes('/people') ? 'hidden' : 'refused'
  if (role === 'person' && route.includes(` ${A}`)) return 'refused'
  if (role === 'person' && route.includes('/people/')) return 'refused'
  if (role === 'nobody' || role === 'stranger' || (role === 'person' && isOfEnterprises(route))) return 'hidden'
  return route.includes('/people/') ? 'hidden' : 'refused'
}

test('every route answers every role what the policy says', async () => {
  const description = (await (await fetch(`${instance.url()}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>
  }
  const routes = Object.entries(description.paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .filter((route) => / \/(manage\/v1|enterprise\/v1)\//.test(route))
    // the enterprise is deleted at the end
    .sort((a, b) => Number(a === `DELETE ${M}/enterprises/{id}`) - Number(b === `DELETE ${M}/enterprises/{id}`))
  expect(Object.keys(POLICY).filter((route) => !routes.includes(route))).toEqual([])
  const wrong: string[] = []
  let calls = 0
  for (const route of routes)
    for (const role of ROLES) {
      const { method, path, ...call } = await requestOf(route, role)
      const headers = role === 'token' ? { authorization: `Bearer ${instance.operatorToken()}` } : call.headers
      // the token is no key of an enterprise
      if (role === 'token' && path.startsWith('/enterprise/')) continue
      calls++
      const answer = await callAs(instance.url(), accounts.get(role), method, path, { ...call, headers })
      const got = `${answer.status} ${answer.code}`
      const expected = expectedOf(route, role)
      // these answer with exception documents
      const isProcesses = path.startsWith(`${G}/processes`)
      // an answer to HEAD has no code
      const has = (wanted: string): boolean =>
        got === wanted || (method === 'HEAD' && wanted.startsWith(`${answer.status} `))
      const isTool = method === 'POST' && path.startsWith(G)
      const isRight = {
        allowed:
          answer.status < 300 ||
          (isTool && [415, 422].includes(answer.status)) ||
          // one that failed has no content, and only a few can be made
          (route.includes('/exports') && ['CONFLICT', 'EXPORTS_LIMITED'].includes(answer.code)) ||
          // the job has ended meanwhile
          (answer.status === 409 && route === `DELETE ${M}/operator/jobs/{id}`),
        refused: has('403 FORBIDDEN'),
        suspended: has('403 ENTERPRISE_SUSPENDED') || (isProcesses && answer.status === 403),
        hidden: got === '404 NOT_FOUND' || answer.status === 404,
      }
      const ok =
        typeof expected === 'number'
          ? has(`401 ${path.startsWith(M) ? 'UNAUTHENTICATED' : 'API_KEY_INVALID'}`) ||
            (answer.status === 401 && isProcesses)
          : isRight[expected]
      if (!ok) wrong.push(`${role}: ${route} must be ${expected}, was ${got} (${answer.message})`)
    }
  expect(wrong).toEqual([])
  expect(calls).toBeGreaterThan(900)
}, 900_000)
