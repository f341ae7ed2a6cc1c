/** /tool-apis/{id}/run over HTTP: every eligible tool, the rules of inside-check, and invalid input. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadRegistry } from '../../../src/tools/registry.ts'
import { settingsSchema } from '../../../src/tools/saved.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { collection, feature, toolApisOf, type Verdict } from '../../support/server/tool-apis.ts'
import { box, point } from '../../support/workers/engine.ts'
import { callTool, FIXTURES, fetchFile } from '../../support/workers/tools.ts'

const { tools } = await loadRegistry()
const eligible = tools.filter(({ saved }) => saved !== undefined)
const NAMES =
  'buffer simplify convex-hull concave-hull centroids dissolve explode repair grid area-length validate clip erase intersect union spatial-join inside-check'

const { layer, save, run, upload } = toolApisOf(() => instance)
type Fixture = { type: string; features: { geometry: unknown }[] }
/** Removes features without geometry, which a Tool API rejects. */
function fixture(name: string): Fixture {
  const read = JSON.parse(readFileSync(join(FIXTURES, name), 'utf8')) as Fixture
  return { ...read, features: read.features.filter(({ geometry }) => geometry !== null) }
}

const instance = await sharedInstance()
const { id: owner } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'business' })

test('the eligible tools equal the list in the contract', () => {
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
      status: 200,
      code: 'TOOL_API_RESULT',
      message: 'Done.',
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
        index,
        relation,
        matchCount,
        pass: pass[index] as boolean,
        percentInside: expect.closeTo(percentInside, 6),
        reference: n === undefined ? {} : { n },
      })
    })
  }
  // a Feature and a geometry are accepted too; an empty collection passes
  expect((await check(undefined, feature(point(1, 0)))).counts.inside).toBe(1)
  expect((await check(undefined, point(1, 0))).counts.inside).toBe(1)
  expect(await check(undefined, collection())).toEqual({
    passed: true,
    counts: { inside: 0, partial: 0, outside: 0, passed: 0 },
    results: [],
  })
})

test('the description of an inside check contains the schema of its tool and the picked fields', async () => {
  const bound = await layer(owner, feature(box(0, 0, 1, 1), { n: 1, other: 2 }))
  const binding = { kind: 'layer', id: bound.id }
  const api = await save(owner, 'vector.inside-check', { binding, referenceFields: ['n'] })
  const headers = { authorization: `Bearer ${api.key}` }
  const describe = async (query = '') =>
    (await (await fetch(`${instance.url()}/tool-apis/${api.id}${query}`, { headers })).json()) as {
      outputs: { result: { schema: { properties: Record<string, { description: string; items?: object }> } } }
    }
  const { properties } = (await describe()).outputs.result.schema
  expect(properties.results?.items).toMatchObject({
    required: ['index', 'relation', 'percentInside', 'pass', 'matchCount', 'reference'],
    properties: {
      relation: { type: 'string', enum: ['inside', 'partial', 'outside'] },
      percentInside: { type: 'number', minimum: 0, maximum: 100 },
      reference: { type: 'object', properties: { n: {} }, additionalProperties: false },
    },
  })
  const arabic = (await describe('?lang=ar')).outputs.result.schema.properties
  for (const name of ['passed', 'counts', 'results']) expect(arabic[name]?.description).toMatch(/[\u0600-\u06ff]/)
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
      status: 422,
      code: 'TOOL_API_INPUT_INVALID',
      message: expect.stringMatching(message),
      errors: [{ field: expect.stringMatching(/^body/), message: expect.stringMatching(/\w/) }],
    })
  })

  test('malformed JSON, numbers out of range, deep nesting, another content type', async () => {
    for (const body of ['', '{', '{"input":{"type":"Point","coordinates":[1e999,0]}}', new Uint8Array([123, 255, 125])])
      expect(await run(api, body)).toMatchObject({ status: 422, code: 'TOOL_API_INPUT_INVALID' })
    const deep = '['.repeat(1_000_000)
    for (const coordinates of [deep + ']'.repeat(1_000_000), deep, `${'[['.repeat(200_000)}1,2${']]'.repeat(200_000)}`])
      expect(await run(api, `{"input":{"type":"MultiPolygon","coordinates":${coordinates}}}`)).toMatchObject({
        status: 422,
        code: 'TOOL_API_INPUT_INVALID',
      })
    expect(await run(api, 'input=1', { 'content-type': 'text/plain' })).toMatchObject({ status: 415 })
    expect(await run(api, 'not gzip', { 'content-encoding': 'gzip' })).toMatchObject({ status: 422 })
    expect((await run(api, { input: point(1, 2) })).status).toBe(200)
  })

  test('10,000 features are accepted, 10,001 and 6 MB are not', async () => {
    const points = Array.from({ length: 10_001 }, (_, i) => feature(point((i % 360) - 180, 0)))
    expect((await run(api, { input: collection(...points.slice(1)) })).data.featureCount).toBe(10_000)
    expect(await run(api, { input: collection(...points) })).toMatchObject({
      status: 413,
      code: 'TOOL_API_INPUT_TOO_LARGE',
      message: expect.stringMatching(/10001 .*10000/),
    })
    expect(await run(api, { input: feature(point(0, 0), { text: 'x'.repeat(6 * 2 ** 20) }) })).toMatchObject({
      status: 413,
      code: 'TOOL_API_INPUT_TOO_LARGE',
    })
    const packed = Bun.gzipSync(JSON.stringify({ input: point(7, 8) }))
    expect((await run(api, packed, { 'content-encoding': 'gzip' })).status).toBe(200)
  })

  test('other geometry where polygons are required, and a missing column named in the settings', async () => {
    const bound = await layer(owner, feature(box(0, 0, 1, 1)))
    const union = await save(owner, 'vector.union', { binding: { kind: 'layer', id: bound.id } })
    expect(await run(union, { input: collection(feature(box(0, 0, 1, 1)), feature(point(0, 0))) })).toMatchObject({
      code: 'TOOL_API_INPUT_INVALID',
      message: expect.stringMatching(/polygons only; feature 1/),
    })
    const buffer = await save(owner, 'vector.buffer', { settings: { distance_by: 'field', distance_field: 'range' } })
    expect(await run(buffer, { input: feature(point(0, 0), { other: 1 }) })).toMatchObject({
      code: 'TOOL_API_INPUT_INVALID',
      message: expect.stringMatching(/distance_field .*other/),
    })
  })
})

test('ids of features and saved coordinate decimals reach the result', async () => {
  const api = await save(owner, 'vector.centroids', { settings: { coordinate_precision: 2 } })
  const input = collection(
    { ...feature(box(0, 0, 1 / 3, 1), { a: 1 }), id: 'way/7' },
    { ...feature(box(0, 0, 2, 2), { a: 2 }), id: 12 },
  )
  const { data } = await run<{ result: { features: unknown[] } }>(api, { input })
  expect(data.result.features).toMatchObject([
    { id: 'way/7', geometry: { coordinates: [0.17, 0.5] } },
    { id: 12, geometry: { coordinates: [1, 1] } },
  ])
})

test('a result over 20 MB is rejected', async () => {
  const api = await save(owner, 'vector.grid', { settings: { cell_size_m: 1000 } })
  expect(await run(api, { input: box(0, 0, 4, 4) })).toMatchObject({ status: 413, code: 'TOOL_API_RESULT_TOO_LARGE' })
  expect(await run(api, { input: box(0, 0, 80, 80) })).toMatchObject({ status: 413, code: 'TOOL_API_RESULT_TOO_LARGE' })
  expect((await run(api, { input: box(0, 0, 0.1, 0.1) })).status).toBe(200)
})
