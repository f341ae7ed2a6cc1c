/** Packs the pages of a PDF as a Word document: sections with their columns, margins, headers and footers. */
import type * as Docx from 'docx'
import { append, largest, smallest } from '../../../lists.ts'
import type { Block, Section } from '../layout/blocks.ts'
import { type Furniture, pageNumberShift } from '../layout/page-furniture.ts'
import type { ColumnExtent } from '../layout/paragraphs.ts'
import { type BlockWriter, blockWriter } from './word-blocks.ts'
import { fontsOf } from './word-headings.ts'
import { topOf, twips } from './word-measures.ts'

export type Page = { width: number; height: number; sections: Section[]; furniture: Furniture }

/** Maximum page size in Word, in points. */
const MAX_PAGE = 1_584
const MARGIN = { least: 18, most: 90 }
/** Room at the end of a page, in points, for substitute fonts that need more lines. */
const SPARE_HEIGHT = 48
/** Width added to columns for substitute fonts, and the least gap between columns, in points. */
const SPARE_WIDTH = 2
const MIN_GAP = 4

type Margins = Record<'left' | 'right' | 'top' | 'bottom', number>
type Written = { options: Docx.ISectionOptions; children: Docx.FileChild[]; key: string; startsRight: boolean }

const blocksOf = (pages: readonly Page[]): Block[] =>
  pages.flatMap(({ sections }) => sections.flatMap(({ columns }) => columns.flatMap(({ blocks }) => blocks)))

/** @param titles heading levels, from 0, by the titles in the outline */
export async function packWord(
  pages: readonly Page[],
  { Title, Author }: { Title?: string; Author?: string },
  titles: Map<string, number>,
): Promise<Uint8Array> {
  const docx = await import('docx')
  const writer = blockWriter(docx, fontsOf(blocksOf(pages), titles))
  const margins = marginsOf(pages)
  const shift = pageNumberShift(pages.map(({ furniture }) => furniture))
  const written: Written[] = []
  for (const [i, page] of pages.entries()) writePage(docx, writer, page, i, { margins, shift, written })
  const document = new docx.Document({
    ...(Title && { title: Title }),
    creator: Author ?? 'Groundwave',
    numbering: { config: writer.numberings() },
    sections: written.map(({ options, children }) => ({ ...options, children })),
  })
  for (const { children, startsRight } of written)
    if (startsRight) startColumnsRight(docx, document.Document.View.Body.getSectionPropertiesFor(children[0]))
  return docx.Packer.toBuffer(document)
}

/** Adds the element for columns that start on the right, which the library does not support. */
function startColumnsRight(docx: typeof Docx, properties: Docx.SectionProperties | undefined): void {
  if (properties === undefined) throw new Error('a section has no properties')
  const written = properties.prepForXml.bind(properties)
  properties.prepForXml = (context) => {
    const xml = written(context)
    const elements = xml?.['w:sectPr'] as object[]
    // the schema's order: between the columns and the grid
    const grid = elements.findIndex((element) => 'w:docGrid' in element)
    elements.splice(grid, 0, new docx.OnOffElement('w:bidi').prepForXml(context) as object)
    return xml
  }
}

function marginsOf(pages: readonly Page[]): Margins {
  const clamp = (value: number): number => Math.min(MARGIN.most, Math.max(MARGIN.least, value))
  const least = (of: (page: Page, box: Section) => number): number =>
    clamp(
      Math.min(smallest(pages.map((page) => smallest(page.sections.map((section) => of(page, section))))), MARGIN.most),
    )
  return {
    left: least((_, { left }) => left),
    right: least(({ width }, { right }) => width - right) - SPARE_WIDTH,
    top: least((_, section) => startOf(section)),
    bottom: Math.max(MARGIN.least, least(({ height }, { bottom }) => height - bottom) - SPARE_HEIGHT),
  }
}

type Context = { margins: Margins; shift: number | undefined; written: Written[] }

/** Adds a page to the last section if both have one column and the same size, header and footer; otherwise as new ones. */
function writePage(docx: typeof Docx, writer: BlockWriter, page: Page, index: number, context: Context): void {
  const { margins, shift, written } = context
  const { width, height, furniture } = page
  const whole = { left: margins.left, right: width - margins.right }
  const empty = { ...whole, top: margins.top, bottom: margins.top, rtl: false, columns: [{ ...whole, blocks: [] }] }
  const sections = page.sections.length > 0 ? page.sections : [empty]
  const end = Math.min(height - margins.bottom, furniture.footer[0]?.top ?? height)
  let bottom = margins.top
  for (const [i, section] of sections.entries()) {
    const { columns } = section
    const isPlain = columns.length === 1
    const startsRight = isFromRight(section)
    const key = isPlain ? `${Math.round(width)} ${Math.round(height)} ${furniture.signature}` : ''
    const last = written.at(-1)
    const continues = isPlain && last?.key === key
    const next = sections[i + 1]
    // word processors disagree about space above the first lines of columns, so it is added below the preceding content
    const gap = next !== undefined && next.columns.length > 1 ? startOf(next) - section.bottom : 0
    const children = columns.flatMap((column, at) =>
      writer.blocks(column, isPlain ? whole : extentOf(column, at === 0, startsRight, whole), {
        top: isPlain ? bottom : startOf(section),
        // following content on the page moves down automatically
        end: next === undefined ? end : Number.POSITIVE_INFINITY,
        gap: endOf(column) === largest(columns.map(endOf)) ? gap : 0,
        ...(at > 0 ? { first: 'column' as const } : continues && i === 0 && { first: 'page' as const }),
      }),
    )
    bottom = section.bottom
    if (continues) {
      append(last.children, children)
      continue
    }
    const top = i === 0 && !isPlain ? startOf(section) : margins.top
    const pageNumbers = written.length === 0 && shift !== undefined && { pageNumbers: { start: 1 + shift } }
    const pageNumber = shift === undefined ? undefined : index + 1 + shift
    const options: Docx.ISectionOptions = {
      properties: {
        page: { ...pageOptions(page, { ...margins, top }), ...pageNumbers },
        type: i === 0 ? docx.SectionType.NEXT_PAGE : docx.SectionType.CONTINUOUS,
        ...(!isPlain && { column: columnOptions(docx, section, width, margins) }),
      },
      ...(i === 0 && furnitureOptions(docx, writer, page, margins, pageNumber)),
      children: [],
    }
    written.push({ children, key, options, startsRight })
  }
}

const endOf = ({ blocks }: Section['columns'][number]): number => largest(blocks.map(({ bottom }) => bottom))
/** Top of the first lines of a section. */
const startOf = ({ columns, top }: Section): number =>
  Math.min(smallest(columns.flatMap(({ blocks: [first] }) => (first === undefined ? [] : [topOf(first)]))), top)

function pageOptions({ width, height, furniture }: Page, margins: Margins) {
  const scale = Math.min(1, MAX_PAGE / Math.max(width, height))
  const { header, footer } = furniture
  return {
    size: { width: twips(width * scale), height: twips(height * scale) },
    margin: {
      left: twips(margins.left),
      right: twips(margins.right),
      top: twips(margins.top),
      bottom: twips(margins.bottom),
      header: twips(header[0]?.top ?? 0),
      footer: twips(Math.max(0, height - (footer.at(-1)?.bottom ?? height))),
    },
  }
}

function furnitureOptions(
  docx: typeof Docx,
  writer: BlockWriter,
  { furniture }: Page,
  margins: Margins,
  pageNumber: number | undefined,
): Pick<Docx.ISectionOptions, 'headers' | 'footers'> {
  const { header, footer } = furniture
  const [head, foot] = [header, footer].map((lines) => writer.furniture(lines, margins.left, pageNumber))
  return {
    headers: { default: new docx.Header({ children: head ?? [] }) },
    footers: { default: new docx.Footer({ children: foot ?? [] }) },
  }
}

/** Whether the first column of the reading order is on the right. */
const isFromRight = ({ columns: [first, second] }: Section): boolean =>
  first !== undefined && second !== undefined && first.left > second.left

/** The first column begins at the margin. */
function extentOf({ left, right }: ColumnExtent, isFirst: boolean, startsRight: boolean, whole: ColumnExtent) {
  if (!isFirst) return { left, right }
  return startsRight ? { left, right: whole.right } : { left: whole.left, right }
}

/** Columns in Word fill the width between the margins, in reading order from the left or from the right. */
function columnOptions(
  docx: typeof Docx,
  section: Section,
  pageWidth: number,
  margins: Margins,
): Docx.IColumnsAttributes {
  const startsRight = isFromRight(section)
  // measured from the side on which they start
  const columns = section.columns.map(({ left, right }) =>
    startsRight ? { left: pageWidth - right, right: pageWidth - left } : { left, right },
  )
  const starts = columns.map(({ left }, i) => (i === 0 ? margins[startsRight ? 'right' : 'left'] : left))
  const widths = columns.map(({ right }, i) => {
    const next = starts[i + 1]
    const width = right - (starts[i] as number) + SPARE_WIDTH
    return next === undefined ? width : Math.min(width, next - MIN_GAP - (starts[i] as number))
  })
  return {
    count: columns.length,
    equalWidth: false,
    children: columns.map((_, i) => {
      const width = widths[i] as number
      const next = starts[i + 1]
      const space = next === undefined ? 0 : next - (starts[i] as number) - width
      return new docx.Column({ width: twips(width), space: twips(space) })
    }),
  }
}
