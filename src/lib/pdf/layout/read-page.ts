/** Reads a page with PDF.js: runs of text with their links, images and ruled lines. */
import type { PDFPageProxy } from 'pdfjs-dist/types/src/display/api.js'
import type { PageContent, Pdfjs } from './page-content.ts'
import { readDrawings } from './page-drawings.ts'
import { boxOf, type Matrix } from './page-geometry.ts'
import { readRuns, splitRuns } from './page-runs.ts'

export async function readPage(pdfjs: Pdfjs, page: PDFPageProxy): Promise<PageContent> {
  const viewport = page.getViewport({ scale: 1 })
  const base = viewport.transform as Matrix
  const drawings = await readDrawings(pdfjs, page, base)
  const runs = await readRuns(page, base)
  for (const { url, rect, subtype } of (await page.getAnnotations()) as {
    url?: string
    rect: number[]
    subtype: string
  }[]) {
    if (subtype !== 'Link' || url === undefined || !/^(https?|mailto):/i.test(url)) continue
    const box = boxOf(base, rect[0] ?? 0, rect[1] ?? 0, rect[2] ?? 0, rect[3] ?? 0)
    for (const run of splitRuns(runs, box)) run.link = url
  }
  page.cleanup()
  return { width: viewport.width, height: viewport.height, runs, ...drawings }
}
