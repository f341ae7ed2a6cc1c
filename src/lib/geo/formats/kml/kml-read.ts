/**
 * Reads KML documents (OGC 12-007r2) as a stream: placemarks of all folders become one layer, their names,
 * descriptions, times and extended data its columns. GDAL's own drivers lose data (KML) or keep the whole document in
 * memory (LIBKML). Linked files are never read.
 */
import { SaxesParser } from 'saxes'
import { inPlace, type Place } from '../../../../field-texts/bilingual.ts'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { append } from '../../../../lists.ts'
import { type Warning, warning } from '../../../../warnings/warning.ts'
import { InputError } from '../../../input-error.ts'
import { decimalOf } from '../../../number-text.ts'
import { isCoordinate } from '../../geometry/coordinate.ts'
import { flattened, isFlat, type Wkb } from '../../geometry/wkb.ts'
import type { Feature, Field } from '../../layers/layer.ts'
import { withIdsOnce } from '../feature-ids.ts'
import { encodeGeometry, PositionLosses } from '../geojson/geojson-geometry.ts'
import { localName, parseXml } from '../xml-text.ts'
import { KmlColumns, repeatedKey } from './kml-columns.ts'

export type KmlContent = { fields: Field[]; features: Feature[]; warnings: Warning[] }

type Shape = { type: string; coordinates?: unknown; geometries?: Shape[] }
type Placemark = { id: string | undefined; values: Map<string, string>; shapes: Shape[] }

const GEOMETRIES = new Set([
  'Point',
  'LineString',
  'LinearRing',
  'Polygon',
  'MultiGeometry',
  'Model',
  'Track',
  'MultiTrack',
])
const OVERLAYS = new Set(['GroundOverlay', 'PhotoOverlay', 'ScreenOverlay'])
/** Children of a placemark that become columns of the same name. */
const TEXTS = new Set(['name', 'description', 'address', 'phoneNumber'])
const MAX_DEPTH = 100

/** @param paths one file, or the KML documents of a KMZ. @throws InputError */
export function readKml(paths: readonly string[], maxFeatures: number): KmlContent {
  const reader = new KmlReader(maxFeatures)
  for (const path of paths) reader.read(path)
  return reader.finish()
}

class KmlReader {
  private readonly maxFeatures: number
  private readonly columns = new KmlColumns()
  private readonly features: Feature[] = []
  private readonly path: string[] = []
  /** Names of the folders around the current element. */
  private readonly folders: string[] = []
  private placemark: Placemark | undefined
  /** Open geometry elements, outermost first. */
  private shapes: Shape[] = []
  private text = ''
  private dataName = ''
  private readonly skipped = { links: 0, overlays: 0, tracks: 0 }
  private readonly losses = new PositionLosses()

  constructor(maxFeatures: number) {
    this.maxFeatures = maxFeatures
  }

  read(path: string): void {
    const parser = new SaxesParser({ xmlns: false, position: true })
    parser.on('doctype', () => {
      throw new InputError('doctype', fieldText('noDoctype'))
    })
    parser.on('opentag', ({ name, attributes }) => this.open(localName(name), attributes))
    parser.on('closetag', ({ name }) => this.close(localName(name)))
    parser.on('text', (text) => {
      this.text += text
    })
    parser.on('cdata', (text) => {
      this.text += text
    })
    this.path.length = 0
    parseXml(path, parser)
  }

  finish(): KmlContent {
    const { links, overlays, tracks } = this.skipped
    if (this.features.length === 0 && links + overlays > 0) throw new InputError('noLayer', fieldText('noPlacemarks'))
    const warnings: Warning[] = []
    if (links > 0)
      warnings.push(warning(links > 1 ? 'networkLinksNotFollowed' : 'networkLinkNotFollowed', { n: links }))
    if (overlays > 0) warnings.push(warning(overlays > 1 ? 'overlaysLeftOut' : 'overlayLeftOut', { n: overlays }))
    if (tracks > 0) warnings.push(warning(tracks > 1 ? 'timesOfTracksLeftOut' : 'timesOfTrackLeftOut', { n: tracks }))
    append(warnings, this.losses.warnings)
    return { ...this.columns.finish(withIdsOnce(this.features, warnings), warnings), warnings }
  }

  private open(name: string, attributes: Record<string, string>): void {
    if (this.path.length >= MAX_DEPTH) throw new InputError('depth', fieldText('xmlDepth', { most: MAX_DEPTH }))
    this.path.push(name)
    this.text = ''
    if (name === 'Placemark') this.placemark = { id: attributes.id, values: new Map(), shapes: [] }
    else if (name === 'Folder') this.folders.push('')
    else if (name === 'NetworkLink') this.skipped.links++
    else if (OVERLAYS.has(name)) this.skipped.overlays++
    else if (name === 'SimpleField' || name === 'SimpleArrayField')
      this.columns.declare(attributes.name ?? '', name === 'SimpleField' ? attributes.type : undefined)
    else if (name === 'Data' || name === 'SimpleData') this.dataName = attributes.name ?? ''
    else if (this.placemark !== undefined && GEOMETRIES.has(name)) this.shapes.push(emptyShape(name))
  }

  private close(name: string): void {
    this.path.pop()
    const { placemark, text } = this
    const parent = this.path.at(-1)
    this.text = ''
    if (name === 'Folder') this.folders.pop()
    else if (name === 'name' && parent === 'Folder') this.folders[this.folders.length - 1] = text.trim()
    if (placemark === undefined) return
    if (name === 'Placemark') this.finishPlacemark(placemark)
    else if (GEOMETRIES.has(name)) this.closeShape(placemark)
    else if (name === 'coordinates') this.addPositions(positions(text, this.place))
    else if (name === 'coord') this.addPositions(positions(text.trim().replace(/\s+/g, ','), this.place))
    else if (parent === 'Location') this.addToModel(name, text)
    else this.addValue(placemark, name, parent, text)
  }

  private addValue(placemark: Placemark, name: string, parent: string | undefined, text: string): void {
    const { values } = placemark
    const set = (key: string, value: string): void => {
      // a placemark may hold several data of one name
      let free = key
      for (let n = 2; values.has(free); n++) free = repeatedKey(key, n)
      values.set(free, value)
    }
    if (parent === 'Placemark' && TEXTS.has(name)) set(name, text)
    else if (name === 'SimpleData' || (name === 'value' && parent === 'Data')) set(`data:${this.dataName}`, text)
    else if (parent === 'ExtendedData' && name !== 'Data' && name !== 'SchemaData') set(`data:${name}`, text)
    else if (this.path.at(-2) !== 'Placemark') return
    else if (parent === 'TimeStamp' && name === 'when') set('timestamp', text.trim())
    else if (parent === 'TimeSpan' && (name === 'begin' || name === 'end')) set(name, text.trim())
  }

  private get place(): Place {
    return { feature: this.features.length }
  }

  private addPositions(list: number[][]): void {
    const shape = this.shapes.at(-1)
    if (shape === undefined) return
    if (shape.type === 'Point') shape.coordinates = list[0] ?? []
    else for (const position of list) (shape.coordinates as number[][]).push(position)
  }

  private addToModel(axis: string, text: string): void {
    const shape = this.shapes.at(-1)
    const at = ['longitude', 'latitude', 'altitude'].indexOf(axis)
    if (shape === undefined || at < 0) return
    const [value] = positions(`${text.trim()},0`, this.place)
    ;(shape.coordinates as number[])[at] = value?.[0] ?? 0
  }

  private closeShape(placemark: Placemark): void {
    const shape = this.shapes.pop()
    if (shape === undefined) return
    const around = this.shapes.at(-1)
    if (around === undefined) placemark.shapes.push(shape)
    else if (around.geometries !== undefined) around.geometries.push(shape)
    // a ring of a polygon; the outer one comes first by the schema
    else if (around.type === 'Polygon') {
      const rings = around.coordinates as unknown[]
      if (this.path.at(-1) === 'outerBoundaryIs') rings.unshift(shape.coordinates)
      else rings.push(shape.coordinates)
    }
  }

  private finishPlacemark({ id, values, shapes }: Placemark): void {
    this.placemark = undefined
    if (this.features.length >= this.maxFeatures)
      throw new InputError('maxFeatures', fieldText('tooManyFeatures', { most: this.maxFeatures }))
    const folder = this.folders.join('/')
    if (folder !== '') values.set('folder', folder)
    const [only] = shapes
    const shape = shapes.length > 1 ? { type: 'MultiGeometry', geometries: shapes } : only
    const geometry = shape === undefined ? null : this.encoded(shape)
    const row = this.columns.row(values)
    this.features.push(id === undefined ? { values: row, geometry } : { id, values: row, geometry })
  }

  private encoded(shape: Shape): Wkb {
    const encoded = encodeGeometry(this.toGeoJson(shape), this.place)
    // many programs write a height of 0 where there is none
    if (isFlat(encoded.wkb)) return flattened(encoded.wkb)
    this.losses.add(encoded, this.features.length)
    return encoded.wkb
  }

  private toGeoJson(shape: Shape): Shape {
    if (shape.type === 'Track') this.skipped.tracks++
    if (shape.geometries === undefined)
      return { type: SINGLE_TYPES[shape.type] ?? shape.type, coordinates: shape.coordinates }
    const members = shape.geometries.map((member) => this.toGeoJson(member))
    const [first] = members
    const isUniform = first !== undefined && members.every(({ type, geometries }) => type === first.type && !geometries)
    if (!isUniform || first.type.startsWith('Multi')) return { type: 'GeometryCollection', geometries: members }
    const parts = members.map(({ coordinates }) => coordinates as unknown[])
    // a multipoint has no empty positions
    const present = first.type === 'Point' ? parts.filter((part) => part.length > 0) : parts
    return { type: `Multi${first.type}`, coordinates: present }
  }
}

/** The GeoJSON type of each single geometry. */
const SINGLE_TYPES: Record<string, string> = { LinearRing: 'LineString', Track: 'LineString', Model: 'Point' }

function emptyShape(type: string): Shape {
  if (type === 'MultiGeometry' || type === 'MultiTrack') return { type, geometries: [] }
  return { type, coordinates: [] }
}

/** Parses `longitude,latitude[,height]`, separated by white space. @throws InputError */
function positions(text: string, place: Place): number[][] {
  const list: number[][] = []
  const hasSpaces = /\s,|,\s/.test(text) && !isSeparated(text)
  for (const tuple of (hasSpaces ? text.replace(/\s*,\s*/g, ',') : text).split(/\s+/)) {
    if (tuple === '') continue
    const parts = numbersOf(tuple)
    const position = parts.map(decimalOf)
    if (parts.length < 2 || parts.length > 3 || !position.every(isCoordinate))
      throw new InputError('coordinates', inPlace(place, fieldText('kmlTuple', { text: tuple.slice(0, 60) })))
    list.push(position as number[])
  }
  return list
}

const numbersOf = (tuple: string): string[] => tuple.replace(/,$/, '').split(',')

/** Whether white space separates positions (some with a trailing comma) and not the numbers of a position. */
const isSeparated = (text: string): boolean =>
  text
    .trim()
    .split(/\s+/)
    .every((tuple) => [2, 3].includes(numbersOf(tuple).length))
