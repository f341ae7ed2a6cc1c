/**
 * Without GDAL, tools and layers in GeoJSON in WGS 84 give the same bytes as with it, and everything that needs it
 * answers 503.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { startEngine } from '../../../src/engine/engine.ts'
import { checkInput, isFileField, isFilesField } from '../../../src/tools/check.ts'
import { loadRegistry } from '../../../src/tools/registry.ts'
import type { Tool } from '../../../src/tools/tool.ts'
import { createInstance, type Instance } from '../../support/server/instance.ts'
import { collection, feature, toolApisOf } from '../../support/server/tool-apis.ts'
import { until } from '../../support/until.ts'
import { NODE } from '../../support/workers/engine.ts'
import { scriptOf } from '../../support/workers/hidden-gdal.ts'
import { callTool, FIXTURES } from '../../support/workers/tools.ts'
import { unconfined } from '../../support/workers/unconfined.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-without-gdal-'))
const [hidden, script] = [join(home, 'hidden'), join(home, 'node')]
writeFileSync(hidden, '')
writeFileSync(script, scriptOf(hidden), { mode: 0o755 })

const events: string[] = []
const setUp = Promise.withResolvers<void>()
const start = (name: string, nodePath: string, gdalSetup?: { done: Promise<void>; status(): string }) =>
  startEngine({
    workers: { bun: 1, node: 1 },
    waiting: { total: 8, perTenant: 8 },
    runningPerTenant: 8,
    sandbox: unconfined(home),
    maxMemoryBytes: 2 ** 30,
    limits: { maxFeatures: 1e6, maxUnpackedBytes: 5e7, maxPixels: 1e8, maxSamples: 4e9, maxPages: 100 },
    nodePath,
    gdalSetup,
    onEvent: ({ lane, event, reason }) => events.push(`${name}: ${lane} ${event} ${reason}`),
  })
const complete = start('complete', NODE)
const lacking = start('lacking', script)
const installing = start('installing', script, { done: setUp.promise, status: () => 'GDAL is being installed: 3 %' })
afterAll(async () => {
  await Promise.all([complete, lacking, installing].map((engine) => engine.stop()))
  rmSync(home, { recursive: true })
})

/** The data and the files of a result; the error of a failure. */
async function run(engine: typeof complete, tool: Tool, input: Record<string, unknown>) {
  const scratch = mkdtempSync(join(home, 'run-'))
  const place = (fixture: unknown, i = 0) => {
    const filename = basename(String(fixture))
    const path = join(scratch, `${i}-${filename}`)
    copyFileSync(resolve(FIXTURES, String(fixture)), path)
    return { path, filename, bytes: 1 }
  }
  const given = Object.entries(input).map(([field, value]) => {
    const schema = tool.input.properties[field]
    if (schema !== undefined && isFilesField(schema)) return [field, (value as unknown[]).map(place)]
    if (schema !== undefined && isFileField(schema)) return [field, place(value)]
    // forms contain lists as text
    return [field, typeof value === 'string' && value.startsWith('[') ? JSON.parse(value) : value]
  })
  const options = { scratch, deadlineMs: 60_000, plan: 'max' as const, tenant: 'tester' }
  try {
    const { data, files = [] } = await engine.run(tool, checkInput(tool, Object.fromEntries(given)), options)
    return { data, files: files.map(({ path, filename }) => [filename, readFileSync(path, 'latin1')]) }
  } catch (error) {
    const { code, message, retryAfterS } = error as { code: string; message: string; retryAfterS?: number }
    return { code, message, retryAfterS }
  }
}

const MESSAGE = 'This call needs GDAL, which is not installed on the server. GeoJSON in WGS 84 works without GDAL.'
const UNAVAILABLE = { code: 'TOOL_UNAVAILABLE', message: MESSAGE, retryAfterS: undefined }
const DELAYED = {
  code: 'TOOL_UNAVAILABLE',
  message:
    'This call needs GDAL, which is still being installed on the server; retry later. GeoJSON in WGS 84 works without GDAL.',
  retryAfterS: 30,
}

const tools = (await loadRegistry()).tools.filter(({ lane }) => lane === 'node')
const toolOf = (id: string): Tool => tools.find((tool) => tool.id === id) as Tool

/** docs/api-tools.md lists them. */
const NEED_GDAL = [
  'convert.transform-crs-csv',
  'convert.transform-crs-json',
  'export.map-export',
  'raster.cog-optimize',
  'raster.hillshade',
  'raster.raster-inspect',
  'raster.zonal-stats',
]
const ofGeoJson = tools.filter(({ id }) => !NEED_GDAL.includes(id))
const examplesOf = (tool: Tool) => tool.examples.map(({ name, input }) => [name, input] as const)

describe.each(ofGeoJson.map((tool) => [tool.id, tool] as const))('%s', (_, tool) => {
  test.each(examplesOf(tool))('gives the same bytes: %s', async (_, example) => {
    const input = 'target_format' in tool.input.properties ? { ...example, target_format: 'geojson' } : example
    const [without, whole] = [await run(lacking, tool, input), await run(complete, tool, input)]
    expect(without).toHaveProperty('data')
    expect(without).toEqual(whole)
  })
})

describe.each(NEED_GDAL)('%s', (id) => {
  test.each(examplesOf(toolOf(id)))('answers 503: %s', async (_, example) => {
    expect(await run(lacking, toolOf(id), example)).toEqual(UNAVAILABLE)
  })
})

test.each(['kml', 'kmz', 'parquet'])('%s is written and read without GDAL', async (target_format) => {
  const convert = toolOf('convert.validate-convert')
  const [without, whole] = await Promise.all(
    [lacking, complete].map((engine) => run(engine, convert, { file: 'stations.geojson', target_format })),
  )
  // the entries of a KMZ have the time at which they were written
  if (target_format !== 'kmz') expect(without).toEqual(whole)
  const [[filename, content]] = (without as unknown as { files: [[string, string]] }).files
  writeFileSync(join(home, filename), content, 'latin1')
  const input = { file: join(home, filename), target_format: 'geojson' }
  const [again, expected] = await Promise.all([lacking, complete].map((engine) => run(engine, convert, input)))
  expect(again).toHaveProperty('data')
  expect(again).toEqual(expected)
})

test.each(['shp', 'gml', 'gpkg', 'fgb'])('%s answers 503 without GDAL', async (target_format) => {
  expect(await run(lacking, toolOf('convert.validate-convert'), { file: 'bowtie.geojson', target_format })).toEqual(
    UNAVAILABLE,
  )
})

test('the log and the operator see the reason, once', async () => {
  await lacking.ready()
  expect(lacking.status().node).toMatchObject({ available: false, failing: false, ready: 1 })
  const reason = expect.stringContaining('GDAL cannot be loaded: it is hidden')
  expect(lacking.report().find(({ lane }) => lane === 'node')).toMatchObject({ isAvailable: false, reason })
  expect(events.filter((event) => event.includes('without GDAL'))).toEqual([
    expect.stringMatching(/^lacking: node without GDAL GDAL cannot be loaded: it is hidden/),
  ])
})

test('once GDAL is installed, the processes that started without it are replaced after their runs', async () => {
  const buffer = { file: 'stations.geojson', distance_m: 10, target_format: 'geojson' }
  expect(await run(installing, toolOf('vector.buffer'), buffer)).toHaveProperty('data')
  const packaged = { ...buffer, target_format: 'gpkg' }
  expect(await run(installing, toolOf('vector.buffer'), packaged)).toEqual(DELAYED)
  expect(installing.status().node).toMatchObject({ available: false, reason: 'GDAL is being installed: 3 %' })
  rmSync(hidden)
  const underWay = run(installing, toolOf('vector.grid'), {
    file: 'districts.geojson',
    cell_size_m: 2000,
    target_format: 'geojson',
  })
  await until(async () => installing.status().node.busy === 1)
  setUp.resolve()
  await installing.ready()
  expect(await underWay).toHaveProperty('data')
  expect(installing.status().node).toMatchObject({ available: true })
  expect(await run(installing, toolOf('vector.buffer'), packaged)).toHaveProperty('data')
  writeFileSync(hidden, '')
})

describe('a server', () => {
  let instance: Instance
  let owner: string
  const { layer, save, run, call } = toolApisOf(() => instance)
  const district = {
    type: 'Polygon',
    coordinates: [
      [
        [13, 52],
        [14, 52],
        [14, 53],
        [13, 53],
        [13, 52],
      ],
    ],
  }
  const place = feature({ type: 'Point', coordinates: [13.4, 52.5] }, { name: 'place' })

  beforeAll(async () => {
    instance = await createInstance({}, undefined, 'test/support/server/server-without-gdal.ts')
    owner = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'business' })).id
  }, 120_000)
  afterAll(() => instance.remove())

  test.each([
    ['vector.inside-check', {}],
    ['vector.clip', {}],
    ['vector.intersect', {}],
    ['vector.spatial-join', {}],
    ['vector.buffer', { settings: { distance_m: 250 } }],
  ])('%s runs as a Tool API, bound to a layer', async (tool, more) => {
    const { id } = await layer(owner, feature(district, { name: 'district' }, 'd1'))
    const isBound = toolOf(tool).saved?.second !== undefined
    const api = await save(owner, tool, { ...more, ...(isBound && { binding: { kind: 'layer', id } }) })
    const { status, code, text } = await run(api, { input: collection(place) })
    expect({ status, code }).toEqual({ status: 200, code: 'TOOL_API_RESULT' })
    expect(text).toContain(tool === 'vector.inside-check' ? '"passed":true' : '"featureCount":1')
  })

  test('a layer in another system answers 503 with a time to retry', async () => {
    const crs = { type: 'name', properties: { name: 'EPSG:3857' } }
    const body = { name: 'Layer', geojson: { ...collection(place), crs } }
    expect(await call('POST', `/owners/${owner}/layers`, body)).toMatchObject({ status: 503, code: 'TOOL_UNAVAILABLE' })
    const organization = await instance.organization()
    const sent = { file: 'stations.geojson', distance_m: 500, target_format: 'gpkg' }
    const response = await callTool(instance, organization, '/buffer', sent, true)
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await response.json()).toMatchObject({ ok: false, code: 'TOOL_UNAVAILABLE', message: MESSAGE })
  })

  test('is ready, and reports that the lane lacks GDAL', async () => {
    const ready = await fetch(`${instance.url()}/health/ready`)
    expect(ready.status).toBe(200)
    expect(await ready.text()).toContain('"node":{"workers"')
    expect(instance.log()).toContain('GDAL cannot be loaded')
  })
})
