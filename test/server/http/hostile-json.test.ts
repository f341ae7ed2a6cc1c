/** JSON bodies that are deep, large, compressed or marked: each has an answer of the error table or the right result. */
import { afterAll, expect, test } from 'bun:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { type Envelope, fromNow } from '../../support/server/instance.ts'
import { makeFleetKey } from '../../support/server/many-readings.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { feature, toolApisOf } from '../../support/server/tool-apis.ts'
import { callAs, cookieOf, memberAccount } from '../../support/sessions.ts'
import { callTool, GIS, keysOf } from '../../support/workers/tools.ts'

const instance = await sharedInstance()
const { save, layer } = toolApisOf(() => instance)
const organization = await instance.organization()
const sensor = await instance.sensor(organization.id, [{ name: 'level', measurement: 'number' }])
const fleet = await makeFleetKey(instance, organization.id)
const toolApi = await save(organization.id, 'vector.centroids')
afterAll(() => {
  const failures = instance
    .log()
    .split('\n')
    .filter((line) => /"status":5\d\d/.test(line))
  expect(failures).toEqual([])
})

type Target = { method: string; path: string; headers: Record<string, string> }

/** A route of every kind that reads JSON. */
function targets(): Target[] {
  const pair = keysOf(organization)
  const operator = { authorization: `Bearer ${instance.operatorToken()}` }
  return [
    { method: 'POST', path: `${GIS}/convert-coordinates`, headers: pair },
    { method: 'POST', path: `${GIS}/line-to-polygon`, headers: pair },
    { method: 'POST', path: `${GIS}/transform-crs/json`, headers: pair },
    { method: 'POST', path: '/enterprise/v1/assets/rules', headers: pair },
    { method: 'POST', path: '/manage/v1/enterprises', headers: operator },
    { method: 'POST', path: `/manage/v1/owners/${organization.id}/layers`, headers: operator },
    { method: 'POST', path: `/manage/v1/owners/${organization.id}/tool-apis`, headers: operator },
    { method: 'POST', path: toolApi.path, headers: { authorization: `Bearer ${toolApi.key}` } },
    { method: 'POST', path: `/sensors/${sensor.id}/readings`, headers: { authorization: `Bearer ${sensor.key}` } },
    { method: 'POST', path: '/ingest/readings', headers: { authorization: `Bearer ${fleet.key}` } },
  ]
}

async function send({ method, path, headers }: Target, body: string | Uint8Array, encoding?: string) {
  const response = await fetch(instance.url() + path, {
    method,
    headers: { ...headers, 'content-type': 'application/json', ...(encoding && { 'content-encoding': encoding }) },
    body: body as Uint8Array<ArrayBuffer>,
  })
  return { status: response.status, envelope: (await response.json()) as Envelope }
}

const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

test('bodies that are nested too deeply are refused before they are parsed', async () => {
  for (const target of targets())
    for (const body of [
      lists(65),
      lists(20_000),
      lists(2_500_000),
      objects(65),
      objects(400_000),
      '['.repeat(900_000),
    ]) {
      const { status, envelope } = await send(target, body)
      const [error] = envelope.errors ?? []
      const what = `${target.path}, ${body.length} bytes`
      // on that route, a nested reading is refused alone
      if (envelope.code === 'SENSOR_READINGS_BATCH_INVALID') continue
      expect([what, [400, 413, 422].includes(status), error?.rule]).toEqual([
        what,
        true,
        expect.stringMatching(status === 413 ? /^maxBytes$/ : /^nesting$/),
      ])
    }
}, 120_000)

test('a body nested up to the limit is checked by its content', async () => {
  for (const target of targets()) {
    const { status, envelope } = await send(target, lists(64))
    expect([target.path, status < 500, envelope.errors?.[0]?.rule]).not.toEqual([target.path, true, 'nesting'])
  }
})

test('answers empty bodies and bodies of one word, with every content type', async () => {
  const types = ['application/json', 'text/plain', 'multipart/form-data', 'application/octet-stream', 'nonsense', '']
  for (const { method, path, headers } of targets())
    for (const type of types)
      for (const text of ['', 'null', 'false', '0', '""', ' '])
        for (const encoding of ['identity', 'gzip']) {
          const response = await fetch(instance.url() + path, {
            method,
            headers: { ...headers, 'content-type': type, 'content-encoding': encoding },
            body: encoding === 'gzip' ? gzipSync(text) : text,
          })
          const what = `${path} ${type} ${encoding} ${text}`
          expect([what, [400, 415, 422].includes(response.status)]).toEqual([what, true])
        }
})

test('bodies with too many different names are refused before they are parsed', async () => {
  const members = (count: number): string => Array.from({ length: count }, (_, i) => `"name${i}":1`).join(',')
  const refused = await instance.send(sensor, `{"readings":[{${members(6_000)}}]}`)
  expect(await refused.json()).toMatchObject({ code: 'SENSOR_READINGS_BATCH_INVALID', errors: [{ rule: 'names' }] })
  // as many as are checked reading by reading; repeated names count once
  const at = fromNow(-1_000)
  const judged = await instance.send(
    sensor,
    `{"readings":[{"at":"${at}","values":{"level":1},${members(4_000)}},{"x":1,${members(4_000)}}]}`,
  )
  expect(await judged.json()).toMatchObject({ data: { accepted: [at], refused: [{ at: null }] } })
  const operator = { authorization: `Bearer ${instance.operatorToken()}` }
  const target = { method: 'POST', path: '/manage/v1/enterprises', headers: operator }
  const { envelope } = await send(target, `{"name":"x","tier":"business",${members(1_100)}}`)
  expect(envelope).toMatchObject({ code: 'BAD_REQUEST', errors: [{ rule: 'names' }] })
})

test('brackets in text do not count', async () => {
  const name = `${'['.repeat(90)}\\"${'{'.repeat(90)}\\\\`
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name, tier: 'business' })
  expect(await instance.manage<{ name: string }>('GET', `/enterprises/${id}`)).toMatchObject({ name })
})

test('compressed bodies decompress to a hundred times their size at most', async () => {
  const bomb = lists(2_500_000)
  for (const [encoding, compressed] of [
    ['gzip', gzipSync(bomb, { level: 9 })],
    ['zstd', zstdCompressSync(bomb)],
  ] as const)
    for (const target of targets()) {
      const { status, envelope } = await send(target, compressed, encoding)
      expect([target.path, status, envelope.errors?.[0]?.field]).toEqual([target.path, 413, 'body'])
    }
  // more than 1 MB, and less than a hundred times
  const points = Array.from({ length: 60_000 }, (_, i) => ({ lon: (i * 0.7123) % 180, lat: (i * 0.31) % 90 }))
  const body = gzipSync(JSON.stringify({ from_format: 'dd', points }))
  const target = targets()[0] as Target
  const { envelope } = await send(target, body, 'gzip')
  expect(envelope.data.results).toHaveLength(60_000)
}, 120_000)

const MARK = '\uFEFF'

test('a byte order mark before JSON is ignored', async () => {
  const readings = (ms: number, more = ''): string =>
    `${MARK}{"readings":[{"at":"${fromNow(ms)}","values":{"level":1}${more}}]}`
  for (const body of [readings(-1_000), readings(-2_000, ',"other":"slow path"'), ` ${readings(-3_000).slice(1)}`]) {
    const response = await instance.send(sensor, body)
    expect([body, ((await response.json()) as Envelope<{ accepted: string[] }>).data.accepted.length]).toEqual([
      body,
      1,
    ])
  }
  const operator = { authorization: `Bearer ${instance.operatorToken()}` }
  const geojson = feature({ type: 'Point', coordinates: [1, 2] })
  const bodies: [string, Record<string, string>, unknown][] = [
    [`${GIS}/convert-coordinates`, keysOf(organization), { from_format: 'dd', points: [{ lon: 1, lat: 2 }] }],
    [
      `${GIS}/convert-coordinates`,
      keysOf(organization),
      { from_format: 'dd', points: Array(10_000).fill({ lon: 1, lat: 2 }) },
    ],
    ['/manage/v1/enterprises', operator, { name: 'Marked', tier: 'business' }],
    [`/manage/v1/owners/${organization.id}/layers`, operator, { name: 'Marked', geojson }],
    [toolApi.path, { authorization: `Bearer ${toolApi.key}` }, { input: geojson }],
  ]
  for (const [path, headers, body] of bodies) {
    const { status } = await send({ method: 'POST', path, headers }, MARK + JSON.stringify(body))
    expect([path, status]).toEqual([path, 200])
  }
  // only one mark is skipped, and only at the start
  const target = targets()[0] as Target
  expect((await send(target, `${MARK}${MARK}{}`)).envelope.code).toBe('BAD_REQUEST')
  const form = new FormData()
  form.append('file', new File([JSON.stringify(geojson)], 'a.geojson'))
  form.append('distance_m', '1')
  form.append('target_format', 'geojson')
  const response = await fetch(`${instance.url()}${GIS}/buffer`, {
    method: 'POST',
    headers: keysOf(organization),
    body: form,
  })
  expect(response.status).toBe(200)
})

const POINTS = 100_000
const grid = Array.from({ length: POINTS }, (_, i) => ({
  lon: (i % 360) - 179.5,
  lat: (Math.floor(i / 360) % 170) - 85,
}))

test('a large body is checked and run by a worker process, with the same answers', async () => {
  const input = { from_format: 'dd', points: grid }
  const response = await callTool(instance, organization, '/convert-coordinates', input, false)
  const { data } = (await response.json()) as Envelope<{ results: { dd: object }[]; usage: { inputBytes: number } }>
  expect(data.results.map(({ dd }) => dd)).toEqual(grid)
  expect(data.usage.inputBytes).toBe(Buffer.byteLength(JSON.stringify(input)))

  const wrong = { from_format: 'dd', points: grid.with(70_000, { lon: 'x' as never, lat: 2 }) }
  const refused = await callTool(instance, organization, '/convert-coordinates', wrong, false)
  expect(await refused.json()).toMatchObject({ statusCode: 422, errors: [{ field: 'points.70000.lon' }] })
  const unknown = await callTool(instance, organization, '/convert-coordinates', { ...input, more: 1 }, false)
  expect(await unknown.json()).toMatchObject({
    code: 'VALIDATION_FAILED',
    errors: [{ field: 'more', rule: 'unknown' }],
  })
  const broken = JSON.stringify(input).slice(0, -1)
  expect((await send(targets()[0] as Target, broken)).envelope).toMatchObject({
    code: 'BAD_REQUEST',
    errors: [{ field: 'body', rule: 'json' }],
  })
}, 120_000)

test('the answer to a large body is replayed for its Idempotency-Key', async () => {
  const headers = { 'idempotency-key': 'large' }
  const input = { from_format: 'dd', points: grid }
  const first = await callTool(instance, organization, '/convert-coordinates', input, false, headers)
  const text = await first.text()
  const again = await callTool(instance, organization, '/convert-coordinates', input, false, headers)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(await again.text()).toBe(text)
  const other = { from_format: 'dd', points: grid.with(-1, { lon: 0, lat: 0 }) }
  const reused = await callTool(instance, organization, '/convert-coordinates', other, false, headers)
  expect(await reused.json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
}, 120_000)

test('the text fields of a form are limited together', async () => {
  const form = new FormData()
  form.append('file', new File(['{}'], 'a.geojson'))
  for (let i = 0; i < 20; i++) form.append(`field-${i}`, 'x'.repeat(100_000))
  const response = await fetch(`${instance.url()}${GIS}/buffer`, {
    method: 'POST',
    headers: keysOf(organization),
    body: form,
  })
  expect(await response.json()).toMatchObject({ code: 'BODY_TOO_LARGE', errors: [{ rule: 'maxBytes' }] })
})

test('GeoJSON files and JSON text in forms are limited in nesting too', async () => {
  for (const properties of [`{"a":${lists(50_000)}}`, `{"a":${objects(50_000)}}`]) {
    const text = `{"type":"FeatureCollection","features":[{"type":"Feature","properties":${properties},"geometry":{"type":"Point","coordinates":[1,2]}}]}`
    const form = new FormData()
    form.append('file', new File([text], 'a.geojson'))
    form.append('distance_m', '1')
    form.append('target_format', 'geojson')
    const response = await fetch(`${instance.url()}${GIS}/buffer`, {
      method: 'POST',
      headers: keysOf(organization),
      body: form,
    })
    expect(await response.json()).toMatchObject({ code: 'INPUT_UNREADABLE', errors: [{ rule: 'nesting' }] })
  }
  const stats = new FormData()
  stats.append('stats', lists(100_000))
  const response = await fetch(`${instance.url()}${GIS}/zonal-stats`, {
    method: 'POST',
    headers: keysOf(organization),
    body: stats,
  })
  expect(await response.json()).toMatchObject({
    code: 'VALIDATION_FAILED',
    errors: [{ field: 'stats', rule: 'nesting' }],
  })
})

test('a layer is stored from a body that is nested within the limit', async () => {
  const { featureCount } = await layer(
    organization.id,
    feature({ type: 'Point', coordinates: [1, 2] }, { a: JSON.parse(lists(50)) }),
  )
  expect(featureCount).toBe(1)
})

type Schema = { type?: string; properties?: Record<string, Schema>; required?: string[]; [keyword: string]: unknown }
type Operation = { requestBody?: { content: Record<string, { schema: Schema }> } }

/** Values that break code that reads, prints or compares without checking types, and values of every other type. */
const HOSTILE = [
  '{"toString":1}',
  '{"toJSON":1,"valueOf":1,"toString":null}',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"then":1,"length":-1}',
  '[{"toString":1}]',
  '[]',
  '{}',
  'null',
  'true',
  '-0',
  '1e999',
  '9007199254740993',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"__proto__"',
  '"\\u202e"',
  lists(60),
  objects(60),
]

/** A value that the schema allows, as far as its type, its limits and its choices say. */
function sampleOf(schema: Schema): unknown {
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (choices !== undefined) return sampleOf(choices[0] as Schema)
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name] ?? {})]),
      )
    case 'array':
      return Array.from({ length: Number(schema.minItems ?? 0) }, () => sampleOf((schema.items as Schema) ?? {}))
    case 'number':
    case 'integer':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    default:
      return String(schema.pattern ?? '').includes('@') ? 'a@example.org' : 'a'.repeat(Number(schema.minLength ?? 1))
  }
}

/** JSON texts with each hostile value as the body, as an additional field, and in place of each field, to any depth. */
function* hostileBodies(schema: Schema): Generator<string> {
  yield* HOSTILE
  for (const name of Object.keys(schema.properties ?? {})) {
    const rest = JSON.stringify({ ...(sampleOf(schema) as object), [name]: undefined }).slice(1)
    const field = schema.properties?.[name] as Schema
    const values = field.type === 'object' ? hostileBodies(field) : HOSTILE
    for (const value of values) yield `{${JSON.stringify(name)}:${value}${rest === '}' ? '' : ','}${rest}`
  }
  yield `{"__proto__":{"polluted":1},${JSON.stringify(sampleOf(schema)).slice(1)}`.replace(',}', '}')
}

test('no route that reads JSON fails for any value in any field', async () => {
  const account = await memberAccount(instance, organization.id, 'owner')
  const session = { cookie: cookieOf(account), 'x-csrf-token': account.csrfToken }
  const dashboards = '/enterprise/v1/assets/dashboards'
  const dashboard = { name: 'Shared', shared: true, document: { version: 1, panels: [] } }
  const post = async (path: string, body: object): Promise<Record<string, string>> =>
    (await callAs<Record<string, string>>(instance.url(), account, 'POST', path, { enterprise: organization.id, body }))
      .data
  const link = await post(`${dashboards}/${(await post(dashboards, dashboard)).id}/links`, { days: 1 })
  const keys: [prefix: string, headers: Record<string, string>][] = [
    ['/manage/', { authorization: `Bearer ${instance.operatorToken()}` }],
    ['/enterprise/', keysOf(organization)],
    ['/auth/', session],
    ['/tool-apis/', { authorization: `Bearer ${toolApi.key}` }],
    ['/sensors/', { authorization: `Bearer ${sensor.key}` }],
    ['/ingest/', { authorization: `Bearer ${fleet.key}` }],
    ['/shared-dashboard/', { authorization: `Bearer ${link.token}` }],
  ]
  const idIn: Record<string, string> = { '/tool-apis/': toolApi.id, '/sensors/': sensor.id }
  const documents = ['/openapi.json', `${GIS}/openapi.json`].map(
    async (path) =>
      ((await (await fetch(instance.url() + path)).json()) as { paths: Record<string, Record<string, Operation>> })
        .paths,
  )
  const routes = Object.entries(
    Object.assign({}, ...(await Promise.all(documents))) as (typeof documents)[0] extends Promise<infer P> ? P : never,
  )
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        schema: requestBody?.content['application/json']?.schema,
      })),
    )
    .filter(({ schema }) => schema !== undefined)
  expect(routes.length).toBeGreaterThan(50)
  const failed: string[] = []
  let calls = 0
  for (const { method, path, schema } of routes) {
    const [prefix, headers] = keys.find(([start]) => path.startsWith(start)) ?? ['', {}]
    // records that do not exist: a body that passes the schema changes nothing that other tests use
    const address = path
      .replace('{ownerId}', organization.id)
      .replace('enterprises/{id}/', `enterprises/${organization.id}/`)
      .replace(/\{\w+\}/g, idIn[prefix] ?? 'unknown')
    const bodies = [...hostileBodies(schema as Schema)]
    calls += bodies.length
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
          const { status, envelope } = await send({ method, path: address, headers }, body)
          if (status >= 500 || status === 401 || typeof envelope.code !== 'string')
            failed.push(`${method} ${path} ${status} ${envelope.code} for ${body.slice(0, 200)}`)
        }
      }),
    )
  }
  expect(failed).toEqual([])
  expect(calls).toBeGreaterThan(3_000)
}, 120_000)
