/** Converts a PDF to an editable Word document with paragraphs, headings, columns, lists, tables, pictures and links. */

import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fieldText } from '../../../field-texts/field-text.ts'
import { append } from '../../../lists.ts'
import { firstOf, type Warning, warning } from '../../../warnings/warning.ts'
import { collectGarbageIfGrown } from '../../gc-pressure.ts'
import { InputError } from '../../input-error.ts'
import { flattenMaps } from '../fonts/embedded-maps.ts'
import { compareWidths } from '../fonts/font-widths.ts'
import { letterReader } from '../fonts/recognise-letters.ts'
import { restoreLigatures } from '../fonts/restore-ligatures.ts'
import { markUnmappedFonts } from '../fonts/unmapped-fonts.ts'
import { layOut, type Section } from '../layout/blocks.ts'
import { boundingBox, type Line } from '../layout/lines.ts'
import type { PageContent } from '../layout/page-content.ts'
import { type Edges, edgesOf, type Furniture, furnitureOf } from '../layout/page-furniture.ts'
import { area } from '../layout/page-geometry.ts'
import { readPage } from '../layout/read-page.ts'
import { tablesOf } from '../layout/tables.ts'
import { pageCrops } from '../rendering/page-crops.ts'
import { loadPdf, type OpenPdf } from '../structure/open-pdf.ts'
import { withFigures } from './figure-pictures.ts'
import { MAX_LEVELS, normaliseTitle } from './word-headings.ts'
import { type Page, packWord } from './word-writer.ts'

const require = createRequire(import.meta.url)

export type WordOutcome = { warnings: Warning[] }

/** A page that could not be converted completely, and why. */
type Shortfall = { page: number; kind: keyof typeof CODES }

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
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    enableXfa: false,
    stopAtErrors: false,
    maxImageSize: maxPixels,
    verbosity: 0,
    fontExtraProperties: true,
    cMapPacked: true,
    standardFontDataUrl: `${join(home, 'standard_fonts')}/`,
    cMapUrl: `${join(home, 'cmaps')}/`,
    wasmUrl: `${join(home, 'wasm')}/`,
    iccUrl: `${join(home, 'iccs')}/`,
  })
  const crops = pageCrops(open.path, maxPixels)
  const letters = letterReader(open.path)
  const widths = await compareWidths()
  try {
    const document = await task.promise
    const read: (Omit<Page, 'furniture'> & { edges: Edges })[] = []
    const shortfalls: Shortfall[] = []
    for (let i = 1; i <= document.numPages; i++) {
      const content = await readPage(pdfjs, document, i)
      if (await letters.read(content, i)) shortfalls.push({ page: i, kind: 'recognised' })
      widths.add(content.runs)
      append(shortfalls, withoutBackground(content, i))
      const { width, height } = content
      const text = await withFigures(content, i, crops)
      const { body: runs, ...edges } = edgesOf(text, height)
      const body = { ...text, runs }
      read.push({ width, height, edges, sections: layOut(body, tablesOf(body)) })
      collectGarbageIfGrown()
      onProgress((0.9 * i) / document.numPages)
    }
    widths.finish()
    const furniture = furnitureOf(read.map(({ edges }) => edges))
    const pages = read.map((page, i): Page => {
      const own = furniture[i] as Page['furniture']
      return { ...page, furniture: own, sections: withUnrepeated(page, own) }
    })
    const { info } = await document.getMetadata()
    const outline = (await document.getOutline()) ?? []
    await writeFile(to, await packWord(pages, info as { Title?: string; Author?: string }, titlesOf(outline)))
    return { warnings: warningsOf([...shortfalls, ...pagesWithoutText(pages)]) }
  } catch (cause) {
    if (cause instanceof Error && /Exception$|^FormatError$/.test(cause.name))
      throw new InputError('unreadable', fieldText('pdfDamaged'), cause)
    throw cause
  } finally {
    crops.close()
    await letters.close()
    await task.destroy()
  }
}

/** A picture that covers a larger share of a page is placed behind its text. */
const BACKGROUND = 0.6
/** Letters on a page above which it is more than a picture. */
const MIN_LETTERS = 60

/** Removes pictures behind the text of a page, which would take a separate page. */
function withoutBackground(content: PageContent, page: number): Shortfall[] {
  const { width, height, runs, pictures, unsupportedImages } = content
  const letters = runs.reduce((sum, { text }) => sum + text.length, 0)
  const inFront = letters < MIN_LETTERS ? pictures : pictures.filter((one) => area(one) < BACKGROUND * width * height)
  const isScan = runs.some(({ hidden }) => hidden)
  const isReduced = inFront.length < pictures.length
  content.pictures = inFront
  return [
    ...(isReduced ? [{ page, kind: isScan ? ('scan' as const) : ('background' as const) }] : []),
    ...(unsupportedImages > 0 ? [{ page, kind: 'unsupported' as const }] : []),
  ]
}

/** Adds the lines at the edges of a page that are not repeated on other pages. */
function withUnrepeated({ sections, edges }: { sections: Section[]; edges: Edges }, own: Furniture): Section[] {
  const extent = sections.length > 0 ? boundingBox(sections) : undefined
  const sectionsOf = (lines: readonly Line[], kept: readonly Line[]): Section[] => {
    const runs = lines.flatMap((line) => (kept.includes(line) ? [] : line.runs))
    return layOut({ runs, pictures: [], shapes: [] }, [], extent)
  }
  return [...sectionsOf(edges.header, own.header), ...sections, ...sectionsOf(edges.footer, own.footer)]
}

/** Rewrites the fonts' maps to letters so that PDF.js reads the right letters, or detects that there are none. */
async function prepare(open: OpenPdf): Promise<Uint8Array> {
  const bytes = await open.plain()
  const document = await loadPdf(bytes)
  const changes = [await flattenMaps(document), await markUnmappedFonts(document), await restoreLigatures(document)]
  if (changes.includes(true)) return document.save({ updateFieldAppearances: false })
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

/** In the order of the warnings. */
const CODES = {
  noText: 'pagesWithoutText',
  recognised: 'pagesRecognised',
  scan: 'scansLeftOut',
  background: 'backgroundsLeftOut',
  unsupported: 'imagesLeftOut',
} as const

const MAX_PAGES_LISTED = 10

function warningsOf(shortfalls: readonly Shortfall[]): Warning[] {
  return Object.entries(CODES).flatMap(([kind, code]) => {
    const pages = shortfalls.flatMap((one) => (one.kind === kind ? [one.page] : []))
    return pages.length > 0 ? [warning(code, { pages: firstOf(pages, MAX_PAGES_LISTED) })] : []
  })
}

const pagesWithoutText = (pages: readonly Page[]): Shortfall[] =>
  pages.flatMap(({ sections, furniture }, i) =>
    sections.every(({ columns }) => columns.every(({ blocks }) => blocks.every(({ shape }) => shape === 'picture'))) &&
    furniture.header.length + furniture.footer.length === 0
      ? [{ page: i + 1, kind: 'noText' }]
      : [],
  )
