/** Reprojection of a CSV file: all columns are kept and two are added. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { outputOf } from '../../../support/program.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

test('keeps columns, quoting and Arabic text; coordinates match gdaltransform', async () => {
  const { data, path, filename } = await runTool('convert.transform-crs-csv', {
    file: 'cities.csv',
    source_crs: 'EPSG:4326',
    target_crs: 'EPSG:3857',
  })
  expect(data).toEqual({ pointCount: 3 })
  expect(filename).toBe('cities_EPSG_3857.csv')
  const lines = readFileSync(path, 'utf8').trim().split('\r\n')
  expect(lines[0]).toBe('name,longitude,latitude,inhabitants,target_x,target_y')
  expect(lines[2]).toStartWith('"Köln, Rhein",6.9603,50.9375,1073096,')
  expect(lines[3]).toStartWith('القاهرة,31.2357,30.0444,10100166,')
  const reported = outputOf(
    'gdaltransform',
    ['-output_xy', '-s_srs', '+proj=longlat +datum=WGS84', '-t_srs', 'EPSG:3857'],
    { input: '13.405 52.52' },
  )
  const [x, y] = reported.toString().trim().split(' ').map(Number)
  const [east, north] = (lines[1] as string).split(',').slice(-2).map(Number)
  expect([east, north]).toEqual([expect.closeTo(x as number, 3), expect.closeTo(y as number, 3)])
})

test('reads semicolons, other column names and a byte order mark', async () => {
  const file = { name: 'a.csv', content: '\uFEFFid;Easting;NORTHING\r\n1;500000;5761038\r\n' }
  const { path } = await runTool('convert.transform-crs-csv', {
    file,
    source_crs: 'EPSG:25833',
    target_crs: 'EPSG:4326',
  })
  const [x, y] = (readFileSync(path, 'utf8').split('\r\n')[1] as string).split(';').slice(-2).map(Number)
  expect([x, y]).toEqual([expect.closeTo(15, 6), expect.closeTo(52, 5)])
})

test('text that a spreadsheet would run as a formula is escaped on request; numbers never are', async () => {
  const cells = ['=1+1', '+49 30 1', '-5', '+1.5e-3', '-', '-.5', '@SUM(A1)', '\tx', '-1-1', "'quoted", 'plain', '1=1']
  const content = `lon,lat,=head,${cells.map((_, i) => `c${i}`).join(',')}\n-1,-2,x,${cells.map((cell) => `"${cell}"`).join(',')}\n`
  const table = async (escape_formulas: boolean): Promise<string[][]> => {
    const { path } = await runTool('convert.transform-crs-csv', {
      file: { name: 'a.csv', content },
      source_crs: 'EPSG:4326',
      target_crs: 'EPSG:3857',
      escape_formulas,
    })
    const program = 'import csv,json,sys; print(json.dumps(list(csv.reader(open(sys.argv[1], newline="")))))'
    return JSON.parse(outputOf('python3', ['-c', program, path]).toString()) as string[][]
  }
  const [head, row] = await table(true)
  expect(head?.slice(0, 3)).toEqual(['lon', 'lat', "'=head"])
  expect(row?.slice(0, 2)).toEqual(['-1', '-2'])
  const escaped = [
    "'=1+1",
    "'+49 30 1",
    '-5',
    '+1.5e-3',
    "'-",
    '-.5',
    "'@SUM(A1)",
    "'\tx",
    "'-1-1",
    "'quoted",
    'plain',
    '1=1',
  ]
  expect(row?.slice(3, -2)).toEqual(escaped)
  // coordinates in the south and the west stay numbers
  for (const value of row?.slice(-2) ?? []) expect(Number(value)).toBeLessThan(0)
  const [, plain] = await table(false)
  expect(plain?.slice(3, -2)).toEqual(cells)
})

test('errors name the row and the rule', async () => {
  const ask = (content: string) =>
    refusal('convert.transform-crs-csv', {
      file: { name: 'a.csv', content },
      source_crs: 'EPSG:4326',
      target_crs: 'EPSG:25833',
    })
  const code = 'INPUT_UNREADABLE'
  expect(await ask('a,b\n1,2\n')).toMatchObject({ code, field: 'file', rule: 'coordinateColumns' })
  expect(await ask('lon,lat\n1,2\n3,north\n')).toMatchObject({
    code,
    rule: 'number',
    message: expect.stringContaining('row 2'),
  })
  expect(await ask('')).toMatchObject({ code, rule: 'csv' })
  expect(await ask('lon,lat\n"1,2\n')).toMatchObject({ code, rule: 'csv' })
})
