/** /tool-apis/{id}/run over HTTP: every eligible tool, the order of all checks, and secrets that no answer contains. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadRegistry } from '../src/tools/registry.ts'
import { settingsSchema } from '../src/tools/saved.ts'
import { box, point } from './support/engine.ts'
import { createInstance, type Instance } from './support/instance.ts'
import { collection, feature, toolApisOf, type Verdict } from './support/tool-apis.ts'
import { callTool, FIXTURES, fetchFile } from './support/tools.ts'

const { tools } = await loadRegistry()
const eligible = tools.filter(({ saved }) => saved !== undefined)
const NAMES =
  'buffer simplify convex-hull concave-hull centroids dissolve explode repair grid area-length validate clip erase intersect union spatial-join inside-check'

let instance: Instance
let owner: string
const { layer, save, run, call, upload } = toolApisOf(() => instance)
type Fixture = { type: string; features: { geometry: unknown }[] }
/** Removes features without geometry, which a Tool API rejects. */
function fixture(name: string): Fixture {
  const read = JSON.parse(readFileSync(join(FIXTURES, name), 'utf8')) as Fixture
  return { ...read, features: read.features.filter(({ geometry }) => geometry !== null) }
}

beforeAll(async () => {
  instance = await createInstance({ TOOL_API_CALLS_PER_MINUTE: '100000' })
  const enterprise = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'business' })
  owner = enterprise.id
}, 60_000)
afterAll(() => instance.remove())

test('the eligible tools are those of the contract', () => {
  const ids = [...NAMES.split(' ').map((name) => `vector.${name}`), 'raster.zonal-stats']
  expect(eligible.map(({ id }) => id).sort()).toEqual(ids.sort())
})

describe('gives the same result as the Enterprise GIS API', () => {
  const SETTINGS: Record<string, object> = {
    'vector.buffer': { distance_m: 250 },
    'vector.dissolve': { by: 'region' },
    'vector.grid': { cell_size_m: 20_000 },
    'raster.zonal-stats': { stats: ['count', 'mean', 'max'] },
    'vector.spatial-join': { how: 'left' },
  }
  test.each(eligible.map((tool) => [tool.id, tool] as const))('%s', async (id, tool) => {
    const example = tool.examples[0]?.input as Record<string, string>
    const settings = SETTINGS[id] ?? {}
    const known = Object.fromEntries(
      Object.entries(settings).filter(([name]) => name in settingsSchema(tool).properties),
    )
    const second = tool.saved?.second
    let binding: object | undefined
    if (second?.kind === 'raster') {
      const file = await upload(`/owners/${owner}/files`, 'dem.tif', readFileSync(join(FIXTURES, example.raster ?? '')))
      expect(file.data).toMatchObject({ scanStatus: 'clean', kind: 'raster', version: 1 })
      binding = { kind: 'file', id: file.data.id }
    } else if (second !== undefined)
      binding = { kind: 'layer', id: (await layer(owner, ...fixture(example[second.field] ?? '').features)).id }
    const api = await save(owner, id, { settings: known, ...(binding && { binding }) })
    const answer = await run(api, { input: fixture(example.file ?? '') })
    expect({ status: answer.status, code: answer.code, message: answer.message }).toEqual({
      ...{ status: 200, code: 'TOOL_API_RESULT', message: 'Done.' },
    })
    const organization = await instance.organization()
    const main = { name: 'main.geojson', content: JSON.stringify(fixture(example.file ?? '')) }
    const fields = { file: main, ...(second && { [second.field]: example[second.field] }), ...known }
    const form = { ...fields, ...(tool.outputKind === 'vector' && { target_format: 'geojson' }) }
    const { data } = (await (await callTool(instance, organization, tool.route, form, true)).json()) as {
      data: Record<string, unknown>
    }
    if (tool.outputKind === 'json') {
      expect(answer.data).toEqual({ passed: data.passed, counts: data.counts, results: data.results })
      return
    }
    const expected = JSON.parse((await fetchFile(instance, organization, String(data.key))).toString())
    const { featureCount, result } = answer.data as { featureCount: number; result: typeof expected }
    expect(Object.keys(answer.data)).toEqual(['featureCount', 'result'])
    expect(featureCount).toBe(expected.features.length)
    expect(result.type).toBe('FeatureCollection')
    expect(result.features).toEqual(expected.features)
  })
})

test('inside check: shares, rules, boundaries, holes, overlapping references, picked fields', async () => {
  const ring = (x1: number, y1: number, x2: number, y2: number) => box(x1, y1, x2, y2).coordinates[0]
  const bound = await layer(
    owner,
    feature({ type: 'Polygon', coordinates: [ring(0, 0, 4, 4), ring(1, 1, 2, 2)?.toReversed()] }, { name: 'a', n: 1 }),
    feature(box(3, 0, 8, 4), { name: 'b', n: [2, { deep: true }] }),
  )
  const binding = { kind: 'layer', id: bound.id }
  const check = async (rule: object | undefined, input: unknown) => {
    const api = await save(owner, 'vector.inside-check', { binding, referenceFields: ['n'], ...(rule && { rule }) })
    return (await run<Verdict>(api, { input })).data
  }
  const input = collection(
    feature(box(2.2, 0, 7, 1)),
    feature(box(6, 1, 10, 2)),
    feature(box(1.1, 1.1, 1.9, 1.9)),
    feature(point(0, 0)),
    feature({
      type: 'MultiPoint',
      coordinates: [
        [1.5, 1.5],
        [5, 1],
        [9, 9],
        [4, 4],
      ],
    }),
    feature({
      type: 'LineString',
      coordinates: [
        [8, 1],
        [9, 1],
      ],
    }),
  )
  const rows: [string, number, number, unknown][] = [
    ['inside', 100, 2, [2, { deep: true }]],
    ['partial', 50, 1, [2, { deep: true }]],
    ['outside', 0, 0, undefined],
    ['inside', 100, 1, 1],
    ['partial', 50, 2, [2, { deep: true }]],
    ['outside', 0, 1, undefined],
  ]
  const passes: [object | undefined, boolean[]][] = [
    [undefined, [true, false, false, true, false, false]],
    [{ kind: 'inside' }, [true, false, false, true, false, false]],
    [{ kind: 'partly' }, [true, true, false, true, true, false]],
    [{ kind: 'percent', percent: 50 }, [true, true, false, true, true, false]],
    [{ kind: 'percent', percent: 50.000001 }, [true, false, false, true, false, false]],
    [{ kind: 'percent', percent: 0 }, [true, true, true, true, true, true]],
  ]
  for (const [rule, pass] of passes) {
    const verdict = await check(rule, input)
    expect(verdict.counts).toEqual({ inside: 2, partial: 2, outside: 2, passed: pass.filter(Boolean).length })
    expect(verdict.passed).toBe(!pass.includes(false))
    rows.forEach(([relation, percentInside, matchCount, n], index) => {
      expect(verdict.results[index]).toEqual({
        ...{ index, relation, matchCount, pass: pass[index] as boolean },
        percentInside: expect.closeTo(percentInside, 6),
        reference: n === undefined ? {} : { n },
      })
    })
  }
  // a Feature and a geometry are accepted too; an empty collection passes
  expect((await check(undefined, feature(point(1, 0)))).counts.inside).toBe(1)
  expect((await check(undefined, point(1, 0))).counts.inside).toBe(1)
  expect(await check(undefined, collection())).toEqual({
    ...{ passed: true, counts: { inside: 0, partial: 0, outside: 0, passed: 0 }, results: [] },
  })
})

test('unknown, missing, revoked and wrong keys get the same answer', async () => {
  const api = await save(owner, 'vector.centroids')
  const second = await instance.manage<{ keyId: string; key: string }>('POST', `/tool-apis/${api.id}/keys`)
  expect((await run({ id: api.id, key: second.key }, { input: point(0, 0) })).status).toBe(200)
  await instance.manage('DELETE', `/tool-apis/${api.id}/keys/${second.keyId}`)
  expect(api.key).toMatch(/^svcapi_[\w-]{43}$/)
  const answers = await Promise.all([
    run({ id: `tap_${'0'.repeat(32)}`, key: api.key }, { input: 1 }),
    run(api, { input: 1 }, { authorization: '' }),
    run({ id: api.id, key: second.key }, { input: 1 }),
    run({ id: api.id, key: `svcapi_${'A'.repeat(43)}` }, 'not JSON at all'),
  ])
  const plain = answers.map(({ text, headers }) => ({
    text: text.replace(/"(requestId|timestamp|path)":"[^"]*"/g, '"$1":""'),
    headers: [...headers].filter(([name]) => !['x-request-id', 'date', 'content-length'].includes(name)),
  }))
  expect(answers[0]).toMatchObject({ status: 401, code: 'TOOL_API_KEY_INVALID' })
  for (const one of plain) expect(one).toEqual(plain[0] as never)
})

test('the first failing check determines the answer', async () => {
  const person = await instance.manage<{ id: string }>('POST', '/people', { email: 'o@example.org', plan: 'pro' })
  const zones = await layer(person.id, feature(box(0, 0, 1, 1)))
  const api = await save(person.id, 'vector.spatial-join', { binding: { kind: 'layer', id: zones.id } })
  const bad = async () => (await run(api, { input: 'bad' })).code
  await instance.manage('PATCH', '/tiers/pro', { apiRequestsPerDay: 0 })
  await instance.manage('PATCH', `/people/${person.id}`, { status: 'suspended', plan: 'free' })
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { held: true, heldReason: 'looked into', enabled: false })
  await instance.manage('DELETE', `/owners/${person.id}/layers/${zones.id}`)

  expect((await run({ ...api, key: 'no' }, { input: 'bad' })).code).toBe('TOOL_API_KEY_INVALID')
  expect(await bad()).toBe('TOOL_API_SUSPENDED')
  await instance.manage('PATCH', `/people/${person.id}`, { status: 'active' })
  expect(await bad()).toBe('TOOL_API_HELD')
  // the owner sees the reason, callers do not
  expect(await instance.manage('GET', `/tool-apis/${api.id}`)).toMatchObject({ held: true, heldReason: 'looked into' })
  expect((await run(api, {})).text).not.toContain('looked into')
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { held: false })
  expect(await bad()).toBe('TOOL_API_DISABLED')
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { enabled: true })
  expect(await bad()).toBe('TOOL_API_PLAN')
  await instance.manage('PATCH', `/people/${person.id}`, { plan: 'plus' })
  expect(await bad()).toBe('TOOL_API_PLAN')
  await instance.manage('PATCH', '/tiers/plus', { toolApis: true, apiRequestsPerDay: 100 })
  expect(await bad()).toBe('GIS_TIER_REQUIRED')
  await instance.manage('PATCH', '/tiers/plus', { toolApis: false })
  await instance.manage('PATCH', `/people/${person.id}`, { plan: 'pro' })
  const spent = await run(api, { input: 'bad' })
  expect(spent).toMatchObject({ status: 429, code: 'API_KEY_QUOTA' })
  expect(Number(spent.headers.get('retry-after'))).toBeWithin(1, 86_401)
  await instance.manage('PATCH', '/tiers/pro', { apiRequestsPerDay: 1000 })
  expect(await bad()).toBe('TOOL_API_INPUT_INVALID')
  expect(await run(api, { input: point(0, 0) })).toMatchObject({ status: 409, code: 'TOOL_API_BINDING_MISSING' })
  for (const [code, status] of [
    ['TOOL_API_SUSPENDED', 403],
    ['TOOL_API_PLAN', 403],
  ] as const) {
    await instance.manage(
      'PATCH',
      `/people/${person.id}`,
      code === 'TOOL_API_PLAN' ? { status: 'active', plan: 'plus' } : { status: 'suspended' },
    )
    expect(await run(api, {})).toMatchObject({ code, status })
  }
})

test('all Tool APIs of an owner share the daily allowance, failed calls count, and a kill resets nothing', async () => {
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Small', tier: 'starter' })
  await instance.manage('PATCH', `/enterprises/${id}`, { apiRequestsPerDay: 5 })
  const apis = [await save(id, 'vector.centroids'), await save(id, 'vector.convex-hull')]
  const [a, b] = apis as [(typeof apis)[number], (typeof apis)[number]]
  expect((await run(a, { input: point(1, 2) })).status).toBe(200)
  expect((await run(b, { input: 'bad' })).status).toBe(422)
  // calls rejected before this check cost nothing
  await run({ ...a, key: 'wrong' }, { input: point(1, 2) })
  await instance.manage('PATCH', `/tool-apis/${b.id}`, { enabled: false })
  await run(b, { input: point(1, 2) })
  await instance.manage('PATCH', `/tool-apis/${b.id}`, { enabled: true })
  expect((await run(b, { input: point(1, 2) })).status).toBe(200)
  await instance.kill('SIGKILL')
  await instance.restart()
  expect((await run(a, { input: point(1, 2) })).status).toBe(200)
  expect((await run(a, { input: point(1, 2) })).status).toBe(200)
  expect(await run(b, { input: point(1, 2) })).toMatchObject({ status: 429, code: 'ENTERPRISE_API_DAILY_LIMIT' })
  const usage = await instance.manage<Record<string, unknown>>('GET', `/owners/${id}/usage`)
  expect(usage.requests).toMatchObject({ used: 5, allowance: 5 })
}, 30_000)

test('usage reports calls, failures and durations', async () => {
  const api = await save(owner, 'vector.centroids')
  for (const input of [point(1, 2), 'bad', point(3, 4)]) await run(api, { input })
  const today = new Date().toISOString().slice(0, 10)
  const usage = await instance.manage<Record<string, never>>(
    'GET',
    `/tool-apis/${api.id}/usage?from=${today}&to=${today}`,
  )
  expect(usage).toMatchObject({ calls: 3, failures: 1, days: [{ day: today, calls: 3, failures: 1 }] })
  expect(usage.durationMs).toBeGreaterThan(0)
  expect(await call('GET', `/tool-apis/${api.id}/usage?from=2026-02-02&to=2026-02-01`)).toMatchObject({
    ...{ status: 422, errors: [{ field: 'query.from', rule: 'order' }] },
  })
})

const polygon = (...rings: unknown[]) => ({ type: 'Polygon', coordinates: rings })
const square = box(0, 0, 1, 1).coordinates[0] as number[][]
const BAD: [string, unknown, RegExp][] = [
  ['no input', {}, /input: is required/],
  ['another field', { input: point(0, 0), settings: {} }, /settings: is not a field/],
  ['a list', [], /must be a JSON object/],
  ['text', { input: 'Point' }, /must be a GeoJSON/],
  ['null', { input: null }, /must be a GeoJSON/],
  ['an unknown type', { input: { type: 'Circle', coordinates: [0, 0] } }, /feature 0: the type must be one of/],
  ['features that are not a list', { input: { type: 'FeatureCollection', features: {} } }, /array of features/],
  ['an item that is not a feature', { input: collection(feature(point(0, 0)), point(0, 0)) }, /feature 1: its type/],
  ['no geometry', { input: collection(feature(point(0, 0)), feature(null)) }, /feature 1: must have a geometry/],
  ['invalid properties', { input: { type: 'Feature', properties: 3, geometry: point(0, 0) } }, /properties/],
  ['an open ring', { input: polygon(square.slice(0, -1).concat([[0.5, 0.5]])) }, /feature 0: ring 0 is not closed/],
  [
    'an open hole',
    {
      input: polygon(square, [
        [0, 0],
        [0, 0.1],
        [0.1, 0.1],
        [0.1, 0],
      ]),
    },
    /ring 1 is not closed/,
  ],
  [
    'a ring of three positions',
    {
      input: polygon([
        [0, 0],
        [1, 1],
        [0, 0],
      ]),
    },
    /ring 0 must be an array of at least 4 positions/,
  ],
  ['empty coordinates', { input: { type: 'MultiPolygon', coordinates: [] } }, /at least one polygon/],
  ['an empty point', { input: point() }, /position must be an array of two or three numbers/],
  ['a line of one position', { input: { type: 'LineString', coordinates: [[0, 0]] } }, /at least 2 positions/],
  [
    'a collection',
    { input: { type: 'GeometryCollection', geometries: [point(0, 0)] } },
    /GeometryCollection is not supported/,
  ],
  ['four dimensions', { input: collection(feature(point(0, 0)), feature(point(1, 2, 3, 4))) }, /feature 1: a position/],
  ['text coordinates', { input: { type: 'Point', coordinates: ['1', '2'] } }, /finite numbers/],
  ['latitude 91', { input: point(0, 91) }, /latitude from -90 to 90, not \[0, 91\]/],
  ['longitude 181', { input: point(181, 0) }, /longitude must be from -180 to 180/],
  [
    'a CRS',
    { input: { ...collection(feature(point(0, 0))), crs: { type: 'name', properties: { name: 'EPSG:25832' } } } },
    /crs/,
  ],
  [
    'a CRS of a feature',
    { input: collection({ ...feature(point(0, 0)), crs: null }) },
    /feature 0: has an unsupported crs member/,
  ],
]

describe('invalid input is rejected with the reason and the position', () => {
  let api: { id: string; key: string }
  beforeAll(async () => {
    api = await save(owner, 'vector.centroids')
  })
  test.each(BAD)('%s', async (_name, body, message) => {
    expect(await run(api, body)).toMatchObject({
      ...{ status: 422, code: 'TOOL_API_INPUT_INVALID', message: expect.stringMatching(message) },
      errors: [{ field: expect.stringMatching(/^body/), message: expect.stringMatching(/\w/) }],
    })
  })

  test('malformed JSON, numbers out of range, deep nesting, another content type', async () => {
    for (const body of ['', '{', '{"input":{"type":"Point","coordinates":[1e999,0]}}', new Uint8Array([123, 255, 125])])
      expect(await run(api, body)).toMatchObject({ status: 422, code: 'TOOL_API_INPUT_INVALID' })
    const deep = '['.repeat(1_000_000)
    for (const coordinates of [deep + ']'.repeat(1_000_000), deep, `${'[['.repeat(200_000)}1,2${']]'.repeat(200_000)}`])
      expect(await run(api, `{"input":{"type":"MultiPolygon","coordinates":${coordinates}}}`)).toMatchObject({
        ...{ status: 422, code: 'TOOL_API_INPUT_INVALID' },
      })
    expect(await run(api, 'input=1', { 'content-type': 'text/plain' })).toMatchObject({ status: 415 })
    expect(await run(api, 'not gzip', { 'content-encoding': 'gzip' })).toMatchObject({ status: 422 })
    expect((await run(api, { input: point(1, 2) })).status).toBe(200)
  })

  test('10,000 features are accepted, 10,001 and 6 MB are not', async () => {
    const points = Array.from({ length: 10_001 }, (_, i) => feature(point((i % 360) - 180, 0)))
    expect((await run(api, { input: collection(...points.slice(1)) })).data.featureCount).toBe(10_000)
    expect(await run(api, { input: collection(...points) })).toMatchObject({
      ...{ status: 413, code: 'TOOL_API_INPUT_TOO_LARGE', message: expect.stringMatching(/10001 .*10000/) },
    })
    expect(await run(api, { input: feature(point(0, 0), { text: 'x'.repeat(6 * 2 ** 20) }) })).toMatchObject({
      ...{ status: 413, code: 'TOOL_API_INPUT_TOO_LARGE' },
    })
    const packed = Bun.gzipSync(JSON.stringify({ input: point(7, 8) }))
    expect((await run(api, packed, { 'content-encoding': 'gzip' })).status).toBe(200)
  })

  test('other geometry where polygons are required, and a missing column named in the settings', async () => {
    const bound = await layer(owner, feature(box(0, 0, 1, 1)))
    const union = await save(owner, 'vector.union', { binding: { kind: 'layer', id: bound.id } })
    expect(await run(union, { input: collection(feature(box(0, 0, 1, 1)), feature(point(0, 0))) })).toMatchObject({
      ...{ code: 'TOOL_API_INPUT_INVALID', message: expect.stringMatching(/polygons only; feature 1/) },
    })
    const buffer = await save(owner, 'vector.buffer', { settings: { distance_by: 'field', distance_field: 'range' } })
    expect(await run(buffer, { input: feature(point(0, 0), { other: 1 }) })).toMatchObject({
      ...{ code: 'TOOL_API_INPUT_INVALID', message: expect.stringMatching(/distance_field .*other/) },
    })
  })
})

test('a result over 20 MB is rejected', async () => {
  const api = await save(owner, 'vector.grid', { settings: { cell_size_m: 1000 } })
  expect(await run(api, { input: box(0, 0, 4, 4) })).toMatchObject({ status: 413, code: 'TOOL_API_RESULT_TOO_LARGE' })
  expect(await run(api, { input: box(0, 0, 80, 80) })).toMatchObject({ status: 413, code: 'TOOL_API_RESULT_TOO_LARGE' })
  expect((await run(api, { input: box(0, 0, 0.1, 0.1) })).status).toBe(200)
})

test('a bound item may be deleted, transferred, changed in kind, and restored', async () => {
  const other = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Other', tier: 'starter' })
  const bound = await layer(owner, feature(box(0, 0, 1, 1), {}, 'only'))
  const api = await save(owner, 'vector.inside-check', { binding: { kind: 'layer', id: bound.id } })
  const answer = async () => {
    const { code, data } = await run<Verdict>(api, { input: point(0.5, 0.5) })
    return data === undefined ? code : (data.results[0]?.relation as string)
  }
  const at = `/layers/${bound.id}`
  expect(await answer()).toBe('inside')
  await instance.manage('PATCH', `/owners/${owner}${at}`, { ownerId: other.id })
  expect(await answer()).toBe('TOOL_API_BINDING_MISSING')
  await instance.manage('PATCH', `/owners/${other.id}${at}`, { ownerId: owner })
  expect(await answer()).toBe('inside')
  await instance.manage('PATCH', `/owners/${owner}${at}/features`, { upsert: [feature(point(0, 0), {}, 'a point')] })
  expect(await answer()).toBe('TOOL_API_BINDING_MISSING')
  await instance.manage('PATCH', `/owners/${owner}${at}/features`, { delete: ['a point'] })
  expect(await answer()).toBe('inside')
  await instance.manage('DELETE', `/owners/${owner}${at}/features/only`)
  expect(await answer()).toBe('outside')
  await instance.manage('DELETE', `/owners/${owner}${at}`)
  expect(await answer()).toBe('TOOL_API_BINDING_MISSING')
})

test('a bound file is read in its newest clean version, or in the pinned version', async () => {
  const zone = (x: number) => JSON.stringify(collection(feature(box(x, 0, x + 1, 1), { x })))
  const files = `/owners/${owner}/files`
  const { data: file } = await upload(files, 'zone.geojson', zone(0))
  const versions = `${files}/${file.id}/versions`
  const more = { referenceFields: ['x'] }
  const newest = await save(owner, 'vector.inside-check', { binding: { kind: 'file', id: file.id }, ...more })
  const pinned = await save(owner, 'vector.inside-check', {
    ...{ binding: { kind: 'file-version', id: file.id, version: 1 }, ...more },
  })
  const where = async (api: { id: string; key: string }) => {
    const input = collection(...[0, 1, 2].map((x) => feature(point(x + 0.5, 0.5))))
    const { code, data } = await run<Verdict>(api, { input })
    return data === undefined ? code : data.results.findIndex(({ relation }) => relation === 'inside')
  }
  expect([await where(newest), await where(pinned)]).toEqual([0, 0])
  expect((await upload(versions, 'zone.geojson', zone(1))).data).toMatchObject({ version: 2, scanStatus: 'clean' })
  expect([await where(newest), await where(pinned)]).toEqual([1, 0])
  const eicar = `X5O!P%@AP[4\\PZX54(P^)7CC)7}$${'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'}`
  const infected = JSON.stringify({ ...JSON.parse(zone(2)), name: eicar })
  expect((await upload(versions, 'zone.geojson', infected)).data).toMatchObject({ version: 3, scanStatus: 'clean' })
  // escaped in JSON the file is clean; as raw text it is infected
  const raw = zone(2).replace('"type":"FeatureCollection"', `"type":"FeatureCollection"}${eicar}`)
  expect((await upload(versions, 'zone.geojson', raw)).data).toMatchObject({ version: 4, scanStatus: 'infected' })
  expect([await where(newest), await where(pinned)]).toEqual([2, 0])
  await instance.manage('DELETE', `${versions}/3`)
  expect(await where(newest)).toBe(1)
  await instance.manage('PATCH', `${versions}/2`, { scanStatus: 'infected' })
  expect(await where(newest)).toBe(0)
  await instance.manage('PATCH', `${versions}/1`, { scanStatus: 'failed' })
  expect([await where(newest), await where(pinned)]).toEqual(['TOOL_API_BINDING_MISSING', 'TOOL_API_BINDING_MISSING'])
  await instance.manage('PATCH', `${versions}/1`, { scanStatus: 'clean' })
  expect([await where(newest), await where(pinned)]).toEqual([0, 0])
  // replaced with a file of another kind
  await upload(versions, 'zone.geojson', JSON.stringify(collection(feature(point(0, 0)))))
  expect([await where(newest), await where(pinned)]).toEqual(['TOOL_API_BINDING_MISSING', 0])
  await instance.manage('DELETE', `${files}/${file.id}`)
  expect([await where(newest), await where(pinned)]).toEqual(['TOOL_API_BINDING_MISSING', 'TOOL_API_BINDING_MISSING'])
})

test('bound files of other CRS and formats are read correctly', async () => {
  for (const name of ['zones.geojson', 'districts_utm.zip'])
    if (await Bun.file(join(FIXTURES, name)).exists()) {
      const file = await upload(`/owners/${owner}/files`, name, readFileSync(join(FIXTURES, name)))
      expect(file.data).toMatchObject({ scanStatus: 'clean', kind: 'vector' })
    }
  // a square kilometre in UTM zone 32 at 9° east, where grid north is true north
  const utm = {
    crs: { type: 'name', properties: { name: 'EPSG:25832' } },
    ...collection(feature(box(499_500, 5_499_500, 500_500, 5_500_500), { a: 1 })),
  }
  const { data } = await upload(`/owners/${owner}/files`, 'utm.geojson', JSON.stringify(utm))
  const asLayer = await instance.manage<{ id: string }>('POST', `/owners/${owner}/layers`, {
    name: 'UTM',
    geojson: utm,
  })
  for (const binding of [
    { kind: 'file', id: data.id },
    { kind: 'layer', id: asLayer.id },
  ]) {
    const api = await save(owner, 'vector.clip', { binding })
    const answer = await run<{ result: { features: { geometry: { coordinates: number[][][] } }[] } }>(api, {
      ...{ input: box(8.9, 49.6, 9.1, 49.7) },
    })
    const ring = answer.data.result.features[0]?.geometry.coordinates[0] as number[][]
    // one degree of longitude is 72.2 km there, of latitude 111.2 km (closed form on the ellipsoid, within 0.1 %)
    expect(Math.max(...ring.map(([x = 0]) => x)) - Math.min(...ring.map(([x = 0]) => x))).toBeCloseTo(1 / 72.23, 4)
    expect(Math.max(...ring.map(([, y = 0]) => y)) - Math.min(...ring.map(([, y = 0]) => y))).toBeCloseTo(1 / 111.21, 4)
  }
})

test('no answer reveals anything of the bound layer except the picked fields', async () => {
  const secret = { name: 'told', secret: 'hush-hush', 'secret column': 123_456_789 }
  const odd = box(10.123454321, 20.123454321, 11.987656789, 21.987656789)
  const bound = await layer(owner, feature(odd, secret, 'hidden-id'))
  const binding = { kind: 'layer', id: bound.id }
  const apis = [
    await save(owner, 'vector.inside-check', { binding, referenceFields: ['name'] }),
    await save(owner, 'vector.inside-check', { binding }),
    await save(owner, 'vector.spatial-join', { binding, referenceFields: ['name'] }),
    await save(owner, 'vector.clip', { binding }),
    await save(owner, 'vector.erase', { binding }),
  ]
  const inputs = [
    box(10.5, 20.5, 10.6, 20.6),
    box(0, 0, 1, 1),
    point(10.5, 20.5),
    'bad',
    null,
    { type: 'Polygon', coordinates: [[]] },
  ]
  const hidden = ['hush', 'secret', '123456789', 'hidden-id', '123454321', '987656789', bound.id, owner]
  const look = async (): Promise<void> => {
    for (const api of apis)
      for (const input of inputs) {
        const { text, headers } = await run(api, { input })
        for (const word of hidden) expect(text + JSON.stringify([...headers])).not.toContain(word)
      }
  }
  await look()
  expect((await run<Verdict>(apis[0] as never, { input: inputs[0] })).data.results[0]?.reference).toEqual({
    name: 'told',
  })
  expect((await run<Verdict>(apis[1] as never, { input: inputs[0] })).data.results[0]?.reference).toEqual({})
  // invalid bound layers: a bow-tie, points among polygons, no features
  for (const features of [
    [
      feature(
        {
          type: 'Polygon',
          coordinates: [
            [
              [10, 20],
              [11, 21],
              [11, 20],
              [10, 21],
              [10, 20],
            ],
          ],
        },
        secret,
      ),
    ],
    [feature(point(10.5, 20.5), secret)],
    [],
  ]) {
    await instance.manage('PUT', `/owners/${owner}/layers/${bound.id}/features`, collection(...features))
    await look()
  }
  const description = await fetch(`${instance.url()}/tool-apis/${apis[0]?.id}`, {
    headers: { authorization: `Bearer ${apis[0]?.key}` },
  })
  const text = await description.text()
  for (const word of hidden) expect(text).not.toContain(word)
  expect(JSON.parse(text)).toMatchObject({
    id: apis[0]?.id,
    svc: { toolKey: 'vector.inside-check', maxFeatures: 10_000 },
  })
  expect((await fetch(`${instance.url()}/tool-apis/${apis[0]?.id}`)).status).toBe(401)
})

test('each Tool API answers sixty calls per minute', async () => {
  const own = await createInstance()
  try {
    const mine = toolApisOf(() => own)
    const { id } = await own.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'business' })
    const [a, b] = [await mine.save(id, 'vector.centroids'), await mine.save(id, 'vector.centroids')]
    const statuses: number[] = []
    for (let i = 0; i < 60; i++) statuses.push((await mine.run(a, { input: i % 3 === 0 ? 'bad' : point(1, 2) })).status)
    expect(statuses.filter((status) => status === 429)).toEqual([])
    const refused = await mine.run(a, { input: point(1, 2) })
    expect(refused).toMatchObject({ status: 429, code: 'TOOL_API_RATE_LIMITED' })
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 62)
    expect((await mine.run(b, { input: point(1, 2) })).status).toBe(200)
    // the rejected call does not count against the daily allowance
    const usage = await own.manage<{ requests: { used: number } }>('GET', `/owners/${id}/usage`)
    expect(usage.requests.used).toBe(61)
  } finally {
    await own.remove()
  }
}, 30_000)
