/** The Enterprise GIS API around the tools: keys, grants, credits, rate limits, idempotency, files, runs, documents. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInstance, type Envelope, type Instance, type Organization } from './support/instance.ts'
import { callTool, FIXTURES, fetchFile, formOf, GIS, keysOf } from './support/tools.ts'

let instance: Instance
let organization: Organization

beforeAll(async () => {
  instance = await createInstance({ FILES_PER_HOUR: '60', CALLS_PER_MINUTE: '100000' })
  organization = await instance.organization()
}, 60_000)
afterAll(() => instance.remove())

const STATIONS = { file: 'stations.geojson', target_format: 'geojson' }
const POINTS = {
  points: [
    { lon: 0, lat: 0 },
    { lon: 1, lat: 1 },
  ],
}

async function call(route: string, input: Record<string, unknown>, form: boolean, who = organization, headers = {}) {
  const response = await callTool(instance, who, route, input, form, headers)
  return { response, envelope: (await response.json()) as Envelope }
}
const get = (path: string, who = organization, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${instance.url()}${GIS}${path}`, { headers: { ...keysOf(who), ...headers } })
const read = async <T = Record<string, unknown>>(path: string, who = organization): Promise<Envelope<T>> =>
  (await (await get(path, who)).json()) as Envelope<T>

test('both forms of the key pair work, and every wrong pair gets the same 401', async () => {
  const { publicKey, secretKey } = organization
  const post = async (headers: Record<string, string>): Promise<Envelope> => {
    const body = JSON.stringify(POINTS)
    const all = { 'content-type': 'application/json', ...headers }
    return (await (
      await fetch(`${instance.url()}${GIS}/distance-bearing`, { method: 'POST', headers: all, body })
    ).json()) as Envelope
  }
  expect((await post({ authorization: `Bearer ${publicKey}:${secretKey}` })).code).toBe('SUCCESS')
  const wrong = [
    {},
    { 'x-api-key': publicKey },
    { 'x-api-key': publicKey, 'x-api-secret': `${secretKey}x` },
    { authorization: `Bearer ${secretKey}:${publicKey}` },
  ]
  for (const headers of wrong) {
    const { requestId: _, timestamp: __, ...answer } = await post(headers as Record<string, string>)
    expect(answer).toEqual({
      ok: false,
      statusCode: 401,
      code: 'API_KEY_INVALID',
      message: 'The API key pair is missing, wrong or revoked.',
      path: `${GIS}/distance-bearing`,
      method: 'POST',
    } as never)
  }
})

test('a call returns the complete envelope with exact usage, and the key opens the file', async () => {
  const { response, envelope } = await call('/buffer', { ...STATIONS, distance_m: 500 }, true)
  const { data } = envelope
  expect(envelope).toMatchObject({ ok: true, statusCode: 200, code: 'SUCCESS', path: `${GIS}/buffer`, method: 'POST' })
  const size = statSync(join(FIXTURES, 'stations.geojson')).size
  const bytes = await fetchFile(instance, organization, data.key as string)
  expect(data.usage).toEqual({
    channel: 'api',
    requestId: envelope.requestId,
    runId: expect.stringMatching(/^run_/),
    creditsCharged: 1,
    creditsRemaining: 49_999,
    // the file plus the text of the two other fields
    inputBytes: size + 'geojson'.length + '500'.length,
    outputBytes: bytes.length,
    totalBytes: size + 10 + bytes.length,
    periodStartAt: expect.stringMatching(/-01T00:00:00\.000Z$/),
    periodEndAt: expect.stringMatching(/-01T00:00:00\.000Z$/),
  })
  expect(response.headers.get('x-output-filename')).toBe('stations_buffer.geojson')
  expect(response.headers.get('x-crs')).toBe('EPSG:4326')
  const input = await fetchFile(instance, organization, data.inputKey as string)
  expect(input.equals(readFileSync(join(FIXTURES, 'stations.geojson')))).toBe(true)
})

test('files are served with names, ranges, entity tags and HEAD, and only to their enterprise', async () => {
  const file = { name: 'محطات 1.geojson', content: readFileSync(join(FIXTURES, 'stations.geojson')) }
  const { envelope } = await call('/centroids', { file, target_format: 'geojson' }, true)
  const { key, artifactId, usage } = envelope.data as { key: string; artifactId: string; usage: { runId: string } }
  const whole = await get(`/files/${key}`)
  const bytes = Buffer.from(await whole.arrayBuffer())
  expect(
    Object.fromEntries(
      ['content-type', 'accept-ranges', 'etag', 'x-crs', 'x-content-type-options'].map((name) => [
        name,
        whole.headers.get(name),
      ]),
    ),
  ).toEqual({
    'content-type': 'application/geo+json',
    'accept-ranges': 'bytes',
    etag: `"${key}"`,
    'x-crs': 'EPSG:4326',
    'x-content-type-options': 'nosniff',
  })
  expect(decodeURIComponent(whole.headers.get('x-output-filename') ?? '')).toBe('محطات 1_centroids.geojson')
  expect(whole.headers.get('content-disposition')).toContain("filename*=UTF-8''%D9%85")
  const range = async (value: string, headers = {}): Promise<[number, string | null, string]> => {
    const response = await get(`/files/${key}`, organization, { range: value, ...headers })
    return [response.status, response.headers.get('content-range'), await response.text()]
  }
  const size = bytes.length
  expect(await range('bytes=0-9')).toEqual([206, `bytes 0-9/${size}`, bytes.subarray(0, 10).toString()])
  expect(await range('bytes=-5')).toEqual([206, `bytes ${size - 5}-${size - 1}/${size}`, bytes.subarray(-5).toString()])
  expect(await range(`bytes=${size - 3}-99999999`)).toEqual([
    206,
    `bytes ${size - 3}-${size - 1}/${size}`,
    bytes.subarray(-3).toString(),
  ])
  expect((await range(`bytes=${size}-`))[0]).toBe(416)
  expect((await range('bytes=5-2'))[0]).toBe(416)
  expect((await range('bytes=0-1,4-5'))[0]).toBe(200)
  expect((await range('bytes=0-1', { 'if-range': '"other"' }))[0]).toBe(200)
  expect((await get(`/files/${key}`, organization, { 'if-none-match': `"${key}"` })).status).toBe(304)
  const artifact = await get(`/runs/${usage.runId}/artifacts/${artifactId}`)
  expect(Buffer.from(await artifact.arrayBuffer()).equals(bytes)).toBe(true)
  const stranger = await instance.organization()
  for (const path of [`/files/${key}`, `/runs/${usage.runId}`, `/runs/${usage.runId}/artifacts/${artifactId}`])
    expect(await read(path, stranger)).toMatchObject({ statusCode: 404, code: 'NOT_FOUND' })
  for (const path of [
    '/files/fil_0',
    '/files/..%2f..%2foperator.token',
    '/runs/run_x',
    `/runs/${usage.runId}/artifacts/art_x`,
  ])
    expect(await read(path)).toMatchObject({ statusCode: 404, code: 'NOT_FOUND' })
})

test('runs record tool, version, member, settings, files, credits and outcome, also when they fail', async () => {
  const own = await instance.organization()
  const member = await instance.manage<{ id: string }>('POST', `/enterprises/${own.id}/members`, {
    email: 'Lee@example.org',
    role: 'member',
  })
  const as = { 'x-api-user': 'lee@example.org' }
  const done = await call(
    '/simplify',
    { file: 'districts.geojson', target_format: 'gpkg', tolerance: 0.01 },
    true,
    own,
    as,
  )
  const broken = { name: 'a.geojson', content: '{' }
  const failed = await call('/simplify', { file: broken, target_format: 'gpkg' }, true, own, as)
  expect(failed.envelope).toMatchObject({
    statusCode: 422,
    code: 'INPUT_UNREADABLE',
    errors: [{ field: 'file', rule: 'json' }],
  })
  await call('/distance-bearing', POINTS, false, own)
  const { items } = (await read<{ items: Record<string, unknown>[] }>('/runs', own)).data
  expect(
    items.map(({ processID, status, code, creditsCharged, memberId }) => [
      processID,
      status,
      code,
      creditsCharged,
      memberId,
    ]),
  ).toEqual([
    ['measure.distance-bearing', 'successful', 'SUCCESS', 0, null],
    ['vector.simplify', 'failed', 'INPUT_UNREADABLE', 0, member.id],
    ['vector.simplify', 'successful', 'SUCCESS', 1, member.id],
  ])
  const { data: run } = await read(`/runs/${(done.envelope.data.usage as { runId: string }).runId}`, own)
  expect(run).toMatchObject({
    version: '1.0.0',
    applicationId: own.applicationId,
    settings: { target_format: 'gpkg', tolerance: 0.01, preserve_topology: true },
    inputs: [{ key: done.envelope.data.inputKey, field: 'file', filename: 'districts.geojson' }],
    artifacts: [
      { key: done.envelope.data.key, role: 'output', filename: 'districts_simplified.gpkg', crs: 'EPSG:4326' },
    ],
    durationMs: expect.any(Number),
  })
  const first = (await read<{ items: unknown[]; nextCursor: string }>('/runs?limit=2', own)).data
  expect(first.items).toHaveLength(2)
  expect(
    (await read<{ items: unknown[]; nextCursor: null }>(`/runs?limit=2&cursor=${first.nextCursor}`, own)).data,
  ).toMatchObject({
    items: [expect.anything()],
    nextCursor: null,
  })
  expect(
    (await call('/distance-bearing', POINTS, false, own, { 'x-api-user': 'nobody@example.org' })).envelope.code,
  ).toBe('API_USER_UNKNOWN')
})

test('credits are charged once per success, exhausted credits are refused, and the last credit is never charged twice', async () => {
  const own = await instance.organization()
  await instance.manage('PATCH', `/enterprises/${own.id}`, { credits: 3 })
  const once = () => call('/centroids', STATIONS, true, own)
  const answers = await Promise.all(Array.from({ length: 8 }, once))
  const codes = answers.map(({ envelope }) => envelope.code).sort()
  expect(codes).toEqual([...Array(5).fill('CREDITS_EXHAUSTED'), 'SUCCESS', 'SUCCESS', 'SUCCESS'])
  expect(answers.find(({ envelope }) => !envelope.ok)?.response.status).toBe(402)
  await instance.manage('PATCH', `/enterprises/${own.id}`, { credits: 4 })
  // a failed run refunds its credit
  expect(
    (await call('/centroids', { ...STATIONS, file: { name: 'a.geojson', content: '[' } }, true, own)).envelope.code,
  ).toBe('INPUT_UNREADABLE')
  expect((await once()).envelope.data.usage).toMatchObject({ creditsCharged: 1, creditsRemaining: 0 })
  expect((await call('/distance-bearing', POINTS, false, own)).envelope.code).toBe('SUCCESS')
})

test('an application runs only granted tools, a suspended enterprise none', async () => {
  const own = await instance.organization()
  await instance.manage('PATCH', `/applications/${own.applicationId}`, { tools: ['vector.buffer'] })
  await expect(
    instance.manage('PATCH', `/applications/${own.applicationId}`, { tools: ['vector.bufer'] }),
  ).rejects.toThrow('"vector.bufer" is not a process id')
  expect((await call('/centroids', STATIONS, true, own)).envelope).toMatchObject({
    statusCode: 403,
    code: 'TOOL_NOT_GRANTED',
  })
  expect((await call('/buffer', STATIONS, true, own)).envelope.code).toBe('SUCCESS')
  const list = (await (await get('/processes', own)).json()) as { processes: { id: string }[] }
  expect(list.processes.map(({ id }) => id)).toEqual(['vector.buffer'])
  const denied = await get('/processes/vector.clip', own)
  expect(denied.status).toBe(404)
  expect(denied.headers.get('content-type')).toBe('application/problem+json')
  expect(await denied.json()).toEqual({
    type: 'http://www.opengis.net/def/exceptions/ogcapi-processes-1/1.0/no-such-process',
    title: 'NOT_FOUND',
    status: 404,
    detail: 'The process "vector.clip" does not exist.',
    instance: `${GIS}/processes/vector.clip`,
  })
  await instance.manage('PATCH', `/enterprises/${own.id}`, { status: 'suspended' })
  expect((await call('/buffer', STATIONS, true, own)).envelope).toMatchObject({
    statusCode: 403,
    code: 'ENTERPRISE_SUSPENDED',
  })
})

test('files per hour are counted across a restart; the JSON route counts as one file', async () => {
  const own = await instance.organization()
  const reproject = { source_crs: 'EPSG:4326', target_crs: 'EPSG:3857', points: [{ x: 1, y: 1 }] }
  for (let i = 0; i < 10; i++) {
    const files = Array(5).fill('stations.geojson')
    expect((await call('/merge', { files, target_format: 'fgb' }, true, own)).envelope.code).toBe('SUCCESS')
  }
  for (let i = 0; i < 9; i++) expect((await call('/reproject', reproject, false, own)).envelope.code).toBe('SUCCESS')
  await instance.kill('SIGTERM')
  await instance.restart()
  expect((await call('/transform-crs/json', reproject, false, own)).envelope.code).toBe('SUCCESS')
  const { response, envelope } = await call('/transform-crs/json', reproject, false, own)
  expect(envelope).toMatchObject({ statusCode: 429, code: 'FILE_WINDOW_EXCEEDED' })
  expect(Number(response.headers.get('retry-after'))).toBeWithin(1, 3700)
  expect((await call('/distance-bearing', POINTS, false, own)).envelope.code).toBe('SUCCESS')
}, 60_000)

test('calls per minute are counted for each application', async () => {
  const slow = await createInstance({ CALLS_PER_MINUTE: '5' })
  try {
    const own = await slow.organization()
    const codes = []
    for (let i = 0; i < 7; i++) {
      const response = await callTool(slow, own, '/distance-bearing', POINTS, false)
      codes.push(((await response.json()) as Envelope).code)
    }
    expect(codes).toEqual([...Array(5).fill('SUCCESS'), 'RATE_LIMITED', 'RATE_LIMITED'])
    const other = await slow.organization()
    expect((await callTool(slow, other, '/distance-bearing', POINTS, false)).status).toBe(200)
  } finally {
    await slow.remove()
  }
}, 60_000)

test('Idempotency-Key replays the first outcome with one run and one charge, and detects a different request', async () => {
  const own = await instance.organization()
  const key = { 'idempotency-key': 'once-1' }
  const first = await call('/buffer', STATIONS, true, own, key)
  const second = await call('/buffer', STATIONS, true, own, key)
  expect(second.envelope).toEqual(first.envelope)
  expect([first, second].map(({ response }) => response.headers.get('idempotency-replayed'))).toEqual([null, 'true'])
  expect(second.response.headers.get('x-output-filename')).toBe('stations_buffer.geojson')
  expect((await call('/buffer', { ...STATIONS, distance_m: 5 }, true, own, key)).envelope).toMatchObject({
    statusCode: 422,
    code: 'IDEMPOTENCY_KEY_REUSED',
  })
  const renamed = {
    ...STATIONS,
    file: { name: 'other.geojson', content: readFileSync(join(FIXTURES, 'stations.geojson')) },
  }
  expect((await call('/buffer', renamed, true, own, key)).envelope.code).toBe('IDEMPOTENCY_KEY_REUSED')
  // keys are separate for each route and key pair
  expect((await call('/centroids', STATIONS, true, own, key)).response.headers.get('idempotency-replayed')).toBeNull()
  expect((await read<{ items: unknown[] }>('/runs', own)).data.items).toHaveLength(2)
  // a validation failure is replayed too
  const bad = { ...STATIONS, distance_m: 0 }
  const refused = await call('/buffer', bad, true, own, { 'idempotency-key': 'bad' })
  const again = await call('/buffer', bad, true, own, { 'idempotency-key': 'bad' })
  expect(again.envelope).toEqual(refused.envelope)
  expect(again.response.headers.get('idempotency-replayed')).toBe('true')
  expect((await call('/buffer', STATIONS, true, own, { 'idempotency-key': 'x'.repeat(256) })).envelope).toMatchObject({
    code: 'VALIDATION_FAILED',
    errors: [{ field: 'Idempotency-Key' }],
  })
  const grid = { file: 'districts.geojson', target_format: 'fgb', cell_size_m: 500 }
  const race = await Promise.all([1, 2, 3].map(() => call('/grid', grid, true, own, { 'idempotency-key': 'race' })))
  expect(race.map(({ envelope }) => envelope.code).sort()).toEqual([
    'IDEMPOTENCY_KEY_IN_USE',
    'IDEMPOTENCY_KEY_IN_USE',
    'SUCCESS',
  ])
  expect(race.find(({ envelope }) => !envelope.ok)?.response.status).toBe(409)
}, 30_000)

test('malformed forms, repeated and missing fields, and other content types are rejected', async () => {
  const raw = async (body: string, type: string, route = '/buffer'): Promise<Envelope> =>
    (await (
      await fetch(`${instance.url()}${GIS}${route}`, {
        method: 'POST',
        body,
        headers: { ...keysOf(organization), 'content-type': type },
      })
    ).json()) as Envelope
  expect(await raw('{}', 'application/json')).toMatchObject({ statusCode: 415, code: 'MEDIA_TYPE_UNSUPPORTED' })
  expect(await raw('x=1', 'application/x-www-form-urlencoded')).toMatchObject({ code: 'MEDIA_TYPE_UNSUPPORTED' })
  expect(await raw('garbage', 'multipart/form-data')).toMatchObject({ statusCode: 400, code: 'BAD_REQUEST' })
  expect(await raw('garbage', 'multipart/form-data; boundary=x')).toMatchObject({
    code: 'BAD_REQUEST',
    errors: [{ rule: 'multipart' }],
  })
  expect(
    await raw(
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\ncut',
      'multipart/form-data; boundary=x',
    ),
  ).toMatchObject({ code: 'BAD_REQUEST' })
  expect(await raw('{"points":', 'application/json', '/distance-bearing')).toMatchObject({
    code: 'BAD_REQUEST',
    errors: [{ rule: 'json' }],
  })
  const doubled = formOf({ ...STATIONS })
  doubled.append('target_format', 'shp')
  doubled.append('file', new File(['{}'], 'b.geojson'))
  const body = await (
    await fetch(`${instance.url()}${GIS}/buffer`, { method: 'POST', body: doubled, headers: keysOf(organization) })
  ).json()
  expect(body).toMatchObject({
    code: 'VALIDATION_FAILED',
    errors: [
      { field: 'target_format', rule: 'once' },
      { field: 'file', rule: 'once' },
    ],
  })
  const swapped = await call(
    '/buffer',
    { file: { name: 'a', content: 'x' }, target_format: { name: 'b', content: 'geojson' } },
    true,
  )
  expect(swapped.envelope.errors).toEqual([{ field: 'target_format', rule: 'text', message: 'must be text' }])
  const several = await call('/buffer', { ...STATIONS, distance_m: 'far', cap_style: 'oval', dissolve: 'maybe' }, true)
  expect(several.envelope.errors?.map(({ field, rule }) => [field, rule])).toEqual([
    ['distance_m', 'number'],
    ['dissolve', 'boolean'],
  ])
  expect((await call('/buffer', { ...STATIONS, cap_style: 'oval' }, true)).envelope.errors).toEqual([
    { field: 'cap_style', rule: 'enum', message: 'must be one of round, flat, square' },
  ])
  expect((await call('/nothing-here', STATIONS, true)).envelope).toMatchObject({ statusCode: 404, code: 'NOT_FOUND' })
})

test('a file over the size limit is rejected during the upload and leaves nothing behind', async () => {
  const small = await createInstance({ VECTOR_FILE_MB: '1', MAX_FEATURES: '3' })
  try {
    const own = await small.organization()
    const huge = { name: 'huge.geojson', content: new Uint8Array(3 << 20).fill(32) }
    const response = await callTool(small, own, '/buffer', { file: huge, target_format: 'geojson' }, true)
    expect((await response.json()) as Envelope).toMatchObject({
      statusCode: 413,
      code: 'FILE_TOO_LARGE',
      errors: [{ field: 'file', rule: 'maxBytes' }],
    })
    const many = await callTool(small, own, '/buffer', STATIONS, true)
    expect((await many.json()) as Envelope).toMatchObject({
      code: 'FILE_TOO_LARGE',
      errors: [{ field: 'file', rule: 'maxFeatures' }],
    })
    expect([...new Bun.Glob('**/*').scanSync(join(small.dir, 'scratch'))]).toEqual([])
    expect([...new Bun.Glob('**/*').scanSync(join(small.dir, 'files'))]).toEqual([])
  } finally {
    await small.remove()
  }
}, 60_000)

test('processes are described in both languages, with every extension', async () => {
  const description = (await (await get('/processes/vector.buffer')).json()) as Record<string, never>
  expect(description).toMatchObject({
    id: 'vector.buffer',
    version: '1.0.0',
    jobControlOptions: ['sync-execute', 'async-execute'],
    outputTransmission: ['value'],
    svc: {
      toolKey: 'buffer',
      execution: 'multipart/form-data',
      limited: true,
      input: 'vector',
      output: 'vector',
      aliases: [],
    },
    links: [
      { rel: 'self', href: `${GIS}/processes/vector.buffer` },
      { rel: 'http://www.opengis.net/def/rel/ogc/1.0/execute', href: `${GIS}/buffer`, type: 'multipart/form-data' },
    ],
    inputs: {
      file: {
        minOccurs: 1,
        maxOccurs: 1,
        schema: { type: 'string', contentEncoding: 'binary', contentMediaType: 'application/geo+json' },
      },
      distance_m: {
        minOccurs: 0,
        schema: { type: 'number', default: 100, minimum: -100_000, maximum: 100_000 },
        'x-svc-usedWhen': { field: 'distance_by', equals: 'value' },
        'x-svc-unitInput': 'unit',
        'x-svc-boundsUnit': 'm',
      },
      distance_field: { 'x-svc-columnOf': 'file', 'x-svc-usedWhen': { field: 'distance_by', equals: 'field' } },
      cap_style: { schema: { enum: ['round', 'flat', 'square'], default: 'round' } },
    },
    outputs: { result: { schema: { type: 'object', required: expect.arrayContaining(['key']) } } },
  })
  const merge = (await (await get('/processes/vector.merge')).json()) as { inputs: { files: unknown } }
  expect(merge.inputs.files).toMatchObject({ minOccurs: 2, maxOccurs: 5, schema: { contentEncoding: 'binary' } })
  const check = (await (await get('/processes/vector.inside-check')).json()) as {
    inputs: { reference_fields: unknown }
  }
  expect(check.inputs.reference_fields).toMatchObject({ 'x-svc-encoding': 'json-text', schema: { type: 'array' } })
  const arabic = (await (await get('/processes?lang=ar')).json()) as {
    processes: { title: string; description: string }[]
    links: unknown
  }
  for (const { title, description: text } of arabic.processes) expect(title + text).toMatch(/[\u0600-\u06ff]/)
  expect(arabic.links).toEqual([
    expect.objectContaining({ rel: 'self' }),
    expect.objectContaining({ rel: 'service-desc', href: `${GIS}/openapi.json` }),
  ])
  for (const [path, headers, status] of [
    ['/processes?lang=fr', keysOf(organization), 422],
    ['/processes', {}, 401],
    ['/processes/no.such', keysOf(organization), 404],
  ] as const) {
    const response = await fetch(`${instance.url()}${GIS}${path}`, { headers })
    expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/problem+json'])
    expect(await response.json()).toMatchObject({ status, title: expect.any(String), detail: expect.any(String) })
  }
})
