/**
 * Writes a layer as GML 3.2.1 (OGC 07-036), a block at a time, with the elements that GDAL writes. GDAL itself makes
 * the schema and a file with one feature; the features of the layer are then written without it, because gdal-async
 * needs one call into GDAL per value. Runs in Node only.
 */
import { readFileSync } from 'node:fs'
import {
  COLLECTION,
  forEachRun,
  isEmpty,
  LINE,
  MULTI_LINE,
  MULTI_POINT,
  MULTI_POLYGON,
  multiOf,
  POINT,
  POLYGON,
  partsOf,
  typeOf,
  viewOf,
  type Wkb,
} from '../../geometry/wkb.ts'
import { type Feature, type Field, type FieldType, int64, type Layer } from '../../layers/layer.ts'
import { createWithGdal, layerType, valueFor } from '../gdal/gdal-write.ts'
import { escaped } from '../xml-text.ts'

/**
 * The attribute that names the CRS, with a space before it, or nothing; and whether its axis order is northing first.
 */
type Reference = { srsName: string; isSwapped: boolean }

const BLOCK_CHARACTERS = 1 << 20

/**
 * Writes the schema beside the path and returns the text of the file, which replaces the file that GDAL writes there.
 * @param name element name of the features, a valid XML name. @throws InputError rule `target`
 */
export async function writeGml(layer: Layer, name: string, path: string): Promise<Generator<Buffer>> {
  await createWithGdal('GML', path, name, layer, [], ['FORMAT=GML3.2'], [sample()])
  const text = readFileSync(path, 'utf8')
  const reference = {
    srsName: / srsName="[^"]*"/.exec(text)?.[0] ?? '',
    isSwapped: text.includes('<gml:pos>2 1</gml:pos>'),
  }
  return blocks(layer, name, text.slice(0, text.indexOf('  <gml:boundedBy>')), reference)
}

/** A point with a different coordinate on each axis, which shows their order. */
function sample(): Feature {
  const geometry = new Uint8Array(21)
  const view = viewOf(geometry)
  geometry[0] = 1
  view.setUint32(1, POINT, true)
  view.setFloat64(5, 1, true)
  view.setFloat64(13, 2, true)
  return { values: [], geometry }
}

function* blocks(layer: Layer, name: string, head: string, reference: Reference): Generator<Buffer> {
  const { fields, features } = layer
  const { promote } = layerType(layer, false)
  // GDAL uses it as the feature's id
  const idAt = fields.findIndex((field) => field.name.toLowerCase() === 'gml_id')
  const tags = fields.map((field) => `ogr:${field.name}`)
  const all = boundsOf(features.flatMap(({ geometry }) => geometry ?? []))
  let text = `${head}  ${isBounded(all) ? boundedBy(all, reference) : '<gml:boundedBy><gml:Null /></gml:boundedBy>'}\n`
  for (const [i, { values, geometry }] of features.entries()) {
    const id = idAt < 0 ? undefined : textOf(values[idAt], fields[idAt] as Field)
    text += `  <ogr:featureMember>\n    <ogr:${name} gml:id="${id || `${name}.${i}`}">\n`
    if (geometry !== null && !isEmpty(geometry)) {
      const isPromoted = promote && typeOf(geometry) < MULTI_POINT
      const geometryId = `${name}.geom.${i}`
      text += `      ${boundedBy(boundsOf([geometry]), reference)}\n      <ogr:geometryProperty>`
      text += isPromoted
        ? multiText(multiOf(typeOf(geometry)), [geometry], geometryId, reference)
        : geometryText(geometry, geometryId, reference)
      text += '</ogr:geometryProperty>\n'
    }
    for (let k = 0; k < fields.length; k++) {
      const value = k === idAt ? undefined : textOf(values[k], fields[k] as Field)
      if (value !== undefined) text += `      <${tags[k]}>${value}</${tags[k]}>\n`
    }
    text += `    </ogr:${name}>\n  </ogr:featureMember>\n`
    if (text.length > BLOCK_CHARACTERS) {
      yield Buffer.from(text)
      text = ''
    }
  }
  yield Buffer.from(`${text}</ogr:FeatureCollection>\n`)
}

/** The lowest and the highest number of each of three axes. */
type Bounds = { lower: number[]; upper: number[] }

function boundsOf(geometries: readonly Wkb[]): Bounds {
  const lower = Array<number>(3).fill(Number.POSITIVE_INFINITY)
  const upper = Array<number>(3).fill(Number.NEGATIVE_INFINITY)
  for (const wkb of geometries)
    forEachRun(wkb, (view, offset, count, stride) => {
      for (let start = offset; start < offset + count * stride; start += stride)
        for (let axis = 0; axis * 8 < stride; axis++) {
          const value = view.getFloat64(start + axis * 8, true)
          if (value < (lower[axis] as number)) lower[axis] = value
          if (value > (upper[axis] as number)) upper[axis] = value
        }
    })
  return { lower, upper }
}

const isBounded = ({ lower: [x = 0] }: Bounds): boolean => Number.isFinite(x)

function boundedBy({ lower, upper }: Bounds, { srsName, isSwapped }: Reference): string {
  const hasHeights = Number.isFinite(lower[2])
  const corner = ([x, y, z]: number[]): string => `${isSwapped ? `${y} ${x}` : `${x} ${y}`}${hasHeights ? ` ${z}` : ''}`
  const dimension = hasHeights ? ' srsDimension="3"' : ''
  return `<gml:boundedBy><gml:Envelope${dimension}${srsName}><gml:lowerCorner>${corner(lower)}</gml:lowerCorner><gml:upperCorner>${corner(upper)}</gml:upperCorner></gml:Envelope></gml:boundedBy>`
}

/** The elements of geometries with several parts, and of one part. */
const MULTIS: Record<number, readonly [geometry: string, member: string]> = {
  [MULTI_POINT]: ['gml:MultiPoint', 'gml:pointMember'],
  [MULTI_LINE]: ['gml:MultiCurve', 'gml:curveMember'],
  [MULTI_POLYGON]: ['gml:MultiSurface', 'gml:surfaceMember'],
  [COLLECTION]: ['gml:MultiGeometry', 'gml:geometryMember'],
}

function multiText(type: number, parts: readonly Wkb[], id: string, { srsName, isSwapped }: Reference): string {
  const [element, member] = MULTIS[type] as readonly [string, string]
  // only the outermost element names the CRS
  const inner = { srsName: '', isSwapped }
  let text = `<${element}${srsName} gml:id="${id}">`
  for (const [i, part] of parts.entries()) {
    // GML has no empty point; GDAL writes nan nan
    if (typeOf(part) === POINT && isEmpty(part)) continue
    text += `<${member}>${geometryText(part, `${id}.${i}`, inner)}</${member}>`
  }
  return `${text}</${element}>`
}

function geometryText(wkb: Wkb, id: string, reference: Reference): string {
  const type = typeOf(wkb)
  if (type >= MULTI_POINT) return multiText(type, partsOf(wkb), id, reference)
  const { srsName, isSwapped } = reference
  const view = viewOf(wkb)
  const stride = view.getUint32(1, true) >= 1000 ? 24 : 16
  const attributes = `${srsName} gml:id="${id}"`
  if (type === POINT)
    return `<gml:Point${attributes}><gml:pos>${positions(view, 5, 1, stride, isSwapped)}</gml:pos></gml:Point>`
  const startTag = stride === 24 ? '<gml:posList srsDimension="3">' : '<gml:posList>'
  const count = view.getUint32(5, true)
  if (type === LINE)
    return `<gml:LineString${attributes}>${startTag}${positions(view, 9, count, stride, isSwapped)}</gml:posList></gml:LineString>`
  if (type !== POLYGON) throw new Error(`no GML for geometry type ${type}`)
  let text = `<gml:Polygon${attributes}>`
  for (let ring = 0, at = 9; ring < count; ring++) {
    const points = view.getUint32(at, true)
    const boundary = ring === 0 ? 'gml:exterior' : 'gml:interior'
    text += `<${boundary}><gml:LinearRing>${startTag}${positions(view, at + 4, points, stride, isSwapped)}</gml:posList></gml:LinearRing></${boundary}>`
    at += 4 + points * stride
  }
  return `${text}</gml:Polygon>`
}

function positions(view: DataView, start: number, count: number, stride: number, isSwapped: boolean): string {
  const [first, second] = isSwapped ? [8, 0] : [0, 8]
  let text = ''
  for (let i = 0, at = start; i < count; i++, at += stride) {
    text += `${i > 0 ? ' ' : ''}${view.getFloat64(at + first, true)} ${view.getFloat64(at + second, true)}`
    if (stride === 24) text += ` ${view.getFloat64(at + 16, true)}`
  }
  return text
}

/** Undefined for a missing value, whose element is omitted, as GDAL does. */
function textOf(given: unknown, { type }: Field): string | undefined {
  const value = valueFor(given, type)
  if (value === null || value === undefined) return undefined
  if (typeof value === 'number') return numberText(value, type)
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return escaped(type === 'datetime' ? text.replace(/\.0+(?!\d)/, '') : text)
}

/** From this number on GDAL writes an exponent; without it readers would see a long integer. */
const FIRST_WITH_EXPONENT = 1e15

/** Decimal numbers of XML Schema are finite. */
function numberText(value: number, type: FieldType): string | undefined {
  if (!Number.isFinite(value)) return undefined
  if (Math.abs(value) < FIRST_WITH_EXPONENT) return String(value)
  const isLong = type !== 'real' && Number.isInteger(value)
  return isLong ? int64(value).toString() : value.toExponential()
}
