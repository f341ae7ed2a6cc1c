/** Every route that shows a secret leaves an entry in the audit log, also when it shows the secret again. */
import { expect, test } from 'bun:test'
import { M } from '../support/role-policy.ts'
import { sharedInstance } from '../support/server/shared-instance.ts'
import { callAs, memberAccount, personAccount } from '../support/sessions.ts'
import { withSql } from '../support/stores/with-sql.ts'

type Json = { [name: string]: Json } & { $ref?: string; allOf?: Json[]; anyOf?: Json[]; properties?: Json }
type Entry = { actor: string; action: string; subjectKind: string; at: string; before: unknown; after: unknown }
type Issued = { id: string; keyId?: string; keys?: { id: string; key?: string }[] } & Record<string, unknown>

const instance = await sharedInstance()
const home = (await instance.organization('scale')).id
const owner = await memberAccount(instance, home, 'owner')

/**
 * A body and the parameters of each such route, and the kind of record in the log: a key that is made together with its
 * owner is in the owner's entry.
 */
async function shown(): Promise<Record<string, { path: string; body?: object; kind: string }>> {
  const make = (path: string, body: object) => instance.manage<{ id: string }>('POST', path, body)
  const member = await memberAccount(instance, home, 'member')
  const { personId } = await personAccount(instance)
  const application = await make(`/enterprises/${home}/applications`, { name: 'A', tools: 'all' })
  const sensorBody = { name: 'Sensor', channels: [{ name: 'a', measurement: 'number' }] }
  const sensor = await make(`/enterprises/${home}/sensors`, sensorBody)
  const fleetKey = await make(`/enterprises/${home}/fleet-keys`, { name: 'Other gateway' })
  const apiBody = { tool: 'vector.centroids', name: 'Saved' }
  const api = await make(`/owners/${home}/tool-apis`, apiBody)
  const email = 'invited@example.org'
  return {
    '/enterprises/{id}/applications': {
      path: `/enterprises/${home}/applications`,
      body: { name: 'B', tools: 'all' },
      kind: 'application',
    },
    '/applications/{id}/keys': { path: `/applications/${application.id}/keys`, body: {}, kind: 'application-key' },
    '/enterprises/{id}/sensors': {
      path: `/enterprises/${home}/sensors`,
      body: { ...sensorBody, name: 'Other' },
      kind: 'sensor',
    },
    '/enterprises/{id}/sensors/import': {
      path: `/enterprises/${home}/sensors/import?keys=true`,
      body: new Blob([JSON.stringify({ ...sensorBody, name: 'Imported' })], { type: 'application/x-ndjson' }),
      kind: 'sensor',
    },
    '/sensors/{id}/keys': { path: `/sensors/${sensor.id}/keys`, body: {}, kind: 'sensor-key' },
    '/enterprises/{id}/fleet-keys': {
      path: `/enterprises/${home}/fleet-keys`,
      body: { name: 'Gateway' },
      kind: 'fleet-key',
    },
    '/fleet-keys/{id}/keys': { path: `/fleet-keys/${fleetKey.id}/keys`, body: {}, kind: 'fleet-key-secret' },
    '/owners/{ownerId}/tool-apis': { path: `/owners/${home}/tool-apis`, body: apiBody, kind: 'tool-api' },
    '/tool-apis/{id}/keys': { path: `/tool-apis/${api.id}/keys`, body: {}, kind: 'tool-api-key' },
    '/enterprises/{id}/invitations': {
      path: `/enterprises/${home}/invitations`,
      body: { email, role: 'member' },
      kind: 'one-time-link',
    },
    '/members/{id}/reset-link': { path: `/members/${member.memberIds[home]}/reset-link`, kind: 'one-time-link' },
    '/people/{id}/api-keys': {
      path: `/people/${personId}/api-keys`,
      body: { name: 'Script' },
      kind: 'personal-key',
    },
    '/people/{id}/links': { path: `/people/${personId}/links`, kind: 'one-time-link' },
    '/operators/invitations': { path: '/operators/invitations', body: { email }, kind: 'one-time-link' },
    '/operators/tokens': { path: '/operators/tokens', body: { name: 'script' }, kind: 'operator-token' },
  }
}

/** Names of the members of a described response and of the items of its lists, through references and combinations. */
function membersOf(schema: Json | undefined, document: Json): Set<string> {
  if (schema === undefined) return new Set()
  if (schema.$ref !== undefined) {
    const found = (schema.$ref as string)
      .split('/')
      .slice(1)
      .reduce((at, name) => at[name] as Json, document)
    return membersOf(found, document)
  }
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? [])].map((part) => membersOf(part, document))
  const listed = Object.entries(schema.properties ?? {}).flatMap(([list, member]) =>
    [...membersOf((member as Json).items, document)].map((name) => `${list}.${name}`),
  )
  return new Set([...Object.keys(schema.properties ?? {}), ...listed, ...parts.flatMap((part) => [...part])])
}
function dataOf(schema: Json | undefined, document: Json): Json | undefined {
  if (schema?.$ref !== undefined)
    return dataOf(
      (schema.$ref as string)
        .split('/')
        .slice(1)
        .reduce((at, name) => at[name] as Json, document),
      document,
    )
  if (schema?.properties?.data !== undefined) return schema.properties.data
  return schema?.allOf?.map((part) => dataOf(part, document)).find((data) => data !== undefined)
}

const secretsOf = (data: Issued): string[] =>
  [data.key, data.keys?.[0]?.key, data.secretKey, data.token, data.isMailed === undefined ? undefined : data.path]
    .filter((secret): secret is string => typeof secret === 'string')
    .map((secret) => secret.split('/').at(-1) as string)

test('this file covers all routes that show secrets', async () => {
  const document = (await (await fetch(`${instance.url()}/openapi.json`)).json()) as Json
  const found: string[] = []
  for (const [path, operations] of Object.entries(document.paths as Json))
    for (const [method, operation] of Object.entries(operations as Record<string, Json>)) {
      if (!path.startsWith(M) && !path.startsWith('/auth')) continue
      const response = (operation.responses as Json | undefined)?.['200'] as Json | undefined
      const schema = (response?.content as Json | undefined)?.['application/json']?.schema as Json | undefined
      const members = membersOf(dataOf(schema, document), document)
      const isSecret =
        ['key', 'keys.key', 'secretKey', 'token'].some((name) => members.has(name)) ||
        (members.has('path') && members.has('isMailed'))
      if (isSecret) found.push(`${method} ${path}`)
    }
  expect(found.sort()).toEqual(
    Object.keys(await shown())
      .map((path) => `post ${M}${path}`)
      .sort(),
  )
})

test('the log has the recipient and time of each shown secret, for the first and each further time, and never the secret', async () => {
  const secrets: string[] = []
  for (const [route, { path, body, kind }] of Object.entries(await shown())) {
    const headers = { authorization: `Bearer ${instance.operatorToken()}`, 'idempotency-key': `once ${route}` }
    const call = () =>
      callAs<Issued>(instance.url(), undefined, 'POST', M + path, {
        headers: { ...headers, 'x-operator': 'amal@example.org' },
        ...(body && { body }),
      })
    const beforeMs = Date.now()
    const first = await call()
    expect([route, first.status]).toEqual([route, 200])
    const own = secretsOf(first.data)
    expect(own).toHaveLength(1)
    secrets.push(...own)
    const id = first.data.keyId ?? first.data.id ?? first.data.keys?.[0]?.id
    const entries = async (): Promise<Entry[]> =>
      (await instance.manage<{ items: Entry[] }>('GET', `/audit?subject=${id}`)).items
    expect([route, await entries()]).toMatchObject([
      route,
      [{ actor: 'operator amal@example.org', action: 'create', subjectKind: kind }],
    ])
    for (let times = 1; times <= 2; times++) {
      const again = await call()
      expect([again.headers.get('idempotency-replayed'), secretsOf(again.data)]).toEqual(['true', own])
      const [newest, ...others] = await entries()
      expect([route, newest, others.length]).toMatchObject([
        route,
        { actor: 'operator amal@example.org', action: 'read-again', subjectKind: kind },
        times,
      ])
      expect(Date.parse(newest?.at ?? '')).toBeWithin(beforeMs - 1_000, Date.now() + 1_000)
    }
  }
  await withSql(instance, async (sql) => {
    const rows = (await sql`SELECT audit::text AS row FROM audit`) as { row: string }[]
    expect(rows.length).toBeGreaterThan(40)
    expect(secrets.filter((secret) => rows.some(({ row }) => row.includes(secret)))).toEqual([])
  })
}, 120_000)

test('an owner sees repeated readings of a secret in the own log, and a repeat without a secret leaves no entry', async () => {
  const call = (path: string, body: object) =>
    callAs<Issued>(instance.url(), owner, 'POST', M + path, {
      enterprise: home,
      body,
      headers: { 'idempotency-key': `owner ${path}` },
    })
  const { id } = await instance.manage<{ id: string }>('POST', `/enterprises/${home}/applications`, { name: 'C' })
  const made = await call(`/applications/${id}/keys`, {})
  await call(`/applications/${id}/keys`, {})
  const log = await callAs<{ items: (Entry & { subjectId: string })[] }>(
    instance.url(),
    owner,
    'GET',
    `${M}/audit?owner=${home}&action=read-again&limit=1`,
    { enterprise: home },
  )
  expect(log.data.items).toMatchObject([{ actor: `owner ${owner.email}`, subjectId: made.data.keyId }])
  const asset = await call(`/enterprises/${home}/assets`, { name: 'Asset' })
  expect((await call(`/enterprises/${home}/assets`, { name: 'Asset' })).data).toEqual(asset.data)
  const { items } = await instance.manage<{ items: Entry[] }>('GET', `/audit?subject=${asset.data.id}`)
  expect(items.map(({ action }) => action)).toEqual(['create'])
})
