/** Writes a TrueType font of given outlines, with the tables that a composite font in a PDF needs (ISO 32000-1, 9.9). */

/** A point of a contour; between two off-curve points an on-curve point is implied. */
export type Point = { x: number; y: number; onCurve: boolean; endContour: boolean }
export type Outline = { points: readonly Point[]; advance: number }
type Measures = { unitsPerEm: number; ascent: number; descent: number }

const ON_CURVE = 1
const MAX_GLYPHS = 65_535

/** @param outlines of the glyphs in their order; the first is shown for characters without a glyph */
export function trueTypeFont(outlines: readonly Outline[], { unitsPerEm, ascent, descent }: Measures): Buffer {
  if (outlines.length > MAX_GLYPHS) throw new Error(`A font has at most ${MAX_GLYPHS} glyphs, not ${outlines.length}`)
  const glyphs = outlines.map(({ points }) => glyphOf(points))
  const ends = [0]
  for (const glyph of glyphs) ends.push((ends.at(-1) as number) + glyph.length)
  const all = boxOf(outlines.flatMap(({ points }) => points))
  const counts = outlines.map(({ points }) => ({
    points: points.length,
    contours: points.filter(({ endContour }) => endContour).length,
  }))
  const largest = (kind: 'points' | 'contours'): number => counts.reduce((most, one) => Math.max(most, one[kind]), 0)
  const widest = outlines.reduce((most, { advance }) => Math.max(most, advance), 0)
  // numbers of 16 bits, as the OpenType specification lists them
  const tables: [tag: string, content: Buffer][] = [
    ['glyf', Buffer.concat(glyphs)],
    // version, revision, checksum, magic number, flags, units; dates; box, style, least size, direction, long offsets
    ['head', words(1, 0, 1, 0, 0, 0, 0x5f0f, 0x3cf5, 0, unitsPerEm, 0, 0, 0, 0, 0, 0, 0, 0, ...all, 0, 8, 2, 1, 0)],
    ['hhea', words(1, 0, ascent, descent, 0, widest, 0, 0, widest, 1, 0, 0, 0, 0, 0, 0, 0, outlines.length)],
    ['hmtx', words(...outlines.flatMap(({ points, advance }) => [advance, boxOf(points)[0]]))],
    ['loca', words(...ends.flatMap((end) => [Math.floor(end / 65_536), end % 65_536]))],
    ['maxp', words(1, 0, outlines.length, largest('points'), largest('contours'), 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)],
  ]
  const directory = [words(1, 0, tables.length, 64, 2, 16 * tables.length - 64)]
  const contents: Buffer[] = []
  let at = 12 + 16 * tables.length
  for (const [tag, content] of tables) {
    const padded = Buffer.concat([content, Buffer.alloc(-content.length & 3)])
    const entry = Buffer.alloc(16)
    entry.write(tag, 0, 'latin1')
    entry.writeUInt32BE(checksum(padded), 4)
    entry.writeUInt32BE(at, 8)
    entry.writeUInt32BE(content.length, 12)
    directory.push(entry)
    contents.push(padded)
    at += padded.length
  }
  return Buffer.concat([...directory, ...contents])
}

const words = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(2 * values.length)
  for (const [i, value] of values.entries()) bytes.writeUInt16BE(Math.round(value) & 0xffff, 2 * i)
  return bytes
}

function checksum(table: Buffer): number {
  let sum = 0
  for (let at = 0; at < table.length; at += 4) sum = (sum + table.readUInt32BE(at)) >>> 0
  return sum
}

type Box = [left: number, bottom: number, right: number, top: number]

function boxOf(points: readonly Point[]): Box {
  if (points.length === 0) return [0, 0, 0, 0]
  const box: Box = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y } of points) {
    box[0] = Math.min(box[0], Math.round(x))
    box[1] = Math.min(box[1], Math.round(y))
    box[2] = Math.max(box[2], Math.round(x))
    box[3] = Math.max(box[3], Math.round(y))
  }
  return box
}

/** A simple glyph: the ends of its contours, and its points as differences of 16 bits. */
function glyphOf(points: readonly Point[]): Buffer {
  if (points.length === 0) return Buffer.alloc(0)
  const ends = points.flatMap(({ endContour }, i) => (endContour ? [i] : []))
  const differences = (axis: 'x' | 'y'): number[] =>
    points.map((point, i) => Math.round(point[axis]) - Math.round(points[i - 1]?.[axis] ?? 0))
  const glyph = Buffer.concat([
    words(ends.length, ...boxOf(points), ...ends, 0),
    Buffer.from(points.map(({ onCurve }) => (onCurve ? ON_CURVE : 0))),
    words(...differences('x'), ...differences('y')),
  ])
  return Buffer.concat([glyph, Buffer.alloc(-glyph.length & 3)])
}
