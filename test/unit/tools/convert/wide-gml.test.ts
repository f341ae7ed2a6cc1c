/**
 * GML with many columns, whose attributes are read without GDAL: the same result as GDAL's for the same file with fewer
 * elements. Empty elements make a file wide without becoming columns in GDAL.
 */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../../../support/fuzz.ts'
import { type Given, runTool } from '../../../support/workers/engine.ts'

const NAMESPACES =
  'xmlns:a="http://example.com/a" xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xlink="http://www.w3.org/1999/xlink"'
const PADDING = Array.from({ length: 150 }, (_, i) => `<a:empty${i}/>`).join('')

const point = (i: number): string =>
  `<a:geom><gml:Point gml:id="p${i}" srsName="urn:ogc:def:crs:EPSG::4326"><gml:pos>${40 + i} ${i}</gml:pos></gml:Point></a:geom>`

function gml(rows: readonly string[], isWide: boolean, head = '<?xml version="1.0" encoding="utf-8"?>'): string {
  const members = rows.map(
    (row, i) =>
      `<gml:featureMember><a:thing gml:id="t.${i}x">${row}${i === 0 && isWide ? PADDING : ''}</a:thing></gml:featureMember>`,
  )
  return `${head}\n<a:FeatureCollection ${NAMESPACES}>\n${members.join('\n')}\n</a:FeatureCollection>\n`
}

async function outcome(content: string | Buffer) {
  const file: Given = { name: 'a.gml', content }
  const { warnings, geojson } = await runTool('vector.validate', { file, target_format: 'geojson' })
  return { warnings, features: geojson().features }
}

async function expectSame(rows: readonly string[]): Promise<void> {
  expect(await outcome(gml(rows, true))).toEqual(await outcome(gml(rows, false)))
}

const column = (values: readonly string[]): string[] => values.map((value, i) => `${value}${point(i)}`)
const texts = (...values: string[]): string[] =>
  column(values.map((value) => (value === '' ? '' : `<a:v>${value}</a:v>`)))

describe('columns as GDAL reads them', () => {
  test.each([
    ['texts', texts('a', 'b', '', 'Straße &amp; &#x628; &lt;b&gt;')],
    ['spaces', texts('  a  ', ' ', 'x\n y\t')],
    ['CDATA', texts('<![CDATA[ 1 < 2 ]]>', 'x<![CDATA[y]]>z')],
    ['integers', texts('1', '-2', '+3', ' 4 ', '007')],
    ['integers and a blank', texts('1', ' ', '2')],
    ['long integers', texts('1', '2147483648', '-9007199254740991')],
    ['numbers', texts('1', '1.5', '-2e3', '.5', '1.', '1E-3')],
    ['numbers and texts', texts('1', '1.5', 'x')],
    ['a text, then a number', texts('x', '1')],
    ['booleans', texts('true', 'false')],
    ['booleans and a text', texts('true', 'maybe')],
    ['booleans and integers', texts('true', '0', '1')],
    ['dates', texts('2024-02-29', '2023-12-31')],
    ['dates and times of them', texts('2024-02-29', '2024-02-29T10:20:30Z', '2024-02-29T10:20:30+05:30')],
    ['times of dates', texts('2024-02-29T10:20:30', '2024-02-29T10:20:30.5Z', '2024-02-28')],
    ['times', texts('10:20:30', '23:59:59')],
    ['dates and texts', texts('2024-02-29', 'soon')],
    ['dates and a number', texts('2024-02-29', '5')],
    ['dates that do not exist', texts('2024-02-29', '2024-13-39')],
    ['not numbers', texts('nan', 'inf', '1,5', '0x10', '1e', '-')],
    ['repeated elements', column(['<a:v>1</a:v><a:v>2</a:v>', '<a:v>3</a:v>', ''])],
    ['repeated texts', column(['<a:v>x</a:v><a:v>2</a:v>', '<a:v>3</a:v>'])],
    ['repeated numbers', column(['<a:v>1</a:v><a:v>2.5</a:v>', '<a:v>3</a:v>'])],
    ['repeated booleans', column(['<a:v>true</a:v><a:v>false</a:v>', '<a:v>true</a:v>'])],
    ['repeated numbers and a text', column(['<a:v>1</a:v><a:v>2</a:v>', '<a:v>x</a:v>'])],
    ['nested elements', column(['<a:o><a:i>1</a:i><a:j>x</a:j></a:o><a:i>2</a:i>', '<a:i>3</a:i>'])],
    ['text around elements', column(['<a:o>before<a:i>1</a:i>after</a:o>'])],
    ['nil', column(['<a:v xsi:nil="true"/><a:w>1</a:w>', '<a:v>5</a:v>', '<a:v xsi:nil="false">6</a:v>'])],
    ['nil everywhere', column(['<a:v xsi:nil="true"/>', '<a:v xsi:nil="true"/>'])],
    ['names in another case', column(['<a:v>1</a:v><a:V>2</a:V>', '<a:V>3</a:V>'])],
    ['names in other namespaces', column(['<a:v>1</a:v><gml:v>2</gml:v>'])],
    ['units', column(['<a:v uom="m">1</a:v><a:w>2</a:w>', '<a:v uom="km">3</a:v>'])],
    ['values in attributes', column(['<a:v value="1"/><a:w value="2">x</a:w>'])],
    [
      'references and other attributes',
      column(['<a:v xlink:href="#x">1</a:v><a:w code="y">2</a:w><a:u xlink:href="#z"/>']),
    ],
    ['gml:name', column(['<gml:name>n</gml:name><gml:description>d</gml:description>'])],
    [
      'bounds of features',
      column([
        `<gml:boundedBy><gml:Envelope srsName="urn:ogc:def:crs:EPSG::4326"><gml:lowerCorner>40 0</gml:lowerCorner><gml:upperCorner>41 1</gml:upperCorner></gml:Envelope></gml:boundedBy><a:v>1</a:v>`,
      ]),
    ],
    ['no geometry in some', [`<a:v>1</a:v>`, `<a:v>2</a:v>${point(1)}`, `<a:v>3</a:v><a:geom xsi:nil="true"/>`]],
    ['names that are long or not Latin', column(['<a:الاسم>1</a:الاسم><a:été>2</a:été><a:ÉTÉ>3</a:ÉTÉ>'])],
    ['comments', column(['<a:v>1<!-- no -->2</a:v>'])],
  ])('%s', async (_, rows) => {
    await expectSame(rows)
  })

  test('any texts', async () => {
    const value = fc.oneof(
      fc.constantFrom('', '1', '-5', '2.5', 'true', 'false', '2024-02-29', '2024-02-29T01:02:03Z', '10:11:12', 'x y'),
      fc.string({ unit: fc.constantFrom('0', '1', '-', '+', '.', 'e', 'd', 'a', ' '), maxLength: 5 }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(value, { minLength: 100, maxLength: 100 }), { minLength: 1, maxLength: 4 }),
        async (rows) => {
          const inRow = (values: readonly string[]) =>
            values.map((text, k) => (text === '' ? '' : `<a:c${k}>${text}</a:c${k}>`)).join('')
          await expectSame(column(rows.map(inRow)))
        },
      ),
      runs(60),
    )
  })
})

test('curves, heights and an encoding', async () => {
  const arc = (i: number): string =>
    `<a:geom><gml:Curve srsName="urn:ogc:def:crs:EPSG::25833" srsDimension="2"><gml:segments><gml:Arc><gml:posList>0 0 1 ${i} 2 0</gml:posList></gml:Arc></gml:segments></gml:Curve></a:geom>`
  const rows = [1, 2].map((i) => `<a:v>né ${i}</a:v>${arc(i)}`)
  await expectSame(rows)
  const head = '<?xml version="1.0" encoding="ISO-8859-1"?>'
  expect(await outcome(Buffer.from(gml(rows, true, head), 'latin1'))).toEqual(
    await outcome(Buffer.from(gml(rows, false, head), 'latin1')),
  )
  const high = `<a:v>1</a:v><a:geom><gml:Point srsName="urn:ogc:def:crs:EPSG::25833" srsDimension="3"><gml:pos>1 2 3</gml:pos></gml:Point></a:geom>`
  await expectSame([high])
})

test('two layers', async () => {
  const twoLayers = (isWide: boolean): string =>
    gml(texts('1', '2'), isWide).replace(
      '</a:FeatureCollection>',
      `<gml:featureMember><a:other><a:w>5</a:w>${point(7)}</a:other></gml:featureMember></a:FeatureCollection>`,
    )
  expect(await outcome(twoLayers(true))).toEqual(await outcome(twoLayers(false)))
})

test('features in elements that only GDAL knows', async () => {
  const answer = (isWide: boolean): string =>
    gml(texts('1', '2'), isWide).replaceAll('gml:featureMember', 'a:SearchResults').replaceAll('a:thing', 'a:Record')
  const narrow = await outcome(answer(false))
  expect(narrow.features).toHaveLength(2)
  expect(await outcome(answer(true))).toEqual(narrow)
})

test('the time does not grow with the square of the number of columns', async () => {
  // GDAL alone needs minutes for these files, more than a run may take
  const columns = 60_000
  const row = Array.from({ length: columns }, (_, k) => `<a:c${k}>${k}</a:c${k}>`).join('')
  const { features } = await outcome(gml(column(Array.from({ length: 6 }, () => row)), false))
  expect(features.map(({ properties }) => [properties.c0, properties[`c${columns - 1}`]])).toEqual(
    Array.from({ length: 6 }, () => [0, columns - 1]),
  )
})
