/** Renders the pages of a PDF to images with PDFium (WebAssembly). */
import { readFile } from 'node:fs/promises'
import type { PDFiumDocument } from '@hyzyla/pdfium'
import { loadSharp } from '../image/image.ts'
import { withResolution } from '../image/resolution.ts'
import { InputError } from '../input-error.ts'
import { renderable } from './renderable.ts'
import { findReplacedFonts } from './replaced-fonts.ts'

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
  { path, pageCount }: { path: string; pageCount: number },
  dpi: number,
  maxPixels: number,
  onPage: (png: Buffer, page: number, pageCount: number) => Promise<void>,
): Promise<Rendered> {
  const { file, replacedFonts } = await renderable(await readFile(path), pageCount, maxPixels)
  const { PDFiumLibrary } = await import('@hyzyla/pdfium')
  const library = await PDFiumLibrary.init()
  try {
    let document: PDFiumDocument
    try {
      document = await library.loadDocument(file)
    } catch (cause) {
      throw new InputError('unreadable', 'cannot be read as a PDF', cause)
    }
    try {
      const rendered = await renderAll(document, dpi / POINTS_PER_INCH, maxPixels, onPage)
      return { ...rendered, replacedFonts: [...new Set([...replacedFonts, ...rendered.replacedFonts])] }
    } finally {
      document.destroy()
    }
  } finally {
    library.destroy()
  }
}

async function renderAll(
  document: PDFiumDocument,
  scale: number,
  maxPixels: number,
  onPage: (png: Buffer, page: number, pageCount: number) => Promise<void>,
): Promise<Rendered> {
  const pageCount = document.getPageCount()
  const sizes: { width: number; height: number }[] = []
  for (let i = 0; i < pageCount; i++) {
    const { originalWidth, originalHeight } = document.getPage(i).getOriginalSize()
    const [width, height] = [Math.round(originalWidth * scale), Math.round(originalHeight * scale)]
    sizes.push({ width, height })
    if (!(width * height > 0)) throw new InputError('unreadable', `cannot be read as a PDF: page ${i + 1} is missing`)
    // PDFium counts the bytes of a bitmap in 32 bits
    if (width * height > maxPixels)
      throw new InputError(
        'pixels',
        `page ${i + 1} would have ${width} × ${height} pixels; the maximum is ${Math.floor(maxPixels / 1e6)} megapixels`,
      )
  }
  document.initializeFormFields()
  let encoding: Promise<void> = Promise.resolve()
  const replacedFonts = new Set<string>()
  for (let i = 0; i < pageCount; i++) {
    const page = document.getPage(i)
    findReplacedFonts(page, replacedFonts)
    // the library rounds a size that it computes from a scale down to whole points
    const { data, width, height } = await page.render({
      ...sizes[i],
      scale: 1,
      render: 'bitmap',
      renderFormFields: true,
    })
    await encoding
    encoding = png({ data, width, height }, 72 * scale).then((encoded) => onPage(encoded, i, pageCount))
  }
  await encoding
  return { pageCount, replacedFonts: [...replacedFonts] }
}

async function png({ data, width, height }: RenderedPage, dpi: number): Promise<Buffer> {
  const sharp = await loadSharp()
  const encoded = await sharp(data, { raw: { width, height, channels: 4 }, limitInputPixels: false })
    .removeAlpha()
    .png({ compressionLevel: 3 })
    .toBuffer()
  return withResolution(encoded, dpi)
}
