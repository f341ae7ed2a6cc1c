/** Renders PDF pages in grey for Tesseract; the document stays open between pages. */
import { fieldText } from '../../field-texts/field-text.ts'
import { InputError } from '../input-error.ts'
import { type DrawnDocument, openDrawn } from '../pdf/rendering/drawn-document.ts'
import type { GreyImage } from './grey-image.ts'
import { MAX_PIXELS } from './page-image.ts'

const DPI = 300
const POINTS_PER_INCH = 72

let opened: ({ path: string } & DrawnDocument) | undefined

async function openDocument(path: string, rewrite = false): Promise<DrawnDocument> {
  if (opened?.path === path && !rewrite) return opened
  closeDocument()
  try {
    opened = { path, ...(await openDrawn(path, MAX_PIXELS, rewrite)) }
  } catch (cause) {
    throw new InputError('unreadable', fieldText('unreadAs', { format: 'PDF' }), cause)
  }
  return opened
}

/** Closes the open document, if any. */
export function closeDocument(): void {
  opened?.close()
  opened = undefined
}

/** @param page counted from 0 @returns `hasText` if the page contains text that needs no recognition */
export async function drawGreyPage(path: string, page: number): Promise<GreyImage & { hasText: boolean }> {
  let drawn = await openDocument(path)
  const hasSize = ({ width, height } = drawn.sizeOf(page)): boolean => width * height > 0
  if (!hasSize()) drawn = await openDocument(path, true)
  if (!hasSize()) throw new InputError('unreadable', fieldText('pdfPageMissing', { page: page + 1 }))
  const points = drawn.sizeOf(page)
  const pdfPage = drawn.document.getPage(page)
  const targetScale = DPI / POINTS_PER_INCH
  // rendering closes the page
  const hasText = pdfPage.getText().trim() !== ''
  // very large pages are rendered at a lower resolution
  const scale = Math.min(targetScale, Math.sqrt(MAX_PIXELS / Math.max(1, points.width * points.height)))
  const { data, width, height } = await pdfPage.render({
    scale: 1,
    width: Math.floor(points.width * scale),
    height: Math.floor(points.height * scale),
    render: 'bitmap',
    colorSpace: 'Gray',
    renderFormFields: true,
  })
  return { data, width, height, hasText }
}
