/** Systems, the order of their axes, and what programs write, in GML that is read without GDAL. */
import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anyGeometry } from '../../support/any-geometry.ts'
import { NODE } from '../../support/engine.ts'
import { sampled } from '../../support/fuzz.ts'
import {
  at,
  documents,
  expectLeftToGdal,
  expectPlain,
  expectPositions,
  expectSame,
  isLayer,
  line,
  list,
  mixed,
  of,
  point,
  polygon,
  pos,
  read,
  URN,
} from '../../support/gml-documents.ts'
import { outputOf } from '../../support/program.ts'
import { freshPath, gdal } from '../../support/rasters.ts'
import type { GmlLayer, GmlOutcome } from '../../support/read-gml.ts'
import type { GivenLayer } from '../../support/write-gml.ts'

const WRITER = join(import.meta.dir, '../../support/write-gml.ts')

/** Names of systems, and whether the axes are in the other order than in GDAL's layers. */
const SYSTEMS: [srsName: string, isPlain: boolean][] = [
  ...['4326', '4258', '3857', '25833', '31467', '2193', '3006', '2180'].flatMap((code): [string, boolean][] => [
    [`urn:ogc:def:crs:EPSG::${code}`, true],
    [`urn:ogc:def:crs:EPSG:6.9:${code}`, true],
    [`http://www.opengis.net/def/crs/EPSG/0/${code}`, true],
    [`EPSG:${code}`, true],
    [`epsg:${code}`, true],
    [`http://www.opengis.net/gml/srs/epsg.xml#${code}`, true],
  ]),
  ['urn:ogc:def:crs:OGC:1.3:CRS84', true],
  ['EPSG:4979', true],
  ['urn:ogc:def:crs:EPSG::4979', true],
  ['EPSG:999999', false],
  ['', false],
  ['EPSG:25833 ', true],
]

describe('systems', () => {
  test('on geometries', () => {
    const given = SYSTEMS.map(([srsName]) => {
      const named = (i: number): string => point(i, `srsName="${srsName}"`)
      return documents([named(3)], { padding: named })[1] as string
    })
    for (const [i, { plain, any, chosen }] of read(given).entries()) {
      const [srsName, isPlain] = SYSTEMS[i] as [string, boolean]
      expect([srsName, chosen]).toEqual([srsName, any])
      expect([srsName, isLayer(plain)]).toEqual([srsName, isPlain])
      if (!isLayer(plain)) continue
      expect(plain as GmlOutcome).toEqual(any)
      expectPositions(given[i] as string, plain)
    }
  })

  test('on all features', () => {
    const given = SYSTEMS.flatMap(([srsName]) => {
      const head = `<gml:boundedBy><gml:Envelope srsName="${srsName}"><gml:lowerCorner>0 0</gml:lowerCorner><gml:upperCorner>9 9</gml:upperCorner></gml:Envelope></gml:boundedBy>`
      const named = (i: number): string => point(i, `srsName="${srsName}"`)
      const unnamed = (i: number): string => point(i, '')
      return [
        documents([unnamed(3)], { head, padding: unnamed }),
        documents([named(3)], { head, padding: named }),
        documents([point(3)], { head }),
        documents([unnamed(3)], { head: head.replaceAll('gml:', 'g:'), padding: unnamed }),
      ].map(([, document = '']) => document)
    })
    expect(expectSame(given)).toBeGreaterThan(given.length / 3)
  })

  test('one that all features have in common, in the order of its axes', () => {
    const head =
      '<gml:boundedBy><gml:Envelope srsName="urn:ogc:def:crs:EPSG::4326"><gml:lowerCorner>0 0</gml:lowerCorner><gml:upperCorner>9 9</gml:upperCorner></gml:Envelope></gml:boundedBy>'
    expectPlain(documents([point(3, '')], { head, padding: (i) => point(i, '') }))
  })

  test.each(['2', '3', '4', 'x'])('a dimension of %s that all features have in common', (dimension) => {
    const head = `<gml:boundedBy><gml:Envelope srsDimension="${dimension}" ${URN}><gml:lowerCorner>0 0 0</gml:lowerCorner><gml:upperCorner>9 9 9</gml:upperCorner></gml:Envelope></gml:boundedBy>`
    const row = (attributes: string): string => at(line(list('1 2 3 4 5 6'), of(attributes)))
    for (const attributes of [URN, `${URN} srsDimension="2"`, `${URN} srsDimension="3"`]) {
      const given = documents([row(attributes)], { head, padding: () => row(attributes) })
      const isPlain = dimension === (attributes.endsWith('"3"') ? '3' : '2')
      expect(expectSame(given)).toBe(isPlain ? given.length : 0)
    }
  })

  test('a list whose dimension depends on a system that the beginning does not show', () => {
    const named = 'srsName="urn:ogc:def:crs:EPSG::4979"'
    const padding = (i: number): string => at(`<gml:Point ${named}>${pos(`${i} 1 2`)}</gml:Point>`)
    expectSame(documents([at(line(list('1 2 3 4 5 6'), of(named)))], { padding }))
    expectSame(
      documents([at(line(list('1 2 3 4 5 6'), of(named)))], {
        padding: () => at(line(list('1 2 3 4 5 6'), of(named))),
      }),
    )
  })

  test('positions that do not tell the order of axes', () => {
    const given = at(`<gml:Point srsName="urn:ogc:def:crs:EPSG::4326">${pos('5 5')}</gml:Point>`)
    expectLeftToGdal(documents([given], { padding: () => given }))
  })

  test.each(['EPSG:4326', 'EPSG:3857', 'EPSG:25833'])('to %s', (crs) => {
    expectPlain(documents([point(391_000), at(polygon([list('0 0 9 0 9 9 0 0')], of()))], { padding: mixed }), { crs })
    const named = 'srsName="urn:ogc:def:crs:EPSG::4326"'
    const padding = (i: number): string => point(i, named)
    expectPlain(documents([point(13, named)], { padding }), { crs })
    // outside the area where the system is valid
    expectSame(documents([at(`<gml:Point ${named}>${pos('90 1e20')}</gml:Point>`)], { padding }), { crs })
  })
})

describe('files of programs', () => {
  const OPTIONS = [
    'GML2',
    'GML3',
    'GML3Deegree',
    'GML3.2',
    'GML3.2 SRSNAME_FORMAT=SHORT',
    'GML3.2 SRSNAME_FORMAT=OGC_URL',
  ]
  const CODES = ['EPSG:4326', 'EPSG:3857', 'EPSG:31467']
  const TYPES = ['Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon'] as const
  const geometries = ([2, 3] as const).map((axes) => sampled(anyGeometry({ axes, empty: false, depth: 0 }), 600))

  test.each(OPTIONS)(
    "GDAL's %s",
    (option) => {
      const [format = '', ...more] = option.split(' ')
      const given: Buffer[] = []
      const types: string[] = []
      for (const code of CODES)
        for (const list of geometries)
          for (const type of TYPES) {
            const features = list
              .filter((geometry) => geometry.type === type)
              .slice(0, 60)
              .map((geometry, i) => ({
                type: 'Feature',
                properties: { n: i, x: i / 8, s: i % 3 ? `text ${i}` : null, b: i % 2 === 0, d: '2024-02-29' },
                geometry,
              }))
            const folder = freshPath('written')
            mkdirSync(folder)
            const from = join(folder, 'from.geojson')
            writeFileSync(from, JSON.stringify({ type: 'FeatureCollection', features }))
            const options = ['-dsco', `FORMAT=${format}`, ...more.flatMap((value) => ['-dsco', value])]
            gdal('ogr2ogr', '-q', '-f', 'GML', ...options, '-a_srs', code, join(folder, 'a.gml'), from, '-nln', 'layer')
            given.push(readFileSync(join(folder, 'a.gml')))
            types.push(type)
          }
      const outcomes = read(given)
      for (const [i, { plain, any, chosen }] of outcomes.entries()) {
        expect(chosen).toEqual(any)
        // curves and surfaces, which GDAL converts
        const type = types[i] as string
        const isCurved = format === 'GML3Deegree' && /Line|Polygon/.test(type)
        if (plain !== null || !isCurved) expect([type, plain]).toEqual([type, any])
        if (plain !== null) expectPositions(given[i] as Buffer, plain as GmlLayer)
      }
    },
    120_000,
  )

  test.each(CODES)('our own in %s', (code) => {
    const fields: GivenLayer['fields'] = [
      { name: 'n', type: 'integer' },
      { name: 'x', type: 'real' },
      { name: 's', type: 'string' },
    ]
    const given = geometries.flatMap((list) =>
      TYPES.map((type) => {
        const folder = freshPath('ours')
        mkdirSync(folder)
        const rows = list
          .filter((geometry) => geometry.type === type)
          .slice(0, 60)
          .map((geometry, i): GivenLayer['rows'][number] => [[i, i / 7, i % 3 ? `<text> ${i}` : null], geometry])
        const layer: GivenLayer = { crs: { wkt: '', code, geographic: code === 'EPSG:4326' }, fields, rows }
        writeFileSync(join(folder, 'layer.json'), JSON.stringify(layer))
        outputOf(NODE, [WRITER, folder])
        return readFileSync(join(folder, 'ours/layer.gml'))
      }),
    )
    expectPlain(given)
  })
})
