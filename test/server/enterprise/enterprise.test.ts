/** The Enterprise GIS API around the tools: keys, envelopes, files, runs, credits and grants. */
import { expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import simplify from '../../../src/tools/vector/simplify.ts'
import type { Envelope } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { FIXTURES, fetchFile, GIS, gisOf, POINTS, STATIONS } from '../../support/workers/tools.ts'

const { call, get, read } = gisOf(
  () => instance,
  () => organization,
)

const instance = await sharedInstance()
const organization = await instance.organization()

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
      message: 'The API key or key pair is missing, wrong, expired or revoked.',
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

test('all tools answer inputKey, and tools with several files also inputKeys in the order of the files', async () => {
  const files = ['districts.geojson', 'stations.geojson']
  const { envelope } = await call('/merge', { files, target_format: 'geojson' }, true)
  const { inputKey, inputKeys } = envelope.data as { inputKey: string; inputKeys: string[] }
  expect(inputKeys.length).toBe(2)
  expect(inputKey).toBe(inputKeys[0] as string)
  for (const [i, name] of files.entries()) {
    const stored = await fetchFile(instance, organization, inputKeys[i] as string)
    expect(stored.equals(readFileSync(join(FIXTURES, name)))).toBe(true)
  }
  const process = (await (await get('/processes/vector.merge')).json()) as {
    outputs: { result: { schema: { properties: object } } }
  }
  const { properties } = process.outputs.result.schema
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(['key', 'inputKey', 'inputKeys', 'fileCount']))
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
    version: simplify.version,
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
