/** Documents of GML for tests, and what the readers make of them. */
import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { forEachRun, TYPE_NAMES, typeOf } from '../../src/lib/geo/wkb.ts'
import { type AnyGeometry, positionsOf } from './any-geometry.ts'
import { NODE } from './engine.ts'
import { outputOf } from './program.ts'
import { freshPath, gdal } from './rasters.ts'
import type { GmlLayer, GmlOutcome, GmlOutcomes, GmlReading } from './read-gml.ts'

const PROGRAM = join(import.meta.dir, 'read-gml.ts')

/** What the readers make of each document. */
export function read(documents: readonly (string | Uint8Array)[], options: GmlReading = {}): GmlOutcomes[] {
  const folder = freshPath('read-gml')
  mkdirSync(folder)
  const digits = String(documents.length).length
  for (const [i, document] of documents.entries())
    writeFileSync(join(folder, `${String(i).padStart(digits, '0')}.gml`), document)
  outputOf(NODE, [PROGRAM, folder, JSON.stringify(options)])
  return JSON.parse(readFileSync(join(folder, 'outcomes.json'), 'utf8')) as GmlOutcomes[]
}

export const isLayer = (outcome: GmlOutcome): outcome is GmlLayer => typeof outcome === 'object' && outcome !== null

/** Both readers agree, and the tools use one of them. @returns how many were read without GDAL */
export function expectSame(documents: readonly (string | Uint8Array)[], options: GmlReading = {}): number {
  const outcomes = read(documents, options)
  for (const [i, { plain, any, chosen }] of outcomes.entries()) {
    if (plain !== null) expect<unknown>([i, plain]).toEqual([i, any])
    expect([i, chosen]).toEqual([i, any])
  }
  return outcomes.filter(({ plain }) => isLayer(plain)).length
}

export function expectPlain(documents: readonly (string | Uint8Array)[], options: GmlReading = {}): void {
  expect(expectSame(documents, options)).toBe(documents.length)
}

/** One test of many cases, because each program that reads takes a while to start. */
export function compare<T extends readonly unknown[]>(
  name: string,
  isPlain: boolean,
  documentsOf: (...given: T) => readonly string[],
  cases: readonly (readonly [label: string, ...given: T])[],
): void {
  test(name, () => {
    const labelled = cases.flatMap(([label, ...given]) =>
      documentsOf(...given).map((document) => [label, document] as const),
    )
    for (const [i, { plain, any, chosen }] of read(labelled.map(([, document]) => document)).entries()) {
      const label = labelled[i]?.[0]
      expect<unknown>([label, chosen]).toEqual([label, any])
      expect([label, isLayer(plain)]).toEqual([label, isPlain])
      if (plain !== null) expect<unknown>([label, plain]).toEqual([label, any])
    }
  })
}

export const expectLeftToGdal = (documents: readonly (string | Uint8Array)[]): void => {
  expect(expectSame(documents)).toBe(0)
}

export const NAMESPACES =
  'xmlns:a="http://example.com/a" xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xlink="http://www.w3.org/1999/xlink"'
export const URN = 'srsName="urn:ogc:def:crs:EPSG::25833"'
/** More than GDAL looks at before it decides how to read a file. */
export const PADDING_ROWS = 60

export const at = (inner: string): string => `<a:geom>${inner}</a:geom>`
export const point = (i: number, attributes = URN): string =>
  at(`<gml:Point ${attributes}><gml:pos>${i} ${i + 1}</gml:pos></gml:Point>`)

export const member = (row: string, id: string | number): string =>
  `<gml:featureMember><a:thing gml:id="x.${id}">${row}</a:thing></gml:featureMember>`

export type Around = {
  declaration?: string
  root?: string
  head?: string
  tail?: string
  padding?: (i: number) => string
}

/** The rows at the beginning, in the middle and at the end of other ones. */
export function documents(rows: readonly string[], around: Around = {}): string[] {
  const { declaration = '<?xml version="1.0" encoding="UTF-8"?>\n', root = NAMESPACES, head = '', tail = '' } = around
  const { padding = (i) => `${point(i)}<a:pad>padding of row ${i}</a:pad>` } = around
  const more = Array.from({ length: PADDING_ROWS }, (_, i) => member(padding(i), `p${i}y`))
  const given = rows.map((row, i) => member(row, i))
  return [
    [...given, ...more, ...more.slice(0, 5)],
    [...more, ...given, ...more],
    [...more, ...given],
  ].map(
    (members) =>
      `${declaration}<a:FeatureCollection ${root}>${head}\n${members.join('\n')}\n</a:FeatureCollection>${tail}`,
  )
}

export const values = (texts: readonly string[]): string[] => texts.map((text, i) => `<a:v>${text}</a:v>${point(i)}`)
export const column = (rows: readonly string[]): string[] => rows.map((row, i) => `${row}${point(i)}`)

/** Rows that show all that GDAL decides for points, lines and polygons. */
export const mixed = (i: number): string =>
  i % 2 === 0
    ? point(i)
    : at(`<gml:LineString ${URN}><gml:posList>${i} 1 2 3</gml:posList></gml:LineString><a:pad>padding</a:pad>`)

export const pos = (text: string): string => `<gml:pos>${text}</gml:pos>`
export const list = (text: string, attributes = ''): string => `<gml:posList${attributes}>${text}</gml:posList>`
export const tuples = (text: string, attributes = ''): string =>
  `<gml:coordinates${attributes}>${text}</gml:coordinates>`
export const line = (inner: string, attributes = ''): string => `<gml:LineString${attributes}>${inner}</gml:LineString>`
export const ring = (inner: string): string => `<gml:LinearRing>${inner}</gml:LinearRing>`
export const polygon = (rings: readonly string[], attributes = '', names = ['exterior', 'interior']): string => {
  const boundary = (inner: string, i: number): string => `<gml:${names[i && 1]}>${ring(inner)}</gml:${names[i && 1]}>`
  return `<gml:Polygon${attributes}>${rings.map(boundary).join('')}</gml:Polygon>`
}
export const multi = (name: string, memberName: string, parts: readonly string[]): string =>
  `<gml:${name} ${URN}>${parts.map((part) => `<gml:${memberName}>${part}</gml:${memberName}>`).join('')}</gml:${name}>`

export const GML2 = ['outerBoundaryIs', 'innerBoundaryIs']
export const SHELL = '0 0 9 0 9 9 0 9 0 0'
export const HOLE = '1 1 2 1 2 2 1 1'
export const [SHELL_TUPLES, HOLE_TUPLES] = ['0,0 9,0 9,9 0,9 0,0', '1,1 2,1 2,2 1,1']
export const HIGH = '0 0 1 9 0 2 9 9 3 0 0 1'
export const of = (attributes = URN): string => ` ${attributes}`

type ByProgram = { geometry: { type: string; coordinates: number[]; geometries: never } }[]

function readByProgram(document: string | Uint8Array): ByProgram {
  const folder = freshPath('by-program')
  mkdirSync(folder)
  writeFileSync(join(folder, 'a.gml'), document)
  const options = ['-lco', 'SIGNIFICANT_FIGURES=17', '-lco', 'RFC7946=NO']
  gdal('ogr2ogr', '-q', '-f', 'GeoJSON', ...options, join(folder, 'a.geojson'), join(folder, 'a.gml'))
  return (JSON.parse(readFileSync(join(folder, 'a.geojson'), 'utf8')) as { features: ByProgram }).features
}

/** The positions that GDAL's program reads from a document are those of the layer. */
export function expectPositions(document: string | Uint8Array, { features }: GmlLayer): void {
  const expected = readByProgram(document).map(({ geometry }) => [
    geometry.type,
    positionsOf(geometry as never as AnyGeometry),
  ])
  const found = features.map(({ geometry }) => {
    const wkb = Buffer.from(geometry ?? '', 'hex')
    const positions: number[][] = []
    forEachRun(wkb, (view, offset, count, stride) => {
      for (let start = offset; start < offset + count * stride; start += stride)
        positions.push(Array.from({ length: stride / 8 }, (_, axis) => view.getFloat64(start + axis * 8, true)))
    })
    return [TYPE_NAMES[typeOf(wkb)], positions]
  })
  expect(found as unknown).toEqual(expected)
}
