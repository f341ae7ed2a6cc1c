/**
 * Reads the features of a GML of one layer: their ids, values and geometries, by the rules of GDAL's GML driver. Only
 * GDAL knows the CRS, the order of its axes, and whether ids become a column; see `gml-plain.ts`.
 */
import { GEOMETRIES, isFeatureIn, OWN_RULES } from './gml-attributes.ts'
import { unusual } from './gml-bytes.ts'
import { type Cell, GmlColumns } from './gml-columns.ts'
import { dimensionIn, GmlShapes, SHAPE_KINDS } from './gml-shapes.ts'
import { GmlTokens, type Name } from './gml-tokens.ts'
import { typeOf, type Wkb } from './wkb.ts'

const OTHER_GEOMETRY = 101
const BOUNDS = 102
const RESERVED = 103

const KINDS = new Map([
  ...[...GEOMETRIES].map((local): [string, number] => [local, OTHER_GEOMETRY]),
  ...SHAPE_KINDS,
  ['boundedBy', BOUNDS] as const,
  ...OWN_RULES.map((local): [string, number] => [local, RESERVED]),
])
/** The kinds of the geometries among them. */
const isGeometry = ({ kind, local }: Name): boolean => kind !== 0 && GEOMETRIES.has(local)

const MAX_DEPTH = 20
/** Numbers of many digits and with long exponents, which GDAL may take for texts or limit. */
const LONG_NUMBER = /^(?=[\s\d+.deDE-]+$)(?:.{16}|.*[deDE].{4})/s
/** These are doubles. */
const DECIMAL_NUMBER = /^-?\d{1,15}\.\d{1,25}(?:[eE][+-]?\d\d?)?$/
/** What GDAL writes for a missing value inside. */
const GDAL_NULL = '___OGR_GML_NULL___'

export type GmlFeature = { id: string | undefined; row: Cell[]; geometry: Wkb | null }

export class GmlFeatures {
  readonly columns = new GmlColumns()
  readonly tokens: GmlTokens
  /** The name that all geometries give their CRS. */
  srsName: string | undefined
  hasGeometry = false
  /** Whether features have bounds, which GDAL leaves out. */
  hasBounds = false
  private readonly shapes: GmlShapes
  private readonly open: Name[] = []
  private featureName: Name | undefined
  private geometryPath: string | undefined
  private readonly types = new Map<number, boolean>()
  private row: Cell[] = []
  /** Whether the row has explicit nulls. */
  private hasNil = false
  private geometry: Wkb | null = null
  private unit: string | undefined
  private value: string | undefined

  constructor(path: string) {
    this.tokens = new GmlTokens(path, KINDS)
    this.shapes = new GmlShapes(this.tokens)
  }

  /** @throws Unusual */
  begin(): void {
    const { tokens } = this
    tokens.skipDeclaration()
    this.skipBetween()
    const root = tokens.startTag()
    if (tokens.isEmpty || root.kind !== 0 || GEOMETRIES.has(root.local) || MEMBER.test(root.local)) unusual()
    this.open.push(root)
  }

  set isSwapped(isSwapped: boolean) {
    this.shapes.isSwapped = isSwapped
  }

  /** Whether the dimension of a list of positions depended on the CRS. */
  get assumesDimension(): boolean {
    return this.shapes.assumesDimension
  }

  get layerName(): string {
    return this.featureName?.local ?? ''
  }

  /** The tags that end the document after the current feature. */
  get endTags(): string {
    return this.open
      .map(({ text }) => `</${text}>`)
      .reverse()
      .join('')
  }

  /** @returns undefined after the last feature, when the whole document has been read. @throws Unusual */
  next(): GmlFeature | undefined {
    const { tokens, open } = this
    for (;;) {
      tokens.requireGap()
      this.skipBetween()
      const parent = open.at(-1)
      if (parent === undefined) return tokens.isAtEnd ? undefined : unusual()
      if (tokens.isAtEndTag) {
        tokens.endTag(parent)
        open.pop()
        continue
      }
      const name = tokens.startTag()
      if (open.length > 1 && isFeatureIn(parent.local, name.local)) return this.feature(name)
      this.openOther(name)
    }
  }

  private skipBetween(): void {
    const { tokens } = this
    for (tokens.space(); tokens.isAtComment; tokens.space()) tokens.comment()
  }

  /** An element outside features whose start tag was read. */
  private openOther(name: Name): void {
    const { tokens, open } = this
    const isAround = MEMBER.test(name.local) ? open.length % 2 === 1 : name.local === 'FeatureCollection'
    if (isAround && !tokens.isEmpty) {
      if (open.push(name) > MAX_DEPTH) unusual()
    } else if (name.kind === BOUNDS) this.collectionBounds(name)
    else if (name.kind !== 0) unusual()
    else if (!tokens.isEmpty) {
      tokens.skipText()
      tokens.endTag(name)
    }
  }

  /** Bounds around all features state a dimension for all lists; GDAL knows how they name the CRS. */
  private collectionBounds(name: Name): void {
    const { tokens, shapes, open } = this
    if (this.featureName !== undefined) unusual()
    if (tokens.isEmpty) return
    for (tokens.skipText(); !tokens.isAtEndTag; tokens.skipText()) {
      const child = tokens.startTag()
      const dimension = tokens.attribute('srsDimension')
      if (dimension !== undefined && open.length === 1 && child.local === 'Envelope')
        shapes.collectionDimension ??= dimensionIn(dimension)
      this.skip(child, 1)
    }
    tokens.endTag(name)
  }

  /** Skips the rest of an element whose start tag was read. */
  private skip(name: Name, depth: number): void {
    const { tokens } = this
    if (tokens.isEmpty) return
    if (depth > MAX_DEPTH || name.kind === RESERVED) unusual()
    for (tokens.skipText(); !tokens.isAtEndTag; tokens.skipText()) this.skip(tokens.startTag(), depth + 1)
    tokens.endTag(name)
  }

  private feature(name: Name): GmlFeature {
    const { tokens } = this
    this.featureName ??= name
    if (name !== this.featureName || name.kind !== 0) unusual()
    const id = this.featureId()
    this.row = []
    this.hasNil = false
    this.geometry = null
    if (!tokens.isEmpty) {
      tokens.requireElement(name)
      for (tokens.skipText(); !tokens.isAtEndTag; tokens.skipText()) this.element(undefined, 0)
      tokens.endTag(name)
    }
    if (this.unit !== undefined || this.value !== undefined) unusual()
    // GDAL takes the missing one of several values for a text
    if (this.hasNil && this.row.some((cell) => Array.isArray(cell) && cell.includes(null))) unusual()
    return { id, row: this.row, geometry: this.geometry }
  }

  private featureId(): string | undefined {
    const { tokens } = this
    for (let i = 0; i < tokens.attributeCount; i++) {
      const { text } = tokens.attributeNames[i] as Name
      if (text === 'gml:id' || text === 'fid') return tokens.value(i) || unusual()
    }
    return undefined
  }

  /** An element in a feature, with the path of the element around it. */
  private element(around: string | undefined, depth: number): void {
    const name = this.tokens.startTag()
    const { local, kind } = name
    if (kind === RESERVED || depth > MAX_DEPTH) unusual()
    if (kind === BOUNDS) {
      this.hasBounds = true
      this.skip(name, depth)
    } else if (isGeometry(name)) this.addGeometry(name, around)
    else this.property(name, around === undefined ? local : `${around}|${local}`, depth)
  }

  private property(name: Name, path: string, depth: number): void {
    const { tokens } = this
    const { isEmpty } = tokens
    if (tokens.attributeCount > 0) this.attributes(name.local)
    let text: string | undefined
    if (!isEmpty) {
      tokens.skipText()
      if (!tokens.isAtEndTag) {
        for (; !tokens.isAtEndTag; tokens.skipText()) this.element(path, depth + 1)
        tokens.endTag(name)
        return
      }
      if (tokens.hasText) text = tokens.text.replace(LEADING_SPACE, '')
      tokens.endTag(name)
    }
    text ??= this.value
    if (text !== undefined) this.addValue(path, text)
    if (this.unit !== undefined) this.addValue(`${path}_uom`, this.unit)
    this.unit = undefined
    this.value = undefined
  }

  private attributes(local: string): void {
    const { tokens } = this
    const nil = tokens.attribute('xsi:nil')
    if (nil === undefined) {
      this.unit = tokens.attribute('uom') ?? this.unit
      this.value = tokens.attribute('value') ?? this.value
    } else if (nil.toLowerCase() === 'true') {
      this.hasNil = true
      this.columns.add(this.row, local, null)
    }
  }

  private addValue(path: string, text: string): void {
    if (LONG_NUMBER.test(text) && !DECIMAL_NUMBER.test(text)) unusual()
    if (text.length === GDAL_NULL.length && text.toUpperCase() === GDAL_NULL) unusual()
    this.columns.add(this.row, path, text)
  }

  private addGeometry(name: Name, around: string | undefined): void {
    const { shapes } = this
    if (this.geometry !== null || name.kind === OTHER_GEOMETRY || around === undefined) unusual()
    const geometry = shapes.read(name)
    if (!this.hasGeometry) {
      this.hasGeometry = true
      this.srsName = shapes.srsName
      this.geometryPath = around
    }
    if (shapes.srsName !== this.srsName || around !== this.geometryPath) unusual()
    this.requireOneDimension(geometry)
    this.geometry = geometry
  }

  /** GDAL adds heights of 0 to geometries of one type if others of that type have heights. */
  private requireOneDimension(geometry: Wkb): void {
    const isHigh = (geometry[2] as number) > 0
    const type = typeOf(geometry)
    const known = this.types.get(type)
    if (known === undefined) this.types.set(type, isHigh)
    else if (known !== isHigh) unusual()
  }
}

const MEMBER = /members?$/i
const LEADING_SPACE = /^[ \n\r\t]+/
