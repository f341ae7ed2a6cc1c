/** Vector files that other programs were reported to read wrong. Truth: GDAL's programs, pyarrow and the standards. */
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { geojson, point, refusal, runTool } from '../support/engine.ts'
import { convert, fieldCase, readFeatures, text, through, zipOf } from '../support/field-cases.ts'
import { outputOf } from '../support/program.ts'
import { sharedFolder } from '../support/run-end.ts'

const refused = (name: string) =>
  refusal('convert.validate-convert', { file: fieldCase(name), target_format: 'geojson' })

describe('Parquet', () => {
  // the values that pyarrow shows
  test.each<[string, Record<string, unknown>[]]>([
    ['27-list-of-int64.parquet', [{ ids: [1, 2] }, { ids: [3] }]],
    ['30-date.parquet', [{ d: '2024-01-02' }, { d: '1899-12-30' }]],
    ['31-local-timestamp.parquet', [{ t: '2024-01-02T03:04:05.678901' }]],
    ['127-bytes.parquet', [{ v: 'AP8B' }, { v: 'iVBORw==' }]],
    ['128-decimal.parquet', [{ v: '12345678901234567890123.45' }]],
    ['33-covering.parquet', [{ n: 1 }]],
  ])('%s', async (name, expected) => {
    const { properties } = await readFeatures(fieldCase(name))
    expect(properties.slice(0, expected.length)).toEqual(expected)
  })

  test('LZ4_RAW is read', async () => {
    expect((await readFeatures(fieldCase('54-lz4-raw.parquet'))).properties[0]).toHaveProperty('n')
  })

  test('a CRS without a code is read from its definition', async () => {
    const { geometries } = await readFeatures(fieldCase('34-crs-without-id.parquet'))
    expect(geometries[0]?.coordinates as unknown).toEqual([expect.closeTo(10.511, 3), expect.closeTo(0.0005, 4)])
  })
})

describe('KML', () => {
  const kml = (coordinates: string, more = '') =>
    text(
      'a.kml',
      `<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark>${more}<LineString><coordinates>${coordinates}</coordinates></LineString></Placemark></Document></kml>`,
    )

  test('commas between all numbers are refused with the feature', async () => {
    expect(await refused('08-comma-run.kml')).toMatchObject({
      ...{ rule: 'coordinates', message: expect.stringContaining('feature 0') },
    })
  })

  test('commas after positions, and spaces after commas, are read', async () => {
    const { geometries } = await readFeatures(fieldCase('09-comma-after-tuple.kml'))
    expect(geometries[0]?.coordinates as unknown).toEqual([
      [13.4, 52.5],
      [13.41, 52.51],
      [13.42, 52.52],
    ])
    const spaced = await readFeatures(kml('13.4, 52.5, 7 13.41, 52.51, 8'))
    expect(spaced.geometries[0]?.coordinates as unknown).toEqual([
      [13.4, 52.5, 7],
      [13.41, 52.51, 8],
    ])
    for (const run of ['1,2,3,4', '1, 2, 3, 4', '1,0x10', '1,2 3'])
      expect(await refusal('convert.validate-convert', { file: kml(run), target_format: 'geojson' })).toMatchObject({
        rule: 'coordinates',
      })
  })

  test('data of one name keep all values', async () => {
    const data = (value: string) => `<Data name="a"><value>${value}</value></Data>`
    const { properties, warnings } = await readFeatures(
      kml('1,2 3,4', `<ExtendedData>${data('first')}${data('second')}</ExtendedData>`),
    )
    expect(properties).toEqual([{ a: 'first', a_2: 'second' }])
    expect(warnings).toContainEqual(expect.stringContaining('a → a_2'))
  })
})

describe('files that belong together', () => {
  test.each(['11-dbf-other-case.zip', '53-prj-other-case.zip'])('%s', async (name) => {
    const { properties } = await readFeatures(fieldCase(name))
    expect(properties).toHaveLength(3)
    for (const one of properties) expect(Object.keys(one)).toEqual(['name', 'n'])
  })
})

describe('GML', () => {
  test('the URNs of WFS 1.1 servers', async () => {
    const { geometries } = await readFeatures(fieldCase('42-urn-x-ogc.gml'))
    expect(geometries).toEqual([point(13.4, 52.5) as never])
  })

  test('types are those of the schema in the ZIP', async () => {
    const { properties } = await through(fieldCase('131-codes.geojson'), 'gml')
    const given = await readFeatures(fieldCase('131-codes.geojson'))
    expect(properties).toEqual(given.properties)
  })

  test('features without geometry come back', async () => {
    const { properties, geometries } = await through(fieldCase('132-no-geometry.geojson'), 'gml')
    expect(properties).toEqual([{ a: 1 }, { a: 2 }])
    expect(geometries).toEqual([null, null])
  })

  test('integers near 2^63 are written as integers', async () => {
    const { path } = await convert(fieldCase('124-int64.gpkg'), 'gml')
    const content = outputOf('sh', ['-c', `unzip -p ${path} '*.gml'`]).toString()
    const [column] = Object.keys((await readFeatures(fieldCase('124-int64.gpkg'))).properties[0] ?? {})
    const numbers = [...content.matchAll(new RegExp(`<ogr:${column}>([^<]*)<`, 'g'))].map(([, value]) => value)
    expect(numbers.sort()).toEqual(['-9223372036854775808', '1000000000000000000', '5', '9223372036854775807'])
  })
})

describe('GeoPackage and FlatGeobuf', () => {
  test('dates stay dates', async () => {
    const { properties } = await through(fieldCase('125-date.gpkg'), 'fgb')
    expect(properties.flatMap((one) => Object.values(one))).toContain('2024-02-29')
  })

  test('fractions of seconds', async () => {
    const { properties } = await readFeatures(fieldCase('126-milliseconds.gpkg'))
    expect(Object.values(properties[0] ?? {})).toContain('2024-02-29T12:34:56.789+02:00')
  })

  test.each(['fgb', 'gpkg', 'gml', 'kml', 'shp', 'parquet'])('fractions of seconds through %s', async (format) => {
    const { properties } = await through(fieldCase('126-milliseconds.gpkg'), format)
    expect(properties.flatMap((one) => Object.values(one))).toContain('2024-02-29T12:34:56.789+02:00')
  })

  test('triangles with heights', async () => {
    const { geometries } = await readFeatures(fieldCase('134-tin-z.gpkg'))
    const heights = JSON.stringify(geometries).match(/\[[^[\]]+\]/g) ?? []
    expect(heights.every((position) => position.split(',').length === 3)).toBe(true)
    const [{ geometries: parts }] = geometries as unknown as [{ geometries: { type: string }[] }]
    expect(parts.map(({ type }) => type)).toEqual(['Polygon', 'Polygon'])
  })
})

describe('columns of a result', () => {
  /** Features as ogr2ogr writes them, which knows date-times by their form. */
  const byGdal = (format: string, features: Parameters<typeof geojson>[0], sql: string[] = []) => {
    const dir = sharedFolder('columns')
    const [source, path] = [join(dir, 'layer.geojson'), join(dir, `layer.${format}`)]
    writeFileSync(source, (geojson(features) as { content: string }).content)
    outputOf('ogr2ogr', [path, source, '-overwrite', ...sql])
    return { name: `layer.${format}`, content: readFileSync(path) }
  }

  test('date-times without any value, in a shapefile', async () => {
    const sql = ['-sql', 'SELECT a, CAST(NULL AS timestamp) AS m, CAST(NULL AS date) AS d FROM layer']
    expect((await through(byGdal('gpkg', [[{ a: 1 }, point(1, 2)]], sql), 'shp')).properties).toEqual([{ a: 1, m: null, d: null }])
  })

  test('fid and geom beside date-times, in a FlatGeobuf', async () => {
    const properties = { fid: 7, geom: 'g', t: '2024-02-29T12:34:56.789Z' }
    expect((await readFeatures(byGdal('fgb', [[properties, point(1, 2)]]))).properties).toEqual([properties])
  })

  test('fractions of seconds beside a collection and an empty geometry, in a GeoPackage', async () => {
    const t = '2024-02-29T12:34:56.789Z'
    const collection = { type: 'GeometryCollection', geometries: [point(1, 2)] }
    const empty = { type: 'MultiPoint', coordinates: [] }
    const { properties, warnings } = await readFeatures(byGdal('gpkg', [[{ t }, collection], [{ t }, empty]]))
    expect([properties, warnings]).toEqual([[{ t }, { t }], []])
  })

  test('white space that a format loses is a warning', async () => {
    for (const format of ['shp', 'gml'])
      expect((await convert(geojson([[{ a: ' x', b: 'x' }, point(1, 2)]]), format)).warnings).toContainEqual(
        'white space at the ends of texts is lost in a',
      )
  })
})

describe('the CRS in a result', () => {
  test('a datum shift that a .prj cannot hold is a warning', async () => {
    const { warnings } = await through(fieldCase('157-towgs84.gpkg'), 'shp')
    expect(warnings).toContainEqual(expect.stringMatching(/coordinate reference system .* differ by 17\d m/))
  })

  test.each(['gpkg', 'fgb'])('a %s keeps it', async (format) => {
    const { warnings, geometries } = await through(fieldCase('157-towgs84.gpkg'), format)
    const [given] = (await readFeatures(fieldCase('157-towgs84.gpkg'))).geometries
    expect(geometries).toEqual([given as never])
    expect(warnings).toEqual([])
  })

  test('GML has no name for a CRS without a code', async () => {
    const { warnings } = await convert(fieldCase('157-towgs84.gpkg'), 'gml')
    expect(warnings).toContainEqual(expect.stringContaining('has no code'))
  })

  test('a .prj that says all is no warning', async () => {
    const { warnings } = await convert(
      geojson([[{}, point(3_500_000, 5_800_000)]], { crs: { type: 'name', properties: { name: 'EPSG:31467' } } }),
      'shp',
    )
    expect(warnings).toEqual([])
  })
})

test('a geometry of which nothing is left is named', async () => {
  const { warnings, data } = await convert(fieldCase('40-one-position.geojson'), 'geojson')
  expect(warnings).toContainEqual(expect.stringContaining('first feature 0'))
  expect(data.repairedCount).toBe(0)
})

test('NaN and infinite numbers are missing with a warning', async () => {
  const content = new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'v', type: 'DOUBLE', data: [1, Number.NaN, Number.POSITIVE_INFINITY] },
        { name: 'geometry', type: 'BYTE_ARRAY', data: [null, null, null] as never },
      ],
      kvMetadata: [{ key: 'geo', value: JSON.stringify({ columns: { geometry: { encoding: 'WKB' } } }) }],
    }),
  )
  const { properties, warnings } = await readFeatures({ name: 'a.parquet', content })
  expect(properties).toEqual([{ v: 1 }, { v: null }, { v: null }])
  expect(warnings).toEqual([expect.stringContaining('infinite')])
})

describe('encodings that nobody states', () => {
  const shapefile = async (texts: Buffer[], more: Record<string, Buffer> = {}, names = ['a/Roads', 'a/ROADS']) => {
    const { path } = await convert(geojson(texts.map(() => [{ t: 'xxxx' }, point(1, 2)])), 'shp')
    const parts = (extension: string) => outputOf('unzip', ['-p', path, `*.${extension}`])
    const table = Buffer.from(parts('dbf'))
    // the language in the head, and the texts after it
    table[29] = 0
    const at = table.readUInt16LE(8)
    texts.forEach((text, i) => {
      text.copy(table, at + i * table.readUInt16LE(10) + 1)
    })
    const [stem, other] = names as [string, string]
    return zipOf({
      ...{ [`${stem}.shp`]: parts('shp'), [`${stem}.shx`]: parts('shx') },
      ...{ [`${other}.DBF`]: table, [`${other}.prj`]: parts('prj'), ...more },
    })
  }

  test.each([
    ['UTF-8', Buffer.from('Köln'.slice(0, 3)), 'Köl'],
    ['Windows-1252', Buffer.from([0x4b, 0xf6, 0x6c, 0x80]), 'Köl€'],
  ])('of a .dbf: %s', async (title, bytes, expected) => {
    const { properties, warnings } = await readFeatures(await shapefile([bytes]))
    expect(String(properties[0]?.t).replace(/x+$/, '')).toBe(expected)
    expect(warnings).toEqual([expect.stringContaining(title)])
  })

  test('texts that GDAL cannot decode are a warning', async () => {
    const more = { 'a/roads.cpg': Buffer.from('EBCDIC-XYZ') }
    const { warnings } = await readFeatures(await shapefile([Buffer.from([0x4b, 0xf6, 0x6c])], more))
    expect(warnings).toContainEqual(expect.stringContaining('U+FFFD'))
  })

  test('files of another folder do not belong to a shapefile, and others are named', async () => {
    const file = await shapefile([Buffer.from('a')], {}, ['a/roads', 'b/roads'])
    expect(await refusal('convert.validate-convert', { file, target_format: 'geojson' })).toMatchObject({
      rule: 'shapefile',
    })
    const { warnings } = await readFeatures(await shapefile([Buffer.from('a')], { 'a/more.csv': Buffer.from('x') }))
    expect(warnings).toEqual([expect.stringContaining('a/more.csv')])
  })
})

test('tables without geometries beside a layer are named', async () => {
  const path = join(sharedFolder('vector-cases'), 'tables.gpkg')
  const given = join(sharedFolder('vector-cases'), 'given.geojson')
  writeFileSync(given, (geojson([[{ a: 1 }, point(1, 2)]]) as { content: string }).content)
  outputOf('ogr2ogr', ['-f', 'GPKG', '-nln', 'places', path, given])
  outputOf('ogr2ogr', ['-f', 'GPKG', '-update', '-nlt', 'NONE', '-nln', 'notes', path, given])
  const { warnings, properties } = await readFeatures({ name: 'tables.gpkg', content: readFileSync(path) })
  expect(properties).toEqual([{ a: 1 }])
  expect(warnings).toEqual([expect.stringContaining('notes')])
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

  test('colons and names in texts are no members', async () => {
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
        ...{ rule: 'crs', message: expect.stringContaining('feature 1') },
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

  test('one geometry each is no warning', async () => {
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
      ...{ file, target_format: 'geojson' },
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
