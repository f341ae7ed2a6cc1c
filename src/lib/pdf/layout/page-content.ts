/** What stands on a page, as PDF.js tells it: text with its fonts, pictures, ruled lines and links. */
import type { PDFPageProxy } from 'pdfjs-dist/types/src/display/api.js'
import { readDrawn } from './page-drawings.ts'
import { type Box, boxOf, type Matrix } from './page-geometry.ts'
import { readRuns, splitAt } from './page-runs.ts'

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

export type Pdfjs = typeof import('pdfjs-dist/types/src/pdf.js')
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
