/** Writes blocks as paragraphs, headings, list items, pictures and tables of a Word document. */
import type * as Docx from 'docx'
import { CELL_MARGIN, type ImageBlock, type Section, type Table, type TableCell } from '../layout/blocks.ts'
import { isRtl, type Line, type Span, spansOf } from '../layout/lines.ts'
import type { Style } from '../layout/page-content.ts'
import type { ColumnExtent, TextBlock } from '../layout/paragraphs.ts'
import { type Fonts, headingOf } from './word-headings.ts'
import { type Inset, insetOf, lineHeight, piecesOf, squeezeOf, topOf, twips } from './word-measures.ts'

export type Numbering = { reference: string; levels: Docx.ILevelsOptions[] }
/** Space around a block in points, and a break before it. */
type Start = { before: number; after?: number; break?: 'page' | 'column' }
/** Top and end of the space for blocks, the gap after them, and a break before them. */
export type Surroundings = { top: number; end: number; gap: number; first?: Start['break'] }
type Column = Section['columns'][number]
export type BlockWriter = {
  /** @param extent the column in the document */
  blocks(column: Column, extent: ColumnExtent, surroundings: Surroundings): Docx.FileChild[]
  furniture(lines: readonly Line[], left: number, pageNumber: number | undefined): Docx.Paragraph[]
  numberings(): Numbering[]
}

const LINK_COLOR = '0563C1'
/** The paragraph before a table, in points: it holds breaks and keeps tables from merging. */
const TABLE_LEAD = 1
const LIST_INDENT = 18
/** Smaller indents, in twips, come from the shapes of letters. */
const MIN_INDENT = 20
const MAX_BEFORE = 600

export function blockWriter(docx: typeof Docx, fonts: Fonts): BlockWriter {
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

  function styleOf({ face, size, color, background }: Style, enlarged = 1, fit = 1): Docx.IRunOptions {
    const { bold, italic, family, symbolic } = face
    const halves = Math.max(2, Math.round(size * 2 * enlarged))
    const name = symbolic ? 'Arial' : family
    const scale = Math.floor(100 * (face.scale ?? 1) * fit)
    return {
      bold,
      boldComplexScript: bold,
      italics: italic,
      italicsComplexScript: italic,
      size: halves,
      sizeComplexScript: halves,
      font: { ascii: name, hAnsi: name, cs: name, eastAsia: name },
      color: color ?? '000000',
      ...(scale !== 100 && { scale }),
      ...(background && { shading: { type: docx.ShadingType.CLEAR, fill: background, color: 'auto' } }),
    }
  }

  function runs(span: Span, fit = 1): Docx.ParagraphChild[] {
    const { text, link, superscript, subscript } = span
    const options: Docx.IRunOptions = {
      // word processors write superscripts at about two thirds of the size
      ...styleOf(span, superscript || subscript ? 1.5 : 1, fit),
      ...(isRtl([span]) && { rightToLeft: true }),
      ...(superscript && { superScript: true }),
      ...(subscript && { subScript: true }),
    }
    const children = text.split('\n').map((line, i) => {
      const style = link === undefined ? {} : { color: span.color ?? LINK_COLOR, underline: {} }
      return new docx.TextRun({ ...options, ...style, text: line, ...(i > 0 && { break: 1 }) })
    })
    return link === undefined ? children : [new docx.ExternalHyperlink({ link, children })]
  }

  const breakOf = (start: Start): { pageBreakBefore?: true } =>
    start.break === 'page' ? { pageBreakBefore: true } : {}
  const columnBreak = (start: Start): Docx.ParagraphChild[] =>
    start.break === 'column' ? [new docx.Run({ children: [new docx.ColumnBreak()] })] : []
  const spaceAfter = ({ after = 0 }: Start): number => twips(Math.min(MAX_BEFORE, Math.max(0, after)))
  const spaceBefore = ({ before }: Start): number => twips(Math.min(MAX_BEFORE, Math.max(0, before)))

  /** @param inset distance of the column from its position in Word, at its start and end */
  function paragraph(given: TextBlock, start: Start, inset: Inset | undefined): Docx.Paragraph {
    const heading = inset === undefined ? undefined : headingOf(given, fonts)
    const { list, rtl, align, indent, firstLine, fit, spans } = heading?.block ?? given
    if (list?.kind !== 'number') currentList = list === undefined ? currentList : undefined
    const { near, far } = inset ?? { near: 0, far: 0 }
    const edge = twips(Math.max(0, indent) + near)
    const first = twips(firstLine)
    const [hasNear, hasFar] = [edge > MIN_INDENT || Math.abs(first) > MIN_INDENT, far > 1]
    return new docx.Paragraph({
      children: [...columnBreak(start), ...spans.flatMap((span) => runs(span, fit))],
      alignment: ALIGNMENTS[align],
      // lines stay in their column
      widowControl: false,
      ...(rtl && { bidirectional: true }),
      ...(heading && { heading: HEADINGS[heading.level] as (typeof HeadingLevel)['HEADING_1'] }),
      ...breakOf(start),
      ...(list !== undefined
        ? {
            numbering: { reference: referenceOf(list), level: 0 },
            indent: { start: Math.max(edge, twips(LIST_INDENT)), hanging: twips(LIST_INDENT) },
          }
        : (hasNear || hasFar) && {
            indent: {
              start: edge,
              ...(hasFar && { end: twips(far) }),
              ...(first > 0 ? { firstLine: first } : { hanging: Math.min(edge, -first) }),
            },
          }),
      spacing: {
        before: spaceBefore(start),
        after: spaceAfter(start),
        line: twips(lineHeight(given)),
        lineRule: LineRuleType.EXACT,
      },
    })
  }

  function picture(block: ImageBlock, extent: ColumnExtent, start: Start): Docx.Paragraph {
    const [width, height] = [block.right - block.left, block.bottom - block.top]
    const scale = Math.min(1, (extent.right - extent.left) / width)
    // docx measures in pixels of 3/4 point
    const transformation = {
      width: Math.max(1, (width * scale * 4) / 3),
      height: Math.max(1, (height * scale * 4) / 3),
    }
    const [left, right] = [block.left - extent.left, extent.right - block.right]
    const isCentred = left > 10 && Math.abs(left - right) < 12
    const { description } = block
    return new docx.Paragraph({
      children: [
        ...columnBreak(start),
        new docx.ImageRun({
          type: block.kind,
          data: block.data,
          transformation,
          ...(description && { altText: { name: 'Figure', title: '', description } }),
        }),
      ],
      alignment: isCentred ? AlignmentType.CENTER : AlignmentType.LEFT,
      ...(!isCentred && left > 3 && { indent: { left: twips(Math.min(left, extent.right - extent.left - 20)) } }),
      ...breakOf(start),
      spacing: { before: spaceBefore(start), after: spaceAfter(start) },
    })
  }

  function table({ rows, widths, heights, rtl, left }: Table, extent: ColumnExtent): Docx.Table {
    const line = (shown: boolean) => ({
      style: shown ? BorderStyle.SINGLE : BorderStyle.NONE,
      size: shown ? 4 : 0,
      color: shown ? '000000' : 'auto',
    })
    const total = widths.reduce((sum, width) => sum + width, 0)
    const indent = rtl ? extent.right - left - total : left - extent.left
    function cellOf(cell: TableCell): Docx.TableCell {
      const edge = line(cell.bordered)
      const width = widths.slice(cell.column, cell.column + cell.columns).reduce((sum, value) => sum + value, 0)
      const children = cell.blocks.flatMap((block) =>
        block.shape === 'text'
          ? [paragraph(block, { before: 0 }, undefined)]
          : block.shape === 'picture'
            ? [picture(block, { left: block.left, right: block.left + width - 8 }, { before: 0 })]
            : [],
      )
      return new docx.TableCell({
        children: children.length > 0 ? children : [filler(1)],
        columnSpan: cell.columns,
        rowSpan: cell.rows,
        verticalAlign: VerticalAlignTable.CENTER,
        width: { size: twips(width), type: WidthType.DXA },
        margins: { left: twips(CELL_MARGIN), right: twips(CELL_MARGIN) },
        borders: { top: edge, bottom: edge, left: edge, right: edge },
        ...(cell.fill && { shading: { type: docx.ShadingType.CLEAR, fill: cell.fill, color: 'auto' } }),
      })
    }
    return new docx.Table({
      layout: TableLayoutType.FIXED,
      columnWidths: widths.map(twips),
      width: { size: twips(total), type: WidthType.DXA },
      ...(indent > 2 && { indent: { size: twips(indent), type: WidthType.DXA } }),
      ...(rtl && { visuallyRightToLeft: true }),
      rows: rows.flatMap((cells, i) => {
        if (cells.length === 0) return []
        const ordered = cells.toSorted((a, b) => (rtl ? b.column - a.column : a.column - b.column))
        const height = heights[i]
        return [
          new docx.TableRow({
            children: ordered.map(cellOf),
            ...(height && { height: { value: twips(height), rule: docx.HeightRule.ATLEAST } }),
          }),
        ]
      }),
    })
  }

  const filler = (height: number, start: Start = { before: 0 }): Docx.Paragraph =>
    new docx.Paragraph({
      children: columnBreak(start),
      ...breakOf(start),
      spacing: { before: spaceBefore(start), after: 0, line: twips(height), lineRule: LineRuleType.EXACT },
    })

  function blocks(column: Column, extent: ColumnExtent, { top, end, gap, first }: Surroundings): Docx.FileChild[] {
    const { blocks: all } = column
    const children: Docx.FileChild[] = []
    const squeeze = squeezeOf(all, top, end)
    let bottom = top
    for (const [i, block] of all.entries()) {
      const after = i === all.length - 1 ? gap : 0
      const start: Start = {
        before: (topOf(block) - bottom) * (i === 0 ? 1 : squeeze),
        after,
        ...(i === 0 && first && { break: first }),
      }
      if (block.shape === 'table') {
        children.push(filler(TABLE_LEAD, { ...start, before: start.before - TABLE_LEAD }), table(block, extent))
      } else if (block.shape === 'picture') children.push(picture(block, extent, start))
      else children.push(paragraph(block, start, insetOf(column, extent, block.rtl)))
      bottom = block.bottom
    }
    // sections and documents must end with a paragraph
    if (all.length === 0 || all.at(-1)?.shape === 'table')
      children.push(
        filler(Math.max(TABLE_LEAD, gap), { before: 0, ...(all.length === 0 && first && { break: first }) }),
      )
    return children
  }

  /** Lines of a header or footer; a page number in them becomes a field. */
  function furniture(lines: readonly Line[], left: number, pageNumber: number | undefined): Docx.Paragraph[] {
    return lines.map((line, i) => {
      const before = i === 0 ? 0 : line.top - (lines[i - 1] as Line).bottom
      const pieces = piecesOf(line)
      const children = pieces.flatMap((piece, at) => [
        ...(at === 0 ? [] : [new docx.Run({ children: [new docx.Tab()] })]),
        ...spansOf(piece).flatMap((span) => numberedRuns(span, pageNumber)),
      ])
      const [start, ...others] = pieces.map((piece) => twips(Math.max(0, piece.left - left)))
      return new docx.Paragraph({
        children,
        indent: { left: start ?? 0 },
        alignment: AlignmentType.LEFT,
        tabStops: others.map((position) => ({ type: docx.TabStopType.LEFT, position })),
        spacing: {
          before: twips(Math.max(0, before)),
          after: 0,
          line: twips(1.1 * line.size),
          lineRule: LineRuleType.EXACT,
        },
      })
    })
  }

  function numberedRuns(span: Span, pageNumber: number | undefined): Docx.ParagraphChild[] {
    const parts = pageNumber === undefined ? [span.text] : span.text.split(new RegExp(`(?<!\\d)${pageNumber}(?!\\d)`))
    return parts.flatMap((text, i) => [
      ...(i === 0 ? [] : [new docx.TextRun({ ...styleOf(span), children: [docx.PageNumber.CURRENT] })]),
      ...(text === '' ? [] : runs({ ...span, text })),
    ])
  }

  return { blocks, furniture, numberings }
}
