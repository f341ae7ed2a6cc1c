/** Hostile, broken and mislabelled files of every vector format. */
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FORMATS, source, utm } from '../../../support/formats/vector-formats.ts'
import { outputOf } from '../../../support/program.ts'
import { geojson, point, refusal, runTool } from '../../../support/workers/engine.ts'

const dir = mkdtempSync(join(tmpdir(), 'groundwave-formats-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

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
    expect(await ask('a.geojson', nested)).toMatchObject({ ...unreadable, rule: 'nesting' })
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
      // the content determines the format, not the name
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
    await Bun.write(path, (utm(dir, 'GPKG', 'base.gpkg') as unknown as { content: Buffer }).content)
    const { Database } = await import('bun:sqlite')
    const database = new Database(path)
    database.run(`CREATE VIEW spy AS SELECT 1 AS fid, ogr_geocode('x') AS geom`)
    database.close()
    expect(await ask('a.gpkg', readFileSync(path))).toMatchObject({ ...unreadable, rule: 'geopackage' })
    // each value of the column would be 800 MB of text
    const generated = join(dir, 'generated.gpkg')
    await Bun.write(generated, (utm(dir, 'GPKG', 'base-2.gpkg') as unknown as { content: Buffer }).content)
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
  }, 120_000)
})
