/** Creating and updating Tool APIs, with valid and invalid fields. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { collection, feature, toolApisOf } from '../../support/server/tool-apis.ts'
import { box, point } from '../../support/workers/engine.ts'
import { FIXTURES } from '../../support/workers/tools.ts'

const { layer, save, run, call, upload } = toolApisOf(() => instance)

const instance = await sharedInstance()
const owner = (await instance.manage<{ id: string }>('POST', '/people', { email: 'a@example.org', plan: 'max' })).id
const other = await instance.manage<{ id: string }>('POST', '/people', { email: 'b@example.org', plan: 'max' })
const zones = (await layer(owner, feature(box(0, 0, 1, 1), { name: 'a' }))).id
const points = (await layer(owner, feature(point(0, 0)))).id
const foreign = (await layer(other.id, feature(box(0, 0, 1, 1)))).id
const raster = (await upload(`/owners/${owner}/files`, 'dem.tif', readFileSync(join(FIXTURES, 'dem.tif')))).data.id
const csv = (await upload(`/owners/${owner}/files`, 'a.csv', 'a,b\n1,2\n')).data.id

test('invalid Tool APIs are rejected with the field name', async () => {
  const onZones = { binding: { kind: 'layer', id: zones } }
  const inside = { tool: 'vector.inside-check', ...onZones }
  const bad: [object, string, string][] = [
    [{ tool: 'image.merge-images' }, 'body.tool', 'enum'],
    [{ tool: 'vector.merge' }, 'body.tool', 'enum'],
    [{ tool: 'vector.buffer', name: ' ' }, 'body.name', 'pattern'],
    [{ tool: 'vector.buffer', more: 1 }, 'body.more', 'additionalProperties'],
    [{ tool: 'vector.buffer', settings: { distance_m: 'far' } }, 'body.settings.distance_m', 'number'],
    [{ tool: 'vector.buffer', settings: { target_format: 'shp' } }, 'body.settings.target_format', 'unknown'],
    [{ tool: 'vector.simplify', settings: { tolerance: 0 } }, 'body.settings.tolerance', 'minimum'],
    [{ tool: 'vector.buffer', ...onZones }, 'body.binding', 'forbidden'],
    [{ tool: 'vector.clip' }, 'body.binding', 'required'],
    [{ tool: 'vector.clip', binding: { kind: 'url', id: zones } }, 'body.binding.kind', 'enum'],
    [{ tool: 'vector.clip', binding: { kind: 'layer', id: 'lay_none' } }, 'body.binding.id', 'exists'],
    [{ tool: 'vector.clip', binding: { kind: 'layer', id: foreign } }, 'body.binding.id', 'exists'],
    [{ tool: 'vector.clip', binding: { kind: 'layer', id: points } }, 'body.binding.id', 'polygons'],
    [{ tool: 'vector.clip', binding: { kind: 'layer', id: zones, version: 1 } }, 'body.binding.version', 'forbidden'],
    [{ tool: 'vector.clip', binding: { kind: 'file-version', id: raster } }, 'body.binding.version', 'required'],
    [{ tool: 'vector.clip', binding: { kind: 'file-version', id: raster, version: 9 } }, 'body.binding.id', 'exists'],
    [{ tool: 'vector.clip', binding: { kind: 'file', id: raster } }, 'body.binding', 'format'],
    [{ tool: 'vector.clip', binding: { kind: 'file', id: csv } }, 'body.binding', 'coordinateColumns'],
    [{ tool: 'raster.zonal-stats', settings: { stats: ['mean'] }, ...onZones }, 'body.binding.kind', 'raster'],
    [
      { tool: 'raster.zonal-stats', settings: { stats: ['mean'] }, binding: { kind: 'file', id: csv } },
      'body.binding',
      'format',
    ],
    [{ tool: 'raster.zonal-stats', binding: { kind: 'file', id: raster } }, 'body.settings.stats', 'required'],
    [{ ...inside, rule: { kind: 'mostly' } }, 'body.rule.kind', 'enum'],
    [{ ...inside, rule: { kind: 'percent' } }, 'body.rule.percent', 'required'],
    [{ ...inside, rule: { kind: 'percent', percent: 101 } }, 'body.rule.percent', 'maximum'],
    [{ ...inside, rule: { kind: 'inside', percent: 5 } }, 'body.rule.percent', 'forbidden'],
    [{ ...inside, referenceFields: ['name', 'nothing'] }, 'body.referenceFields.1', 'enum'],
    [{ ...inside, settings: { rule: 'partly' } }, 'body.settings.rule', 'unknown'],
    [{ tool: 'vector.clip', rule: { kind: 'inside' }, ...onZones }, 'body.rule', 'forbidden'],
    [{ tool: 'vector.clip', referenceFields: ['name'], ...onZones }, 'body.referenceFields', 'forbidden'],
  ]
  for (const [body, field, rule] of bad) {
    const answer = await call('POST', `/owners/${owner}/tool-apis`, { name: 'Saved', ...body })
    expect({
      body,
      status: answer.status,
      code: answer.code,
      field: answer.errors?.[0]?.field,
      rule: answer.errors?.[0]?.rule,
    }).toEqual({
      body,
      status: 422,
      code: 'VALIDATION_FAILED',
      field,
      rule,
    })
  }
  const free = await instance.manage<{ id: string }>('POST', '/people', { email: 'c@example.org', plan: 'plus' })
  expect(await call('POST', `/owners/${free.id}/tool-apis`, { name: 'x', tool: 'vector.buffer' })).toMatchObject({
    status: 403,
    code: 'TOOL_API_PLAN',
  })
  expect(await call('POST', '/owners/per_none/tool-apis', { name: 'x', tool: 'vector.buffer' })).toMatchObject({
    status: 404,
  })
})

test('a Tool API is read, updated with effect on the next call, listed, audited and deleted', async () => {
  const api = await save(owner, 'vector.inside-check', { binding: { kind: 'layer', id: zones } })
  const description = await instance.manage<Record<string, unknown>>('GET', `/tool-apis/${api.id}`)
  expect(description).toMatchObject({
    tool: 'vector.inside-check',
    name: 'Saved',
    settings: {},
    rule: { kind: 'inside' },
    enabled: true,
    held: false,
    binding: { kind: 'layer', id: zones },
    referenceFields: null,
    path: `/tool-apis/${api.id}/run`,
  })
  expect(JSON.stringify(description)).not.toContain(api.key)
  expect(description).toMatchObject({ keys: [{ lastFour: api.key.slice(-4), revokedAt: null }] })
  const half = { input: box(0.5, 0, 1.5, 1) }
  const passed = async () => (await run<{ passed: boolean }>(api, half)).data?.passed
  expect(await passed()).toBe(false)
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { rule: { kind: 'percent', percent: 49 }, name: 'Half' })
  expect(await passed()).toBe(true)
  // a rejected update changes nothing
  expect(await call('PATCH', `/tool-apis/${api.id}`, { rule: { kind: 'percent' }, enabled: false })).toMatchObject({
    status: 422,
  })
  expect(await passed()).toBe(true)
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { referenceFields: ['name'] })
  expect((await run<{ results: object[] }>(api, half)).data.results[0]).toMatchObject({ reference: { name: 'a' } })
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { enabled: false })
  expect(await run(api, half)).toMatchObject({ code: 'TOOL_API_DISABLED' })
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { enabled: true })
  const listed = await instance.manage<{ items: { id: string; name: string }[] }>('GET', `/owners/${owner}/tool-apis`)
  expect(listed.items.map(({ id, name }) => [id, name])).toContainEqual([api.id, 'Half'])
  const audit = await instance.manage<{ items: unknown[] }>('GET', `/audit?subject=${api.id}`)
  expect(audit.items.length).toBe(5)
  expect(JSON.stringify(audit)).not.toMatch(/svcapi_|keySha256/)
  await instance.manage('DELETE', `/tool-apis/${api.id}`)
  expect(await run(api, half)).toMatchObject({ status: 401, code: 'TOOL_API_KEY_INVALID' })
})

test('a changed setting applies to the next call, and defaults are filled in', async () => {
  const api = await save(owner, 'vector.buffer', { settings: { distance_m: 2, unit: 'km' } })
  expect(await instance.manage('GET', `/tool-apis/${api.id}`)).toMatchObject({
    settings: { distance_m: 2, unit: 'km', distance_by: 'value', dissolve: false, cap_style: 'round' },
  })
  const width = async () => {
    const { data } = await run<{ result: { features: { geometry: { coordinates: number[][][] } }[] } }>(api, {
      input: point(0, 0),
    })
    const xs = data.result.features[0]?.geometry.coordinates[0]?.map(([x = 0]) => x) ?? []
    return Math.max(...xs) - Math.min(...xs)
  }
  // one degree along the equator is 111.31949 km
  expect(await width()).toBeCloseTo(4 / 111.31949, 4)
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { settings: { distance_m: 5000 } })
  expect(await width()).toBeCloseTo(10 / 111.31949, 4)
})

test('the catalogue lists every eligible tool with its settings', async () => {
  const { items } = await instance.manage<{
    items: { id: string; secondInput: unknown; settings: { properties: object } }[]
  }>('GET', '/tool-api-tools')
  expect(items.length).toBe(18)
  const clip = items.find(({ id }) => id === 'vector.clip')
  expect(clip).toMatchObject({ secondInput: { field: 'mask', kind: 'polygons' } })
  const inside = items.find(({ id }) => id === 'vector.inside-check')
  expect(Object.keys(inside?.settings.properties ?? {})).toEqual([])
  const zonal = items.find(({ id }) => id === 'raster.zonal-stats')
  expect(Object.keys(zonal?.settings.properties ?? {})).toEqual(['coordinate_precision', 'band', 'stats'])
})

test('text that a database cannot store is rejected in every field', async () => {
  for (const [path, body] of [
    ['/enterprises', { name: 'a\u0000b', tier: 'scale' }],
    ['/enterprises', { name: 'a\ud800b', tier: 'scale' }],
    [`/owners/${owner}/layers`, { name: 'a\u0000b', geojson: collection() }],
    [`/owners/${owner}/layers`, { name: 'a', geojson: collection(feature(null, {}, 'a\u0000')) }],
    [`/owners/${owner}/layers`, { name: 'a', geojson: collection(feature(null, { 'a\u0000': 1 })) }],
    [`/owners/${owner}/layers`, { name: 'a', geojson: collection(feature(null, { 'a\ud800': 1 })) }],
    [`/owners/${owner}/tool-apis`, { name: 'a', tool: 'vector.dissolve', settings: { by: '\u0000' } }],
    [`/owners/${owner}/tool-apis`, { name: 'a', tool: 'vector.dissolve', settings: { by: '\ud800' } }],
  ] as const)
    expect(await call('POST', path, body)).toMatchObject({
      status: 422,
      code: 'VALIDATION_FAILED',
      errors: [{ rule: 'text' }],
    })
  expect(await call('GET', `/owners/${owner}/layers/a%00b`)).toMatchObject({ status: 422 })
  // property values keep such text unchanged
  const odd = { text: '\u0000\ud800' }
  const kept = await layer(owner, feature(null, odd, 'odd'))
  expect(await instance.manage('GET', `/owners/${owner}/layers/${kept.id}/features/odd`)).toMatchObject({
    properties: odd,
  })
})
