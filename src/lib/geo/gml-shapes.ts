/** Geometries of simple features in GML 2 and 3 as well-known binary, where GDAL reads them as what they are called. */
import { unusual } from './gml-bytes.ts'
import { PositionWriter } from './gml-positions.ts'
import type { GmlTokens, Name } from './gml-tokens.ts'
import { LINE, MULTI_LINE, MULTI_POINT, MULTI_POLYGON, POINT, POLYGON, type Wkb } from './wkb.ts'
import { copyOf } from './wkb-pool.ts'

const RING = 20
const EXTERIOR = 21
const INTERIOR = 22
const LIST = 30
const POSITION = 31
const TUPLES = 32

/** The codes of elements: for geometries their types in well-known binary. */
export const SHAPE_KINDS: readonly (readonly [local: string, kind: number])[] = [
  ['Point', POINT],
  ['LineString', LINE],
  ['Polygon', POLYGON],
  ['MultiPoint', MULTI_POINT],
  ['MultiLineString', MULTI_LINE],
  ['MultiCurve', MULTI_LINE],
  ['MultiPolygon', MULTI_POLYGON],
  ['MultiSurface', MULTI_POLYGON],
  ['LinearRing', RING],
  ['exterior', EXTERIOR],
  ['outerBoundaryIs', EXTERIOR],
  ['interior', INTERIOR],
  ['innerBoundaryIs', INTERIOR],
  ['posList', LIST],
  ['pos', POSITION],
  ['coordinates', TUPLES],
]

/** The elements around the parts, for one part and for any number. */
const MEMBERS = new Map([
  ['MultiPoint', { one: ['pointMember'], many: ['pointMembers'] }],
  ['MultiLineString', { one: ['lineStringMember'], many: [] }],
  ['MultiCurve', { one: ['curveMember'], many: ['curveMembers'] }],
  ['MultiPolygon', { one: ['polygonMember', 'surfaceMember'], many: [] }],
  ['MultiSurface', { one: ['polygonMember', 'surfaceMember'], many: ['surfaceMembers'] }],
])

const WITHOUT_MEANING = new Set(['gml:id', 'gid', 'axisLabels', 'uomLabels', 'count'])
/** What the attributes of `coordinates` may say, because GDAL assumes it anyway. */
const SEPARATORS = new Map([
  ['decimal', '.'],
  ['cs', ','],
  ['ts', ' '],
])
const MIN_RING = 4

export class GmlShapes {
  /** The name of the CRS that the geometry states. */
  srsName: string | undefined
  /** The dimension that the bounds of the collection state for lists that state none. */
  collectionDimension: number | undefined
  /** Whether a list stated no dimension, so that it depends on the CRS. */
  assumesDimension = false
  private readonly tokens: GmlTokens
  private readonly writer = new PositionWriter()
  /** Where the types of the geometry and its parts are. */
  private readonly typesAt: number[] = []

  constructor(tokens: GmlTokens) {
    this.tokens = tokens
  }

  /** Whether positions in the file have northings or latitudes first. */
  set isSwapped(isSwapped: boolean) {
    this.writer.isSwapped = isSwapped
  }

  /** Reads the geometry whose start tag was read last. */
  read(name: Name): Wkb {
    const { writer, typesAt } = this
    this.srsName = this.tokens.attribute('srsName')
    writer.length = 0
    writer.stride = 0
    typesAt.length = 0
    this.shape(name, this.dimension())
    if (writer.stride === 24)
      for (const at of typesAt) writer.view.setUint32(at, writer.view.getUint32(at, true) + 1000, true)
    return copyOf(writer.out, 0, writer.length)
  }

  /** What the start tag that was read last says of the dimension. */
  private dimension(outer?: number): number | undefined {
    const { tokens } = this
    if (tokens.isEmpty) unusual()
    let dimension = outer
    for (let i = 0; i < tokens.attributeCount; i++) {
      const { text } = tokens.attributeNames[i] as Name
      if (text === 'srsDimension') dimension = dimensionIn(tokens.value(i))
      else if (text === 'srsName') {
        if (tokens.value(i) !== this.srsName) unusual()
      } else if (!WITHOUT_MEANING.has(text)) unusual()
    }
    return dimension
  }

  private header(type: number): number {
    const { writer } = this
    writer.reserve(9)
    const { length } = writer
    writer.out[length] = 1
    writer.view.setUint32(length + 1, type, true)
    this.typesAt.push(length + 1)
    writer.length = length + 5
    return length + 5
  }

  private count(): number {
    const { writer } = this
    writer.reserve(4)
    writer.length += 4
    return writer.length - 4
  }

  private shape(name: Name, dimension: number | undefined): void {
    const { kind } = name
    this.header(kind)
    if (kind === POINT) {
      if (this.positions(name, dimension) !== 1) unusual()
    } else if (kind === LINE) {
      const countAt = this.count()
      const count = this.positions(name, dimension)
      this.writer.view.setUint32(countAt, count, true)
    } else if (kind === POLYGON) this.polygon(name, dimension)
    else this.parts(name, dimension)
  }

  private polygon(name: Name, dimension: number | undefined): void {
    const { tokens } = this
    const countAt = this.count()
    let count = 0
    for (tokens.space(); !tokens.isAtEndTag; tokens.space()) {
      const boundary = tokens.startTag()
      if (boundary.kind !== (count === 0 ? EXTERIOR : INTERIOR) || tokens.attributeCount > 0 || tokens.isEmpty)
        unusual()
      tokens.space()
      const ring = tokens.startTag()
      if (ring.kind !== RING) unusual()
      this.ring(ring, this.dimension(dimension))
      tokens.space()
      tokens.endTag(boundary)
      count++
    }
    if (count === 0) unusual()
    tokens.endTag(name)
    this.writer.view.setUint32(countAt, count, true)
  }

  private ring(name: Name, dimension: number | undefined): void {
    const { writer } = this
    const countAt = this.count()
    const count = this.positions(name, dimension)
    const { view, length, stride } = writer
    view.setUint32(countAt, count, true)
    if (count < MIN_RING) unusual()
    for (let at = countAt + 4, last = length - stride; last < length; at += 8, last += 8)
      if (view.getFloat64(at, true) !== view.getFloat64(last, true)) unusual()
  }

  private parts(name: Name, dimension: number | undefined): void {
    const { tokens } = this
    const countAt = this.count()
    const { one, many } = MEMBERS.get(name.local) ?? unusual()
    let count = 0
    for (tokens.space(); !tokens.isAtEndTag; tokens.space()) {
      const member = tokens.startTag()
      const holdsOne = one.includes(member.local)
      if (!(holdsOne || many.includes(member.local)) || tokens.attributeCount > 0 || tokens.isEmpty) unusual()
      let partCount = 0
      for (tokens.space(); !tokens.isAtEndTag; tokens.space()) {
        const part = tokens.startTag()
        if (part.kind !== name.kind - 3) unusual()
        this.shape(part, this.dimension(dimension))
        partCount++
      }
      if (holdsOne && partCount !== 1) unusual()
      tokens.endTag(member)
      count += partCount
    }
    if (count === 0) unusual()
    tokens.endTag(name)
    this.writer.view.setUint32(countAt, count, true)
  }

  /** The positions in an element, and its end tag. @returns their number */
  private positions(parent: Name, outer: number | undefined): number {
    const { tokens, writer } = this
    const start = writer.length
    tokens.space()
    const name = tokens.startTag()
    if (name.kind === LIST && parent.kind !== POINT) {
      const dimension = this.listDimension(outer)
      const from = tokens.at
      tokens.at = writer.addList(tokens.bytes, from, dimension)
      tokens.checkLines(from)
    } else if (name.kind === TUPLES) {
      this.checkSeparators()
      const from = tokens.at
      tokens.at = writer.addTuples(tokens.bytes, from)
      tokens.checkLines(from)
    } else if (name.kind === POSITION) {
      for (;;) {
        this.dimension()
        tokens.at = writer.addPosition(tokens.bytes, tokens.at)
        tokens.endTag(name)
        tokens.space()
        if (tokens.isAtEndTag) break
        if (tokens.startTag() !== name) unusual()
      }
      tokens.endTag(parent)
      return (writer.length - start) / writer.stride
    } else unusual()
    if (writer.length === start) unusual()
    tokens.endTag(name)
    tokens.space()
    tokens.endTag(parent)
    return (writer.length - start) / writer.stride
  }

  private listDimension(outer: number | undefined): number {
    const own = this.dimension()
    if (own !== undefined) return own
    if (outer === undefined) this.assumesDimension = true
    const dimension = outer ?? 2
    // newer versions of GDAL prefer what the bounds state
    if (dimension !== (this.collectionDimension ?? dimension)) unusual()
    return dimension
  }

  private checkSeparators(): void {
    const { tokens } = this
    if (tokens.isEmpty) unusual()
    for (let i = 0; i < tokens.attributeCount; i++)
      if (SEPARATORS.get((tokens.attributeNames[i] as Name).text) !== tokens.value(i)) unusual()
  }
}

export const dimensionIn = (text: string): number => (text === '2' ? 2 : text === '3' ? 3 : unusual())
