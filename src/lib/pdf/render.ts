/** Pages of a PDF as pictures, drawn by PDFium (WebAssembly). */
import { readFile } from 'node:fs/promises'
import type { PDFiumDocument } from '@hyzyla/pdfium'
import { loadSharp } from '../image/image.ts'
import { InputError } from '../input-error.ts'

const POINTS_AN_INCH = 72

/** A page as it was drawn: blue, green, red and a byte of nothing for each pixel. */
type Drawn = { data: Uint8Array; width: number; height: number }

/**
 * Calls `take` with each page as PNG, in order; a page is drawn while the one before it is packed.
 * @param maxPixels of one page
 * @throws InputError `pixels` naming a page that would be larger, before any is drawn; `unreadable`
 */
export async function renderPages(
  path: string,
  dpi: number,
  maxPixels: number,
  take: (png: Buffer, page: number, pageCount: number) => Promise<void>,
): Promise<number> {
  const { PDFiumLibrary } = await import('@hyzyla/pdfium')
  const library = await PDFiumLibrary.init()
  try {
    let document: PDFiumDocument
    try {
      document = await library.loadDocument(await readFile(path))
    } catch (cause) {
      throw new InputError('unreadable', 'cannot be read as a PDF', cause)
    }
    try {
      return await drawAll(document, dpi / POINTS_AN_INCH, maxPixels, take)
    } finally {
      document.destroy()
    }
  } finally {
    library.destroy()
  }
}

async function drawAll(
  document: PDFiumDocument,
  scale: number,
  maxPixels: number,
  take: (png: Buffer, page: number, pageCount: number) => Promise<void>,
): Promise<number> {
  const pageCount = document.getPageCount()
  for (let i = 0; i < pageCount; i++) {
    const { originalWidth, originalHeight } = document.getPage(i).getOriginalSize()
    const [width, height] = [Math.ceil(originalWidth * scale), Math.ceil(originalHeight * scale)]
    if (!(width * height > 0)) throw new InputError('unreadable', `cannot be read as a PDF: there is no page ${i + 1}`)
    // PDFium counts the bytes of a picture in 32 bits
    if (width * height > maxPixels)
      throw new InputError(
        'pixels',
        `page ${i + 1} would make ${width} × ${height} pixels, more than the ${Math.floor(maxPixels / 1e6)} megapixels that a picture may have`,
      )
  }
  document.initializeFormFields()
  let packing: Promise<void> = Promise.resolve()
  for (let i = 0; i < pageCount; i++) {
    const { data, width, height } = await document
      .getPage(i)
      .render({ scale, render: 'bitmap', renderFormFields: true })
    await packing
    packing = png({ data, width, height }).then((packed) => take(packed, i, pageCount))
  }
  await packing
  return pageCount
}

async function png({ data, width, height }: Drawn): Promise<Buffer> {
  const sharp = await loadSharp()
  return sharp(data, { raw: { width, height, channels: 4 }, limitInputPixels: false })
    .removeAlpha()
    .png({ compressionLevel: 3 })
    .toBuffer()
}
