/** Reads the text of a page as runs with their fonts, and splits runs where links start and end. */
import type { PDFPageProxy } from 'pdfjs-dist/types/src/display/api.js'
import type { Face, Run } from './page-content.ts'
import { type Box, type Matrix, times } from './page-geometry.ts'

/** Sine of the largest angle at which text counts as horizontal. */
const MAX_TILT = 0.06
type TextItem = { str: string; dir: string; transform: number[]; width: number; height: number; fontName: string }

export async function readRuns(page: PDFPageProxy, base: Matrix): Promise<Run[]> {
  const { items } = await page.getTextContent({ disableNormalization: true })
  const faces = new Map<string, Face>()
  const runs: Run[] = []
  for (const item of items as TextItem[]) {
    if (item.str === undefined || item.str.trim() === '') continue
    const matrix = times(base, item.transform)
    const size = Math.hypot(matrix[2], matrix[3])
    const across = Math.hypot(matrix[0], matrix[1])
    if (!(size > 0.5 && across > 0)) continue
    const rotated = Math.abs(matrix[1]) > MAX_TILT * across || matrix[0] < 0
    const [dx, dy] = [(matrix[0] / across) * item.width, (matrix[1] / across) * item.width]
    const [x, y] = [matrix[4], matrix[5]]
    let face = faces.get(item.fontName)
    if (face === undefined) {
      face = faceOf(page, item.fontName)
      faces.set(item.fontName, face)
    }
    runs.push({
      // expand ligatures and Arabic presentation forms into plain letters
      text: item.str.replace(/[\uFB00-\uFB06\uFB50-\uFDFF\uFE70-\uFEFF]+/g, (joined) => joined.normalize('NFKC')),
      ...{ baseline: y, size, face, rotated, rtl: item.dir === 'rtl' },
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

/** TeX fonts are named after their design sizes and are rarely installed, so common fonts replace them. */
function texFamilyOf(name: string): string | undefined {
  if (!/^(cm|sf|lm)[a-z]+\d+/i.test(name)) return undefined
  return /^(cm|sf|lm)(mono|tt)/i.test(name)
    ? 'Courier New'
    : /^(cm|sf|lm)(ss|sans)/i.test(name)
      ? 'Arial'
      : 'Times New Roman'
}

/** The name of the font in word processors. */
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

/** Splits runs at the edges of a box. @returns the runs inside the box */
export function splitRuns(runs: Run[], box: Box): Run[] {
  const within: Run[] = []
  for (let i = 0; i < runs.length; i++) {
    const run = runs[i] as Run
    const middle = (run.top + run.bottom) / 2
    if (
      run.rotated ||
      middle < box.top ||
      middle > box.bottom ||
      run.right <= box.left + 1 ||
      run.left >= box.right - 1
    )
      continue
    const edges = glyphEdges(run)
    const nearest = (x: number): number =>
      edges.reduce((best, edge, i) => (Math.abs(edge - x) < Math.abs((edges[best] as number) - x) ? i : best), 0)
    const [from, to] = [nearest(box.left), nearest(box.right)]
    if (run.rtl || (from === 0 && to === run.text.length)) {
      within.push(run)
      continue
    }
    // letter widths are estimates, so the edges snap to the nearest word boundary
    const [edge, end] = [wordEdge(run.text, from), wordEdge(run.text, to)]
    const start = edge + (/^\s*/.exec(run.text.slice(edge, end))?.[0].length ?? 0)
    if (end <= start) continue
    const part = (a: number, b: number): Run => ({
      ...run,
      ...{ text: run.text.slice(a, b), left: edges[a] as number, right: edges[b] as number },
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

/** Estimated relative widths of letters; accurate enough to find word boundaries. */
const widthOf = (letter: string): number =>
  /[iljtfrI.,;:'!|()\s]/.test(letter) ? 0.55 : /[mwMW@%]/.test(letter) ? 1.6 : /[A-Z]/.test(letter) ? 1.3 : 1

/** Estimated left edge of each letter, and the right edge of the last one. */
function glyphEdges({ text, left, right }: Run): number[] {
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
