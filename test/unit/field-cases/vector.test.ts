/** Vector files that other programs were reported to misread. Truth: GDAL's programs, pyarrow and the standards. */
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { convert, fieldCase, readFeatures, text, through, zipOf } from '../../support/field-cases.ts'
import { outputOf } from '../../support/program.ts'
import { sharedFolder } from '../../support/run-end.ts'
import { geojson, point, refusal } from '../../support/workers/engine.ts'

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
      rule: 'coordinates',
      message: expect.stringContaining('feature 0'),
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

  test('types come from the schema in the ZIP', async () => {
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

  test('a complete .prj causes no warning', async () => {
    const { warnings } = await convert(
      geojson([[{}, point(3_500_000, 5_800_000)]], { crs: { type: 'name', properties: { name: 'EPSG:31467' } } }),
      'shp',
    )
    expect(warnings).toEqual([])
  })
})

test('a geometry that disappears is named', async () => {
  const { warnings, data } = await convert(fieldCase('40-one-position.geojson'), 'geojson')
  expect(warnings).toContainEqual(expect.stringContaining('the first belongs to feature 0'))
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

describe('encodings that the file does not state', () => {
  const shapefile = async (texts: Buffer[], more: Record<string, Buffer> = {}, names = ['a/Roads', 'a/ROADS']) => {
    const { path } = await convert(geojson(texts.map(() => [{ t: 'xxxx' }, point(1, 2)])), 'shp')
    const parts = (extension: string) => outputOf('unzip', ['-p', path, `*.${extension}`])
    const table = Buffer.from(parts('dbf'))
    // the language in the header, and the texts after it
    table[29] = 0
    const at = table.readUInt16LE(8)
    texts.forEach((text, i) => {
      text.copy(table, at + i * table.readUInt16LE(10) + 1)
    })
    const [stem, other] = names as [string, string]
    return zipOf({
      [`${stem}.shp`]: parts('shp'),
      [`${stem}.shx`]: parts('shx'),
      [`${other}.DBF`]: table,
      [`${other}.prj`]: parts('prj'),
      ...more,
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
