/**
 * `Idempotency-Key` on every surface: the answer and the record it describes are stored together or not at all, and a
 * key follows the work of its first request, whether or not the caller waits for it.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { A, G, M } from '../../support/role-policy.ts'
import { CREATES } from '../../support/route-bodies.ts'
import type { Envelope } from '../../support/server/instance.ts'
import { ownedThings, SQUARE } from '../../support/server/owned-things.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { OCTETS, TUS } from '../../support/server/uploads.ts'
import { callAs, memberAccount } from '../../support/sessions.ts'
import { connectTo, withSql } from '../../support/stores/with-sql.ts'
import { eventually } from '../../support/until.ts'
import { point } from '../../support/workers/engine.ts'
import { formOf } from '../../support/workers/tools.ts'

const instance = await sharedInstance()
const things = ownedThings(instance)
const organization = await instance.organization('scale')
const { id: home } = organization
const pair = { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey }
const NAME = `keys ${Bun.randomUUIDv7()}`
const { id: tokenId, token } = await instance.manage<{ id: string; token: string }>('POST', '/operators/tokens', {
  name: NAME,
})

type Request = { path: string; headers: Record<string, string>; body?: unknown }
/** Each body is different, where the server requires it. */
type Requests = Omit<Request, 'body'> & { body(): unknown }
const authorization = { authorization: `Bearer ${token}` }

/** Each route of `/manage/v1` and of rules that takes a POST, with a request that succeeds. */
const requests: Record<string, () => Promise<Requests>> = {}
const route = (template: string, idOf?: () => Promise<string>, body: () => unknown = () => undefined): void => {
  requests[template] = async () => {
    const id = await idOf?.()
    const path = template
      .replace('{ownerId}', home)
      .replace('{version}', '1')
      .replace('{id}', id ?? home)
    return { path: M + path, headers: authorization, body: CREATES[`POST ${M}${template}`] ?? body }
  }
}
const idOf = (make: (owner: string) => Promise<{ id: string }>) => async () => (await make(home)).id
beforeAll(async () => {
  const member = await memberAccount(instance, home, 'member')
  route('/enterprises')
  route('/people')
  route('/enterprises/{id}/members')
  route('/enterprises/{id}/invitations')
  route('/enterprises/{id}/applications')
  route('/enterprises/{id}/sensors')
  route('/enterprises/{id}/sensors/import')
  route('/enterprises/{id}/assets')
  route('/enterprises/{id}/fleet-keys')
  route('/enterprises/{id}/pending-sensors/approve')
  route('/enterprises/{id}/pending-sensors/dismiss')
  route('/fleet-keys/{id}/keys', idOf(things.fleetKey))
  route('/operators/tokens')
  route('/operators/invitations')
  route('/members/{id}/reset-link', async () => member.memberIds[home] ?? '')
  route(
    '/people/{id}/links',
    idOf(() => things.person()),
  )
  route(
    '/people/{id}/api-keys',
    idOf(() => things.person('pro')),
  )
  route('/applications/{id}/keys', idOf(things.application))
  route('/sensors/{id}/keys', idOf(things.sensor))
  route('/tool-apis/{id}/keys', idOf(things.toolApi))
  route('/tool-apis/{id}/try', idOf(things.toolApi))
  route('/owners/{ownerId}/tool-apis')
  route('/owners/{ownerId}/tool-api-previews')
  route('/owners/{ownerId}/layers')
  route('/owners/{ownerId}/layers/{id}/versions/{version}/restore', idOf(things.layer))
  route('/owners/{ownerId}/files')
  route('/owners/{ownerId}/files/{id}/versions', idOf(things.file))
  route('/owners/{ownerId}/exports', idOf(things.enterprise))
  const file = await things.file(home)
  route('/owners/{ownerId}/layers/from-file', undefined, () => ({ name: 'New', file: file.id }))
  route('/owners/{ownerId}/layers/{id}/versions/from-file', idOf(things.layer), () => ({ file: file.id }))
  const own = requests['/owners/{ownerId}/exports']
  // an enterprise makes one export at a time
  requests['/owners/{ownerId}/exports'] = async () => ({
    ...((await own?.()) as Requests),
    path: `${M}/owners/${(await things.enterprise()).id}/exports`,
  })
  route('/enterprises/{id}/destinations')
  const destinations = `/enterprises/${home}/destinations`
  const create = CREATES[`POST ${M}/enterprises/{id}/destinations`] as () => object
  const { id: destination } = await instance.manage<{ id: string }>('POST', destinations, create())
  const { id: delivery } = await instance.manage<{ id: string }>('POST', `${destinations}/${destination}/test`)
  for (const action of ['secrets', 'test', 'replay', 'deliveries/{deliveryId}/resend']) {
    const template = `/enterprises/{id}/destinations/{destinationId}/${action}`
    const path = `${M}${destinations}/${destination}/${action.replace('{deliveryId}', delivery)}`
    const body = CREATES[`POST ${M}${template}`] ?? (() => undefined)
    requests[template] = async () => ({ path, headers: authorization, body })
  }
  const layer = await things.layer(home)
  requests[`${A}/rules`] = async () => ({
    path: `${A}/rules`,
    headers: pair,
    body: () => ({ when: 'enter', layerId: layer.id, sensorIds: 'all' }),
  })
  requests[`${A}/notes`] = async () => ({
    path: `${A}/notes`,
    headers: pair,
    body: () => ({ at: '2026-01-31T12:00:00Z', text: 'Filter changed' }),
  })
}, 120_000)

async function requestTo(name: string): Promise<Request> {
  const { path, headers, body } = await (requests[name] as () => Promise<Requests>)()
  return { path, headers, body: body() }
}

const send = ({ path, headers, body }: Request, key: string) =>
  callAs(instance.url(), undefined, 'POST', path, { headers: { ...headers, 'idempotency-key': key }, body })

/** Audit entries of records that the callers of this file created. */
const entries = (): Promise<number> =>
  withSql(instance, async (sql) => {
    const rows = await sql`
      SELECT count(*)::integer AS count FROM audit
      WHERE action <> 'read-again' AND actor IN (${`operator token ${NAME}`}, ${organization.applicationId})`
    return (rows as { count: number }[])[0]?.count ?? 0
  })

/** Lets no answer of the callers of this file be stored. */
const refuseAnswers = (spaces: readonly string[]) =>
  withSql(instance, (sql) =>
    sql
      .unsafe(`
      CREATE FUNCTION refuse_answer() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF NEW.status IS NOT NULL AND string_to_array(NEW.key_pair_id, ' ') && TG_ARGV::text[]
          THEN RAISE EXCEPTION 'the answer is not stored'; END IF;
          RETURN NEW;
        END $$;
      CREATE TRIGGER refuse_answer BEFORE UPDATE ON idempotency_keys
        FOR EACH ROW EXECUTE FUNCTION refuse_answer(${spaces.map((space) => `'${space}'`).join(', ')})`)
      .simple(),
  )
const acceptAnswers = () =>
  withSql(instance, (sql) =>
    sql
      .unsafe('DROP TRIGGER IF EXISTS refuse_answer ON idempotency_keys; DROP FUNCTION IF EXISTS refuse_answer()')
      .simple(),
  )
afterAll(acceptAnswers)

test('this file covers all routes that take a POST', async () => {
  const { paths } = (await (await fetch(`${instance.url()}/openapi.json`)).json()) as {
    paths: Record<string, { post?: object }>
  }
  const found = Object.entries(paths).flatMap(([path, { post }]) =>
    post && path.startsWith(M) ? [path.slice(M.length)] : [],
  )
  expect(Object.keys(requests).toSorted()).toEqual([...found, `${A}/rules`, `${A}/notes`].toSorted())
})

test('the record that a POST creates is stored with its answer, or not at all', async () => {
  const made = Object.fromEntries(
    await Promise.all(Object.keys(requests).map(async (name) => [name, await requestTo(name)] as const)),
  )
  const before = await entries()
  await refuseAnswers([tokenId, home])
  const wrong: string[] = []
  for (const [name, request] of Object.entries(made)) {
    const { status } = await send(request, `kept ${name}`)
    if (status !== 500 || (await entries()) !== before + wrong.length) wrong.push(name)
  }
  await acceptAnswers()
  expect(wrong).toEqual([])
  for (const [name, request] of Object.entries(made)) {
    const first = await send(request, `kept ${name}`)
    expect([name, first.status, first.headers.get('idempotency-replayed')]).toEqual([name, 200, null])
    const after = await entries()
    const again = await send(request, `kept ${name}`)
    expect([name, again.status, again.headers.get('idempotency-replayed')]).toEqual([name, 200, 'true'])
    expect([name, again.data, again.headers.get('etag')]).toEqual([name, first.data, first.headers.get('etag')])
    expect([name, await entries()]).toEqual([name, after])
  }
}, 120_000)

test('requests with keys outnumber connections, and none waits for a second connection while it holds one', async () => {
  const answers = await Promise.all(
    Object.entries(requests).map(async ([name, make]) => {
      const { body, ...request } = await make()
      const sent = Array.from({ length: 12 }, (_, i) => send({ ...request, body: body() }, `many ${name} ${i}`))
      return (await Promise.all(sent)).map(({ status, code }) => ({ name, status, code }))
    }),
  )
  // an enterprise makes one export at a time
  const refused = answers.flat().filter(({ status, code }) => status !== 200 && code !== 'EXPORTS_LIMITED')
  expect(refused).toEqual([])
}, 120_000)

const toolForm = () => formOf({ file: 'stations.geojson', target_format: 'geojson', distance_m: 250 })
const count = (table: string, owner = 'enterprise_id') =>
  `SELECT count(*)::integer AS n FROM ${table} WHERE ${owner} = $1`
const ROW = 'SELECT 1 FROM enterprises WHERE id = $1 FOR UPDATE'

/** A request of each surface, the lock that its work waits for, and a query that counts how often its work was done. */
const WORK: Record<string, { request: () => Promise<Request> | Request; lock: string; done: string }> = {
  rule: { request: () => requestTo(`${A}/rules`), lock: ROW, done: count('zone_rules') },
  asset: {
    request: () => requestTo('/enterprises/{id}/assets'),
    lock: ROW,
    done: count('assets'),
  },
  layer: {
    request: () => requestTo('/owners/{ownerId}/layers'),
    lock: ROW,
    done: count('layers'),
  },
  file: {
    request: () => requestTo('/owners/{ownerId}/files'),
    lock: ROW,
    done: count('owner_files'),
  },
  run: {
    request: () => ({ path: `${G}/buffer`, headers: pair, body: toolForm() }),
    lock: ROW,
    done: `${count('runs')} AND status = 'successful'`,
  },
  job: {
    request: () => ({ path: `${G}/buffer`, headers: { ...pair, prefer: 'respond-async' }, body: toolForm() }),
    lock: ROW,
    done: count('jobs'),
  },
  upload: {
    request: () => ({ path: `${G}/uploads`, headers: { ...pair, ...TUS, 'upload-length': '3' } }),
    lock: "SELECT pg_advisory_xact_lock(hashtext('uploads ' || $1))",
    done: count('uploads', 'owner_id'),
  },
  'call of a Tool API': {
    async request() {
      const api = (await things.toolApi(home)) as unknown as { id: string; key: string }
      const headers = { authorization: `Bearer ${api.key}` }
      return { path: `/tool-apis/${api.id}/run`, headers, body: { input: point(1, 2) } }
    },
    lock: 'SELECT 1 FROM api_request_days WHERE owner_id = $1 FOR UPDATE',
    done: 'SELECT used AS n FROM api_request_days WHERE owner_id = $1',
  },
}

test.each(Object.entries(WORK))(
  'a key follows the work of its %s after the caller disconnected',
  async (kind, work) => {
    const { path, headers, body } = await work.request()
    // the row of the day must exist to be locked
    if (kind.startsWith('call')) await callAs(instance.url(), undefined, 'POST', path, { headers, body })
    const done = () =>
      withSql(instance, async (sql) => ((await sql.unsafe(work.done, [home])) as { n: number }[])[0]?.n ?? 0)
    const underWay = () =>
      withSql(instance, async (sql) => {
        const rows = await sql`
        SELECT key FROM idempotency_keys
        WHERE status IS NULL AND string_to_array(key_pair_id, ' ') && string_to_array(${`${tokenId} ${home}`}, ' ')`
        return (rows as unknown[]).length
      })
    const before = await done()
    const key = { ...headers, 'idempotency-key': `followed ${kind} ${Bun.randomUUIDv7()}` }
    const again = () => callAs(instance.url(), undefined, 'POST', path, { headers: key, body })
    const locking = connectTo(instance)
    const leaving = new AbortController()
    const isWhole = body instanceof FormData || body instanceof Blob
    try {
      await locking.unsafe('BEGIN')
      await locking.unsafe(work.lock, [home])
      const first = fetch(instance.url() + path, {
        method: 'POST',
        signal: leaving.signal,
        headers: { ...key, ...(body !== undefined && !isWhole && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: isWhole ? body : JSON.stringify(body) }),
      }).catch(() => undefined)
      await eventually(async () => expect(await underWay()).toBe(1))
      for (const hasLeft of [false, true]) {
        if (hasLeft) leaving.abort()
        if (hasLeft) await first
        const { status, code, headers: answered } = await again()
        expect([status, code, answered.get('retry-after')]).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE', '1'])
      }
    } finally {
      await locking.unsafe('ROLLBACK')
      await locking.close()
    }
    await eventually(async () => {
      const { status, headers: answered } = await again()
      expect([status < 300, answered.get('idempotency-replayed')]).toEqual([true, 'true'])
    })
    expect((await done()) - before).toBe(1)
  },
)

test('a repeated creation of an upload continues it, and answers how much has arrived', async () => {
  const headers = { ...pair, ...TUS, 'upload-length': '3', 'idempotency-key': Bun.randomUUIDv7() }
  const create = async (body?: string) => {
    const response = await fetch(`${instance.url()}${G}/uploads`, {
      method: 'POST',
      headers: { ...headers, ...(body !== undefined && OCTETS) },
      ...(body !== undefined && { body }),
    })
    const { data } = (await response.json()) as Envelope<{ id: string; receivedBytes: number; key: string | null }>
    return {
      ...data,
      offset: response.headers.get('upload-offset'),
      replayed: response.headers.has('idempotency-replayed'),
    }
  }
  const first = await create()
  expect(first).toMatchObject({ receivedBytes: 0, offset: '0', replayed: false })
  // the first answer may have been lost with the body of its request
  const second = await create('a')
  expect(second).toMatchObject({ id: first.id, receivedBytes: 1, offset: '1', replayed: true })
  const third = await create('a')
  expect(third).toMatchObject({ id: first.id, receivedBytes: 1, offset: '1', replayed: true })
  const patched = await fetch(`${instance.url()}${G}/uploads/${first.id}`, {
    method: 'PATCH',
    headers: { ...pair, ...TUS, ...OCTETS, 'upload-offset': '1' },
    body: 'bc',
  })
  expect(await create()).toMatchObject({ id: first.id, receivedBytes: 3, key: patched.headers.get('x-stored-key') })
})

test('a layer and a file are compared by their bytes', async () => {
  for (const name of ['/owners/{ownerId}/layers', '/owners/{ownerId}/files']) {
    const request = await requestTo(name)
    const key = `bytes ${name}`
    expect((await send(request, key)).status).toBe(200)
    // of the same length
    const form = new FormData()
    form.set('file', new File([JSON.stringify(SQUARE).replace('"f"', '"g"')], 'points.geojson'))
    const body = name.endsWith('files') ? form : { name: 'Wen', geojson: SQUARE }
    expect((await send({ ...request, body }, key)).code).toBe('IDEMPOTENCY_KEY_REUSED')
  }
})
