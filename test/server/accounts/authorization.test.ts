/**
 * Every route with every role, every kind of key and every mixture of own and foreign ids, against the policy of
 * role-policy.ts. Routes come from the description of the API: one that has no policy fails.
 * More than 400 lines, since the calls of all roles share the records that they are made on.
 */
import { beforeAll, expect, test } from 'bun:test'
import { A, G, M, POLICY, policyOf, takesPersonalKey } from '../../support/role-policy.ts'
import { CHANGES, CREATES, PERIOD, QUERIES, readings, UPLOAD_HEADERS } from '../../support/route-bodies.ts'
import { makeFleetKey } from '../../support/server/many-readings.ts'
import { fileForm, ownedThings, SQUARE } from '../../support/server/owned-things.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { TUS } from '../../support/server/uploads.ts'
import {
  type Account,
  type Call,
  callAs,
  cookieOf,
  formerMember,
  memberAccount,
  operatorAccount,
  personAccount,
} from '../../support/sessions.ts'

/** Callers without any rights, with their key or session. */
const OUTSIDERS = ['signed out', 'ended session', 'revoked pair', 'Tool API key', 'sensor key'] as const
const ROLES = [
  ...OUTSIDERS,
  'nobody',
  'stranger',
  'suspended',
  'member',
  'admin',
  'owner',
  'person',
  'personal key',
  'operator',
  'token',
] as const
type RoleName = (typeof ROLES)[number]
type Request = { method: string; path: string; template: string; values: Record<string, string> } & Call

let [home, foreign, suspendedHome, personId] = ['', '', '', '']
const accounts = new Map<RoleName, Account>()
const outsiders = new Map<RoleName, Record<string, string>>()
let personalKey = ''

const instance = await sharedInstance()
const things = ownedThings(instance)
beforeAll(async () => {
  const [mine, other, suspended] = await Promise.all([things.enterprise(), things.enterprise(), things.enterprise()])
  home = mine.id
  foreign = other.id
  suspendedHome = suspended.id
  const person = await personAccount(instance, 'max')
  personId = person.personId
  accounts.set('person', person)
  personalKey = ((await things.personalKey(personId)) as unknown as { key: string }).key
  accounts.set('operator', await operatorAccount(instance))
  for (const role of ['owner', 'admin', 'member'] as const)
    accounts.set(role, await memberAccount(instance, home, role))
  accounts.set('stranger', await memberAccount(instance, other.id, 'owner'))
  accounts.set('suspended', await memberAccount(instance, suspendedHome, 'owner'))
  accounts.set('nobody', await formerMember(instance, other.id))
  await instance.manage('PATCH', `/enterprises/${suspendedHome}`, { status: 'suspended' })
  const ended = await memberAccount(instance, home, 'owner')
  await callAs(instance.url(), ended, 'POST', '/auth/sign-out')
  outsiders.set('ended session', { cookie: cookieOf(ended), 'x-csrf-token': ended.csrfToken, 'x-enterprise': home })
  outsiders.set('revoked pair', await revokedPair())
  const [api, sensor] = [await things.toolApi(home), await things.sensor(home)] as unknown as { key: string }[]
  outsiders.set('Tool API key', { authorization: `Bearer ${api?.key}`, 'x-enterprise': home })
  outsiders.set('sensor key', { authorization: `Bearer ${sensor?.key}`, 'x-enterprise': home })
}, 120_000)

type Pair = { id: string; publicKey: string; secretKey: string; keys: { id: string }[] }
const pairOf = ({ publicKey, secretKey }: Pair) => ({ 'x-api-key': publicKey, 'x-api-secret': secretKey })

/** The pair of an application whose key was in use until it was revoked. */
async function revokedPair(): Promise<Record<string, string>> {
  const application = (await things.application(home)) as unknown as Pair
  const headers = pairOf(application)
  const call = (): Promise<{ status: number }> => callAs(instance.url(), undefined, 'GET', `${A}/sensors`, { headers })
  expect((await call()).status).toBe(200)
  await instance.manage('DELETE', `/applications/${application.id}/keys/${application.keys[0]?.id}`)
  return headers
}

/** The maker of the runs and uploads that a role asks for. */
const makerFor = (role: RoleName): { maker: RoleName; enterprise: string | undefined } => {
  const maker = ['member', 'person', 'stranger'].includes(role) ? role : 'owner'
  return { maker, enterprise: maker === 'person' ? undefined : maker === 'stranger' ? foreign : home }
}

/** A run, a job and their files, of the role if it can make them, and else of the owner. */
async function runsOf(role: RoleName): Promise<{ job: string; run: string; artifact: string; key: string }> {
  const { maker, enterprise } = makerFor(role)
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
    instance.url(),
    account,
    'GET',
    `${G}/jobs/${job}/results`,
    { enterprise },
  )
  return { job, run: result.data.usage.runId, artifact: result.data.artifactId, key: result.data.key }
}

/** An upload of the role if it can make one, and else of the owner. */
async function uploadOf(role: RoleName): Promise<string> {
  const { maker, enterprise } = makerFor(role)
  const { headers } = await callAs(instance.url(), accounts.get(maker), 'POST', `${G}/uploads`, {
    enterprise,
    headers: { ...TUS, 'upload-length': '3' },
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
    enterprise,
    body: { when: 'enter', layerId: layer.id, sensorIds: 'all' },
  })
  return data as { id: string }
}

/** A saved document that the role may change: a private one of a member, and a shared one for the other roles. */
async function documentOf(role: RoleName, enterprise: string, at: string): Promise<{ id: string }> {
  const account = accounts.get(role === 'member' ? role : enterprise === foreign ? 'stranger' : 'operator')
  const body = { ...(CREATES[`POST ${at}`]?.() as object), shared: role !== 'member' }
  const { data } = await callAs<{ id: string }>(instance.url(), account, 'POST', at, { enterprise, body })
  return data
}

async function dashboardOf(role: RoleName, enterprise: string): Promise<{ id: string; linkId: string }> {
  const { id } = await documentOf(role, enterprise, `${A}/dashboards`)
  // no application makes links
  const maker = accounts.get(enterprise === foreign ? 'stranger' : 'operator')
  const link = { enterprise, body: { days: 1 } }
  const made = await callAs(instance.url(), maker, 'POST', `${A}/dashboards/${id}/links`, link)
  return { id, linkId: (made.data as { id?: string } | undefined)?.id ?? 'shl_none' }
}

/** A private note of the member, and for other roles a shared one. */
async function noteOf(role: RoleName): Promise<{ id: string }> {
  const { maker, enterprise } = makerFor(role === 'person' ? 'owner' : role)
  const body = { ...(CREATES[`POST ${A}/notes`]?.() as object), shared: maker !== 'member' }
  const { data } = await callAs(instance.url(), accounts.get(maker), 'POST', `${A}/notes`, { enterprise, body })
  return data as { id: string }
}

async function silenceOf(enterprise: string): Promise<{ id: string }> {
  const call = { enterprise, body: CREATES[`POST ${A}/alert-silences`]?.() }
  const { data } = await callAs(instance.url(), accounts.get('operator'), 'POST', `${A}/alert-silences`, call)
  return data as { id: string }
}

type DestinationIds = { destinationId: string; deliveryId: string }
const destinationsOf = new Map<string, Promise<DestinationIds>>()

/** One for each enterprise, and another one to delete: an enterprise has at most 50. */
function destinationOf(enterprise: string, method: string): Promise<DestinationIds> {
  if (method === 'DELETE') return newDestination(enterprise)
  const made = destinationsOf.get(enterprise) ?? newDestination(enterprise)
  destinationsOf.set(enterprise, made)
  return made
}

async function newDestination(enterprise: string): Promise<DestinationIds> {
  const path = `/enterprises/${enterprise}/destinations`
  const body = CREATES[`POST ${M}/enterprises/{id}/destinations`]?.() as object
  const { id } = await instance.manage<{ id: string }>('POST', path, body)
  const { id: deliveryId } = await instance.manage<{ id: string }>('POST', `${path}/${id}/test`)
  return { destinationId: id, deliveryId }
}

const importsOf = new Map<string, Promise<string>>()

/** A long import whose rows are all refused. */
function importOf(enterprise: string): Promise<string> {
  const body = new Blob(['{}\n'.repeat(501)], { type: 'application/x-ndjson' })
  const headers = { authorization: `Bearer ${instance.operatorToken()}` }
  const path = `${M}/enterprises/${enterprise}/sensors/import`
  const made =
    importsOf.get(enterprise) ??
    callAs<{ id: string }>(instance.url(), undefined, 'POST', path, { headers, body }).then(({ data }) => data.id)
  importsOf.set(enterprise, made)
  return made
}

/** Of somebody who has an account. */
const memberIdIn = (enterprise: string): string =>
  accounts.get(enterprise === home ? 'member' : 'suspended')?.memberIds[enterprise] ?? ''

/**
 * A request to a route that would succeed if the role were allowed to send it; a record to delete is made for it.
 * @param role for `stranger` it is about things of the other enterprise
 */
async function requestOf(route: string, role: RoleName): Promise<Request> {
  const [method, template] = route.split(' ') as [string, string]
  const enterprise = role === 'suspended' ? suspendedHome : role === 'stranger' ? foreign : home
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
  } else if (below.startsWith('/fleet-keys/')) values.id = (await things.fleetKey(enterprise)).id
  else if (below.startsWith('/assets/')) values.id = (await things.asset(enterprise)).id
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
  } else if (below.startsWith('/people/')) {
    values.id = role === 'person' ? personId : (await things.person('max')).id
    if (below.endsWith('/{keyId}')) values.keyId = (await things.personalKey(values.id)).id
  } else if (below.includes('/exports/')) values.id = (await things.dataExport(owner)).id
  else if (below.includes('/layers/')) values.id = (await things.layer(owner)).id
  else if (below.includes('/files/')) values.id = (await things.file(owner)).id
  else if (template.endsWith('/crs/{code}')) values.code = '32636'
  else if (template.startsWith(`${A}/rules/`)) values.id = (await ruleOf(enterprise)).id
  else if (template.startsWith(`${A}/dashboards/`)) Object.assign(values, await dashboardOf(role, enterprise))
  else if (template.startsWith(`${A}/views/`)) values.id = (await documentOf(role, enterprise, `${A}/views`)).id
  else if (template.startsWith(`${G}/recipes/`)) values.id = (await documentOf(role, enterprise, `${G}/recipes`)).id
  else if (template.startsWith(`${A}/notes/`)) values.id = (await noteOf(role)).id
  else if (template.startsWith(`${A}/alerts`)) values.id = (await things.alert(enterprise)).id
  else if (template.startsWith(`${A}/alert-silences/`)) values.id = (await silenceOf(enterprise)).id
  else if (below.startsWith('/enterprises/{id}/destinations/'))
    Object.assign(values, await destinationOf(enterprise, method))
  else if (below.endsWith('/{importId}')) values.importId = await importOf(enterprise)
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
  if (template.endsWith('/versions/compare'))
    await instance.manage('PATCH', `/owners/${owner}/layers/${values.id}/features`, { upsert: [] })
  const path = pathOf(template, values)
  const query = QUERIES[route]?.replace('OWNER', owner) ?? ''
  const inHeader = template.startsWith('/enterprise/v1') && role !== 'person' ? enterprise : undefined
  const isRule = route === `POST ${A}/rules`
  const layerId = isRule ? (await things.layer(enterprise)).id : ''
  const isFromFile = route.startsWith('POST') && route.endsWith('/from-file')
  const isVersion = route.endsWith('/versions/from-file')
  const isManyAlerts = route === `POST ${A}/alerts/acknowledge`
  const body = isManyAlerts
    ? { ids: [values.id] }
    : isRule
      ? { when: 'enter', layerId, sensorIds: 'all' }
      : isFromFile
        ? { file: (await things.file(owner)).id, ...(!isVersion && { name: 'New' }) }
        : (CREATES[route]?.() ?? CHANGES[route] ?? (method === 'POST' && template.startsWith(G) ? {} : undefined))
  const headers = template.startsWith(`${G}/uploads`) ? { ...TUS, ...UPLOAD_HEADERS[method] } : undefined
  return {
    method,
    path: path + query,
    template: template + (QUERIES[route] ?? ''),
    values,
    enterprise: inHeader,
    body,
    headers,
  }
}

/** The path of a template; `OWNER` in its query stands for the owner. */
const pathOf = (template: string, values: Record<string, string>): string =>
  template
    .replace('OWNER', values.ownerId ?? '')
    .replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `{${name}}`)

/** A person has no sensors and no enterprise to name. */
const isOfEnterprises = (route: string): boolean =>
  /\/(enterprises|sensors|fleet-keys|assets|members|applications|invitations)(\/|$)/.test(
    route.replace('/enterprise/v1', ''),
  )

function expectedOf(route: string, role: RoleName): 'allowed' | 'refused' | 'hidden' | 'suspended' | number {
  if (OUTSIDERS.some((outsider) => outsider === role)) return 401
  if (role === 'personal key') return takesPersonalKey(route) ? 'allowed' : 'refused'
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

type Paths = Record<string, Record<string, unknown>>
const described = async (): Promise<string[]> => {
  const { paths } = (await (await fetch(`${instance.url()}/openapi.json`)).json()) as { paths: Paths }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
}
const ownedRoutes = async (): Promise<string[]> =>
  (await described()).filter((route) => / \/(manage\/v1|enterprise\/v1)\//.test(route))

/** One that may be deleted. */
async function enterpriseOf(known: Account | undefined): Promise<string> {
  const { id } = await things.enterprise()
  if (known !== undefined) await memberAccount(instance, id, 'owner', known)
  return id
}

/** An answer as the test compares it; one to HEAD has no code, and documents of exceptions have none either. */
const isAnswer = (answer: { status: number; code: string }, method: string, path: string, wanted: string): boolean =>
  `${answer.status} ${answer.code}` === wanted ||
  ((method === 'HEAD' || path.startsWith(`${G}/processes`)) && wanted.startsWith(`${answer.status} `))

test('every route answers every mixture of own and foreign ids like ids that do not exist', async () => {
  const pair = pairOf((await things.application(home)) as unknown as Pair)
  const wrong: string[] = []
  let calls = 0
  for (const route of await ownedRoutes()) {
    const isOfOperator = !policyOf(route).includes('owner')
    if (isOfOperator || !/\{(id|ownerId|sensorId|key)\}|audit/.test(route) || route.includes('/processes/')) continue
    const [own, other] = [await requestOf(route, 'owner'), await requestOf(route, 'stranger')]
    const ids = [...Object.keys(own.values)].filter(
      (name) =>
        own.values[name] !== other.values[name] &&
        (own.template.includes(`{${name}}`) || (name === 'ownerId' && own.template.includes('OWNER'))),
    )
    expect({ route, ids: ids.length > 0 }).toEqual({ route, ids: true })
    const mixtures = Array.from({ length: 2 ** ids.length - 1 }, (_, i) => i + 1)
    // a call that finds nothing changes nothing
    const answers = mixtures.map(async (mixture) => {
      const values = { ...own.values }
      for (const [i, name] of ids.entries()) if (mixture & (2 ** i)) values[name] = other.values[name] ?? ''
      const path = pathOf(own.template, values)
      for (const isPair of path.startsWith('/enterprise/') ? [false, true] : [false]) {
        calls++
        const { method, body, headers } = own
        const call = isPair ? { body, headers: { ...headers, ...pair } } : { body, headers, enterprise: own.enterprise }
        const answer = await callAs(instance.url(), isPair ? undefined : accounts.get('owner'), method, path, call)
        if (!isAnswer(answer, method, path, '404 NOT_FOUND'))
          wrong.push(
            `${isPair ? 'pair' : 'owner'}: ${route} with foreign ${ids.filter((_, i) => mixture & (2 ** i))}: ${answer.status} ${answer.code}`,
          )
      }
    })
    await Promise.all(answers)
  }
  expect(wrong).toEqual([])
  expect(calls).toBeGreaterThan(120)
  // nothing of the other enterprise was changed by anybody of this one
  const { items } = await instance.manage<{ items: { actor: string }[] }>('GET', `/audit?owner=${foreign}&limit=1000`)
  const email = accounts.get('owner')?.email ?? ''
  expect(items.filter(({ actor }) => actor.includes(email) || actor.startsWith('app_'))).toEqual([])
}, 300_000)

test('every route answers every role as the policy says', async () => {
  const routes = await ownedRoutes()
  expect(Object.keys(POLICY).filter((route) => !routes.includes(route))).toEqual([])
  expect(routes.filter((route) => policyOf(route).startsWith('no policy'))).toEqual([])
  const wrong: string[] = []
  let calls = 0
  for (const route of routes) {
    // callers who are refused change nothing, so one request serves all of them
    const refused = await requestOf(route, 'owner')
    async function call(role: RoleName): Promise<void> {
      const expected = expectedOf(route, role)
      const isOutsider = outsiders.has(role) || role === 'signed out'
      const isOwn = expected === 'allowed' || role === 'suspended' || role === 'person'
      const asked = role === 'stranger' ? 'owner' : role === 'personal key' ? 'person' : role
      const { method, ...asks } = isOwn ? await requestOf(route, asked) : refused
      const isDeletion = expected === 'allowed' && route === `DELETE ${M}/enterprises/{id}`
      const known = role === 'owner' ? accounts.get(role) : undefined
      const path = isDeletion ? `${M}/enterprises/${await enterpriseOf(known)}` : asks.path
      const headers =
        role === 'token'
          ? { authorization: `Bearer ${instance.operatorToken()}` }
          : {
              ...asks.headers,
              ...outsiders.get(role),
              ...(role === 'personal key' && { authorization: `Bearer ${personalKey}` }),
            }
      // the token is no key of an enterprise
      if (role === 'token' && path.startsWith('/enterprise/')) return
      calls++
      // a personal key is refused beside the header, whatever the route
      const enterprise = isOutsider || role === 'personal key' ? undefined : asks.enterprise
      const answer = await callAs(instance.url(), accounts.get(role), method, path, { ...asks, enterprise, headers })
      const got = `${answer.status} ${answer.code}`
      const has = (wanted: string): boolean => isAnswer(answer, method, path, wanted)
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
        suspended: has('403 ENTERPRISE_SUSPENDED'),
        hidden: answer.status === 404,
      }
      const ok =
        typeof expected === 'number'
          ? ['UNAUTHENTICATED', 'API_KEY_INVALID', 'OPERATOR_TOKEN_INVALID'].some((code) => has(`401 ${code}`))
          : isRight[expected]
      if (!ok) wrong.push(`${role}: ${route} must be ${expected}, was ${got} (${answer.message})`)
    }
    await Promise.all(ROLES.filter((role) => expectedOf(route, role) !== 'allowed').map(call))
    for (const role of ROLES) if (expectedOf(route, role) === 'allowed') await call(role)
  }
  expect(wrong).toEqual([])
  expect(calls).toBeGreaterThan(2_000)
}, 900_000)

/** Routes of an account itself; the other ones of /auth are for visitors. */
const OF_ACCOUNT = [
  'POST /auth/sign-out',
  'POST /auth/sign-out-everywhere',
  'GET /auth/sessions',
  'DELETE /auth/sessions/{id}',
  'PATCH /auth/account',
  'POST /auth/password',
]
const FOR_VISITORS = [
  'GET /auth/session',
  'POST /auth/sign-in',
  'POST /auth/sign-up',
  'POST /auth/reset-links',
  'GET /auth/oidc',
  'POST /auth/links/open',
  'POST /auth/links/use',
]
/** Routes with a key of their own, and public routes. */
const KEYED = [
  'POST /api/v2/write',
  'POST /query',
  'POST /write',
  'POST /ingest/chirpstack',
  'POST /ingest/readings',
  'POST /ingest/ttn',
  'POST /sensors/{id}/readings',
  'POST /tool-apis/{id}/run',
  'GET /tool-apis/{id}',
  'GET /shared-dashboard',
  'POST /shared-dashboard/panels',
]
const OPEN = ['GET /health', 'GET /ping', 'HEAD /ping', 'GET /health/live', 'GET /health/ready', 'GET /metrics']

test('every other route is of an account, for visitors, open, or has a key of its own that no other key replaces', async () => {
  const others = (await described()).filter((route) => !/ \/(manage\/v1|enterprise\/v1)\//.test(route))
  expect(others.filter((route) => !OPEN.includes(route)).toSorted()).toEqual(
    [...OF_ACCOUNT, ...FOR_VISITORS, ...KEYED].toSorted(),
  )
  const api = (await things.toolApi(home)) as unknown as { id: string; key: string }
  const sensor = (await things.sensor(home)) as unknown as { id: string; key: string }
  const fleet = await makeFleetKey(instance, home)
  const [foreignApi, foreignSensor] = [await things.toolApi(foreign), await things.sensor(foreign)] as unknown as {
    key: string
  }[]
  const application = (await things.application(home)) as unknown as Pair
  const bearer = (key = ''): Record<string, string> => ({ authorization: `Bearer ${key}` })
  const owner = accounts.get('owner') as Account
  const session = { cookie: cookieOf(owner), 'x-csrf-token': owner.csrfToken, 'x-enterprise': home }
  const credentials: Record<string, Record<string, string>> = {
    none: {},
    operator: bearer(instance.operatorToken()),
    pair: pairOf(application),
    session,
    pairAsToken: bearer(`${application.publicKey}:${application.secretKey}`),
    api: bearer(api.key),
    foreignApi: bearer(foreignApi?.key),
    personal: bearer(personalKey),
    sensor: bearer(sensor.key),
    foreignSensor: bearer(foreignSensor?.key),
    fleet: bearer(fleet.key),
  }
  const answered: string[] = []
  for (const route of [...KEYED, ...OF_ACCOUNT.filter((one) => !one.endsWith('everywhere'))])
    for (const [name, headers] of Object.entries(credentials)) {
      const [method = '', template = ''] = route.split(' ')
      if (name === 'session' && template.startsWith('/auth/')) continue
      const path = template.replace('{id}', template.startsWith('/sensors') ? sensor.id : api.id)
      const isReadings = template.endsWith('/readings')
      const body = method === 'GET' ? undefined : isReadings ? readings() : { input: SQUARE }
      const { status } = await callAs(instance.url(), undefined, method, path, { headers, body })
      if (status !== 401) answered.push(`${name} ${route} ${status}`)
    }
  expect(answered.toSorted()).toEqual([
    'api GET /tool-apis/{id} 200',
    'api POST /tool-apis/{id}/run 200',
    // the body that is sent here is neither line protocol nor a message of LoRaWAN
    'fleet POST /api/v2/write 400',
    'fleet POST /ingest/chirpstack 422',
    'fleet POST /ingest/readings 200',
    'fleet POST /ingest/ttn 422',
    'fleet POST /query 400',
    'fleet POST /write 400',
    'sensor POST /sensors/{id}/readings 200',
  ])
})
