/** Renders PDF pages in grey for Tesseract; the document stays open between pages. */
import type { PDFiumDocument } from '@hyzyla/pdfium'
import { InputError } from '../input-error.ts'
import { type DrawnDocument, openDrawn } from '../pdf/drawn-document.ts'
import type { GreyImage } from './grey-image.ts'
import { MAX_PIXELS } from './page-image.ts'

const DPI = 300
const POINTS_PER_INCH = 72

let opened: ({ path: string } & DrawnDocument) | undefined

async function openDocument(path: string, rewrite = false): Promise<PDFiumDocument> {
  if (opened?.path === path && !rewrite) return opened.document
  closeDocument()
  try {
    opened = { path, ...(await openDrawn(path, MAX_PIXELS, rewrite)) }
  } catch (cause) {
    throw new InputError('unreadable', 'cannot be read as a PDF', cause)
  }
  return opened.document
}

/** Closes the open document, if any. */
export function closeDocument(): void {
  opened?.close()
  opened = undefined
}

/** @param page counted from 0 @returns `hasText` if the page contains text that needs no recognition */
export async function drawGreyPage(path: string, page: number): Promise<GreyImage & { hasText: boolean }> {
  let pdfPage = (await openDocument(path)).getPage(page)
  const hasSize = ({ originalWidth, originalHeight } = pdfPage.getOriginalSize()): boolean =>
    originalWidth * originalHeight > 0
  if (!hasSize()) pdfPage = (await openDocument(path, true)).getPage(page)
  const { originalWidth, originalHeight } = pdfPage.getOriginalSize()
  if (!hasSize()) throw new InputError('unreadable', `cannot be read as a PDF: page ${page + 1} is missing`)
  const targetScale = DPI / POINTS_PER_INCH
  // rendering closes the page
  const hasText = pdfPage.getText().trim() !== ''
  // very large pages are rendered at a lower resolution
  const scale = Math.min(targetScale, Math.sqrt(MAX_PIXELS / Math.max(1, originalWidth * originalHeight)))
  const { data, width, height } = await pdfPage.render({
    ...{ scale, render: 'bitmap', colorSpace: 'Gray', renderFormFields: true },
  })
  return { data, width, height, hasText }
}
