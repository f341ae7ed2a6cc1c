/** Pages of a PDF, drawn grey for Tesseract; the file stays open from one page to the next. */
import { readFile } from 'node:fs/promises'
import type { PDFiumDocument } from '@hyzyla/pdfium'
import { InputError } from '../input-error.ts'
import { MAX_PIXELS } from './page-image.ts'
import type { GreyImage } from './recognise.ts'

const DPI = 300
const POINTS_AN_INCH = 72

let held: { path: string; document: PDFiumDocument; close(): void } | undefined

async function hold(path: string): Promise<PDFiumDocument> {
  if (held?.path === path) return held.document
  release()
  const { PDFiumLibrary } = await import('@hyzyla/pdfium')
  const library = await PDFiumLibrary.init()
  let document: PDFiumDocument
  try {
    document = await library.loadDocument(await readFile(path))
  } catch (cause) {
    library.destroy()
    throw new InputError('unreadable', 'cannot be read as a PDF', cause)
  }
  document.initializeFormFields()
  const close = (): void => {
    document.destroy()
    library.destroy()
  }
  held = { path, document, close }
  return document
}

/** Lets go of the file that is open, if any. */
export function release(): void {
  held?.close()
  held = undefined
}

/** @param page from 0 */
export async function drawGreyPage(path: string, page: number): Promise<GreyImage> {
  const sheet = (await hold(path)).getPage(page)
  const { originalWidth, originalHeight } = sheet.getOriginalSize()
  if (!(originalWidth * originalHeight > 0))
    throw new InputError('unreadable', `cannot be read as a PDF: there is no page ${page + 1}`)
  const wanted = DPI / POINTS_AN_INCH
  // a page of metres is drawn coarser
  const scale = Math.min(wanted, Math.sqrt(MAX_PIXELS / Math.max(1, originalWidth * originalHeight)))
  const { data, width, height } = await sheet.render({
    ...{ scale, render: 'bitmap', colorSpace: 'Gray', renderFormFields: true },
  })
  return { data, width, height }
}
