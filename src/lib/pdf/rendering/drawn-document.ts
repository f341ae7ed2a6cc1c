/** Opens PDFs for rendering with PDFium, after rewriting content that PDFium would render wrongly (renderable.ts). */
import { readFile } from 'node:fs/promises'
import type { PDFiumDocument } from '@hyzyla/pdfium'
import { renderable } from './renderable.ts'

export type DrawnDocument = {
  document: PDFiumDocument
  /** Names of fonts that the file does not contain and that were replaced. */
  replacedFonts: string[]
  /** The size of a page in points. @param page counted from 0 */
  sizeOf(page: number): { width: number; height: number }
  close(): void
}

/**
 * @param maxPixels larger images stay as they are
 * @param rewrite whether to rewrite the file in any case: PDFium reports no size for pages whose crop box lies outside
 *   the page
 * @throws PDFium's own error for an unreadable file
 */
export async function openDrawn(path: string, maxPixels: number, rewrite = false): Promise<DrawnDocument> {
  const { PDFiumLibrary } = await import('@hyzyla/pdfium')
  const library = await PDFiumLibrary.init()
  try {
    const original = await readFile(path)
    let document = await library.loadDocument(original)
    const { file, replacedFonts, units } = await renderable(original, document.getPageCount(), maxPixels, rewrite)
    if (file !== original) {
      document.destroy()
      document = await library.loadDocument(file)
    }
    document.initializeFormFields()
    const drawn = document
    return {
      document,
      replacedFonts,
      sizeOf(page) {
        const { originalWidth, originalHeight } = drawn.getPage(page).getOriginalSize()
        const unit = units[page] ?? 1
        return { width: originalWidth * unit, height: originalHeight * unit }
      },
      close() {
        document.destroy()
        library.destroy()
      },
    }
  } catch (error) {
    library.destroy()
    throw error
  }
}
