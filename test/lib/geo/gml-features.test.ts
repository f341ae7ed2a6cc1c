/**
 * GML that is read without GDAL is what GDAL reads, to the last bit; what is not certain to be the same is left to GDAL.
 * GDAL sees the beginning of each file, so the rows in question are tried there and after it.
 */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { sampled } from '../../support/fuzz.ts'
import {
  at,
  column,
  compare,
  documents,
  expectPlain,
  expectSame,
  GML2,
  HIGH,
  HOLE,
  HOLE_TUPLES,
  line,
  list,
  mixed,
  multi,
  of,
  point,
  polygon,
  pos,
  ring,
  SHELL,
  SHELL_TUPLES,
  tuples,
  URN,
  values,
} from '../../support/gml-documents.ts'

describe('values', () => {
  compare('read without GDAL', true, (rows: string[]) => documents(rows), [
    ['texts', values(['a', 'b', 'Straße &amp; &#x628; &lt;b&gt;', '&quot;&apos;&#39;&#10;x', 'اسم 😀'])],
    ['spaces', values(['  a  ', ' ', '', 'x\n y\t', '\r\n z\r\r\nz', '&#32;x', '&#13;x'])],
    ['integers', values(['1', '-2', '+3', ' 4 ', '007', '-'])],
    ['integers and a blank', values(['1', ' ', '2'])],
    ['long integers', values(['1', '2147483648', '-99999999999999', '-2147483648'])],
    ['numbers', values(['1', '1.5', '-2e3', '.5', '1.', '1E-3', '1d5', '1e400', '-1e400'])],
    ['numbers of many digits', values(['1', '1234567890.12345678', '-0.14285714285714285', '1.4285714285714286e-7'])],
    ['numbers and texts', values(['1', '1.5', 'x'])],
    ['booleans', values(['true', 'false', '1', '0'])],
    ['booleans and a text', values(['true', 'maybe'])],
    ['dates and times', values(['2024-02-29', '2024-02-29T10:20:30Z', '10:20:30'])],
    ['a date', values(['2024-02-29', '2023-12-31', '2024-13-39'])],
    ['not numbers', values(['nan', 'inf', '1,5', '0x10', '1e', '12 Main Street'])],
    ['repeated elements', column(['<a:v>1</a:v><a:v>2</a:v>', '<a:v>3</a:v>', ''])],
    ['repeated texts', column(['<a:v>x</a:v><a:v>2</a:v>', '<a:v>3</a:v>'])],
    ['repeated numbers', column(['<a:v>1</a:v><a:v>2.5</a:v>', '<a:v>3</a:v>'])],
    ['repeated booleans', column(['<a:v>true</a:v><a:v>false</a:v>', '<a:v>true</a:v>'])],
    ['repeated long integers', column(['<a:v>1</a:v><a:v>5000000000</a:v>', '<a:v>3</a:v>'])],
    ['nested elements', column(['<a:o><a:i>1</a:i><a:j>x</a:j></a:o><a:i>2</a:i>', '<a:i>3</a:i>'])],
    ['text around elements', column(['<a:o>before<a:i>1</a:i>after</a:o>', 'in &amp; a feature<a:o>x</a:o>'])],
    ['nil', column(['<a:v xsi:nil="true"/><a:w>1</a:w>', '<a:v>5</a:v>', '<a:v xsi:nil="false">6</a:v>'])],
    ['nil in capital letters', column(['<a:v xsi:nil="TRUE"></a:v>', '<a:v>x</a:v>'])],
    ['nil everywhere', column(['<a:v xsi:nil="true"/>', '<a:v xsi:nil="true"/>'])],
    ['names in another case', column(['<a:v>1</a:v><a:V>2</a:V>', '<a:V>3</a:V>'])],
    ['names in other namespaces', column(['<a:v>1</a:v><gml:v>2</gml:v><v>3</v>'])],
    ['units', column(['<a:v uom="m">1</a:v><a:w>2</a:w>', '<a:v uom="km">3</a:v>', "<a:v uom='°'>3</a:v>"])],
    ['values in attributes', column(['<a:v value="1"/><a:w value="2">x</a:w>', '<a:v value="7"></a:v>'])],
    ['other attributes', column(['<a:v code="y">1</a:v><a:w xlink:href="#x">2</a:w><a:u xlink:href="a?b&amp;c"/>'])],
    ['no geometry in some', ['<a:v>1</a:v>', `<a:v>2</a:v>${point(1)}`, '', '<a:v>3</a:v><a:geom/>']],
    ['no geometry, with a reason', ['<a:v>3</a:v><a:geom xsi:nil="true"/>', `<a:v>2</a:v>${point(1)}`]],
    ['names in Arabic', column(['<a:اسم>1</a:اسم>', '<اسم>x</اسم>'])],
    ['long names', column([`<a:${'n'.repeat(300)}>1</a:${'n'.repeat(300)}>`])],
    ['the column fid', column(['<a:fid>1</a:fid>', '<a:fid>7</a:fid>'])],
    ['names like those of geometries', column(['<a:pos>1 2</a:pos><a:exterior>x</a:exterior>'])],
    ['many columns', column([Array.from({ length: 90 }, (_, i) => `<a:c${i}>${i}</a:c${i}>`).join('')])],
    ['white space in tags', column(['<a:v\n>1</a:v ><a:w code = "x"\r\n\tb=\'y\' />'])],
  ])

  compare('left to GDAL', false, (rows: string[]) => documents(rows), [
    ['CDATA', values(['<![CDATA[ 1 < 2 ]]>'])],
    ['comments', values(['1<!-- no -->2'])],
    ['instructions', values(['1<?no?>2'])],
    ['integers that are too long', values(['1', '123456789012345678901234567890'])],
    ['integers with a sign and many zeros', values(['1', '+000000000000000000001'])],
    ['numbers with long exponents', values(['1', '99e1000.', '1e0000001', '1e-400'])],
    ['names in other letters', column(['<a:été>1</a:été>'])],
    ['the column gml_id', column(['<a:gml_id>1</a:gml_id>'])],
    ['names that begin with digits', column(['<a:1v>1</a:1v>'])],
    ["GDAL's own word for nothing", values(['___OGR_GML_NULL___', '___ogr_gml_null___'])],
    ['two geometries', column([`<a:geom><gml:Point ${URN}><gml:pos>5 6</gml:pos></gml:Point></a:geom>`])],
    ['geometries in other places', [`<a:other><gml:Point ${URN}><gml:pos>5 6</gml:pos></gml:Point></a:other>`]],
    ['a geometry in nothing', [`<gml:Point ${URN}><gml:pos>5 6</gml:pos></gml:Point>`]],
    ['nil with a text', column(['<a:v xsi:nil="true">x</a:v>'])],
    ['nil and a text', column(['<a:v xsi:nil="true"/><a:v>1</a:v>', '<a:v>1</a:v>'])],
  ])

  test('any texts', () => {
    const text = fc.oneof(
      fc.constantFrom('', '1', '-5', '2.5', 'true', 'false', '2024-02-29', '2024-02-29T01:02:03Z', '10:11:12', 'x y'),
      fc.string({ unit: fc.constantFrom('0', '1', '-', '+', '.', 'e', 'd', 'a', ' ', '\n'), maxLength: 5 }),
      fc.string({ unit: fc.constantFrom('0', '1', '9', '-', '.', 'e'), maxLength: 10 }),
    )
    const rows = sampled(fc.array(text, { minLength: 6, maxLength: 6 }), 400)
    const tables = Array.from({ length: 100 }, (_, i) => rows.slice(i * 4, i * 4 + 4))
    const inRow = (texts: readonly string[]): string =>
      texts.map((value, k) => (value === '' ? '' : `<a:c${k}>${value}</a:c${k}>`)).join('')
    const all = tables.flatMap((table) => documents(column(table.map(inRow))))
    expect(expectSame(all)).toBeGreaterThan(all.length / 200)
  })
})

describe('geometries', () => {
  const numbers =
    '391035.1234567 5820123.98765 13.123456789012345 -52.98765432109876 0.1 1e-7 1.5E+3 -2.5e2 5. -0 00012.50 123456789012345678 0.30000000000000004 1e22'
  const given: [string, string][] = [
    ['a point', `<gml:Point ${URN}>${pos('1.5 -2')}</gml:Point>`],
    ['a point in tuples', `<gml:Point ${URN}>${tuples('1.5,-2')}</gml:Point>`],
    ['white space', `<gml:Point\n${URN} >\n  <gml:pos >\n 1.5\n\t-2\r\n</gml:pos >\n</gml:Point >`],
    ['a line', line(list('1 2 3 4'), of())],
    ['a line in positions', line(`${pos('1 2')}${pos('3 4')} ${pos('5 6')}`, of())],
    ['a line in tuples', line(tuples('1,2 3,4\n 5,6 '), of())],
    ['tuples with separators', line(tuples('1,2 3,4', ' decimal="." cs="," ts=" "'), of())],
    ['a line of one position', line(list('1 2'), of())],
    ['numbers', line(list(numbers), of())],
    ['numbers in tuples', line(tuples(numbers.replace(/(\S+) (\S+)/g, '$1,$2')), of())],
    ['a polygon', polygon([list(SHELL), list(HOLE), list(HOLE)], of())],
    ['a polygon of GML 2', polygon([tuples(SHELL_TUPLES), tuples(HOLE_TUPLES)], of(), GML2)],
    ['a polygon in positions', polygon([SHELL.replace(/(\d \d) ?/g, (_, p) => pos(p))], of())],
    [
      'points',
      multi(
        'MultiPoint',
        'pointMember',
        [1, 2].map((i) => `<gml:Point>${pos(`${i} 5`)}</gml:Point>`),
      ),
    ],
    [
      'points together',
      multi('MultiPoint', 'pointMembers', [[1, 2].map((i) => `<gml:Point>${pos(`${i} 5`)}</gml:Point>`).join('\n')]),
    ],
    ['lines', multi('MultiLineString', 'lineStringMember', [line(list('1 2 3 4')), line(tuples('1,2 3,4'))])],
    ['curves', multi('MultiCurve', 'curveMember', [line(list('1 2 3 4')), line(list('5 6 7 8'))])],
    ['curves together', multi('MultiCurve', 'curveMembers', [line(list('1 2 3 4')) + line(list('5 6 7 8'))])],
    ['polygons', multi('MultiPolygon', 'polygonMember', [polygon([list(SHELL), list(HOLE)]), polygon([list(HOLE)])])],
    ['surfaces', multi('MultiSurface', 'surfaceMember', [polygon([list(SHELL), list(HOLE)]), polygon([list(HOLE)])])],
    ['surfaces together', multi('MultiSurface', 'surfaceMembers', [polygon([list(SHELL)]) + polygon([list(HOLE)])])],
    ['ids and labels', line(list('1 2 3 4', ' count="2"'), ` ${URN} gml:id="a" axisLabels="x y" uomLabels="m m"`)],
    ['the CRS of parts', multi('MultiSurface', 'surfaceMember', [polygon([list(SHELL)], of())])],
    ['heights of a point', `<gml:Point ${URN}>${pos('1 2 3')}</gml:Point>`],
    ['heights of a point that states none', `<gml:Point ${URN} srsDimension="2">${pos('1 2 3')}</gml:Point>`],
    ['no heights of a point that states some', `<gml:Point ${URN} srsDimension="3">${pos('1 2')}</gml:Point>`],
    ['heights of a line', line(list('1 2 3 4 5 6', ' srsDimension="3"'), of())],
    ['heights of a whole line', line(list('1 2 3 4 5 6'), ` srsDimension="3" ${URN}`)],
    ['heights of tuples', line(tuples('1,2,3 4,5,6'), of())],
    ['heights of a polygon', polygon([list(HIGH, ' srsDimension="3"')], of())],
    ['heights of a whole polygon', polygon([list(HIGH)], of(`${URN} srsDimension="3"`))],
    [
      'heights of parts',
      `<gml:MultiSurface ${URN} srsDimension="3"><gml:surfaceMember>${polygon([list(HIGH)])}</gml:surfaceMember></gml:MultiSurface>`,
    ],
    ['the same dimension twice', line(list('1 2 3 4', ' srsDimension="2"'), of(`${URN} srsDimension="3"`))],
  ]
  // alone in its layer, and with others, so that the type of the layer is that of the geometry or any
  const only = (geometry: string) => documents([at(geometry)], { padding: (i) => `${at(geometry)}<a:pad>${i}</a:pad>` })

  compare('alone in a layer, read without GDAL', true, only, given)

  test('mixed with points', () => {
    const flat = given.filter(([name]) => !/height|dimension/.test(name)).map(([, geometry]) => at(geometry))
    expectPlain(documents(flat, { padding: mixed }))
    const high = given.filter(([name]) => /^heights of a polygon/.test(name)).map(([, geometry]) => at(geometry))
    expectPlain(documents(high, { padding: mixed }))
    // a beginning with points only does not show the dimension of lists
    expect(expectSame(documents([at(line(list('1 2 3 4'), of()))]))).toBe(1)
  })

  compare('left to GDAL', false, (geometry: string) => documents([at(geometry)]), [
    [
      'curves',
      `<gml:Curve ${URN}><gml:segments><gml:LineStringSegment>${list('1 2 3 4')}</gml:LineStringSegment></gml:segments></gml:Curve>`,
    ],
    ['arcs', `<gml:Curve ${URN}><gml:segments><gml:Arc>${list('0 0 1 1 2 0')}</gml:Arc></gml:segments></gml:Curve>`],
    [
      'patches',
      `<gml:Surface ${URN}><gml:patches><gml:PolygonPatch><gml:exterior>${ring(list(SHELL))}</gml:exterior></gml:PolygonPatch></gml:patches></gml:Surface>`,
    ],
    [
      'collections',
      multi('MultiGeometry', 'geometryMember', [`<gml:Point>${pos('1 2')}</gml:Point>`, line(list('1 2 3 4'))]),
    ],
    ['an open ring', polygon([list('0 0 9 0 9 9 0 9')], of())],
    ['a short ring', polygon([list('0 0 9 0 0 0')], of())],
    ['an odd number', line(list('1 2 3'), of())],
    ['commas between all numbers', line(list('1,2,3,4'), of())],
    ['spaces in tuples', line(tuples('1 2,3 4'), of())],
    ['other separators', line(tuples('1;2 3;4', ' cs=";"'), of())],
    ['other decimal points', line(tuples('1,5;2 3;4', ' decimal="," cs=";"'), of())],
    ['a position of four numbers', `<gml:Point ${URN}>${pos('1 2 3 4')}</gml:Point>`],
    ['a position of one number', `<gml:Point ${URN}>${pos('1')}</gml:Point>`],
    ['words', `<gml:Point ${URN}>${pos('nan nan')}</gml:Point>`],
    ['numbers with words', `<gml:Point ${URN}>${pos('1x 2')}</gml:Point>`],
    ['a number that begins with its point', `<gml:Point ${URN}>${pos('.5 +2')}</gml:Point>`],
    ['very large numbers', `<gml:Point ${URN}>${pos('1e31 2')}</gml:Point>`],
    ['very long numbers', `<gml:Point ${URN}>${pos(`1.${'0'.repeat(40)}1 2`)}</gml:Point>`],
    ['exponents that are too high', `<gml:Point ${URN}>${pos('1e-400 2')}</gml:Point>`],
    ['two positions of a point', `<gml:Point ${URN}>${pos('1 2')}${pos('1 2')}</gml:Point>`],
    ['nothing in a point', `<gml:Point ${URN}/>`],
    ['nothing in a position', `<gml:Point ${URN}>${pos('')}</gml:Point>`],
    ['nothing in a line', line(list(' '), of())],
    ['nothing in a polygon', `<gml:Polygon ${URN}></gml:Polygon>`],
    ['nothing in a multi-geometry', `<gml:MultiPoint ${URN}></gml:MultiPoint>`],
    ['the hole first', polygon([list(HOLE), list(SHELL)], of(), ['interior', 'exterior'])],
    [
      'two rings in one boundary',
      `<gml:Polygon ${URN}><gml:exterior>${ring(list(SHELL))}${ring(list(HOLE))}</gml:exterior></gml:Polygon>`,
    ],
    ['mixed dimensions', line(`${pos('1 2')}${pos('3 4 5')}`, of())],
    ['mixed dimensions of tuples', line(tuples('1,2 3,4,5'), of())],
    ['references', `<gml:MultiPoint ${URN}><gml:pointMember xlink:href="#x"/></gml:MultiPoint>`],
    ['other elements', `<gml:Point ${URN}><gml:name>x</gml:name>${pos('1 2')}</gml:Point>`],
    ['text between elements', `<gml:Point ${URN}>x${pos('1 2')}</gml:Point>`],
    ['comments', `<gml:Point ${URN}><!-- x -->${pos('1 2')}</gml:Point>`],
    ['another dimension', line(list('1 2 3 4'), of(`${URN} srsDimension="4"`))],
    ['another CRS', `<gml:Point srsName="urn:ogc:def:crs:EPSG::4326">${pos('1 2')}</gml:Point>`],
    ['no CRS', `<gml:Point>${pos('1 2')}</gml:Point>`],
    [
      'another CRS inside',
      multi('MultiPoint', 'pointMember', [`<gml:Point srsName="EPSG:4326">${pos('1 2')}</gml:Point>`]),
    ],
    ['heights in a layer without', `<gml:Point ${URN}>${pos('1 2 3')}</gml:Point>`],
  ])

  test('numbers of any length', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 14 })
    const number = fc.tuple(fc.constantFrom('', '-'), digits, digits).map(([sign, a, b]) => `${sign}${a}.${b}`)
    const rows = sampled(fc.array(number, { minLength: 20, maxLength: 20 }), 600)
    const padding = (i: number): string => at(line(list(`${i} 1 2 3`), of()))
    expectPlain(
      documents(
        rows.map((texts) => at(line(list(texts.join(' ')), of()))),
        { padding },
      ),
    )
    expectPlain(documents(values(rows.flat())))
  })
})
