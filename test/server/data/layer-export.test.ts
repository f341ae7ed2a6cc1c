/** Map layers as files of every format, read back with GDAL's own programs. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { outputOf } from '../../support/program.ts'
import type { Envelope } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { cookieOf, memberAccount } from '../../support/sessions.ts'

const instance = await sharedInstance()
const owner = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'scale' })).id
const dir = mkdtempSync(join(tmpdir(), 'groundwave-export-'))
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true })
})

const square = (x: number) => ({
  type: 'Polygon',
  coordinates: [
    [
      [x, 1],
      [x + 1, 1],
      [x + 1, 2],
      [x, 2],
      [x, 1],
    ],
  ],
})
const FEATURES = [
  { id: 'one', properties: { name: 'مستودع', depth: 1.5, active: true, count: 3 }, geometry: square(10) },
  { id: 'two', properties: { name: '=1+1', depth: -2, active: false, count: null }, geometry: square(30) },
  { id: 'three', properties: { name: '<b>"x", y</b>', depth: null, active: null, count: 7 }, geometry: square(-50) },
].map((feature) => ({ type: 'Feature', ...feature }))
const NAME = 'مناطق 1/2 <a>'

const download = (id: string, query: string) =>
  fetch(`${instance.url()}/manage/v1/owners/${owner}/layers/${id}/export?${query}`, {
    headers: { authorization: `Bearer ${instance.operatorToken()}` },
  })
async function layerOf(name: string, features: object[]): Promise<string> {
  const body = { name, geojson: { type: 'FeatureCollection', features } }
  return (await instance.manage<{ id: string }>('POST', `/owners/${owner}/layers`, body)).id
}

type Read = { properties: Record<string, unknown>; geometry: { type: string; coordinates: unknown } }
/** As read by ogr2ogr. */
function readBack(path: string, options: string[] = []): Read[] {
  const text = outputOf('ogr2ogr', ['-f', 'GeoJSON', '-t_srs', 'EPSG:4326', ...options, '/vsistdout/', path]).toString()
  return (JSON.parse(text) as { features: Read[] }).features
}

test('every format is read by GDAL with the same features', async () => {
  const id = await layerOf(NAME, FEATURES)
  const extensions = {
    geojson: 'geojson',
    gpkg: 'gpkg',
    shp: 'zip',
    kml: 'kml',
    gml: 'zip',
    fgb: 'fgb',
    parquet: 'parquet',
    kmz: 'kmz',
    csv: 'csv',
  }
  for (const [format, extension] of Object.entries(extensions)) {
    const response = await download(id, `format=${format}`)
    expect([format, response.status]).toEqual([format, 200])
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect(response.headers.get('x-output-bytes')).toBe(String(bytes.length))
    const name = `مناطق 1_2 _a_.${extension}`
    expect(response.headers.get('content-disposition')).toContain(`filename*=UTF-8''${encodeURIComponent(name)}`)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    const path = join(dir, `${format}.${extension}`)
    writeFileSync(path, bytes)
    // Debian's GDAL has no Parquet driver
    if (format === 'parquet') {
      const rows = await parquetReadObjects({ file: bytes.buffer as ArrayBuffer })
      expect(rows.map(({ name: value }) => value)).toEqual(FEATURES.map(({ properties }) => properties.name))
      expect(rows.map(({ active }) => active)).toEqual(FEATURES.map(({ properties }) => properties.active))
      continue
    }
    const source =
      { shp: `/vsizip/${path}`, gml: `/vsizip/${path}/مناطق 1_2 _a_.gml`, kmz: `/vsizip/{${path}}/doc.kml` }[format] ??
      path
    const read = readBack(source, format === 'csv' ? ['-oo', 'AUTODETECT_TYPE=YES', '-s_srs', 'EPSG:4326'] : [])
    expect([format, read.length]).toEqual([format, 3])
    for (const [i, { properties, geometry }] of read.entries()) {
      const sent = FEATURES[i] as (typeof FEATURES)[number]
      const nameOf = properties.name ?? properties.Name
      expect([format, nameOf]).toEqual([format, sent.properties.name])
      // a shapefile reverses the direction of rings
      const ring = (shape: unknown) =>
        (shape as number[][][][]).flat(Number.POSITIVE_INFINITY).toSorted((a, b) => Number(a) - Number(b))
      if (format === 'csv') {
        expect(bytes.length).toBeGreaterThan(100)
        continue
      }
      expect([format, geometry.type.replace('Multi', '')]).toEqual([format, 'Polygon'])
      expect(ring(geometry.coordinates)).toEqual(ring(sent.geometry.coordinates))
      if (['gpkg', 'geojson', 'fgb', 'gml'].includes(format)) {
        expect([format, properties.depth ?? null]).toEqual([format, sent.properties.depth])
        expect([format, properties.count ?? null]).toEqual([format, sent.properties.count])
      }
      // our files store booleans as integers, except for GeoJSON
      const { active } = sent.properties
      if (format === 'geojson') expect(properties.active).toBe(active)
      if (['gpkg', 'fgb'].includes(format))
        expect([format, properties.active ?? null]).toEqual([format, active === null ? null : Number(active)])
    }
  }
  expect(outputOf('ogrinfo', ['-so', '-al', join(dir, 'gpkg.gpkg')]).toString()).toContain('depth: Real')
  const csv = await (await download(id, 'format=csv')).text()
  expect(csv.split('\r\n')[0]).toBe('wkt,name,depth,active,count')
  expect(csv).toContain(',=1+1,')
  expect(await (await download(id, 'format=csv&escapeFormulas=true')).text()).toContain(`'=1+1`)
  const { items } = await instance.manage<{ items: { action: string; after: { filename: string } }[] }>(
    'GET',
    `/audit?subject=${id}`,
  )
  // one record in each minute of the clock
  expect(items.findLast(({ action }) => action === 'download')).toMatchObject({
    action: 'download',
    after: { filename: 'مناطق 1_2 _a_.geojson' },
  })
}, 120_000)

test('losses of a format are reported, and an unknown format is refused', async () => {
  const mixed = await layerOf('Mixed', [
    FEATURES[0] as object,
    {
      type: 'Feature',
      properties: { a_very_long_name: 1 },
      geometry: { type: 'Point', coordinates: [1, 2] },
    },
    { type: 'Feature', properties: {}, geometry: null },
  ])
  const shp = await download(mixed, 'format=shp')
  expect(shp.status).toBe(200)
  const warnings = JSON.parse(decodeURIComponent(shp.headers.get('x-warnings') ?? '[]')) as string[]
  expect(warnings.join(' ')).toContain('a_very_long_name')
  const arabic = JSON.parse(decodeURIComponent(shp.headers.get('x-warnings-ar') ?? '[]')) as string[]
  expect(arabic).toHaveLength(warnings.length)
  for (const text of arabic) expect(text).toMatch(/\p{Script=Arabic}/u)
  await shp.arrayBuffer()
  const fgb = await download(mixed, 'format=fgb')
  expect(decodeURIComponent(fgb.headers.get('x-warnings') ?? '')).toContain('without a geometry')
  await fgb.arrayBuffer()
  const wrong = await download(mixed, 'format=dwg')
  expect([wrong.status, ((await wrong.json()) as Envelope).errors?.[0]?.field]).toEqual([422, 'query.format'])
  const empty = await layerOf('Empty', [])
  for (const format of ['geojson', 'gpkg', 'shp', 'kml', 'csv', 'fgb', 'gml', 'parquet'])
    expect([format, (await download(empty, `format=${format}`)).status]).toEqual([format, 200])
}, 120_000)

test('an export whose caller disconnects is cancelled, and its folder is removed', async () => {
  const many = Array.from({ length: 60_000 }, (_, i) => ({
    type: 'Feature',
    properties: { n: i, text: 'x'.repeat(40) },
    geometry: { type: 'Point', coordinates: [i % 180, (i * 7) % 90] },
  }))
  const id = await layerOf('Many', many)
  const abort = new AbortController()
  const url = `${instance.url()}/manage/v1/owners/${owner}/layers/${id}/export?format=gml`
  const left = fetch(url, {
    headers: { authorization: `Bearer ${instance.operatorToken()}` },
    signal: abort.signal,
  }).catch((error: Error) => error.name)
  await Bun.sleep(150)
  abort.abort()
  expect(await left).toBe('AbortError')
  while (readdirSync(join(instance.dir, 'scratch')).some((name) => name.startsWith('run_'))) await Bun.sleep(50)
  const whole = await download(id, 'format=geojson')
  expect(((await whole.json()) as { features: unknown[] }).features.length).toBe(60_000)
}, 120_000)

test('a file made for HEAD is sent to the next download of the same caller', async () => {
  const id = await layerOf('Asked first', [FEATURES[0] as object, { ...FEATURES[1], geometry: null }])
  const url = `${instance.url()}/manage/v1/owners/${owner}/layers/${id}/export?format=fgb`
  const headers = { authorization: `Bearer ${instance.operatorToken()}` }
  const folders = () => readdirSync(join(instance.dir, 'scratch')).filter((name) => name.startsWith('run_'))
  const downloads = async () => {
    const query = `/audit?subject=${id}&action=download`
    return (await instance.manage<{ items: object[] }>('GET', query)).items.length
  }
  const asked = await fetch(url, { method: 'HEAD', headers })
  expect([asked.status, folders().length, await downloads()]).toEqual([200, 1, 0])
  expect(decodeURIComponent(asked.headers.get('x-warnings') ?? '')).toContain('without a geometry')
  // another caller gets a separate file
  const stranger = await memberAccount(instance, owner, 'member')
  const theirs = await fetch(url, { headers: { cookie: cookieOf(stranger) } })
  await theirs.arrayBuffer()
  expect([theirs.status, folders().length]).toEqual([200, 1])
  const made = await fetch(url, { headers })
  const bytes = new Uint8Array(await made.arrayBuffer())
  expect([made.status, folders().length, await downloads()]).toEqual([200, 0, 2])
  for (const name of ['x-output-bytes', 'x-warnings', 'content-disposition'])
    expect([name, made.headers.get(name)]).toEqual([name, asked.headers.get(name)])
  expect(made.headers.get('x-output-bytes')).toBe(String(bytes.length))
  const path = join(dir, 'asked.fgb')
  writeFileSync(path, bytes)
  expect(readBack(path).length).toBe(1)
  // each change writes a separate file
  expect((await fetch(url, { method: 'HEAD', headers })).status).toBe(200)
  await instance.manage('PATCH', `/owners/${owner}/layers/${id}/features`, { upsert: [FEATURES[2]] })
  const changed = await fetch(url, { headers })
  writeFileSync(path, new Uint8Array(await changed.arrayBuffer()))
  expect(readBack(path).length).toBe(2)
  // a refusal leaves no file behind
  const wrong = await fetch(url.replace('fgb', 'dwg'), { method: 'HEAD', headers })
  expect([wrong.status, folders().length]).toEqual([422, 1])
}, 120_000)
