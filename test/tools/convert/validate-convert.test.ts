/** Every format read and written, compared with GDAL's programs, and hostile or mislabelled files. */
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { box, type GeoFeature, type Given, geojson, point, refusal, runTool } from '../../support/engine.ts'
import { outputOf } from '../../support/program.ts'

const dir = mkdtempSync(join(tmpdir(), 'groundwave-formats-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const ARABIC = 'الرياض'
const source = geojson([
  [
    { name: ARABIC, note: 'Straße "ß"', n: 1, big: 9_007_199_254_740_991, share: 0.25, when: '2024-02-29' },
    box(10, 50, 11, 51),
  ],
  [
    { name: 'two', note: '', n: -2, big: 2, share: -1.5e-7, when: null },
    { type: 'MultiPolygon', coordinates: [box(0, 0, 1, 1).coordinates, box(2, 2, 3, 3).coordinates] },
  ],
])
const FORMATS = ['geojson', 'shp', 'kml', 'gml', 'gpkg', 'fgb', 'kmz', 'parquet'] as const

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
  const rows = outputOf('node', ['-e', program], { cwd: join(import.meta.dir, '../../..') })
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rows).toEqual([
    { name: 'two', n: -2, big: expect.anything(), share: -1.5e-7, type: 'MultiPolygon' },
    { name: ARABIC, n: 1, big: expect.anything(), share: 0.25, type: 'Polygon' },
  ])
})

describe('the tool reads what it wrote', () => {
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

const utm = (driver: string, name: string, options: string[] = []): Given => {
  const path = join(dir, name)
  writeFileSync(join(dir, 'source.geojson'), (source as { content: string }).content)
  outputOf('ogr2ogr', ['-f', driver, '-t_srs', 'EPSG:25832', ...options, path, join(dir, 'source.geojson')])
  return { name, content: readFileSync(path) }
}

test('other formats keep the CRS of the file, GeoJSON is in WGS 84, whatever the axis order', async () => {
  for (const file of [
    utm('GPKG', 'utm.gpkg'),
    utm('FlatGeobuf', 'utm.fgb'),
    utm('GML', 'utm.gml', ['-dsco', 'FORMAT=GML3.2']),
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
  const latitudeFirst = utm('GML', 'wgs.gml', ['-t_srs', 'EPSG:4326', '-dsco', 'FORMAT=GML3.2'])
  expect((latitudeFirst as unknown as { content: Buffer }).content.toString()).toMatch(/50 1[01] /)
  const { data } = await runTool('convert.validate-convert', { file: latitudeFirst, target_format: 'geojson' })
  expect(data.bbox).toEqual([0, 0, 11, 51])
})

test('the crs member of older GeoJSON is honoured', async () => {
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

describe('hostile and broken files', () => {
  const ask = (name: string, content: string | Uint8Array) =>
    refusal('convert.validate-convert', { file: { name, content }, target_format: 'geojson' })
  const zipOf = (build: string): Buffer => {
    const home = mkdtempSync(join(dir, 'zip-'))
    outputOf('sh', ['-ec', build], { cwd: home })
    return readFileSync(join(home, 'out.zip'))
  }
  const unreadable = { code: 'INPUT_UNREADABLE', field: 'file' }

  test('invalid GeoJSON, naming rule and feature', async () => {
    expect(await ask('a.geojson', '{"type":"FeatureCollection","features":[')).toMatchObject({
      ...unreadable,
      rule: 'json',
    })
    expect(await ask('a.geojson', '{"type":"Topology"}')).toMatchObject({ ...unreadable, rule: 'type' })
    const feature = (geometry: string): string =>
      `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":${geometry}}]}`
    expect(await ask('a.geojson', feature('{"type":"Point","coordinates":[1e999,0]}'))).toMatchObject({
      ...unreadable,
      rule: 'finite',
      message: expect.stringContaining('feature 0'),
    })
    expect(await ask('a.geojson', feature('{"type":"Point","coordinates":[NaN,0]}'))).toMatchObject({
      ...unreadable,
      rule: 'json',
    })
    expect(await ask('a.geojson', feature('{"type":"Polygon","coordinates":[[0,0],[1,1]]}'))).toMatchObject({
      ...unreadable,
      rule: 'position',
    })
    expect(await ask('a.geojson', feature('{"type":"Circle","coordinates":[0,0]}'))).toMatchObject({
      ...unreadable,
      rule: 'type',
    })
    expect(await ask('a.geojson', '[]')).toMatchObject({ ...unreadable, rule: 'geojson' })
    expect(await ask('a.geojson', '')).toMatchObject({ ...unreadable, rule: 'empty' })
    const nested = `${'{"type":"GeometryCollection","geometries":['.repeat(2000)}${']}'.repeat(2000)}`
    expect(await ask('a.geojson', nested)).toMatchObject({ ...unreadable, rule: 'depth' })
    const named = geojson([[{}, point(1, 1)]], { crs: { type: 'name', properties: { name: '/etc/passwd' } } }) as {
      content: string
    }
    expect(await ask('a.geojson', named.content)).toMatchObject({ ...unreadable, rule: 'crs' })
  })

  test('truncated and mislabelled files of every format', async () => {
    for (const target_format of FORMATS.filter((format) => format !== 'geojson')) {
      const { path, filename } = await runTool('convert.validate-convert', { file: source, target_format })
      const bytes = readFileSync(path)
      for (const share of [0.1, 0.5, 0.9]) {
        const cut = bytes.subarray(0, Math.floor(bytes.length * share))
        try {
          await runTool('convert.validate-convert', {
            file: { name: filename, content: cut },
            target_format: 'geojson',
          })
        } catch (error) {
          expect(error).toMatchObject({ code: 'INPUT_UNREADABLE', errors: [{ field: 'file' }] })
        }
      }
      // the content decides on the format, whatever the name says
      const ran = await runTool('convert.validate-convert', {
        file: { name: 'x.geojson', content: bytes },
        target_format: 'geojson',
      })
      expect(ran.data.featureCount).toBe(2)
    }
    expect(await ask('photo.geojson', new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 0]))).toMatchObject({ ...unreadable })
    expect(await ask('a.shp', new Uint8Array([0, 0, 0x27, 0x0a, 1, 2, 3]))).toMatchObject({
      ...unreadable,
      rule: 'shapefile',
    })
  })

  test('archives: names that leave the folder, bombs, missing parts, several layers', async () => {
    const evil = zipOf(
      `python3 -c "import zipfile; z=zipfile.ZipFile('out.zip','w'); z.writestr('../../../../tmp/groundwave-escaped.shp', b'x'); z.close()"`,
    )
    expect(await ask('a.zip', evil)).toMatchObject({ ...unreadable, rule: 'zip' })
    expect(await Bun.file('/tmp/groundwave-escaped.shp').exists()).toBe(false)
    const bomb = zipOf(`head -c 200000000 /dev/zero > bomb.geojson && zip -q out.zip bomb.geojson && rm bomb.geojson`)
    expect(bomb.length).toBeLessThan(300_000)
    expect(await ask('a.zip', bomb)).toMatchObject({ code: 'FILE_TOO_LARGE', field: 'file', rule: 'unpackedBytes' })
    const liar = zipOf(`python3 -c "
import zipfile,struct
z=zipfile.ZipFile('out.zip','w',zipfile.ZIP_DEFLATED); z.writestr('a.geojson', b'0'*10000000); z.close()
b=bytearray(open('out.zip','rb').read()); i=b.rfind(b'PK\\x01\\x02'); b[i+24:i+28]=struct.pack('<I',10); open('out.zip','wb').write(b)"`)
    expect(await ask('a.zip', liar)).toMatchObject({ ...unreadable, rule: 'zip' })
    const many = zipOf(
      `python3 -c "import zipfile; z=zipfile.ZipFile('out.zip','w'); [z.writestr('%d.shp'%i, b'') for i in range(1500)]; z.close()"`,
    )
    expect(await ask('a.zip', many)).toMatchObject({ code: 'FILE_TOO_LARGE', rule: 'zipEntries' })
    writeFileSync(join(dir, 's.geojson'), (source as { content: string }).content)
    const shapefile = `ogr2ogr -f 'ESRI Shapefile' p.shp ${join(dir, 's.geojson')}`
    for (const part of ['dbf', 'prj'])
      expect(await ask('a.zip', zipOf(`${shapefile} && rm p.${part} && zip -q out.zip p.*`))).toMatchObject({
        ...unreadable,
        rule: 'shapefile',
        message: expect.stringContaining(`.${part}`),
      })
    expect(await ask('a.zip', zipOf(`${shapefile} && ogr2ogr q.shp p.shp && zip -q out.zip p.* q.*`))).toMatchObject({
      ...unreadable,
      rule: 'oneLayer',
    })
    expect(await ask('a.zip', zipOf('echo hello > a.txt && zip -q out.zip a.txt'))).toMatchObject({
      ...unreadable,
      rule: 'format',
    })
    expect(await ask('a.zip', Buffer.from('PK\x03\x04 and nothing more'))).toMatchObject({ ...unreadable, rule: 'zip' })
  })

  test('XML with entities or external references, VRT, SQLite with triggers', async () => {
    const lol = `<?xml version="1.0"?><!DOCTYPE kml [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><kml><Document><name>&b;</name></Document></kml>`
    expect(await ask('a.kml', lol)).toMatchObject({ ...unreadable, rule: 'doctype' })
    const external = `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><gml:FeatureCollection xmlns:gml="http://www.opengis.net/gml">&x;</gml:FeatureCollection>`
    expect(await ask('a.gml', external)).toMatchObject({ ...unreadable, rule: 'doctype' })
    const vrt = `<OGRVRTDataSource><OGRVRTLayer name="x"><SrcDataSource>/etc/passwd</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>`
    expect(await ask('a.vrt', vrt)).toMatchObject(unreadable)
    const link = `<kml xmlns="http://www.opengis.net/kml/2.2"><NetworkLink><Link><href>http://127.0.0.1:1/x.kml</href></Link></NetworkLink></kml>`
    expect(await ask('a.kml', link)).toMatchObject(unreadable)
    const path = join(dir, 'views.gpkg')
    await Bun.write(path, (utm('GPKG', 'base.gpkg') as unknown as { content: Buffer }).content)
    const { Database } = await import('bun:sqlite')
    const database = new Database(path)
    database.run(`CREATE VIEW spy AS SELECT 1 AS fid, ogr_geocode('x') AS geom`)
    database.close()
    expect(await ask('a.gpkg', readFileSync(path))).toMatchObject({ ...unreadable, rule: 'geopackage' })
    // each value of the column would be 800 MB of text
    const generated = join(dir, 'generated.gpkg')
    await Bun.write(generated, (utm('GPKG', 'base-2.gpkg') as unknown as { content: Buffer }).content)
    const table = new Database(generated)
    const { name } = table.query('SELECT table_name AS name FROM gpkg_contents').get() as { name: string }
    table.run(`ALTER TABLE "${name}" ADD COLUMN huge TEXT AS (printf('%.*c', 800000000, 'x'))`)
    table.close()
    expect(await ask('a.gpkg', readFileSync(generated))).toMatchObject({
      ...unreadable,
      rule: 'geopackage',
      message: expect.stringContaining('generated columns'),
    })
  })

  test('a million vertices in one ring, and self-intersecting rings', async () => {
    const ring = Array.from({ length: 1_000_000 }, (_, i) => {
      const angle = (i / 1_000_000) * 2 * Math.PI
      return [+(10 + Math.cos(angle)).toFixed(6), +(50 + Math.sin(angle)).toFixed(6)]
    })
    const file = geojson([[{}, { type: 'Polygon', coordinates: [[...ring, ring[0]]] }]])
    const { data } = await runTool('convert.validate-convert', { file, target_format: 'gpkg' })
    expect(data).toMatchObject({ featureCount: 1, geometryType: 'Polygon' })
    const bowtie = await runTool('convert.validate-convert', { file: 'bowtie.geojson', target_format: 'geojson' })
    expect(bowtie.data).toMatchObject({ repairedCount: 1, featureCount: 3 })
  }, 30_000)
})
