/** Converts a PDF to an editable Word document with paragraphs, headings, lists, tables, images and links. */
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { InputError } from '../input-error.ts'
import { layOut } from './layout/blocks.ts'
import { readPage } from './layout/read-page.ts'
import { loadPdf, type OpenPdf } from './open-pdf.ts'
import { restoreLigatures } from './restore-ligatures.ts'

import { MAX_LEVELS, normaliseTitle, type Page, packWord } from './word-writer.ts'

const require = createRequire(import.meta.url)

export type WordOutcome = { warnings: string[] }

/** Number of vector drawings above which they are not mere ornaments, and a warning is returned. */
const MAX_ORNAMENTS = 12

/**
 * @param maxPixels limit for one image; larger ones are left out with a warning
 * @throws InputError `unreadable`
 */
export async function writeWord(
  open: OpenPdf,
  maxPixels: number,
  to: string,
  onProgress: (share: number) => void,
): Promise<WordOutcome> {
  const pdfjs = await import('pdfjs-dist/legacy/build/pdf.mjs')
  const home = dirname(require.resolve('pdfjs-dist/package.json'))
  const task = pdfjs.getDocument({
    data: await prepare(open),
    ...{ disableFontFace: true, useSystemFonts: false, isEvalSupported: false, useWorkerFetch: false },
    ...{ isOffscreenCanvasSupported: false, isImageDecoderSupported: false, enableXfa: false, stopAtErrors: false },
    ...{ maxImageSize: maxPixels, verbosity: 0, fontExtraProperties: true, cMapPacked: true },
    standardFontDataUrl: `${join(home, 'standard_fonts')}/`,
    cMapUrl: `${join(home, 'cmaps')}/`,
    wasmUrl: `${join(home, 'wasm')}/`,
    iccUrl: `${join(home, 'iccs')}/`,
  })
  try {
    const document = await task.promise
    const pages: Page[] = []
    for (let i = 1; i <= document.numPages; i++) {
      const content = await readPage(pdfjs, await document.getPage(i))
      pages.push({ content, blocks: layOut(content) })
      onProgress((0.9 * i) / document.numPages)
    }
    const { info } = await document.getMetadata()
    const outline = (await document.getOutline()) ?? []
    await writeFile(to, await packWord(pages, info as { Title?: string; Author?: string }, titlesOf(outline)))
    return { warnings: warningsOf(pages) }
  } catch (cause) {
    if (cause instanceof Error && /Exception$|^FormatError$/.test(cause.name))
      throw new InputError('unreadable', 'cannot be read as a PDF: it is damaged', cause)
    throw cause
  } finally {
    await task.destroy()
  }
}

/** PDF.js reverses the letters of multi-letter Arabic glyphs, so they are mapped to ligatures first. */
async function prepare(open: OpenPdf): Promise<Uint8Array> {
  const bytes = await open.plain()
  const document = await loadPdf(bytes)
  if (await restoreLigatures(document)) return document.save({ updateFieldAppearances: false })
  return new Uint8Array(bytes)
}

type OutlineItem = { title: string; items: OutlineItem[] }

/** Heading levels, from 0, by the titles in the outline. */
function titlesOf(items: readonly OutlineItem[], level = 0, out = new Map<string, number>()): Map<string, number> {
  for (const item of items) {
    if (!out.has(normaliseTitle(item.title))) out.set(normaliseTitle(item.title), level)
    if (level + 1 < MAX_LEVELS) titlesOf(item.items, level + 1, out)
  }
  return out
}

const listOf = (numbers: readonly number[]): string =>
  numbers.length <= 10 ? numbers.join(', ') : `${numbers.slice(0, 10).join(', ')} and ${numbers.length - 10} more`

function warningsOf(pages: readonly Page[]): string[] {
  const where = (test: (page: Page) => boolean): number[] => pages.flatMap((page, i) => (test(page) ? [i + 1] : []))
  const [withoutText, withDrawings, withUnsupported] = [
    where(({ blocks }) => blocks.every(({ shape }) => shape === 'picture')),
    where(({ content }) => content.otherDrawings > MAX_ORNAMENTS),
    where(({ content }) => content.unsupportedImages > 0),
  ]
  return [
    ...(withoutText.length > 0
      ? [`Pages without text: ${listOf(withoutText)}. Run the OCR tool on the file first.`]
      : []),
    ...(withDrawings.length > 0 ? [`Line drawings were left out on pages: ${listOf(withDrawings)}.`] : []),
    ...(withUnsupported.length > 0
      ? [`Images that Word does not support were left out on pages: ${listOf(withUnsupported)}.`]
      : []),
  ]
}
