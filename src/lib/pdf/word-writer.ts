/** Writes pages as a Word document: blocks become paragraphs, headings, lists, tables and images. */
import type * as Docx from 'docx'
import type { Block, Table } from './layout/blocks.ts'
import { isRtl, type Span } from './layout/lines.ts'
import type { PageContent } from './layout/page-content.ts'
import type { TextBlock } from './layout/paragraphs.ts'

export type Page = { content: Omit<PageContent, 'runs' | 'rules' | 'pictures'>; blocks: Block[] }
type Fonts = { bodySize: number; headings: number[]; titles: Map<string, number> }
type Numbering = { reference: string; levels: Docx.ILevelsOptions[] }

/** Converts points to twips, twentieths of a point. */
const twips = (points: number): number => Math.round(20 * points)
/** Maximum page size in Word, in points. */
const MAX_PAGE = 1_584
const MARGIN = { least: 18, most: 90 }
const HEADING_RATIO = 1.14
const MAX_HEADING_LETTERS = 160
export const MAX_LEVELS = 6
/** A block that starts this many points above the end of the previous one is in the next column. */
const NEXT_COLUMN_RISE = 20

/** Normalises text for comparing titles. */
export const normaliseTitle = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase()

const textsOf = (blocks: readonly Block[]): TextBlock[] =>
  blocks.flatMap((block) =>
    block.shape === 'text'
      ? [block]
      : block.shape === 'table'
        ? textsOf(block.rows.flat().flatMap((cell) => cell.blocks))
        : [],
  )

/** Finds the body font size, and the larger sizes of short paragraphs, which are headings. */
function fontsOf(pages: readonly Page[], titles: Map<string, number>): Fonts {
  const lettersBySize = new Map<number, number>()
  const round = (size: number): number => Math.round(size * 2) / 2
  for (const { spans } of textsOf(pages.flatMap(({ blocks }) => blocks)))
    for (const { text, size } of spans)
      lettersBySize.set(round(size), (lettersBySize.get(round(size)) ?? 0) + text.length)
  const [[bodySize] = [11]] = [...lettersBySize].toSorted((a, b) => b[1] - a[1])
  const topLevel = pages.flatMap(({ blocks }) => blocks.filter((block) => block.shape === 'text'))
  const sizes = new Set(
    topLevel.filter((block) => isShort(block) && block.size >= HEADING_RATIO * bodySize).map(({ size }) => round(size)),
  )
  return { bodySize, headings: [...sizes].toSorted((a, b) => b - a), titles }
}

const wordsOf = ({ spans }: TextBlock): string => spans.map(({ text }) => text).join('')
const isShort = (block: TextBlock): boolean =>
  wordsOf(block).length <= MAX_HEADING_LETTERS && /\p{L}/u.test(wordsOf(block))

function headingOf(block: TextBlock, { bodySize, headings, titles }: Fonts): number | undefined {
  if (!isShort(block) || block.list?.kind === 'bullet') return undefined
  const size = Math.round(block.size * 2) / 2
  if (block.size >= HEADING_RATIO * bodySize) return Math.min(MAX_LEVELS - 1, Math.max(0, headings.indexOf(size)))
  const level = titles.get(normaliseTitle(wordsOf(block)))
  return level === undefined || !block.spans.every(({ face }) => face.bold)
    ? undefined
    : Math.min(MAX_LEVELS - 1, headings.length + level)
}

/** @param titles heading levels, from 0, by the titles in the outline */
export async function packWord(
  pages: readonly Page[],
  { Title, Author }: { Title?: string; Author?: string },
  titles: Map<string, number>,
): Promise<Uint8Array> {
  const docx = await import('docx')
  const writer = createWriter(docx, fontsOf(pages, titles))
  const margins = marginsOf(pages)
  const sections: { size: Page['content']; children: Docx.FileChild[] }[] = []
  for (const { content, blocks } of pages) {
    const last = sections.at(-1)
    const isSame =
      last !== undefined &&
      Math.abs(last.size.width - content.width) < 1 &&
      Math.abs(last.size.height - content.height) < 1
    const children = writer.page(blocks, content.width - margins.left - margins.right, margins, isSame)
    if (isSame) last.children.push(...children)
    else sections.push({ size: content, children })
  }
  const document = new docx.Document({
    ...(Title && { title: Title }),
    ...{ creator: Author ?? 'Groundwave', numbering: { config: writer.numberings() } },
    sections: sections.map(({ size, children }) => {
      const scale = Math.min(1, MAX_PAGE / Math.max(size.width, size.height))
      const [width, height] = [twips(size.width * scale), twips(size.height * scale)]
      const sides = Object.fromEntries(Object.entries(margins).map(([side, value]) => [side, twips(value)]))
      return { properties: { page: { size: { width, height }, margin: { ...sides, header: 0, footer: 0 } } }, children }
    }),
  })
  return docx.Packer.toBuffer(document)
}

type Margins = Record<'left' | 'right' | 'top' | 'bottom', number>

function marginsOf(pages: readonly Page[]): Margins {
  const clamp = (value: number): number => Math.min(MARGIN.most, Math.max(MARGIN.least, value))
  const least = (of: (page: Page, block: Block) => number): number =>
    clamp(Math.min(...pages.flatMap((page) => page.blocks.map((block) => of(page, block))), MARGIN.most))
  return {
    left: least((_, { left }) => left),
    right: least(({ content }, { right }) => content.width - right),
    top: least((_, { top }) => top),
    // substitute fonts may need more space
    bottom: Math.max(MARGIN.least, least(({ content }, { bottom }) => content.height - bottom) - 18),
  }
}

function createWriter(docx: typeof Docx, fonts: Fonts) {
  const { AlignmentType, BorderStyle, HeadingLevel, LineRuleType, TableLayoutType, VerticalAlignTable, WidthType } =
    docx
  const HEADINGS = [
    HeadingLevel.HEADING_1,
    HeadingLevel.HEADING_2,
    HeadingLevel.HEADING_3,
    HeadingLevel.HEADING_4,
    HeadingLevel.HEADING_5,
    HeadingLevel.HEADING_6,
  ]
  const ALIGNMENTS = {
    start: AlignmentType.START,
    center: AlignmentType.CENTER,
    end: AlignmentType.END,
    both: AlignmentType.BOTH,
  }
  const numbered: Numbering[] = []
  /** The numbered list being written, and its next number. */
  let currentList: { reference: string; next: number; pattern: string } | undefined

  function numberings(): Numbering[] {
    const bullet = { level: 0, format: docx.LevelFormat.BULLET, text: '•', alignment: AlignmentType.START }
    return [{ reference: 'bullets', levels: [bullet] }, ...numbered]
  }
  function referenceOf(list: NonNullable<TextBlock['list']>): string {
    if (list.kind === 'bullet') return 'bullets'
    if (currentList?.next === list.value && currentList.pattern === list.pattern) {
      currentList.next++
      return currentList.reference
    }
    const reference = `numbers-${numbered.length + 1}`
    const level = {
      level: 0,
      format: docx.LevelFormat.DECIMAL,
      text: list.pattern,
      alignment: AlignmentType.START,
      start: list.value,
    }
    numbered.push({ reference, levels: [level] })
    currentList = { reference, next: list.value + 1, pattern: list.pattern }
    return reference
  }

  function run(span: Span, heading: boolean): Docx.ParagraphChild {
    const rtl = isRtl([span])
    const size = Math.max(2, Math.round(span.size * (span.superscript ? 3 : 2)))
    const { bold, italic, family, symbolic } = span.face
    const name = symbolic ? 'Arial' : family
    const options: Docx.IRunOptions = {
      ...{ text: span.text, bold, boldComplexScript: bold, italics: italic, italicsComplexScript: italic },
      ...{ size, sizeComplexScript: size, font: { ascii: name, hAnsi: name, cs: name, eastAsia: name } },
      ...(rtl && { rightToLeft: true }),
      ...(span.superscript && { superScript: true }),
      ...(heading && { color: '000000' }),
    }
    if (span.link === undefined) return new docx.TextRun(options)
    return new docx.ExternalHyperlink({
      link: span.link,
      children: [new docx.TextRun({ ...options, color: '0563C1', underline: {} })],
    })
  }

  function paragraph(block: TextBlock, before: number, inCell: boolean, pageBreak: boolean): Docx.Paragraph {
    const { list, rtl, align, indent, firstLine, leading, size, spans } = block
    const level = inCell ? undefined : headingOf(block, fonts)
    if (list?.kind !== 'number') currentList = list === undefined ? currentList : undefined
    const start = twips(Math.max(0, indent))
    const first = twips(firstLine)
    const isPlain = align === 'start' || align === 'both'
    return new docx.Paragraph({
      children: spans.map((span) => run(span, level !== undefined)),
      alignment: ALIGNMENTS[align],
      ...(rtl && { bidirectional: true }),
      ...(level !== undefined && { heading: HEADINGS[level] as (typeof HeadingLevel)['HEADING_1'] }),
      ...(pageBreak && { pageBreakBefore: true }),
      ...(list !== undefined && level === undefined
        ? {
            numbering: { reference: referenceOf(list), level: 0 },
            indent: { start: Math.max(start, 360), hanging: 360 },
          }
        : isPlain &&
          (start > 60 || Math.abs(first) > 60) && {
            indent: { start, ...(first > 0 ? { firstLine: first } : { hanging: -first }) },
          }),
      spacing: {
        ...{ before: twips(Math.min(72, Math.max(0, before))), after: 0 },
        ...{ line: twips(Math.max(leading, 1.05 * size)), lineRule: LineRuleType.EXACT },
      },
    })
  }

  function picture(
    block: Extract<Block, { shape: 'picture' }>,
    extent: { left: number; right: number },
    before: number,
    pageBreak: boolean,
  ): Docx.Paragraph {
    const [width, height] = [block.right - block.left, block.bottom - block.top]
    const scale = Math.min(1, (extent.right - extent.left) / width)
    // docx measures in pixels of 3/4 point
    const transformation = {
      width: Math.max(1, (width * scale * 4) / 3),
      height: Math.max(1, (height * scale * 4) / 3),
    }
    const [left, right] = [block.left - extent.left, extent.right - block.right]
    const isCentred = left > 10 && Math.abs(left - right) < 12
    return new docx.Paragraph({
      children: [new docx.ImageRun({ type: block.kind, data: block.data, transformation })],
      alignment: isCentred ? AlignmentType.CENTER : AlignmentType.START,
      ...(!isCentred && left > 3 && { indent: { start: twips(Math.min(left, extent.right - extent.left - 20)) } }),
      ...(pageBreak && { pageBreakBefore: true }),
      spacing: { before: twips(Math.min(72, Math.max(0, before))), after: 0 },
    })
  }

  function table({ rows, widths, rtl }: Table): Docx.Table {
    const line = (shown: boolean) => ({
      style: shown ? BorderStyle.SINGLE : BorderStyle.NONE,
      size: shown ? 4 : 0,
      color: shown ? '000000' : 'auto',
    })
    return new docx.Table({
      layout: TableLayoutType.FIXED,
      columnWidths: widths.map(twips),
      width: { size: twips(widths.reduce((sum, width) => sum + width, 0)), type: WidthType.DXA },
      ...(rtl && { visuallyRightToLeft: true }),
      rows: rows
        .filter((cells) => cells.length > 0)
        .map((cells) => {
          const ordered = cells.toSorted((a, b) => (rtl ? b.column - a.column : a.column - b.column))
          return new docx.TableRow({
            children: ordered.map((cell) => {
              const edge = line(cell.bordered)
              const width = widths.slice(cell.column, cell.column + cell.columns).reduce((sum, value) => sum + value, 0)
              const children = cell.blocks.flatMap((block) =>
                block.shape === 'text'
                  ? [paragraph(block, 0, true, false)]
                  : block.shape === 'picture'
                    ? [picture(block, { left: block.left, right: block.left + width - 8 }, 0, false)]
                    : [],
              )
              return new docx.TableCell({
                children: children.length > 0 ? children : [new docx.Paragraph({})],
                ...{ columnSpan: cell.columns, rowSpan: cell.rows, verticalAlign: VerticalAlignTable.CENTER },
                width: { size: twips(width), type: WidthType.DXA },
                margins: { left: 30, right: 30 },
                borders: { top: edge, bottom: edge, left: edge, right: edge },
              })
            }),
          })
        }),
    })
  }

  /** @param breaks whether the page starts with a page break, because it continues the current section */
  function page(blocks: readonly Block[], width: number, margins: Margins, breaks: boolean): Docx.FileChild[] {
    const extent = { left: margins.left, right: margins.left + width }
    const children: Docx.FileChild[] = []
    let bottom: number | undefined
    let pageBreak = breaks
    for (const block of blocks) {
      // line spacing above the first line of a block
      const lead = block.shape === 'text' ? Math.max(0, block.leading - block.size) : 0
      const before = bottom === undefined || block.top < bottom - NEXT_COLUMN_RISE ? 0 : block.top - bottom - lead
      if (block.shape === 'table') {
        // a separate paragraph holds the break and spacing, and keeps adjacent tables from merging
        children.push(
          new docx.Paragraph({
            ...(pageBreak && { pageBreakBefore: true }),
            spacing: { before: 0, after: 0, line: 120, lineRule: LineRuleType.EXACT },
          }),
        )
        children.push(table(block))
      } else if (block.shape === 'picture') children.push(picture(block, extent, before, pageBreak))
      else children.push(paragraph(block, before, false, pageBreak))
      pageBreak = false
      bottom = block.bottom
    }
    if (blocks.length === 0) children.push(new docx.Paragraph({ ...(breaks && { pageBreakBefore: true }) }))
    // Word requires a paragraph at the end
    if (blocks.at(-1)?.shape === 'table')
      children.push(new docx.Paragraph({ spacing: { line: 20, lineRule: LineRuleType.EXACT } }))
    return children
  }

  return { page, numberings }
}
