/**
 * Glyphs for Chinese, Japanese and Korean characters, of Noto Sans. Its packages divide each font by characters into
 * about a hundred files, so that only the files needed for a document are read.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Font, Glyph } from 'fontkit'
import { type Outline, type Point, trueTypeFont } from './truetype-writer.ts'

const require = createRequire(import.meta.url)

export type EastAsianFont = 'sc' | 'tc' | 'jp' | 'kr'
/** Shapes differ between regions; characters missing in one font are taken from the next. */
const FONTS: readonly EastAsianFont[] = ['sc', 'tc', 'jp', 'kr']
const REGULAR = 400
const BOLD = 700
/** Metrics of all four fonts. */
const MEASURES = { unitsPerEm: 1000, ascent: 1160, descent: -288 }
const EMPTY: Outline = { points: [], advance: 1000 }

/** The file that has each character. */
type Files = Map<number, string>
const lists = new Map<EastAsianFont, Promise<Files>>()
/** Files already read. The characters of a text are in a few files. */
const open = new Map<string, Promise<Variable>>()
const MAX_OPEN = 40

/** Parts of fontkit missing from its types. It applies the weight only to uncompressed fonts. */
type Variable = Font & {
  variationCoords: number[]
  _variationProcessor: { transformPoints(id: number, points: Copyable[]): void }
}
type Compressed = Glyph & { _decode(): { points?: Copyable[] } | undefined }
type Copyable = Point & { copy(): Copyable }
const copyable = (point: Point): Copyable => ({ ...point, copy: () => copyable(point) })

/**
 * @param characters in the order of the glyphs after the first, which is empty
 * @returns a font; characters missing in all fonts are empty
 */
export async function eastAsianFont(
  characters: readonly string[],
  first: EastAsianFont,
  isBold: boolean,
): Promise<Buffer> {
  const order = [first, ...FONTS.filter((one) => one !== first)]
  const known = await Promise.all(order.map(async (name) => ({ name, files: await filesOf(name) })))
  const inFiles = new Map<string, { code: number; at: number }[]>()
  for (const [i, character] of characters.entries()) {
    const code = character.normalize('NFC').codePointAt(0) ?? 0
    const list = known.find(({ files }) => files.has(code))
    if (list === undefined) continue
    const path = join(folderOf(list.name), `files/noto-sans-${list.name}-${list.files.get(code)}-wght-normal.woff2`)
    const group = inFiles.get(path) ?? []
    group.push({ code, at: i + 1 })
    inFiles.set(path, group)
  }
  const outlines = Array<Outline>(characters.length + 1).fill(EMPTY)
  for (const [path, group] of inFiles) {
    const font = await fontAt(path, isBold ? BOLD : REGULAR)
    for (const { code, at } of group) outlines[at] = drawn(font, font.glyphForCodePoint(code))
  }
  return trueTypeFont(outlines, MEASURES)
}

function drawn(font: Variable, glyph: Glyph): Outline {
  const points = (glyph as Compressed)._decode()?.points?.map((point) => point.copy()) ?? []
  // four phantom points represent the widths of a glyph
  const phantoms = [0, 0, 0, 0].map(() => copyable({ x: 0, y: 0, onCurve: false, endContour: true }))
  font._variationProcessor.transformPoints(glyph.id, [...points, ...phantoms])
  return { points, advance: glyph.advanceWidth }
}

const folderOf = (name: EastAsianFont): string =>
  dirname(require.resolve(`@fontsource-variable/noto-sans-${name}/package.json`))

function filesOf(name: EastAsianFont): Promise<Files> {
  const known = lists.get(name) ?? readList(name)
  lists.set(name, known)
  return known
}

/** A list such as { "[4]": "U+1f1e9-1f1f5,U+fee3" }, whose keys are parts of the names of files. */
async function readList(name: EastAsianFont): Promise<Files> {
  const list = JSON.parse(await readFile(join(folderOf(name), 'unicode.json'), 'utf8')) as Record<string, string>
  const files: Files = new Map()
  for (const [key, ranges] of Object.entries(list))
    for (const range of ranges.split(',')) {
      const [from = '', to = from] = range.replace('U+', '').split('-')
      const last = Number.parseInt(to, 16)
      for (let code = Number.parseInt(from, 16); code <= last; code++) files.set(code, key.replace(/[[\]]/g, ''))
    }
  return files
}

function fontAt(path: string, weight: number): Promise<Variable> {
  const key = `${path} ${weight}`
  const font =
    open.get(key) ??
    Promise.all([readFile(path), import('fontkit')]).then(([bytes, { create }]) =>
      Object.assign(create(bytes) as Variable, { variationCoords: [weight] }),
    )
  open.delete(key)
  open.set(key, font)
  const [oldest] = open.keys()
  if (open.size > MAX_OPEN && oldest !== undefined) open.delete(oldest)
  return font
}
