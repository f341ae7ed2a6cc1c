/** Reads a page with PDF.js: runs of text with their links, images, ruled lines and other drawings. */
import type { PDFDocumentProxy } from 'pdfjs-dist/types/src/display/api.js'
import { fillBehind } from './blocks.ts'
import { addFieldValues, type FormField } from './form-values.ts'
import type { PageContent, Pdfjs, Run, Shape } from './page-content.ts'
import { drawingsOf } from './page-drawings.ts'
import { type Box, boxOf, isWithin, type Matrix } from './page-geometry.ts'
import { followOperators } from './page-operators.ts'
import { runReader, splitRuns } from './page-runs.ts'

/** Brightness, from 0 to 1, above which text cannot be read on white. */
const TOO_BRIGHT = 0.85

type Annotation = FormField & { subtype: string; url?: string }

const placeOf = (base: Matrix, [x1 = 0, y1 = 0, x2 = 0, y2 = 0]: number[]): Box => boxOf(base, x1, y1, x2, y2)

/** @param number counted from 1 */
export async function readPage(pdfjs: Pdfjs, document: PDFDocumentProxy, number: number): Promise<PageContent> {
  const page = await document.getPage(number)
  const { transform, width, height } = page.getViewport({ scale: 1 })
  const base = transform as Matrix
  const { found, painter } = drawingsOf()
  const reader = runReader()
  const visibility = await document.getOptionalContentConfig()
  await followOperators(pdfjs, page, base, visibility, { ...painter, text: reader.text })
  const sheet: Box = { left: 0, top: 0, right: width, bottom: height }
  const runs = reader.finish().filter((run) => isWithin(run, sheet))
  for (const run of runs) keepReadable(run, found.shapes)
  const annotations = (await page.getAnnotations()) as Annotation[]
  for (const { url, rect, subtype } of annotations) {
    if (subtype !== 'Link' || url === undefined || !/^(https?|mailto):/i.test(url)) continue
    for (const run of splitRuns(runs, placeOf(base, rect))) run.link = url
  }
  addFieldValues({ runs, ...found }, annotations, base)
  page.cleanup()
  return { width, height, runs, ...found }
}

/** Bright text keeps the colour behind it, or loses its own. */
function keepReadable(run: Run, shapes: readonly Shape[]): void {
  if (run.color === undefined) return
  const [red, green, blue] = [0, 2, 4].map((at) => Number.parseInt((run.color as string).slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ]
  if ((0.299 * red + 0.587 * green + 0.114 * blue) / 255 < TOO_BRIGHT) return
  const behind = fillBehind(run, shapes)
  if (behind === undefined) delete run.color
  else run.background = behind
}
