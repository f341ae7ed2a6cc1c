/** KML and KMZ: attributes, placemarks without geometry and times are kept; GDAL reads our files. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { freshPath } from '../../../support/formats/rasters.ts'
import { outputOf } from '../../../support/program.ts'
import { type Given, geojson, point, refusal, runTool } from '../../../support/workers/engine.ts'

const convert = (file: Given, target_format: string) => runTool('convert.validate-convert', { file, target_format })
const kml = (body: string, head = '<?xml version="1.0" encoding="UTF-8"?>'): Given => ({
  name: 'a.kml',
  content: `${head}<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>${body}</Document></kml>`,
})
const POINT = '<Point><coordinates>10,50</coordinates></Point>'
const features = async (file: Given) => (await convert(file, 'geojson')).geojson().features

test('typed and untyped data of placemarks become columns, also without a geometry', async () => {
  const file = kml(`
    <Schema name="s" id="s"><SimpleField type="int" name="pop"/><SimpleField type="double" name="share"/>
      <SimpleField type="bool" name="open"/><SimpleField type="int" name="mixed"/></Schema>
    <Placemark><name>Älva</name><description><![CDATA[<b>a & b</b>]]></description>
      <TimeStamp><when>2024-05-01</when></TimeStamp>
      <ExtendedData><SchemaData schemaUrl="#s"><SimpleData name="pop">7</SimpleData><SimpleData name="share">0.5</SimpleData>
        <SimpleData name="open">1</SimpleData><SimpleData name="mixed">3</SimpleData></SchemaData>
        <Data name="code-1"><displayName>Code</displayName><value>007</value></Data></ExtendedData>${POINT}</Placemark>
    <Placemark><name>no place</name><ExtendedData><SchemaData schemaUrl="#s"><SimpleData name="mixed">x</SimpleData></SchemaData></ExtendedData></Placemark>`)
  expect(await features(file)).toMatchObject([
    {
      properties: {
        name: 'Älva',
        description: '<b>a & b</b>',
        timestamp: '2024-05-01',
        pop: 7,
        share: 0.5,
        open: true,
        mixed: '3',
        'code-1': '007',
      },
      geometry: { type: 'Point', coordinates: [10, 50] },
    },
    { properties: { name: 'no place', pop: null, mixed: 'x' }, geometry: null },
  ])
})

test('every kind of geometry; pictures, links and the times of tracks are reported', async () => {
  const line = '<LineString><coordinates>0,0,5 1,1,6\n\t2,0,7</coordinates></LineString>'
  const ring = (name: string, r: string) =>
    `<${name}><LinearRing><coordinates>${r}</coordinates></LinearRing></${name}>`
  const polygon = `<Polygon>${ring('outerBoundaryIs', '0,0 9,0 9,9 0,9 0,0')}${ring('innerBoundaryIs', '1,1 1,2 2,2 1,1')}</Polygon>`
  const track =
    '<gx:Track><when>2024-01-01T00:00:00Z</when><when>2024-01-01T00:00:01Z</when><gx:coord>1 2 3</gx:coord><gx:coord>4 5 6</gx:coord></gx:Track>'
  const bodies = [
    line,
    polygon,
    `<MultiGeometry>${POINT}<Point><coordinates> 11, 51 ,0 </coordinates></Point></MultiGeometry>`,
    `<MultiGeometry>${POINT}${line}</MultiGeometry>`,
    track,
    '<LineString><coordinates></coordinates></LineString>',
  ]
  const file = kml(
    `<NetworkLink><Link><href>http://127.0.0.1:1/x.kml</href></Link></NetworkLink><GroundOverlay><name>map</name></GroundOverlay>
     <Folder><name>A</name>${bodies.map((body, i) => `<Placemark id="p${i}">${body}</Placemark>`).join('')}</Folder>
     <Folder><name>B</name><Placemark>${POINT}</Placemark></Folder>`,
  )
  const ran = await convert(file, 'geojson')
  const read = ran.geojson().features
  expect(read.map(({ geometry }) => geometry as unknown)).toEqual([
    {
      type: 'LineString',
      coordinates: [
        [0, 0, 5],
        [1, 1, 6],
        [2, 0, 7],
      ],
    },
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [9, 0],
          [9, 9],
          [0, 9],
          [0, 0],
        ],
        [
          [1, 1],
          [1, 2],
          [2, 2],
          [1, 1],
        ],
      ],
    },
    {
      type: 'MultiPoint',
      coordinates: [
        [10, 50],
        [11, 51],
      ],
    },
    {
      type: 'GeometryCollection',
      geometries: [
        { type: 'Point', coordinates: [10, 50, 0] },
        {
          type: 'LineString',
          coordinates: [
            [0, 0, 5],
            [1, 1, 6],
            [2, 0, 7],
          ],
        },
      ],
    },
    {
      type: 'LineString',
      coordinates: [
        [1, 2, 3],
        [4, 5, 6],
      ],
    },
    { type: 'LineString', coordinates: [] },
    { type: 'Point', coordinates: [10, 50] },
  ])
  expect(read.map(({ properties }) => properties.folder)).toEqual([...Array(6).fill('A'), 'B'])
  const warnings = ran.warnings.join('\n')
  expect(warnings).toContain('1 network link')
  expect(warnings).toContain('1 overlay')
  expect(warnings).toContain('times of 1 track')
})

test('other encodings and prefixes; broken text names the placemark', async () => {
  const latin = kml(`<Placemark><name>Größe</name>${POINT}</Placemark>`, '<?xml version="1.0" encoding="ISO-8859-1"?>')
  const { name, content } = latin as { name: string; content: string }
  expect((await features({ name, content: Buffer.from(content, 'latin1') }))[0]?.properties.name).toBe('Größe')
  const prefixed = `<k:kml xmlns:k="http://www.opengis.net/kml/2.2"><k:Placemark><k:name>x</k:name><k:Point><k:coordinates>1,2</k:coordinates></k:Point></k:Placemark></k:kml>`
  expect(await features({ name: 'a.kml', content: prefixed })).toMatchObject([{ properties: { name: 'x' } }])
  const ask = (file: Given) => refusal('convert.validate-convert', { file, target_format: 'geojson' })
  const bad = kml(
    `<Placemark>${POINT}</Placemark><Placemark><Point><coordinates>1,abc</coordinates></Point></Placemark>`,
  )
  expect(await ask(bad)).toMatchObject({
    code: 'INPUT_UNREADABLE',
    rule: 'coordinates',
    message: expect.stringContaining('feature 1'),
  })
  expect(await ask(kml('<Placemark>'))).toMatchObject({ code: 'INPUT_UNREADABLE', rule: 'xml' })
  const deep = `${'<MultiGeometry>'.repeat(5000)}${'</MultiGeometry>'.repeat(5000)}`
  expect(await ask(kml(`<Placemark>${deep}</Placemark>`))).toMatchObject({ code: 'INPUT_UNREADABLE', rule: 'depth' })
})

const SOURCE = geojson([
  [
    { name: 'ü & <b>', 'code-1': 'x', n: 1, big: 9_007_199_254_740_991, share: 0.1, ok: true },
    point(10.123456789012, 50),
  ],
  [{ name: null, 'code-1': null, n: 2, big: 1, share: 1.5e-7, ok: false }, null],
])

test.each(['kml', 'kmz'])(
  'our own %s is read back with all columns and types, and GDAL reads the same',
  async (format) => {
    const { path, filename } = await convert(SOURCE, format)
    const again = await features({ name: filename, content: readFileSync(path) })
    expect(again).toEqual([
      {
        type: 'Feature',
        properties: { name: 'ü & <b>', 'code-1': 'x', n: 1, big: 9_007_199_254_740_991, share: 0.1, ok: true },
        geometry: { type: 'Point', coordinates: [10.123456789, 50] },
      },
      {
        type: 'Feature',
        properties: { name: null, 'code-1': null, n: 2, big: 1, share: 1.5e-7, ok: false },
        geometry: null,
      },
    ] as never)
    const out = freshPath('gdal.geojson')
    const named = freshPath(`out.${format}`)
    await Bun.write(named, readFileSync(path))
    outputOf('ogr2ogr', ['-f', 'GeoJSON', '-lco', 'COORDINATE_PRECISION=15', out, named])
    const truth = JSON.parse(readFileSync(out, 'utf8')).features
    expect(truth).toHaveLength(2)
    // GDAL before 3.7 reads integers of 64 bits as text
    expect(String(truth[0].properties.big)).toBe('9007199254740991')
    expect(truth[0]).toMatchObject({
      properties: { Name: 'ü & <b>', 'code-1': 'x', n: 1, share: 0.1 },
      geometry: { type: 'Point', coordinates: [10.123456789012, 50] },
    })
    expect(truth[1]).toMatchObject({ properties: { n: 2, share: 1.5e-7 }, geometry: null })
  },
)
