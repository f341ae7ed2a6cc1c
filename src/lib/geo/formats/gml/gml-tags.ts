/**
 * Facts from the tags of a GML: the names of its elements, features with several geometries, of which GDAL reads the
 * last one, and texts with white space before them, which GDAL drops.
 */

import { decoded, localName } from '../xml-text.ts'
import { GEOMETRIES, isFeatureIn } from './gml-attributes.ts'

const TAG = /<!--.*?-->|<!\[CDATA\[.*?\]\]>|<(\/?)([^\s<>/!?]+)(?:[^<>"']|"[^"]*"|'[^']*')*>?/gs

/** White space before a text that is no number. Line breaks are the layout of the file. */
const INDENTED = /[ \t]+(?![-+.\dEe]*\s*<)[^\s<]/y

export class GmlTags {
  readonly names = new Set<string>()
  private readonly open: string[] = []
  /** Depth of the enclosing feature, and of the enclosing geometry; 0 outside. */
  private featureDepth = 0
  private geometryDepth = 0
  /** The element name of the first layer's features, and their number. */
  private element = ''
  private count = 0
  /** The parent elements of the feature's geometries. */
  private properties: string[] = []
  private readonly several = { count: 0, first: -1, properties: new Set<string>() }
  private readonly indented = new Set<string>()

  constructor(path: string) {
    let rest = ''
    for (const block of decoded(path)) {
      const text = rest + block
      const end = Math.max(0, text.lastIndexOf('<'))
      rest = text.slice(end)
      this.read(text.slice(0, end))
    }
    this.read(rest)
  }

  get warnings(): string[] {
    const { count, first, properties } = this.several
    const warnings: string[] = []
    if (this.indented.size > 0)
      warnings.push(`white space at the ends of texts is lost in ${[...this.indented].join(', ')}`)
    if (count > 0)
      warnings.push(
        `${count} features have several geometries (${[...properties].join(', ')}), of which only the last was read; the first is feature ${first}`,
      )
    return warnings
  }

  private read(text: string): void {
    for (const { 0: tag, 1: slash, 2: name, index } of text.matchAll(TAG)) {
      if (name === undefined) continue
      const local = localName(name)
      if (slash === '') {
        this.start(local)
        INDENTED.lastIndex = index + tag.length
        if (this.isAttribute() && INDENTED.test(text)) this.indented.add(local)
      }
      if (slash === '/' || tag.endsWith('/>')) this.close(local)
    }
  }

  private start(name: string): void {
    this.names.add(name)
    const { open } = this
    const parent = open.at(-1)
    open.push(name)
    if (this.featureDepth === 0) {
      if (!isFeatureIn(parent, name)) return
      this.element ||= name
      if (this.element !== name) return
      this.featureDepth = open.length
      this.properties = []
    } else if (GEOMETRIES.has(name) && this.isAttribute()) {
      this.geometryDepth = open.length
      this.properties.push(parent ?? '')
    }
  }

  private isAttribute(): boolean {
    const { featureDepth, geometryDepth, open } = this
    return featureDepth > 0 && geometryDepth === 0 && !open.includes('boundedBy', featureDepth)
  }

  private close(name: string): void {
    const { open } = this
    // XML that is not well-formed is rejected later
    if (open.at(-1) !== name) return
    if (open.length === this.geometryDepth) this.geometryDepth = 0
    if (open.length === this.featureDepth) this.endFeature()
    open.pop()
  }

  private endFeature(): void {
    const { several, properties } = this
    this.featureDepth = 0
    this.count++
    if (properties.length < 2) return
    if (several.count === 0) several.first = this.count - 1
    several.count++
    for (const property of properties) several.properties.add(property)
  }
}
