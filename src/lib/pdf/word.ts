/** A PDF as a Word document that can be gone on with: paragraphs, headings, lists, tables, pictures, links. */
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { InputError } from '../input-error.ts'
import { layOut } from './layout/blocks.ts'
import { readPage } from './layout/page-content.ts'
import { loadPdf, type OpenPdf } from './open-pdf.ts'
import { restoreLigatures } from './restore-ligatures.ts'

import { MAX_LEVELS, type Page, packWord, plain } from './word-writer.ts'

const require = createRequire(import.meta.url)

export type WordOutcome = { warnings: string[] }

/** More curves than ornaments have. */
const MANY_DRAWINGS = 12

/**
 * @param maxPixels of one picture; larger ones are left out, and told
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
    data: await readable(open),
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
      throw new InputError('unreadable', 'cannot be read as a PDF: it is broken', cause)
    throw cause
  } finally {
    await task.destroy()
  }
}

/** PDF.js takes letters of one glyph in the order in which they are seen. */
async function readable(open: OpenPdf): Promise<Uint8Array> {
  const bytes = await open.plain()
  const document = await loadPdf(bytes)
  if (await restoreLigatures(document)) return document.save({ updateFieldAppearances: false })
  return new Uint8Array(bytes)
}

type OutlineItem = { title: string; items: OutlineItem[] }

/** Levels, from 0, by what the outline calls them. */
function titlesOf(items: readonly OutlineItem[], level = 0, out = new Map<string, number>()): Map<string, number> {
  for (const item of items) {
    if (!out.has(plain(item.title))) out.set(plain(item.title), level)
    if (level + 1 < MAX_LEVELS) titlesOf(item.items, level + 1, out)
  }
  return out
}

const listOf = (numbers: readonly number[]): string =>
  numbers.length <= 10 ? numbers.join(', ') : `${numbers.slice(0, 10).join(', ')} and ${numbers.length - 10} more`

function warningsOf(pages: readonly Page[]): string[] {
  const where = (test: (page: Page) => boolean): number[] => pages.flatMap((page, i) => (test(page) ? [i + 1] : []))
  const [silent, drawn, lost] = [
    where(({ blocks }) => blocks.every(({ shape }) => shape === 'picture')),
    where(({ content }) => content.drawings > MANY_DRAWINGS),
    where(({ content }) => content.lost > 0),
  ]
  return [
    ...(silent.length > 0
      ? [`Without text, which the tool that reads text (OCR) can make: page ${listOf(silent)}.`]
      : []),
    ...(drawn.length > 0 ? [`Drawings made of lines were left out: page ${listOf(drawn)}.`] : []),
    ...(lost.length > 0 ? [`Pictures of a kind that Word does not take were left out: page ${listOf(lost)}.`] : []),
  ]
}
