/** Coordinates and tables that other programs were reported to read wrong. Truth: closed forms, and the standards. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fieldCase, readFeatures, text, through, zipOf } from '../../support/field-cases.ts'
import { type Given, geojson, point, refusal, runTool } from '../../support/workers/engine.ts'

const degreesOf = async (from_format: string, lat: string, lon: string) => {
  const { data } = await runTool('convert.convert-coordinates', { from_format, points: [{ lon, lat }] })
  return (data.results as { dd: { lon: number; lat: number } }[])[0]?.dd
}
const refused = (from_format: string, lat: string, lon: string) =>
  refusal('convert.convert-coordinates', { from_format, points: [{ lon, lat }] })
const berlin = { lat: expect.closeTo(52.52, 9), lon: expect.closeTo(13.405, 9) }

describe('angles', () => {
  // GeographicLib's GeoConvert gives the same numbers
  test.each([
    ['dms', '52d31m12s', '13d24m18s E', berlin],
    ['dms', '52d31m12sN', 'E13d24m18s', berlin],
    ['dms', '52d31m12"S', '13d24m18sW', { lat: expect.closeTo(-52.52, 9), lon: expect.closeTo(-13.405, 9) }],
    ['dms', '52 31 12 S', '13 24 18 W', { lat: expect.closeTo(-52.52, 9), lon: expect.closeTo(-13.405, 9) }],
    ['dms', '−52°31\'12"', '−13°24\'18"', { lat: expect.closeTo(-52.52, 9), lon: expect.closeTo(-13.405, 9) }],
    ['dms', '52˚31\'12"N', '13˚24\'18"E', berlin],
    ['dms', '52º31′12″N', '13∘24´18ʺE', berlin],
    ['dms', "52°31'12''N", '13°24’18”E', berlin],
    ['dms', "52°31'N", "13°24'E", { lat: expect.closeTo(52 + 31 / 60, 9), lon: expect.closeTo(13.4, 9) }],
    ['dms', "52°31.2'N", "13°24.3'E", berlin],
    ['ddm', '52d31.2m', 'E 13 24.3', berlin],
    ['dd', '−52.52', '+13.405', { lat: -52.52, lon: 13.405 }],
  ] as const)('%s %s, %s', async (format, lat, lon, degrees) => {
    expect(await degreesOf(format, lat, lon)).toEqual(degrees)
  })

  test.each([
    ['dms', 'N52°31\'12"S', '13°24\'18"E', 'hemisphere'],
    ['dms', 'N52°31\'12"N', '13°24\'18"E', 'hemisphere'],
    // seconds or south
    ['dms', '52d31m12S', '13°24\'18"E', 'hemisphere'],
    ['dms', '52d31m12 s', '13°24\'18"E', 'hemisphere'],
    ['dms', "52°31'12s", '13°24\'18"E', 'hemisphere'],
    ['ddm', '52°31.2s', "13°24.3'E", 'hemisphere'],
    // minutes or the decimals of minutes
    ['dms', '52 31,12', '13°24\'18"E', 'dms'],
    ['dd', '0x1F', '13.405', 'number'],
    ['dd', ' ', '13.405', 'number'],
    ['dd', '52,52', '13.405', 'number'],
  ] as const)('%s %s is refused', async (format, lat, lon, rule) => {
    expect(await refused(format, lat, lon)).toMatchObject({ code: 'VALIDATION_FAILED', field: 'points.0.lat', rule })
  })
})

const reproject = (file: Given, source_crs = 'EPSG:4326', target_crs = 'EPSG:3857') =>
  runTool('convert.transform-crs-csv', { file, source_crs, target_crs })
const rowsOf = (path: string): string[] => readFileSync(path, 'utf8').trimEnd().split('\r\n')

describe('rows of different lengths', () => {
  test('a short row has its targets under their headers', async () => {
    const { path, warnings } = await reproject(fieldCase('05-short-row.csv'))
    const [head, row] = rowsOf(path).map((line) => line.split(','))
    expect(head?.slice(-2)).toEqual(['target_x', 'target_y'])
    // the closed form of EPSG:3857: a λ, a ln tan(π/4 + φ/2)
    const [x, y] = [
      (13.4 * Math.PI * 6378137) / 180,
      6378137 * Math.log(Math.tan(Math.PI / 4 + (52.5 * Math.PI) / 360)),
    ]
    expect(row?.slice(0, 4)).toEqual(['13.4', '52.5', 'A', ''])
    expect(row?.slice(4).map(Number)).toEqual([expect.closeTo(x, 4), expect.closeTo(y, 4)])
    expect(warnings).toEqual([expect.stringContaining('first row 1')])
  })

  test('a row with more cells than the header is refused by both readers', async () => {
    const file = fieldCase('06-long-row.csv')
    const message = expect.stringContaining('row 1')
    const input = { file, source_crs: 'EPSG:4326', target_crs: 'EPSG:3857' }
    expect(await refusal('convert.transform-crs-csv', input)).toMatchObject({ field: 'file', rule: 'cells', message })
    expect(await refusal('convert.validate-convert', { file, target_format: 'geojson' })).toMatchObject({
      field: 'file',
      rule: 'cells',
      message,
    })
  })

  test('delimiters at the end of a row are no cells', async () => {
    const { properties } = await readFeatures(text('a.csv', 'lon,lat,n\n1,2,3,,\n4,5\n'))
    expect(properties).toEqual([{ n: 3 }, { n: null }])
  })

  test('an empty row stays, and is named', async () => {
    const { path, warnings, data } = await reproject(fieldCase('58-empty-cells.csv'))
    const given = readFileSync('test/fixtures/field-cases/58-empty-cells.csv', 'utf8').trimEnd().split(/\r?\n/)
    const rows = rowsOf(path)
    expect(rows).toHaveLength(given.length)
    expect(rows[2]).toBe(',,,,')
    expect(data.pointCount).toBe(given.length - 2)
    expect(warnings).toEqual([expect.stringContaining('first row 2')])
  })

  test('lines without a character are no rows, and do not mislead the delimiter', async () => {
    const { properties } = await readFeatures(
      text('a.csv', '\n\nlon;lat;n\n\n\n13,4;52,5;7'.replaceAll('3,4', '3.4').replaceAll('2,5', '2.5')),
    )
    expect(properties).toEqual([{ n: 7 }])
  })
})

describe('names', () => {
  test.each(['geojson', 'kml', 'fgb', 'gpkg', 'shp', 'gml', 'parquet'])(
    'columns with one name keep both values in %s',
    async (format) => {
      const { properties, warnings } = await through(fieldCase('35-same-column.csv'), format)
      const [head, row] = readFileSync('test/fixtures/field-cases/35-same-column.csv', 'utf8').split(/\r?\n/)
      const values = (row as string).split(',').filter((_, i) => (head as string).split(',')[i] === 'name')
      expect(
        Object.entries(properties[0] ?? {})
          .filter(([name]) => /^name/.test(name))
          .sort(),
      ).toEqual(values.map((value, i) => [i === 0 ? 'name' : `name_${i + 1}`, value]))
      expect(warnings).toContainEqual(expect.stringContaining('name → name_2'))
    },
  )

  test('columns without a name get one', async () => {
    const { properties } = await readFeatures(text('a.csv', 'lon,lat,,\n1,2,x,y\n'))
    expect(properties).toEqual([{ column_3: 'x', column_4: 'y' }])
  })

  test('two columns for one coordinate are refused', async () => {
    const file = text('a.csv', 'lon,lat,Lon\n1,2,3\n')
    expect(await refusal('convert.validate-convert', { file, target_format: 'geojson' })).toMatchObject({
      rule: 'coordinateColumns',
    })
  })

  test('columns of the result get other names than the columns of the file', async () => {
    const { path, warnings } = await reproject(text('a.csv', 'lon,lat,target_x\n1,2,3\n'))
    expect(rowsOf(path)[0]).toBe('lon,lat,target_x,target_x_2,target_y')
    expect(warnings).toEqual([expect.stringContaining('target_x → target_x_2')])
  })
})

describe('numbers and texts', () => {
  const columnOf = async (...cells: string[]) =>
    (await readFeatures(text('a.csv', `lon,lat,v\n${cells.map((cell) => `1,2,${cell}\n`).join('')}`))).properties.map(
      ({ v }) => v,
    )

  test('a blank cell is empty wherever a number is expected', async () => {
    const { properties } = await readFeatures(fieldCase('07-blank-number.csv'))
    expect(properties.map(({ count }) => count).slice(1)).toEqual([null, null])
    expect(await columnOf('1', ' ', '\u00a0')).toEqual([1, null, null])
  })

  test.each([
    ['codes with an E', ['12E4', '3E10']],
    ['codes with an e', ['12e4', '1']],
    ['codes with leading zeros', ['007', '12']],
    ['a number that no double holds', ['1e400', '1']],
    ['one with a point', ['1.5e400', '1']],
    ['one that would become 0', ['1.0e-400', '1']],
    ['hexadecimal digits', ['0x10', '1']],
    ['decimal commas', ['"1,5"', '2']],
    ['grouped digits', ['"1,500"', '2']],
    ['a plus', ['+5', '1']],
    ['infinity', ['Infinity', '1']],
  ])('%s stay texts', async (_, cells) => {
    expect(await columnOf(...cells)).toEqual(cells.map((cell) => cell.replaceAll('"', '')))
  })

  test('numbers as programs write them are numbers', async () => {
    expect(await columnOf('1e-7', '1.5E3', '-2.50', '1e+21', '0.0', '')).toEqual([1e-7, 1500, -2.5, 1e21, 0, null])
  })

  test('the .csvt beside a CSV states the types', async () => {
    const dir = await zipOf({ 'a.csv': 'lon,lat,code,n\n1,2,12,7\n', 'a.csvt': '"Real","Real","String(4)","Integer"' })
    expect((await readFeatures(dir)).properties).toEqual([{ code: '12', n: 7 }])
  })
})

describe('places that do not exist', () => {
  const ask = (source_crs: string, target_crs: string, x: number, y: number) =>
    refusal('convert.transform-crs-json', { source_crs, target_crs, points: [{ x, y }] })

  test('a point far from the area of a projection is refused', async () => {
    const field = 'points.0'
    expect(await ask('EPSG:4326', 'EPSG:2056', -100, 40)).toMatchObject({ field, rule: 'reach' })
    expect(await ask('EPSG:2056', 'EPSG:4326', 5e7, 1e6)).toMatchObject({ field, rule: 'reach' })
    const file = text('a.csv', 'lon,lat\n8,47\n-100,40\n')
    expect(
      await refusal('convert.transform-crs-csv', { file, source_crs: 'EPSG:4326', target_crs: 'EPSG:2056' }),
    ).toMatchObject({ rule: 'reach', message: expect.stringContaining('row 2') })
  })

  test('a layer with such a feature is refused, and names it', async () => {
    const layers = [
      [8, 47],
      [-100, 40],
    ].map(([x, y]) => [{}, point(x as number, y as number)] as never)
    const swiss = geojson([[{}, point(2_600_000, 1_200_000)]], {
      crs: { type: 'name', properties: { name: 'EPSG:2056' } },
    })
    expect(await refusal('vector.merge', { files: [swiss, geojson(layers)], target_format: 'geojson' })).toMatchObject({
      rule: 'reprojection',
      message: expect.stringContaining('feature 1'),
    })
  })

  test.each(['38-metres.geojson', '166-latitude-first.geojson'])('%s is refused', async (name) => {
    const file = fieldCase(name)
    const expected = { code: 'INPUT_UNREADABLE', rule: 'degrees', message: expect.stringContaining('feature 0') }
    expect(await refusal('convert.validate-convert', { file, target_format: 'geojson' })).toMatchObject(expected)
    expect(await refusal('vector.buffer', { file, distance_m: 1000, target_format: 'geojson' })).toMatchObject(expected)
  })

  test('longitudes beyond 180 and grads are places', async () => {
    const { geometries } = await readFeatures(geojson([[{}, point(190, -90)]]))
    expect(geometries).toEqual([point(190, -90) as never])
    const paris = geojson([[{}, point(0, 95)]], { crs: { type: 'name', properties: { name: 'EPSG:4807' } } })
    // 95 grads are 85.5 degrees; the datum shift moves the point by less than a hundredth of a degree
    const [found] = (await readFeatures(paris)).geometries
    expect(found?.coordinates as unknown).toEqual([expect.any(Number), expect.closeTo(85.5, 1)])
  })
})
