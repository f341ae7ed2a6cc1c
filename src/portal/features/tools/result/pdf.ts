/** Opens PDFs with PDF.js. A separate chunk; its worker and its resources are files of this server. */
import {
  GlobalWorkerOptions,
  getDocument,
  InvalidPDFException,
  PasswordException,
  type PDFDocumentProxy,
  type PDFPageProxy,
  ResponseException,
  TextLayer,
} from 'pdfjs-dist/legacy/build/pdf.mjs'
import { resultFiles } from './files.ts'

export type { PDFDocumentProxy, PDFPageProxy }

GlobalWorkerOptions.workerSrc = resultFiles.pdfWorker

/** Fonts, character maps and decoders have hashed names, which PDF.js does not know. */
let addresses: Promise<Record<string, string>> | undefined

async function addressesOfFiles(): Promise<Record<string, string>> {
  addresses ??= fetch(resultFiles.pdfData).then((response) => response.json() as Promise<Record<string, string>>)
  try {
    return await addresses
  } catch (error) {
    // the next PDF tries again
    addresses = undefined
    throw error
  }
}

class HashedFiles {
  async fetch({ filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    const address = (await addressesOfFiles())[filename]
    if (address === undefined) throw new Error(`${filename} is not among the files of PDF.js`)
    const response = await fetch(address)
    if (!response.ok) throw new Error(`GET ${address} answered ${response.status}`)
    return new Uint8Array(await response.arrayBuffer())
  }
}

/** Failures that are shown with different messages. */
export type PdfFailure = 'damaged' | 'password' | 'lost'

export function openPdf(address: string): { document: Promise<PDFDocumentProxy>; end(): void } {
  const task = getDocument({
    url: new URL(address, location.href).href,
    BinaryDataFactory: HashedFiles,
    // all resources are available; the factory finds them by name
    cMapUrl: '/',
    cMapPacked: true,
    standardFontDataUrl: '/',
    wasmUrl: '/',
    useWorkerFetch: false,
    // loads only the parts that are viewed
    disableAutoFetch: true,
    enableXfa: false,
  } as Parameters<typeof getDocument>[0])
  return { document: task.promise, end: () => void task.destroy() }
}

export function pdfFailure(error: unknown): PdfFailure {
  if (error instanceof PasswordException) return 'password'
  if (error instanceof InvalidPDFException) return 'damaged'
  // errors of `fetch` come back from the worker as texts, which differ between browsers
  const isLost = error instanceof ResponseException || /fetch|network|load failed/i.test(String(error))
  return isLost ? 'lost' : 'damaged'
}

/** Sizes of a page at a scale, in CSS pixels. */
export function sizeOf(page: PDFPageProxy, scale: number): { width: number; height: number } {
  const { width, height } = page.getViewport({ scale })
  return { width: Math.floor(width), height: Math.floor(height) }
}

/**
 * Draws a page, and its text above it so that it can be selected.
 * @returns a function that stops it
 */
export function drawPage(
  page: PDFPageProxy,
  scale: number,
  { canvas, text }: { canvas: HTMLCanvasElement; text: HTMLElement },
): { done: Promise<void>; stop(): void } {
  const ratio = Math.min(2, devicePixelRatio)
  const viewport = page.getViewport({ scale })
  const sharp = page.getViewport({ scale: scale * ratio })
  canvas.width = Math.floor(sharp.width)
  canvas.height = Math.floor(sharp.height)
  const drawing = page.render({ canvas, viewport: sharp })
  text.replaceChildren()
  const layer = new TextLayer({ textContentSource: page.streamTextContent(), container: text, viewport })
  const done = Promise.all([drawing.promise, layer.render()]).then(() => undefined)
  return {
    done,
    stop() {
      drawing.cancel()
      layer.cancel()
    },
  }
}
