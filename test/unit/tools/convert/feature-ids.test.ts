/** Ids of features are kept where one feature becomes one feature; GeoPackages are read with ogr2ogr and ogrinfo. */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { freshPath } from '../../../support/formats/rasters.ts'
import { outputOf } from '../../../support/program.ts'
import { box, type Given, runTool } from '../../../support/workers/engine.ts'

type Id = string | number | undefined
const line = (y: number) => ({
  type: 'LineString',
  coordinates: [
    [0, y],
    [1, y],
    [1, y + 1],
  ],
})
const layer = (ids: readonly Id[], shape: (i: number) => unknown = (i) => box(2 * i, 0, 2 * i + 1, 1)): Given => ({
  name: 'layer.geojson',
  content: JSON.stringify({
    type: 'FeatureCollection',
    features: ids.map((id, i) => ({ type: 'Feature', id, properties: { i }, geometry: shape(i) })),
  }),
})
const frame = layer([1], () => box(0, 0, 9, 0.5))

async function idsOf(tool: string, input: Record<string, unknown>): Promise<Id[]> {
  const ran = await runTool(tool, { target_format: 'geojson', ...input })
  return (ran.geojson().features as unknown as { id?: Id }[]).map(({ id }) => id)
}

const MIXED = ['way/5', 12, 'x']

test.each<[string, Record<string, unknown>]>([
  ['convert.validate-convert', {}],
  ['vector.area-length', {}],
  ['vector.buffer', { distance_m: 10 }],
  ['vector.centroids', {}],
  ['vector.clip', { mask: frame }],
  ['vector.erase', { mask: frame }],
  ['vector.explode', {}],
  ['vector.repair', {}],
  ['vector.simplify', {}],
  ['vector.spatial-join', { join: frame }],
  ['vector.validate', {}],
  ['export.workspace-export', {}],
])('%s keeps ids of any kind', async (tool, input) => {
  expect(await idsOf(tool, { file: layer(MIXED), ...input })).toEqual(MIXED)
})

test('line-to-polygon/file keeps the id of each line', async () => {
  const ran = await runTool('vector.line-to-polygon-file', { file: layer(MIXED, line) })
  expect((ran.geojson().features as unknown as { id?: Id }[]).map(({ id }) => id)).toEqual(MIXED)
})

test('features that were split or combined have no id', async () => {
  const two = { type: 'MultiPoint', coordinates: [[0, 0], [1, 1]] } // biome-ignore format: short
  const file = layer(['a', 'b'], (i) => (i === 0 ? two : { type: 'Point', coordinates: [5, 5] }))
  expect(await idsOf('vector.explode', { file })).toEqual([undefined, undefined, 'b'])
  for (const tool of ['vector.dissolve', 'vector.convex-hull'])
    expect(await idsOf(tool, { file: layer(MIXED) })).toEqual([undefined])
  expect(await idsOf('vector.intersect', { file: layer(['a']), overlay: frame })).toEqual([undefined])
})

test('merged layers keep ids that are distinct', async () => {
  expect(await idsOf('vector.merge', { files: [layer(['a', 'b']), layer(['c', undefined])] })).toEqual([
    'a',
    'b',
    'c',
    undefined,
  ])
  const ran = await runTool('vector.merge', { files: [layer(['a', 'b']), layer(['b'])], target_format: 'geojson' })
  expect(ran.geojson().features.some((feature) => 'id' in feature)).toBe(false)
  expect(ran.warnings.join()).toContain('occur in more than one file')
})

test('whole numbers are the keys of a GeoPackage, and keys of a GeoPackage are ids', async () => {
  const ids = [7, 2 ** 40, undefined, 0, Number.MAX_SAFE_INTEGER]
  const written = await runTool('vector.validate', { file: layer(ids.slice(0, 4)), target_format: 'gpkg' })
  const report = outputOf('ogrinfo', ['-q', '-al', written.path]).toString()
  expect([...report.matchAll(/OGRFeature\(.*\):(\d+)/g)].map(([, fid]) => Number(fid))).toEqual([
    0,
    7,
    2 ** 40,
    2 ** 40 + 1,
  ])
  expect(written.warnings).toEqual([])

  const [source, path] = [freshPath('ids.geojson'), freshPath('ids.gpkg')]
  writeFileSync(source, (layer([3, 9, Number.MAX_SAFE_INTEGER]) as { content: string }).content)
  outputOf('ogr2ogr', ['-f', 'GPKG', '-preserve_fid', path, source])
  const file = { name: 'ids.gpkg', content: readFileSync(path) }
  expect(await idsOf('vector.centroids', { file })).toEqual([3, 9, Number.MAX_SAFE_INTEGER])
})

test('a column named fid stays a column beside the key', async () => {
  const file: Given = {
    name: 'a.geojson',
    content: JSON.stringify({ type: 'Feature', id: 5, properties: { fid: 'x' }, geometry: box(0, 0, 1, 1) }),
  }
  const { path, filename } = await runTool('vector.repair', { file, target_format: 'gpkg' })
  const back = await runTool('vector.repair', {
    file: { name: filename, content: readFileSync(path) },
    target_format: 'geojson',
  })
  expect(back.geojson().features[0]).toMatchObject({ id: 5, properties: { fid: 'x' } })
})

test.each([
  ['gpkg', MIXED, 'whole numbers'],
  ['gpkg', [1, 1, 2], 'whole numbers'],
  ['shp', MIXED, 'only GeoJSON, GeoPackage and KML'],
  ['kml', [5, 9], 'XML names'],
  ['kml', ['a', 'b', 'a'], 'XML names'],
  ['kmz', ['way/5', 'b'], 'XML names'],
  ['kml', ['a', 'root_doc'], 'XML names'],
] as const)('%s cannot hold the ids %p', async (target_format, ids, reason) => {
  const { warnings } = await runTool('vector.validate', { file: layer(ids), target_format })
  expect(warnings.join()).toContain(reason)
})

const NAMES = ['w5', '_x.1-b', undefined, 'مدينة', 'Ä']

test('XML names are the ids of placemarks, and ids of placemarks are ids', async () => {
  const written = await runTool('vector.validate', { file: layer(NAMES), target_format: 'kml' })
  expect(written.warnings).toEqual([])
  const text = readFileSync(written.path, 'utf8')
  expect([...text.matchAll(/<Placemark(?: id="([^"]*)")?>/g)].map(([, id]) => id)).toEqual(NAMES)
  // the validating reader of another program opens it
  expect(
    outputOf('ogrinfo', ['-q', '-al', written.path])
      .toString()
      .match(/OGRFeature/g),
  ).toHaveLength(NAMES.length)
  for (const target_format of ['kml', 'kmz']) {
    const { path, filename } = await runTool('vector.repair', { file: layer(NAMES), target_format })
    const file = { name: filename, content: readFileSync(path) }
    expect(await idsOf('vector.centroids', { file })).toEqual(NAMES)
  }
})

test('placemarks that GDAL wrote have its ids, which only count them', async () => {
  const [source, path] = [freshPath('ids.geojson'), freshPath('ids.kml')]
  writeFileSync(source, (layer([undefined, undefined]) as { content: string }).content)
  outputOf('ogr2ogr', ['-f', 'LIBKML', path, source])
  const content = readFileSync(path)
  const ids = [...content.toString().matchAll(/<Placemark id="([^"]+)"/g)].map(([, id]) => id)
  expect(ids).toHaveLength(2)
  const file = { name: 'ids.kml', content }
  expect(await idsOf('vector.centroids', { file })).toEqual(ids)
  expect((await runTool('vector.repair', { file, target_format: 'fgb' })).warnings).toEqual([])
})

test('ids that documents of a KMZ share are left out, with a warning', async () => {
  const document = (id: string) =>
    `<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark id="${id}"><Point><coordinates>1,1</coordinates></Point></Placemark></kml>`
  const [path, one, two] = [freshPath('two.kmz'), freshPath('doc.kml'), freshPath('other.kml')]
  writeFileSync(one, document('a'))
  writeFileSync(two, document('a'))
  outputOf('zip', ['-jq', path, one, two])
  const file = { name: 'two.kmz', content: readFileSync(path) }
  const ran = await runTool('vector.repair', { file, target_format: 'geojson' })
  expect(ran.geojson().features.map((feature) => 'id' in feature)).toEqual([false, false])
  expect(ran.warnings.join()).toContain('occur more than once')
})

test('ids that only count the features cause no warning', async () => {
  for (const ids of [
    [0, 1, 2],
    [1, 2, 3],
    // as GDAL writes them
    ['layer.1', 'layer.2', 'layer.3'],
  ])
    expect((await runTool('vector.repair', { file: layer(ids), target_format: 'fgb' })).warnings).toEqual([])
})
