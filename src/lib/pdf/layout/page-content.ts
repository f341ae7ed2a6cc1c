/** What stands on a page, as PDF.js tells it: text with its fonts, pictures, ruled lines and links. */
import type { PDFPageProxy } from 'pdfjs-dist/types/src/display/api.js'
import { loadSharp } from '../../image/image.ts'

/** In points from the upper left corner of the page as it is seen. */
export type Box = { left: number; top: number; right: number; bottom: number }
export type Face = { family: string; bold: boolean; italic: boolean; symbolic: boolean }
export type Run = Box & {
  text: string
  /** The line that its letters stand on. */
  base: number
  size: number
  face: Face
  rtl: boolean
  /** Not level: it is no part of the lines around it. */
  turned: boolean
  link?: string
}
export type Picture = Box & { data: Buffer; kind: 'png' | 'jpg' }
/** Level or upright; `from` is less than `to`. */
export type Rule = { level: boolean; at: number; from: number; to: number }
export type PageContent = {
  width: number
  height: number
  runs: Run[]
  pictures: Picture[]
  rules: Rule[]
  /** Curves, slopes and areas that were drawn, which are not taken over. */
  drawings: number
  /** Pictures that could not be taken over. */
  lost: number
}

type Pdfjs = typeof import('pdfjs-dist/types/src/pdf.js')
type Matrix = [number, number, number, number, number, number]

const times = (m: Matrix, n: readonly number[]): Matrix => {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = n
  return [
    m[0] * a + m[2] * b,
    m[1] * a + m[3] * b,
    m[0] * c + m[2] * d,
    m[1] * c + m[3] * d,
    m[0] * e + m[2] * f + m[4],
    m[1] * e + m[3] * f + m[5],
  ]
}
const point = (m: Matrix, x: number, y: number): [number, number] => [
  m[0] * x + m[2] * y + m[4],
  m[1] * x + m[3] * y + m[5],
]

/** Sine of the angle up to which text counts as level. */
const LEVEL = 0.06
/** A filled area that is no thicker is a line. */
const RULE_THICKNESS = 3
const MIN_RULE = 4
/** Pictures that are smaller are ornaments. */
const MIN_PICTURE = 4
const PHOTO_PIXELS = 40_000

export async function readPage(pdfjs: Pdfjs, page: PDFPageProxy): Promise<PageContent> {
  const viewport = page.getViewport({ scale: 1 })
  const base = viewport.transform as Matrix
  const drawn = await readDrawn(pdfjs, page, base)
  const runs = await readRuns(page, base)
  for (const { url, rect, subtype } of (await page.getAnnotations()) as {
    url?: string
    rect: number[]
    subtype: string
  }[]) {
    if (subtype !== 'Link' || url === undefined || !/^(https?|mailto):/i.test(url)) continue
    const box = boxOf(base, rect[0] ?? 0, rect[1] ?? 0, rect[2] ?? 0, rect[3] ?? 0)
    for (const run of splitAt(runs, box)) run.link = url
  }
  page.cleanup()
  return { width: viewport.width, height: viewport.height, runs, ...drawn }
}

function boxOf(matrix: Matrix, x1: number, y1: number, x2: number, y2: number): Box {
  const corners = [point(matrix, x1, y1), point(matrix, x2, y1), point(matrix, x1, y2), point(matrix, x2, y2)]
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }
}

type TextItem = { str: string; dir: string; transform: number[]; width: number; height: number; fontName: string }

async function readRuns(page: PDFPageProxy, base: Matrix): Promise<Run[]> {
  const { items } = await page.getTextContent()
  const faces = new Map<string, Face>()
  const runs: Run[] = []
  for (const item of items as TextItem[]) {
    if (item.str === undefined || item.str.trim() === '') continue
    const matrix = times(base, item.transform)
    const size = Math.hypot(matrix[2], matrix[3])
    const across = Math.hypot(matrix[0], matrix[1])
    if (!(size > 0.5 && across > 0)) continue
    const turned = Math.abs(matrix[1]) > LEVEL * across || matrix[0] < 0
    const [dx, dy] = [(matrix[0] / across) * item.width, (matrix[1] / across) * item.width]
    const [x, y] = [matrix[4], matrix[5]]
    let face = faces.get(item.fontName)
    if (face === undefined) {
      face = faceOf(page, item.fontName)
      faces.set(item.fontName, face)
    }
    runs.push({
      // letters that were joined are letters again
      text: item.str.replace(/[\uFB50-\uFDFF\uFE70-\uFEFF]+/g, (joined) => joined.normalize('NFKC')),
      ...{ base: y, size, face, turned, rtl: item.dir === 'rtl' },
      ...{ left: Math.min(x, x + dx), right: Math.max(x, x + dx) },
      ...{ top: Math.min(y, y + dy) - 0.8 * size, bottom: Math.max(y, y + dy) + 0.2 * size },
    })
  }
  return runs
}

function faceOf(page: PDFPageProxy, id: string): Face {
  const font = page.commonObjs.has(id)
    ? (page.commonObjs.get(id) as {
        name?: string
        bold?: boolean
        italic?: boolean
        isMonospace?: boolean
        isSerifFont?: boolean
        isSymbolicFont?: boolean
      })
    : {}
  const name = (font.name ?? '').replace(/^[A-Z]{6}\+/, '')
  return {
    family: texFamilyOf(name) ?? familyOf(name, font.isMonospace === true, font.isSerifFont === true),
    bold: font.bold === true || /bold|black|heavy|semibold|demi|^(cm|sf)b/i.test(name),
    italic: font.italic === true || /italic|oblique|^(cm|sf)(ti|sl|bxti|mi)/i.test(name),
    symbolic: /symbol|wingding|dingbat|webding/i.test(name),
  }
}

/** TeX's fonts are called by their design sizes, and live in few other programs. */
function texFamilyOf(name: string): string | undefined {
  if (!/^(cm|sf|lm)[a-z]+\d+/i.test(name)) return undefined
  return /^(cm|sf|lm)(mono|tt)/i.test(name)
    ? 'Courier New'
    : /^(cm|sf|lm)(ss|sans)/i.test(name)
      ? 'Arial'
      : 'Times New Roman'
}

/** Names of fonts that programs for texts know. */
function familyOf(name: string, mono: boolean, serif: boolean): string {
  const family = name
    .split(/[-,]/)[0]
    ?.replace(/(PS)?MT$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .trim()
  if (family === undefined || family === '' || /^g_d\d|^[A-Z]?\d+$/.test(family))
    return mono ? 'Courier New' : serif ? 'Times New Roman' : 'Arial'
  if (/^(helvetica|nimbus ?san)/i.test(family)) return 'Arial'
  if (/^(times|nimbus ?rom)/i.test(family)) return 'Times New Roman'
  if (/^(courier|nimbus ?mon)/i.test(family)) return 'Courier New'
  return family
}

/** The part of each run that lies in a box, made a run of its own. */
function splitAt(runs: Run[], box: Box): Run[] {
  const within: Run[] = []
  for (let i = 0; i < runs.length; i++) {
    const run = runs[i] as Run
    const middle = (run.top + run.bottom) / 2
    if (run.turned || middle < box.top || middle > box.bottom || run.right <= box.left + 1 || run.left >= box.right - 1)
      continue
    const places = placesIn(run)
    const nearest = (x: number): number =>
      places.reduce((best, place, i) => (Math.abs(place - x) < Math.abs((places[best] as number) - x) ? i : best), 0)
    const [from, to] = [nearest(box.left), nearest(box.right)]
    if (run.rtl || (from === 0 && to === run.text.length)) {
      within.push(run)
      continue
    }
    // widths of letters differ: the nearest ends of words are meant
    const [edge, end] = [wordEdge(run.text, from), wordEdge(run.text, to)]
    const start = edge + (/^\s*/.exec(run.text.slice(edge, end))?.[0].length ?? 0)
    if (end <= start) continue
    const part = (a: number, b: number): Run => ({
      ...run,
      ...{ text: run.text.slice(a, b), left: places[a] as number, right: places[b] as number },
    })
    const linked = part(start, end)
    const parts = [
      ...(start > 0 ? [part(0, start)] : []),
      linked,
      ...(end < run.text.length ? [part(end, run.text.length)] : []),
    ]
    runs.splice(i, 1, ...parts)
    i += parts.length - 1
    within.push(linked)
  }
  return within
}

/** Widths of letters beside the usual one; fonts differ, and this is near enough to tell words apart. */
const widthOf = (letter: string): number =>
  /[iljtfrI.,;:'!|()\s]/.test(letter) ? 0.55 : /[mwMW@%]/.test(letter) ? 1.6 : /[A-Z]/.test(letter) ? 1.3 : 1

/** Where each letter of a run begins, and the last ends. */
function placesIn({ text, left, right }: Run): number[] {
  const widths = [...Array(text.length).keys()].map((i) => widthOf(text[i] as string))
  const scale = (right - left) / widths.reduce((sum, width) => sum + width, 0)
  let at = left
  return [left, ...widths.map((width) => (at += width * scale))]
}

function wordEdge(text: string, at: number): number {
  const edges = [0, text.length]
  for (let i = 1; i < text.length; i++)
    if (/\s/.test(text[i - 1] as string) !== /\s/.test(text[i] as string) || /[^\p{L}\p{N}]/u.test(text[i] as string))
      edges.push(i)
  return edges.reduce((best, edge) => (Math.abs(edge - at) < Math.abs(best - at) ? edge : best), 0)
}

type Drawn = Pick<PageContent, 'pictures' | 'rules' | 'drawings' | 'lost'>
type RawImage = { width: number; height: number; kind?: number; data?: Uint8Array | Uint8ClampedArray }

async function readDrawn({ OPS }: Pdfjs, page: PDFPageProxy, base: Matrix): Promise<Drawn> {
  const { fnArray, argsArray } = await page.getOperatorList()
  const drawn: Drawn = { pictures: [], rules: [], drawings: 0, lost: 0 }
  const strokes = new Set([
    OPS.stroke,
    OPS.closeStroke,
    OPS.fillStroke,
    OPS.eoFillStroke,
    OPS.closeFillStroke,
    OPS.closeEOFillStroke,
  ])
  const fills = new Set([OPS.fill, OPS.eoFill])
  let matrix = base
  const saved: Matrix[] = []
  for (const [i, operator] of fnArray.entries()) {
    const args = argsArray[i] as unknown[]
    switch (operator) {
      case OPS.save:
        saved.push(matrix)
        break
      case OPS.restore:
        matrix = saved.pop() ?? matrix
        break
      case OPS.transform:
        matrix = times(matrix, args as number[])
        break
      case OPS.paintFormXObjectBegin:
        saved.push(matrix)
        if (args[0]) matrix = times(matrix, args[0] as number[])
        break
      case OPS.paintFormXObjectEnd:
        matrix = saved.pop() ?? matrix
        break
      case OPS.constructPath: {
        const [paint, [data]] = args as [number, [Record<number, number> | null]]
        if (data && strokes.has(paint)) takeStrokes(drawn, Object.values(data), matrix)
        else if (data && fills.has(paint)) takeFill(drawn, Object.values(data), matrix)
        break
      }
      case OPS.paintImageXObject:
        await takePicture(drawn, await objectOf(page, String(args[0])), matrix)
        break
      case OPS.paintInlineImageXObject:
        await takePicture(drawn, args[0] as RawImage, matrix)
        break
      case OPS.paintImageMaskXObject:
      case OPS.paintImageXObjectRepeat:
      case OPS.paintInlineImageXObjectGroup:
        drawn.lost++
        break
    }
  }
  return drawn
}

const objectOf = (page: PDFPageProxy, id: string): Promise<RawImage | null> =>
  new Promise((resolve) => (id.startsWith('g_') ? page.commonObjs : page.objs).get(id, resolve))

/** PDF.js tells paths as numbers: 0 move, 1 line, 2 curve, 3 quadratic curve, 4 close. */
function linesOf(
  path: readonly number[],
  matrix: Matrix,
): { lines: [number, number, number, number][]; curves: number } {
  const lines: [number, number, number, number][] = []
  let [x, y, startX, startY, curves] = [0, 0, 0, 0, 0]
  const to = (nextX: number, nextY: number): void => {
    lines.push([...point(matrix, x, y), ...point(matrix, nextX, nextY)])
    ;[x, y] = [nextX, nextY]
  }
  for (let at = 0; at < path.length; ) {
    const code = path[at] as number
    const [p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0] = path.slice(at + 1, at + 7)
    if (code === 0) {
      ;[x, y, startX, startY] = [p1, p2, p1, p2]
      at += 3
    } else if (code === 1) {
      to(p1, p2)
      at += 3
    } else if (code === 2) {
      curves++
      ;[x, y] = [p5, p6]
      at += 7
    } else if (code === 3) {
      curves++
      ;[x, y] = [p3, p4]
      at += 5
    } else {
      if (x !== startX || y !== startY) to(startX, startY)
      at += 1
    }
  }
  return { lines, curves }
}

function takeStrokes(drawn: Drawn, path: readonly number[], matrix: Matrix): void {
  const { lines, curves } = linesOf(path, matrix)
  drawn.drawings += curves
  for (const [x1, y1, x2, y2] of lines) {
    const [width, height] = [Math.abs(x2 - x1), Math.abs(y2 - y1)]
    if (height <= 1 && width >= MIN_RULE)
      drawn.rules.push({ level: true, at: (y1 + y2) / 2, from: Math.min(x1, x2), to: Math.max(x1, x2) })
    else if (width <= 1 && height >= MIN_RULE)
      drawn.rules.push({ level: false, at: (x1 + x2) / 2, from: Math.min(y1, y2), to: Math.max(y1, y2) })
    else if (Math.min(width, height) > 1) drawn.drawings++
  }
}

function takeFill(drawn: Drawn, path: readonly number[], matrix: Matrix): void {
  const { lines, curves } = linesOf(path, matrix)
  if (curves > 0 || lines.length > 5) {
    drawn.drawings += curves
    return
  }
  const xs = lines.flatMap(([x1, , x2]) => [x1, x2])
  const ys = lines.flatMap(([, y1, , y2]) => [y1, y2])
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  if (bottom - top <= RULE_THICKNESS && right - left >= MIN_RULE)
    drawn.rules.push({ level: true, at: (top + bottom) / 2, from: left, to: right })
  else if (right - left <= RULE_THICKNESS && bottom - top >= MIN_RULE)
    drawn.rules.push({ level: false, at: (left + right) / 2, from: top, to: bottom })
}

/** PDF.js' kinds: 1 a bit a pixel, 2 RGB, 3 RGBA. */
async function takePicture(drawn: Drawn, image: RawImage | null, matrix: Matrix): Promise<void> {
  const box = boxOf(matrix, 0, 0, 1, 1)
  if (Math.min(box.right - box.left, box.bottom - box.top) < MIN_PICTURE) return
  const { width = 0, height = 0, kind, data } = image ?? {}
  if (data === undefined || (kind !== 1 && kind !== 2 && kind !== 3)) {
    drawn.lost++
    return
  }
  const sharp = await loadSharp()
  const channels = kind === 3 ? 4 : kind === 2 ? 3 : 1
  const samples =
    kind === 1 ? unpacked(data, width, height) : Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  let pipeline = sharp(samples, { raw: { width, height, channels }, limitInputPixels: false })
  const opaque = channels !== 4 || isOpaque(samples)
  if (opaque && channels === 4) pipeline = pipeline.removeAlpha()
  // upright pictures are drawn with their first row at the top; others are turned or mirrored
  if (Math.abs(matrix[1]) > Math.abs(matrix[0])) pipeline = pipeline.rotate(matrix[1] > 0 ? 90 : 270)
  else if (matrix[3] > 0) pipeline = matrix[0] < 0 ? pipeline.rotate(180) : pipeline.flip()
  const isPhoto = opaque && channels >= 3 && width * height > PHOTO_PIXELS
  const coded = isPhoto ? pipeline.jpeg({ quality: 88 }) : pipeline.png()
  drawn.pictures.push({ ...box, data: await coded.toBuffer(), kind: isPhoto ? 'jpg' : 'png' })
}

function isOpaque(rgba: Uint8Array): boolean {
  for (let at = 3; at < rgba.length; at += 4) if ((rgba[at] as number) < 255) return false
  return true
}

function unpacked(data: Uint8Array | Uint8ClampedArray, width: number, height: number): Buffer {
  const out = Buffer.alloc(width * height)
  const rowBytes = Math.ceil(width / 8)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (((data[y * rowBytes + (x >> 3)] as number) >> (7 - (x & 7))) & 1) out[y * width + x] = 255
  return out
}
