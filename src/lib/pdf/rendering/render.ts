/** Renders the pages of a PDF to images with PDFium (WebAssembly). */

import { fieldText } from '../../../field-texts/field-text.ts'
import { loadSharp } from '../../image/image.ts'
import { withResolution } from '../../image/resolution.ts'
import { InputError } from '../../input-error.ts'
import { findReplacedFonts } from '../fonts/replaced-fonts.ts'
import { type DrawnDocument, openDrawn } from './drawn-document.ts'

const POINTS_PER_INCH = 72

/** A rendered page: blue, green, red and an unused byte per pixel. */
type RenderedPage = { data: Uint8Array; width: number; height: number }

export type Rendered = {
  pageCount: number
  /** Names of fonts that the file does not contain. */
  replacedFonts: string[]
}

/**
 * Calls `onPage` with each page as a PNG, in order; the next page is rendered while the previous one is encoded.
 * @param maxPixels limit for one page
 * @throws InputError `pixels` for a page that would be larger, before any is rendered; `unreadable`
 */
export async function renderPages(
  { path }: { path: string },
  dpi: number,
  maxPixels: number,
  onPage: (png: Buffer, page: number, pageCount: number) => Promise<void>,
): Promise<Rendered> {
  let drawn = await opened(path, maxPixels, false)
  try {
    let sizes = sizesOf(drawn, dpi)
    if (!sizes.every(hasArea)) {
      const repaired = await opened(path, maxPixels, true)
      drawn.close()
      drawn = repaired
      sizes = sizesOf(drawn, dpi)
    }
    for (const [i, { width, height }] of sizes.entries()) {
      if (!hasArea({ width, height })) throw new InputError('unreadable', fieldText('pdfPageMissing', { page: i + 1 }))
      // PDFium counts the bytes of a bitmap in 32 bits
      if (width * height > maxPixels)
        throw new InputError(
          'pixels',
          fieldText('pagePixels', { page: i + 1, size: `${width} × ${height}`, most: Math.floor(maxPixels / 1e6) }),
        )
    }
    return await renderAll(drawn, sizes, dpi, onPage)
  } finally {
    drawn.close()
  }
}

async function opened(path: string, maxPixels: number, rewrite: boolean): Promise<DrawnDocument> {
  try {
    return await openDrawn(path, maxPixels, rewrite)
  } catch (cause) {
    throw new InputError('unreadable', fieldText('unreadAs', { format: 'PDF' }), cause)
  }
}

type Size = { width: number; height: number }
const hasArea = ({ width, height }: Size): boolean => width * height > 0

const sizesOf = ({ document, sizeOf }: DrawnDocument, dpi: number): Size[] =>
  Array.from({ length: document.getPageCount() }, (_, i) => {
    const { width, height } = sizeOf(i)
    const scale = dpi / POINTS_PER_INCH
    return { width: Math.round(width * scale), height: Math.round(height * scale) }
  })

async function renderAll(
  { document, replacedFonts }: DrawnDocument,
  sizes: readonly Size[],
  dpi: number,
  onPage: (png: Buffer, page: number, pageCount: number) => Promise<void>,
): Promise<Rendered> {
  const pageCount = sizes.length
  let encoding: Promise<void> = Promise.resolve()
  const replaced = new Set(replacedFonts)
  for (let i = 0; i < pageCount; i++) {
    const page = document.getPage(i)
    findReplacedFonts(page, replaced)
    // the library rounds a size that it computes from a scale down to whole points
    const { data, width, height } = await page.render({
      ...sizes[i],
      scale: 1,
      render: 'bitmap',
      renderFormFields: true,
    })
    await encoding
    encoding = png({ data, width, height }, dpi).then((encoded) => onPage(encoded, i, pageCount))
  }
  await encoding
  return { pageCount, replacedFonts: [...replaced] }
}

async function png({ data, width, height }: RenderedPage, dpi: number): Promise<Buffer> {
  const sharp = await loadSharp()
  const encoded = await sharp(data, { raw: { width, height, channels: 4 }, limitInputPixels: false })
    .removeAlpha()
    .png({ compressionLevel: 3 })
    .toBuffer()
  return withResolution(encoded, dpi)
}
