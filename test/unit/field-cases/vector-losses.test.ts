/**
 * Content that vector files cannot hold, or that they repeat, is refused or causes a warning. Truth: the standards, and
 * ogr2ogr's output.
 */
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { convert, readFeatures, text, through } from '../../support/field-cases.ts'
import { outputOf } from '../../support/program.ts'
import { sharedFolder } from '../../support/run-end.ts'
import { geojson, point, refusal, runTool } from '../../support/workers/engine.ts'

describe('columns of a result', () => {
  /** Features as ogr2ogr writes them, which recognises date-times by their format. */
  const byGdal = (format: string, features: Parameters<typeof geojson>[0], sql: string[] = []) => {
    const dir = sharedFolder('columns')
    const [source, path] = [join(dir, 'layer.geojson'), join(dir, `layer.${format}`)]
    writeFileSync(source, (geojson(features) as { content: string }).content)
    outputOf('ogr2ogr', [path, source, '-overwrite', ...sql])
    return { name: `layer.${format}`, content: readFileSync(path) }
  }

  test('date-times without any value, in a shapefile', async () => {
    const sql = ['-sql', 'SELECT a, CAST(NULL AS timestamp) AS m, CAST(NULL AS date) AS d FROM layer']
    expect((await through(byGdal('gpkg', [[{ a: 1 }, point(1, 2)]], sql), 'shp')).properties).toEqual([
      { a: 1, m: null, d: null },
    ])
  })

  test('fid and geom beside date-times, in a FlatGeobuf', async () => {
    const properties = { fid: 7, geom: 'g', t: '2024-02-29T12:34:56.789Z' }
    expect((await readFeatures(byGdal('fgb', [[properties, point(1, 2)]]))).properties).toEqual([properties])
  })

  test('fractions of seconds beside a collection and an empty geometry, in a GeoPackage', async () => {
    const t = '2024-02-29T12:34:56.789Z'
    const collection = { type: 'GeometryCollection', geometries: [point(1, 2)] }
    const empty = { type: 'MultiPoint', coordinates: [] }
    const { properties, warnings } = await readFeatures(
      byGdal('gpkg', [
        [{ t }, collection],
        [{ t }, empty],
      ]),
    )
    expect([properties, warnings]).toEqual([[{ t }, { t }], []])
  })

  test('spaces before texts of a shapefile are kept, also beside a deleted row', async () => {
    const texts = ['  two', 'none', ' a  ', '\u00a0é']
    const features = texts.map((t, i) => [{ t }, point(i, 2)] as [Record<string, unknown>, unknown])
    const { name, content } = byGdal('shz', features, ['-lco', 'ENCODING=UTF-8'])
    const read = async (content: Buffer) => (await readFeatures({ name, content })).properties
    // spaces behind a text fill the field
    const expected = texts.map((text) => text.replace(/ +$/, ''))
    expect((await read(content)).map(({ t }) => t)).toEqual(expected)
    const folder = sharedFolder('deleted')
    writeFileSync(join(folder, name), content)
    outputOf('unzip', ['-q', join(folder, name), '-d', folder])
    const table = join(folder, 'layer.dbf')
    const bytes = readFileSync(table)
    bytes.write('*', bytes.readUInt16LE(8) + bytes.readUInt16LE(10), 'latin1')
    writeFileSync(table, bytes)
    outputOf('zip', [
      '-q',
      '-j',
      join(folder, 'deleted.zip'),
      ...['shp', 'shx', 'dbf', 'prj', 'cpg'].map((end) => join(folder, `layer.${end}`)),
    ])
    expect((await read(readFileSync(join(folder, 'deleted.zip')))).map(({ t }) => t)).toEqual(expected.toSpliced(1, 1))
  })

  test('white space before texts of a GML, which GDAL drops, is a warning', async () => {
    const gml = (texts: string) =>
      text(
        'a.gml',
        `<ogr:FeatureCollection xmlns:ogr="http://ogr.maptools.org/" xmlns:gml="http://www.opengis.net/gml/3.2">
        <ogr:featureMember><ogr:a gml:id="a.0"><gml:boundedBy><gml:Envelope srsName="urn:ogc:def:crs:OGC:1.3:CRS84"><gml:lowerCorner> 1 2 x</gml:lowerCorner></gml:Envelope></gml:boundedBy><ogr:geometryProperty><gml:Point
        srsName="urn:ogc:def:crs:OGC:1.3:CRS84"><gml:pos> 1 2</gml:pos></gml:Point></ogr:geometryProperty>${texts}</ogr:a></ogr:featureMember></ogr:FeatureCollection>`,
      )
    const lost = await readFeatures(gml('<ogr:n> 5</ogr:n><ogr:t>  two</ogr:t><ogr:u>one </ogr:u>'))
    expect(lost.properties).toMatchObject([{ n: 5, t: 'two', u: 'one ' }])
    expect(lost.warnings).toEqual(['white space at the ends of texts is lost in t'])
    expect((await readFeatures(gml('<ogr:t>\n      two</ogr:t>'))).warnings).toEqual([])
  })

  test('years before 1000 have four digits in a shapefile', async () => {
    const sql = ['-sql', 'SELECT CAST(d AS date) AS d FROM layer']
    const features = ['0999-05-06', '0001-01-01', '2020-02-29'].map(
      (d) => [{ d }, point(1, 2)] as [{ d: string }, unknown],
    )
    const given = byGdal('gpkg', [...features, [{ d: null }, point(1, 2)]], sql)
    const { path } = await convert(given, 'shp')
    const table = outputOf('unzip', ['-p', path, '*.dbf'])
    const rows = Array.from({ length: 3 }, (_, i) =>
      table.toString('latin1', table.readUInt16LE(8) + 9 * i + 1, table.readUInt16LE(8) + 9 * i + 9),
    )
    expect(rows).toEqual(['09990506', '00010101', '20200229'])
    expect((await through(given, 'shp')).properties.map(({ d }) => d)).toEqual([
      '0999-05-06',
      '0001-01-01',
      '2020-02-29',
      null,
    ])
  })

  test('a member twice in a JSON value of a Parquet is refused', async () => {
    const parquet = (json: string) => {
      const geo = {
        version: '1.1.0',
        primary_column: 'geometry',
        columns: { geometry: { encoding: 'WKB', geometry_types: [] } },
      }
      const wkb = Buffer.from('0101000000000000000000f03f0000000000000040', 'hex')
      const file = parquetWriteBuffer({
        columnData: [
          { name: 'j', data: [Buffer.from(json)] },
          { name: 'geometry', data: [wkb] },
        ],
        schema: [
          { name: 'root', num_children: 2 },
          { name: 'j', type: 'BYTE_ARRAY', logical_type: { type: 'JSON' }, repetition_type: 'OPTIONAL' },
          { name: 'geometry', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' },
        ],
        kvMetadata: [{ key: 'geo', value: JSON.stringify(geo) }],
      })
      return { name: 'a.parquet', content: new Uint8Array(file) }
    }
    expect((await readFeatures(parquet('{"a":[{"b":1}],"c":{"b":2}}'))).properties).toEqual([
      { j: { a: [{ b: 1 }], c: { b: 2 } } },
    ])
    expect(
      await refusal('convert.validate-convert', { file: parquet('{"a":[{"b":1,"b":2}]}'), target_format: 'geojson' }),
    ).toMatchObject({ code: 'INPUT_UNREADABLE', rule: 'once', message: expect.stringContaining('"b"') })
  })

  test('white space that a format loses is a warning', async () => {
    for (const format of ['shp', 'gml'])
      expect((await convert(geojson([[{ a: ' x', b: 'x' }, point(1, 2)]]), format)).warnings).toContainEqual(
        'white space at the ends of texts is lost in a',
      )
  })
})

describe('GeoJSON', () => {
  const collection = (...features: string[]) =>
    text('a.geojson', `{"type":"FeatureCollection","features":[${features}]}`)
  const feature = (geometry: string, properties = '{}') =>
    `{"type":"Feature","properties":${properties},"geometry":${geometry}}`
  const convertRefusal = (file: ReturnType<typeof text>) =>
    refusal('convert.validate-convert', { file, target_format: 'geojson' })
  const here = '{"type":"Point","coordinates":[1,2]}'

  test.each([
    ['a property', collection(feature(here, '{"a":1,"b":{"a":2},"a":3}')), '"a"'],
    ['a property in another notation', collection(feature(here, '{"a":1,"\\u0061":3}')), '"a"'],
    ['a member of a value', collection(feature(here, '{"a":[{"{":1,"{":2}]}')), '"{"'],
    [
      'a geometry',
      text('a.geojson', `{"type":"Feature","geometry":${here},"properties":{},"geometry":null}`),
      '"geometry"',
    ],
    [
      'the list of features',
      text('a.geojson', '{"type":"FeatureCollection","features":[],"features":[]}'),
      '"features"',
    ],
  ])('%s twice in one object is refused', async (_what, file, name) => {
    const { rule, message } = await convertRefusal(file)
    expect([rule, message]).toEqual(['once', expect.stringContaining(name)])
  })

  test('colons and names in texts are not read as members', async () => {
    const value = { a: 'x":"y', 'b:c': [{ a: ':' }, { a: '\\":' }], '"': ':' }
    expect((await readFeatures(collection(feature(here, JSON.stringify(value))))).properties).toEqual([value])
  })

  test('a CRS in each geometry, as PostGIS writes it', async () => {
    const named = (code: number) =>
      `{"type":"Point","crs":{"type":"name","properties":{"name":"EPSG:${code}"}},"coordinates":[500000,5500000]}`
    const { geometries } = await readFeatures(collection(feature(named(25832)), feature('null'), feature(named(25832))))
    // 500 km east and 5500 km north of the zone's origin: on its central meridian
    expect(geometries[2]?.coordinates as unknown).toEqual([9, expect.closeTo(49.65, 1)])
    for (const other of [named(25833), here])
      expect(await convertRefusal(collection(feature(named(25832)), feature(other)))).toMatchObject({
        rule: 'crs',
        message: expect.stringContaining('feature 1'),
      })
  })

  test('positions that get a height, or lose a number, are a warning', async () => {
    const { warnings, geometries } = await readFeatures(
      collection(feature(here), feature('{"type":"LineString","coordinates":[[1,2,3],[4,5],[6,7,8,9]]}')),
    )
    expect(geometries[1]?.coordinates as unknown).toEqual([
      [1, 2, 3],
      [4, 5, 0],
      [6, 7, 8],
    ])
    expect(warnings).toEqual([
      expect.stringMatching(/^1 positions without a height .* feature 1$/),
      expect.stringMatching(/^1 positions have more than a height.* feature 1$/),
    ])
  })
})

describe('GML with several geometries in a feature', () => {
  const gml = (...features: string[]) =>
    text(
      'a.gml',
      `<c:FeatureCollection xmlns:c="http://www.opengis.net/wfs" xmlns:gml="http://www.opengis.net/gml">${features.map((feature) => `<gml:featureMember><c:f>${feature}</c:f></gml:featureMember>`).join('')}</c:FeatureCollection>`,
    )
  const at = (property: string, x: number) =>
    `<c:${property}><gml:Point srsName="EPSG:4326"><gml:coordinates>${x},2</gml:coordinates></gml:Point></c:${property}>`

  test.each<[string, string[], number, number[]]>([
    ['of different names', [at('line', 1), at('line', 2) + at('label', 3)], 1, [1, 3]],
    ['of one name', [at('line', 1) + at('line', 3), at('line', 2)], 0, [3, 2]],
  ])('%s: a warning names the first', async (_what, features, first, expected) => {
    const { warnings, geometries } = await readFeatures(gml(...features))
    expect(geometries).toEqual(expected.map((x) => point(x, 2)) as never)
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`^1 features .*line.* is feature ${first}$`))])
  })

  test('features with one geometry each cause no warning', async () => {
    const multi =
      '<!-- <c:f> --><c:line><gml:MultiPoint srsName="EPSG:4326"><gml:pointMember><gml:Point><gml:coordinates>1,2</gml:coordinates></gml:Point></gml:pointMember><gml:pointMember><gml:Point><gml:coordinates>3,4</gml:coordinates></gml:Point></gml:pointMember></gml:MultiPoint></c:line><c:empty/>'
    expect((await readFeatures(gml(multi, at('line', 2)))).warnings).toEqual([])
  })
})

describe('heights at cuts', () => {
  /** A square with the heights of its corners. */
  const square = (x: number, size: number, heights?: number[]) => {
    const corners = [
      [x, x],
      [x + size, x],
      [x + size, x + size],
      [x, x + size],
      [x, x],
    ]
    return {
      type: 'Polygon',
      coordinates: [corners.map((corner, i) => [...corner, ...(heights ? [heights[i % 4] as number] : [])])],
    }
  }
  const slope = [0, 40, 80, 40]
  const layer = geojson([
    [{ n: 0 }, square(20, 1, slope)],
    [{ n: 1 }, square(0, 4, slope)],
  ])
  const flat = geojson([[{ m: 1 }, square(2, 4)]])
  const high = geojson([[{ m: 1 }, square(2, 4, [7, 7, 7, 7])]])
  const cut = (tool: string, file: typeof layer, other: typeof layer) =>
    runTool(`vector.${tool}`, {
      file,
      target_format: 'geojson',
      [['clip', 'erase'].includes(tool) ? 'mask' : 'overlay']: other,
    })
  const WARNING = /^file: 1 features have new vertices.* first is feature 1$/

  test.each(['clip', 'erase', 'intersect', 'union'])('%s names the first feature with new vertices', async (tool) => {
    expect((await cut(tool, layer, flat)).warnings).toContainEqual(expect.stringMatching(WARNING))
  })

  test.each(['clip', 'erase'])('%s takes no heights of the mask', async (tool) => {
    const { warnings, geojson: result } = await cut(tool, geojson([[{ n: 0 }, square(0, 4)]]), high)
    expect(JSON.stringify(result().features[0]?.geometry)).not.toContain(',7]')
    expect(warnings).toEqual([])
  })

  test('intersect with a layer that has heights', async () => {
    const { warnings } = await cut(
      'intersect',
      geojson([
        [{ n: 0 }, square(20, 1)],
        [{ n: 1 }, square(0, 4)],
      ]),
      high,
    )
    expect(warnings).toContainEqual(expect.stringMatching(WARNING))
  })

  test.each(['clip', 'intersect'])('%s of whole features keeps their heights', async (tool) => {
    const { warnings, geojson: result } = await cut(tool, layer, geojson([[{}, square(-1, 30)]]))
    expect(result().features.map(({ geometry }) => geometry)).toEqual([
      square(20, 1, slope),
      square(0, 4, slope),
    ] as never)
    expect(warnings).toEqual([])
  })

  test('dissolve and repair', async () => {
    const overlapping = geojson([
      [{ n: 0 }, square(0, 4, slope)],
      [{ n: 1 }, square(2, 4, slope)],
    ])
    const { warnings } = await runTool('vector.dissolve', { file: overlapping, target_format: 'geojson' })
    expect(warnings).toContainEqual(expect.stringMatching(/^result: 1 features have new vertices.* feature 0$/))
    const bow = {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0, 0],
          [4, 4, 4],
          [4, 0, 8],
          [0, 4, 12],
          [0, 0, 0],
        ],
      ],
    }
    const repaired = await runTool('vector.repair', { file: geojson([[{}, bow]]), target_format: 'geojson' })
    expect(repaired.warnings).toContainEqual(expect.stringMatching(/^file: 1 features have new vertices.* feature 0$/))
  })
})
