/** Every vector format read and written, compared with GDAL's programs. */
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ARABIC, FORMATS, source, utm } from '../../../support/formats/vector-formats.ts'
import { outputOf } from '../../../support/program.ts'
import { box, type GeoFeature, geojson, point, runTool } from '../../../support/workers/engine.ts'

const dir = mkdtempSync(join(tmpdir(), 'groundwave-formats-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Output of ogrinfo for a file, unpacked if it is a ZIP. */
function ogrinfo(path: string, filename: string): string {
  if (!filename.endsWith('.zip')) return outputOf('ogrinfo', ['-al', path]).toString()
  const unpacked = mkdtempSync(join(dir, 'unzip-'))
  outputOf('unzip', ['-q', path, '-d', unpacked])
  const found = outputOf('sh', ['-c', `ls ${unpacked}/*.shp ${unpacked}/*.gml 2>/dev/null; true`])
    .toString()
    .trim()
  return found
    .split('\n')
    .map((part) => outputOf('ogrinfo', ['-al', part]).toString())
    .join('')
}

test.each(FORMATS.filter((format) => format !== 'parquet'))(
  '%s opens in ogrinfo with count, type, CRS and attributes',
  async (target_format) => {
    const { data, path, filename } = await runTool('convert.validate-convert', { file: source, target_format })
    expect(data).toMatchObject({
      featureCount: 2,
      sourceCrs: 'EPSG:4326',
      crs: 'EPSG:4326',
      repairedCount: 0,
      bbox: [0, 0, 11, 51],
    })
    const reported = ogrinfo(path, filename)
    expect(reported).toContain('Feature Count: 2')
    expect(reported).toMatch(/WGS[_ ]?(19)?84/)
    expect(reported).toContain(ARABIC)
    expect(reported).toContain('Straße "ß"')
    expect(reported).toMatch(/MULTIPOLYGON|MULTISURFACE|GEOMETRYCOLLECTION/)
    expect(reported).toMatch(/POLYGON (Z )?\(\(.*10 50/)
    expect(reported).toMatch(/n \((Integer|Integer64|Real|String)\b.*\) = -2/)
    expect(reported).toMatch(/big .*= 9007199254740991/)
  },
)

test('GeoParquet is read by ClickHouse, and again by the tool', async () => {
  const { path, data } = await runTool('convert.validate-convert', { file: source, target_format: 'parquet' })
  expect(data.featureCount).toBe(2)
  const program = `const { query } = require('chdb'); console.log(query("SELECT name, n, big, share, variantType(geometry) AS type FROM file('${path}', Parquet) ORDER BY n", 'JSONEachRow'))`
  const rows = outputOf('node', ['-e', program], { cwd: join(import.meta.dir, '../../../..') })
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rows).toEqual([
    { name: 'two', n: -2, big: expect.anything(), share: -1.5e-7, type: 'MultiPolygon' },
    { name: ARABIC, n: 1, big: expect.anything(), share: 0.25, type: 'Polygon' },
  ])
})

describe('the tool reads its own files', () => {
  test.each(FORMATS)('%s', async (target_format) => {
    const { path, filename } = await runTool('convert.validate-convert', { file: source, target_format })
    const again = await runTool('convert.validate-convert', {
      file: { name: filename, content: readFileSync(path) },
      target_format: 'geojson',
    })
    const features = again.geojson().features
    expect(features).toHaveLength(2)
    const names = features.map(({ properties }) => properties.name ?? properties.Name)
    expect(names).toEqual([ARABIC, 'two'])
    const xs = (JSON.stringify(features[0]?.geometry).match(/\[(1[01](\.\d+)?),/g) ?? []).map((text) =>
      Number.parseFloat(text.slice(1)),
    )
    expect(Math.max(...xs)).toBeCloseTo(11, 6)
  })
})

test('other formats keep the CRS of the file, GeoJSON is in WGS 84, regardless of the axis order', async () => {
  for (const file of [
    utm(dir, 'GPKG', 'utm.gpkg'),
    utm(dir, 'FlatGeobuf', 'utm.fgb'),
    utm(dir, 'GML', 'utm.gml', ['-dsco', 'FORMAT=GML3.2']),
  ]) {
    const kept = await runTool('convert.validate-convert', { file, target_format: 'gpkg' })
    expect(kept.data).toMatchObject({ sourceCrs: 'EPSG:25832', crs: 'EPSG:25832' })
    const moved = await runTool('convert.validate-convert', { file, target_format: 'geojson' })
    expect(moved.data).toMatchObject({ sourceCrs: 'EPSG:25832', crs: 'EPSG:4326' })
    const [first] = moved.geojson().features
    const { coordinates } = (first as GeoFeature).geometry as unknown as { coordinates: number[][][] }
    const [x, y] = coordinates.flat(2)
    expect([x, y]).toEqual([expect.closeTo(10, 7), expect.closeTo(50, 7)])
  }
  // EPSG:4326 with latitude first, as in GML 3
  const latitudeFirst = utm(dir, 'GML', 'wgs.gml', ['-t_srs', 'EPSG:4326', '-dsco', 'FORMAT=GML3.2'])
  expect((latitudeFirst as unknown as { content: Buffer }).content.toString()).toMatch(/50 1[01] /)
  const { data } = await runTool('convert.validate-convert', { file: latitudeFirst, target_format: 'geojson' })
  expect(data.bbox).toEqual([0, 0, 11, 51])
})

test('the crs member of older GeoJSON is respected', async () => {
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::25833' } }
  const file = geojson([[{}, point(500_000, 5_761_038.2125)]], { crs })
  const { data, geojson: read } = await runTool('convert.validate-convert', { file, target_format: 'geojson' })
  expect(data.sourceCrs).toBe('EPSG:25833')
  expect(read().features[0]?.geometry?.coordinates as unknown).toEqual([expect.closeTo(15, 8), expect.closeTo(52, 8)])
})

test('a shapefile in a code page, with Z, and mixed geometry types written to several files', async () => {
  const shp = join(dir, 'latin')
  mkdirSync(shp)
  writeFileSync(
    join(dir, 'z.geojson'),
    JSON.stringify({
      type: 'FeatureCollection',
      features: [{ type: 'Feature', properties: { name: 'Größe' }, geometry: point(10, 50, 123.5) }],
    }),
  )
  outputOf('ogr2ogr', [
    '-f',
    'ESRI Shapefile',
    '-lco',
    'ENCODING=ISO-8859-1',
    join(shp, 'latin.shp'),
    join(dir, 'z.geojson'),
  ])
  outputOf('zip', ['-qr', join(dir, 'latin.zip'), 'latin'], { cwd: dir })
  const { geojson: read } = await runTool('convert.validate-convert', {
    file: { name: 'latin.zip', content: readFileSync(join(dir, 'latin.zip')) },
    target_format: 'geojson',
  })
  expect(read().features).toMatchObject([
    { properties: { name: 'Größe' }, geometry: { type: 'Point', coordinates: [10, 50, 123.5] } },
  ])
  const mixed = geojson([
    [{ a_long_column_name: 1, a_long_column_two: 2 }, point(1, 1)],
    [{ a_long_column_name: 3 }, box(0, 0, 1, 1)],
  ])
  const out = await runTool('convert.validate-convert', { file: mixed, target_format: 'shp' })
  const names = outputOf('unzip', ['-Z1', out.path]).toString()
  expect(names).toContain('layer_points.shp')
  expect(names).toContain('layer_polygons.dbf')
  expect(out.warnings.join(' ')).toContain('a_long_column_name → a_long_col')
  expect(ogrinfo(out.path, 'out.zip')).toMatch(/a_long_c_1|a_long_c~1/)
})

test('an empty layer stays empty in every format', async () => {
  for (const target_format of FORMATS) {
    const { data, path } = await runTool('convert.validate-convert', { file: geojson([]), target_format })
    expect(data).toMatchObject({ featureCount: 0, bbox: null, geometryType: 'None' })
    expect(Bun.file(path).size).toBeGreaterThan(0)
  }
})

test('CSV with coordinates, with WKT, and KML with folders', async () => {
  const csv = { name: 'a.csv', content: 'id,lat,lon\n007,50.5,10.25\n008,,\n' }
  const {
    data,
    geojson: read,
    warnings,
  } = await runTool('convert.validate-convert', { file: csv, target_format: 'geojson' })
  expect(data.featureCount).toBe(2)
  expect(read().features).toMatchObject([
    { properties: { id: '007' }, geometry: point(10.25, 50.5) },
    { geometry: null },
  ])
  expect(warnings.join()).toContain('WGS 84')
  const wkt = { name: 'b.csv', content: 'id;WKT\n1;"LINESTRING (0 0, 1 1)"\n' }
  expect(
    (await runTool('convert.validate-convert', { file: wkt, target_format: 'geojson' })).geojson().features,
  ).toMatchObject([{ properties: { id: 1 }, geometry: { type: 'LineString' } }])
  const folder = (name: string, x: number): string =>
    `<Folder><name>${name}</name><Placemark><name>${name}</name><Point><coordinates>${x},50,7</coordinates></Point></Placemark></Folder>`
  const kml = {
    name: 'c.kml',
    content: `<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>${folder('A', 10)}${folder('B', 11)}</Document></kml>`,
  }
  const ran = await runTool('convert.validate-convert', { file: kml, target_format: 'geojson' })
  expect(ran.geojson().features.map(({ geometry }) => geometry?.coordinates as unknown)).toEqual([
    [10, 50, 7],
    [11, 50, 7],
  ])
})
