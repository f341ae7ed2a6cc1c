/** Requests to the Enterprise GIS API: rate limits, idempotency, malformed forms, sizes and process descriptions. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import buffer from '../../../src/tools/vector/buffer.ts'
import { createInstance, type Envelope } from '../../support/server/instance.ts'
import { CALLS_PER_MINUTE, limitedInstance, sharedInstance } from '../../support/server/shared-instance.ts'
import { inOneMinute } from '../../support/until.ts'
import { callTool, FIXTURES, formOf, GIS, gisOf, keysOf, POINTS, STATIONS } from '../../support/workers/tools.ts'

const { call, get, read } = gisOf(
  () => instance,
  () => organization,
)

const instance = await sharedInstance()
const organization = await instance.organization()

test('files per hour are counted across a restart; the JSON route counts as one file', async () => {
  const limited = await limitedInstance()
  const { call } = gisOf(
    () => limited,
    () => own,
  )
  const own = await limited.organization()
  const reproject = { source_crs: 'EPSG:4326', target_crs: 'EPSG:3857', points: [{ x: 1, y: 1 }] }
  for (let i = 0; i < 10; i++) {
    const files = Array(5).fill('stations.geojson')
    expect((await call('/merge', { files, target_format: 'fgb' }, true, own)).envelope.code).toBe('SUCCESS')
  }
  for (let i = 0; i < 9; i++) expect((await call('/reproject', reproject, false, own)).envelope.code).toBe('SUCCESS')
  await limited.kill('SIGTERM')
  await limited.restart()
  expect((await call('/transform-crs/json', reproject, false, own)).envelope.code).toBe('SUCCESS')
  const { response, envelope } = await call('/transform-crs/json', reproject, false, own)
  expect(envelope).toMatchObject({ statusCode: 429, code: 'FILE_WINDOW_EXCEEDED' })
  expect(Number(response.headers.get('retry-after'))).toBeWithin(1, 3700)
  expect((await call('/distance-bearing', POINTS, false, own)).envelope.code).toBe('SUCCESS')
}, 120_000)

test('calls per minute are counted for each application', async () => {
  const limited = await limitedInstance()
  const codes = await inOneMinute(async () => {
    const own = await limited.organization()
    const codes: string[] = []
    for (let i = 0; i < CALLS_PER_MINUTE + 2; i++) {
      const response = await callTool(limited, own, '/distance-bearing', POINTS, false)
      codes.push(((await response.json()) as Envelope).code)
    }
    return codes
  })
  expect(codes).toEqual([...Array(CALLS_PER_MINUTE).fill('SUCCESS'), 'RATE_LIMITED', 'RATE_LIMITED'])
  const other = await limited.organization()
  expect((await callTool(limited, other, '/distance-bearing', POINTS, false)).status).toBe(200)
}, 120_000)

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
}, 120_000)

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
  expect(swapped.envelope.errors).toEqual([
    { field: 'target_format', rule: 'text', message: 'must be text', messageAr: 'المطلوب نص.' },
  ])
  const several = await call('/buffer', { ...STATIONS, distance_m: 'far', cap_style: 'oval', dissolve: 'maybe' }, true)
  expect(several.envelope.errors?.map(({ field, rule }) => [field, rule])).toEqual([
    ['distance_m', 'number'],
    ['dissolve', 'boolean'],
  ])
  expect((await call('/buffer', { ...STATIONS, cap_style: 'oval' }, true)).envelope.errors).toEqual([
    {
      field: 'cap_style',
      rule: 'enum',
      message: 'must be one of round, flat, square',
      messageAr: 'المطلوب إحدى القيم: \u2068round, flat, square\u2069.',
    },
  ])
  const broken = { name: 'broken.geojson', content: '{"type":"FeatureCollection","features":[{"type":"Point"}]}' }
  expect((await call('/buffer', { ...STATIONS, file: broken }, true)).envelope.errors).toEqual([
    {
      field: 'file',
      rule: 'feature',
      message: 'feature 0: its type must be Feature',
      messageAr: 'العنصر 0: يجب أن يكون نوع العنصر Feature.',
      feature: 0,
    },
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
    const left = [...new Bun.Glob('**/*').scanSync(join(small.dir, 'scratch'))]
    expect(left.filter((name) => !/^processes\/\d+\/mounts$/.test(name))).toEqual([])
    expect([...new Bun.Glob('**/*').scanSync(join(small.dir, 'files'))]).toEqual([])
  } finally {
    await small.remove()
  }
}, 120_000)

test('processes are described in both languages, with every extension', async () => {
  const description = (await (await get('/processes/vector.buffer')).json()) as Record<string, never>
  expect(description).toMatchObject({
    id: 'vector.buffer',
    version: buffer.version,
    jobControlOptions: ['sync-execute', 'async-execute'],
    outputTransmission: ['value'],
    svc: {
      toolKey: 'buffer',
      execution: 'multipart/form-data',
      limited: true,
      credits: 1,
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
        'x-svc-maxBytes': 100 * 2 ** 20,
      },
      distance_m: {
        minOccurs: 0,
        schema: { type: 'number', default: 100, minimum: -100_000, maximum: 100_000 },
        'x-svc-usedWhen': { field: 'distance_by', equals: 'value' },
        'x-svc-unitInput': 'unit',
        'x-svc-boundsUnit': 'm',
      },
      distance_field: { 'x-svc-columnOf': 'file', 'x-svc-usedWhen': { field: 'distance_by', equals: 'field' } },
      cap_style: {
        schema: { enum: ['round', 'flat', 'square'], default: 'round' },
        'x-svc-enumTitles': { round: 'Round' },
      },
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
