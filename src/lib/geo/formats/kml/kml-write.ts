/**
 * Writes a layer in WGS 84 as a KML document (OGC 12-007r2), a block at a time. GDAL's LIBKML driver takes four times as
 * long for twice the features or columns.
 */

import { LINE, MULTI_POINT, POINT, POLYGON, partsOf, typeOf, viewOf, type Wkb } from '../../geometry/wkb.ts'
import type { Field, FieldType, Layer } from '../../layers/layer.ts'
import { KML_DOCUMENT_ID, KML_SCHEMA_ID } from '../feature-ids.ts'
import { escaped } from '../xml-text.ts'

/** Types of KML's schema; the 64-bit type is GDAL's addition. Dates have no type. */
const TYPES: Partial<Record<FieldType, string>> = {
  integer: 'int',
  integer64: 'xsd:long',
  real: 'double',
  boolean: 'bool',
}

const BLOCK_CHARACTERS = 1 << 20

export function* writeKml(layer: Layer): Generator<Buffer> {
  const { fields } = layer
  // the two columns that KML has elements for
  const nameAt = fields.findIndex(({ name }) => name.toLowerCase() === 'name')
  const descriptionAt = fields.findIndex(({ name }) => name.toLowerCase() === 'description')
  const data = fields.flatMap((field, i) => (i === nameAt || i === descriptionAt ? [] : [{ field, i }]))
  let text = `<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2">\n<Document id="${KML_DOCUMENT_ID}">\n<name>${escaped(layer.name)}</name>\n`
  text += `<Schema name="layer" id="${KML_SCHEMA_ID}">\n${data.map(({ field }) => simpleField(field)).join('')}</Schema>\n`
  for (const { id, values, geometry } of layer.features) {
    text += id === undefined ? '<Placemark>' : `<Placemark id="${escaped(String(id))}">`
    if (nameAt >= 0) text += element('name', values[nameAt])
    if (descriptionAt >= 0) text += element('description', values[descriptionAt])
    let simpleData = ''
    for (const { field, i } of data) {
      const value = textOf(values[i])
      if (value !== undefined) simpleData += `<SimpleData name="${escaped(field.name)}">${escaped(value)}</SimpleData>`
    }
    if (simpleData !== '')
      text += `<ExtendedData><SchemaData schemaUrl="#${KML_SCHEMA_ID}">${simpleData}</SchemaData></ExtendedData>`
    if (geometry !== null) text += geometryText(geometry)
    text += '</Placemark>\n'
    if (text.length > BLOCK_CHARACTERS) {
      yield Buffer.from(text)
      text = ''
    }
  }
  yield Buffer.from(`${text}</Document>\n</kml>\n`)
}

const simpleField = ({ name, type }: Field): string =>
  `<SimpleField name="${escaped(name)}" type="${TYPES[type] ?? 'string'}"/>\n`

function element(name: string, value: unknown): string {
  const text = textOf(value)
  return text === undefined ? '' : `<${name}>${escaped(text)}</${name}>`
}

function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function geometryText(wkb: Wkb): string {
  const type = typeOf(wkb)
  if (type >= MULTI_POINT) return `<MultiGeometry>${partsOf(wkb).map(geometryText).join('')}</MultiGeometry>`
  const view = viewOf(wkb)
  const stride = view.getUint32(1, true) >= 1000 ? 24 : 16
  if (type === POINT) {
    const isEmpty = Number.isNaN(view.getFloat64(5, true))
    return `<Point>${coordinates(view, 5, isEmpty ? 0 : 1, stride)}</Point>`
  }
  const count = view.getUint32(5, true)
  if (type === LINE) return `<LineString>${coordinates(view, 9, count, stride)}</LineString>`
  if (type !== POLYGON) throw new Error(`no KML for geometry type ${type}`)
  let text = ''
  for (let ring = 0, at = 9; ring < count; ring++) {
    const points = view.getUint32(at, true)
    const boundary = ring === 0 ? 'outerBoundaryIs' : 'innerBoundaryIs'
    text += `<${boundary}><LinearRing>${coordinates(view, at + 4, points, stride)}</LinearRing></${boundary}>`
    at += 4 + points * stride
  }
  return `<Polygon>${text}</Polygon>`
}

function coordinates(view: DataView, start: number, count: number, stride: number): string {
  let text = '<coordinates>'
  for (let i = 0, at = start; i < count; i++, at += stride) {
    text += `${i > 0 ? ' ' : ''}${view.getFloat64(at, true)},${view.getFloat64(at + 8, true)}`
    if (stride === 24) text += `,${view.getFloat64(at + 16, true)}`
  }
  return `${text}</coordinates>`
}
