/** GML files that end early, or whose XML is damaged, are rejected as a whole: no feature is left out silently. */
import { expect, test } from 'bun:test'
import { refusal, runTool } from '../../../support/workers/engine.ts'

const member = (i: number, shape: string): string =>
  `<gml:featureMember><a:thing gml:id="t.${i}x"><a:n>${i}</a:n><a:g>${shape}</a:g></a:thing></gml:featureMember>\n`
const point = (i: number): string =>
  `<gml:Point srsName="urn:ogc:def:crs:EPSG::4326"><gml:pos>${40 + i / 1e3} ${i / 1e3}</gml:pos></gml:Point>`
const arc = (i: number): string =>
  `<gml:Curve srsName="urn:ogc:def:crs:EPSG::25833"><gml:segments><gml:Arc><gml:posList>0 0 1 ${1 + i} 2 0</gml:posList></gml:Arc></gml:segments></gml:Curve>`

const gml = (count: number, shape: (i: number) => string): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n<a:FeatureCollection xmlns:a="http://example.com/a" xmlns:gml="http://www.opengis.net/gml/3.2">\n${Array.from({ length: count }, (_, i) => member(i, shape(i))).join('')}</a:FeatureCollection>\n`

const convert = (content: string) => ({ file: { name: 'a.gml', content }, target_format: 'geojson' })

test.each([
  ['a few points', 20, point],
  ['many points', 2_000, point],
  ['a few arcs', 20, arc],
  ['many arcs', 700, arc],
] as const)('%s', async (_, count, shape) => {
  const whole = gml(count, shape)
  const { data } = await runTool('convert.validate-convert', convert(whole))
  expect(data.featureCount).toBe(count)
  const half = whole.slice(0, whole.length / 2)
  const last = whole.slice(0, whole.lastIndexOf('<gml:featureMember>') + 30)
  const unended = whole.replace('</a:FeatureCollection>', '')
  const mismatched = whole.replace(`<a:n>${count - 1}</a:n>`, `<a:n>${count - 1}</a:m>`)
  for (const broken of [half, last, unended, mismatched])
    expect(await refusal('convert.validate-convert', convert(broken))).toMatchObject({
      code: 'INPUT_UNREADABLE',
      field: 'file',
    })
})
