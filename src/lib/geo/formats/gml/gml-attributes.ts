/** Separates the attributes of a GML from its geometries, in one pass, as GDAL's GML driver distinguishes them. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { SaxesParser } from 'saxes'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { InputError } from '../../../input-error.ts'
import { localName, parseXml } from '../xml-text.ts'
import { type Cell, GmlColumns } from './gml-columns.ts'

export type GmlTable = { columns: GmlColumns; rows: Cell[][] }

/**
 * Writes a copy without the attributes of features.
 * @returns the tables of the layers by their names in lower case
 * @throws InputError
 */
export function separateAttributes(path: string, copyPath: string, maxFeatures: number): Map<string, GmlTable> {
  const fd = openSync(copyPath, 'w')
  try {
    const separator = new Separator((text) => writeSync(fd, text), maxFeatures)
    separator.read(path)
    return separator.tables
  } finally {
    closeSync(fd)
  }
}

/** The elements that GDAL reads as geometries wherever a feature has them. */
export const GEOMETRIES: ReadonlySet<string> = new Set([
  'BoundingBox',
  'CompositeCurve',
  'CompositeSurface',
  'Shell',
  'Curve',
  'GeometryCollection',
  'LineString',
  'MultiCurve',
  'MultiGeometry',
  'MultiLineString',
  'MultiPoint',
  'MultiPolygon',
  'MultiSurface',
  'Point',
  'Polygon',
  'PolygonPatch',
  'PolyhedralSurface',
  'SimplePolygon',
  'SimpleRectangle',
  'SimpleTriangle',
  'SimpleMultiPoint',
  'Solid',
  'Surface',
  'Tin',
  'TopoCurve',
  'TopoSurface',
  'Triangle',
  'TriangulatedSurface',
])

/** Root elements and elements of application schemas that GDAL reads by special rules; they have few columns. */
export const OWN_RULES = ['CityModel', 'AIXMBasicMessage', 'Maastotiedot', 'Tuple']

const MAX_DEPTH = 64
const WRITTEN_CHARS = 1 << 20

type OpenFeature = {
  depth: number
  table: GmlTable
  row: Cell[]
  /**
   * The open elements: path within the feature, and the tag, which is copied only if the element contains a geometry.
   */
  around: { path: string; tag: string; isWritten: boolean }[]
}

class Separator {
  readonly tables = new Map<string, GmlTable>()
  private readonly write: (text: string) => void
  private readonly maxFeatures: number
  private readonly open: string[] = []
  private feature: OpenFeature | undefined
  /** Depth of the geometry that is being copied. */
  private copiedDepth = 0
  /** Whether the current element may have a value: it has no child elements so far. */
  private isLeaf = false
  private text: string | undefined
  private unit: string | undefined
  private value: string | undefined
  private written = '<?xml version="1.0" encoding="UTF-8"?>\n'

  constructor(write: (text: string) => void, maxFeatures: number) {
    this.write = write
    this.maxFeatures = maxFeatures
  }

  read(path: string): void {
    const parser = new SaxesParser({ xmlns: false, position: false })
    parser.on('opentag', ({ name, attributes }) => this.openElement(name, attributes))
    parser.on('closetag', ({ name }) => this.closeElement(name))
    parser.on('text', (text) => this.addText(text))
    parser.on('cdata', (text) => this.addText(text))
    parseXml(path, parser)
    this.write(this.written)
  }

  private copy(text: string): void {
    this.written += text
    if (this.written.length < WRITTEN_CHARS) return
    this.write(this.written)
    this.written = ''
  }

  private openElement(name: string, attributes: Record<string, string>): void {
    const local = localName(name)
    const parent = this.open.at(-1)
    if (this.open.push(local) > MAX_DEPTH) throw new InputError('depth', fieldText('xmlDepth', { most: MAX_DEPTH }))
    const { feature } = this
    if (feature === undefined || this.copiedDepth > 0) {
      this.copy(startTag(name, attributes))
      if (feature === undefined && isFeatureIn(parent, local)) this.startFeature(local)
      return
    }
    this.isLeaf = false
    if (GEOMETRIES.has(local) || local === 'boundedBy') {
      for (const element of feature.around) {
        if (!element.isWritten) this.copy(element.tag)
        element.isWritten = true
      }
      this.copiedDepth = this.open.length
      this.copy(startTag(name, attributes))
      return
    }
    const around = feature.around.at(-1)
    const path = around === undefined ? local : `${around.path}|${local}`
    feature.around.push({ path, tag: `<${name}>`, isWritten: false })
    this.isLeaf = true
    this.text = undefined
    const nil = attributes['xsi:nil']
    if (nil === undefined) {
      this.unit = attributes.uom ?? this.unit
      this.value = attributes.value ?? this.value
    } else if (nil.toLowerCase() === 'true') feature.table.columns.add(feature.row, local, null)
  }

  private startFeature(local: string): void {
    const key = local.toLowerCase()
    const table = this.tables.get(key) ?? { columns: new GmlColumns(), rows: [] }
    this.tables.set(key, table)
    if (table.rows.length >= this.maxFeatures)
      throw new InputError('maxFeatures', fieldText('tooManyFeatures', { most: this.maxFeatures }))
    this.feature = { depth: this.open.length, table, row: [], around: [] }
  }

  private closeElement(name: string): void {
    const depth = this.open.length
    this.open.pop()
    const { feature } = this
    if (feature === undefined || this.copiedDepth > 0) {
      this.copy(`</${name}>`)
      if (this.copiedDepth === depth) this.copiedDepth = 0
      return
    }
    if (depth === feature.depth) {
      this.copy(`</${name}>`)
      feature.table.rows.push(feature.row)
      this.feature = undefined
      return
    }
    const element = feature.around.pop()
    if (element?.isWritten) this.copy(`</${name}>`)
    if (this.isLeaf && element !== undefined) this.addValues(feature, element.path)
    this.isLeaf = false
  }

  private addValues({ table, row }: OpenFeature, path: string): void {
    const text = this.text ?? this.value
    if (text !== undefined) table.columns.add(row, path, text)
    if (this.unit !== undefined) table.columns.add(row, `${path}_uom`, this.unit)
    this.unit = undefined
    this.value = undefined
  }

  private addText(text: string): void {
    if (this.open.length === 0) return
    if (this.feature === undefined || this.copiedDepth > 0) this.copy(escaped(text, /[&<>\r]/g))
    else if (this.isLeaf) this.text = this.text ? this.text + text : text.replace(/^[ \n\r\t]+/, '')
  }
}

/** Whether GDAL treats an element as a feature, by the names of the element and its parent. */
export function isFeatureIn(parent: string | undefined, local: string): boolean {
  if (parent === undefined || local === 'FeatureCollection') return false
  return /members?$/i.test(parent) || parent === 'dane' || (/._layer$/.test(parent) && /._feature$/.test(local))
}

function startTag(name: string, attributes: Record<string, string>): string {
  let tag = `<${name}`
  for (const key in attributes) tag += ` ${key}="${escaped(attributes[key] ?? '', /[&<>"\t\n\r]/g)}"`
  return `${tag}>`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escaped = (text: string, special: RegExp): string =>
  text.replace(special, (char) => ENTITIES[char] ?? `&#${char.charCodeAt(0)};`)
