/** Places a legend on a sheet: beside the maps, below them, and on additional pages when it does not fit. */

import { largest } from '../../lists.ts'
import { drawLegend, measureLegend, type PlacedItem, type Rect } from './furniture.ts'
import { LABELS, type MapSpec } from './map-spec.ts'
import type { Pen } from './pen.ts'
import { frameSheet, GAP } from './sheet-frame.ts'

const LEGEND = { sizes: [8.5, 7.5, 6.5], title: 10.5, portraitShare: 0.3 }

/**
 * Places the legend beside the maps in landscape, below them in portrait. @returns the area left for maps, and the
 * items that did not fit
 */
export function placeLegend(pen: Pen, spec: MapSpec, area: Rect, rtl: boolean): { mapArea: Rect; rest: PlacedItem[] } {
  const { legend, lang } = spec
  if (legend.length === 0) return { mapArea: area, rest: [] }
  const title = spec.legendTitle ?? LABELS[lang].legend
  const isWide = spec.orientation === 'landscape'
  const columns = isWide ? 1 : 3
  const width = isWide ? Math.min(200, Math.max(120, area.width * 0.22)) : (area.width - 2 * GAP) / columns
  const maxHeight = (isWide ? area.height : area.height * LEGEND.portraitShare) - LEGEND.title * 1.8
  let chosen: { size: number; parts: PlacedItem[][]; rest: PlacedItem[] } | undefined
  for (const size of LEGEND.sizes) {
    const items = measureLegend(pen, legend, width, size)
    const total = items.reduce((sum, { height }) => sum + height, 0)
    // balanced columns
    const target = isWide
      ? maxHeight
      : Math.min(maxHeight, Math.max(total / columns + size, largest(items.map(({ height }) => height))))
    const { parts, rest } = splitIntoColumns(items, columns, target, maxHeight)
    chosen = { size, parts, rest }
    if (rest.length === 0) break
  }
  const { size, parts, rest } = chosen as NonNullable<typeof chosen>
  const used =
    Math.max(largest(parts.map((part) => part.reduce((sum, { height }) => sum + height, 0))), 0) + LEGEND.title * 1.8
  const x = isWide ? (rtl ? area.x : area.x + area.width - width) : area.x
  const top = isWide ? area.y + area.height : area.y + used
  pen.lines(
    pen.breakText(title, LEGEND.title, isWide ? width : area.width, 'semibold'),
    x,
    x + (isWide ? width : area.width),
    top,
    LEGEND.title,
    rtl ? 'right' : 'left',
  )
  for (const [i, part] of parts.entries()) {
    const position = rtl ? columns - 1 - i : i
    drawLegend(pen, part, { x: x + position * (width + GAP), width }, top - LEGEND.title * 1.8, size, rtl)
  }
  const mapArea = isWide
    ? { ...area, x: rtl ? area.x + width + GAP : area.x, width: area.width - width - GAP }
    : { ...area, y: area.y + used + GAP / 2, height: area.height - used - GAP / 2 }
  return { mapArea, rest }
}

function splitIntoColumns(
  items: readonly PlacedItem[],
  columns: number,
  target: number,
  maxHeight: number,
): { parts: PlacedItem[][]; rest: PlacedItem[] } {
  const parts: PlacedItem[][] = [[]]
  let height = 0
  for (const [i, item] of items.entries()) {
    const limit = parts.length === columns ? maxHeight : target
    if (height + item.height > limit && parts.at(-1)?.length !== 0) {
      if (parts.length === columns) return { parts, rest: items.slice(i) }
      parts.push([])
      height = 0
    }
    if (item.height > maxHeight) return { parts, rest: items.slice(i) }
    parts.at(-1)?.push(item)
    height += item.height
  }
  return { parts, rest: [] }
}

/** Draws additional pages with the items that did not fit on the sheet. */
export function continuedLegend(
  pen: Pen,
  rest: readonly PlacedItem[],
  { lang }: MapSpec,
  inner: Rect,
  size: [number, number],
  rtl: boolean,
): string[] {
  const out: string[] = []
  const columns = 3
  const width = (inner.width - (columns - 1) * GAP) / columns
  const fontSize = LEGEND.sizes.at(-1) as number
  let items = measureLegend(
    pen,
    rest.map(({ item }) => item),
    width,
    fontSize,
  )
  while (items.length > 0) {
    frameSheet(pen, size)
    const top = inner.y + inner.height
    pen.text(LABELS[lang].continued, rtl ? inner.x + inner.width : inner.x, top - LEGEND.title, LEGEND.title, {
      weight: 'semibold',
      align: rtl ? 'right' : 'left',
    })
    const maxHeight = inner.height - LEGEND.title * 1.8
    const next = splitIntoColumns(items, columns, maxHeight, maxHeight)
    for (const [i, part] of next.parts.entries()) {
      const position = rtl ? columns - 1 - i : i
      drawLegend(pen, part, { x: inner.x + position * (width + GAP), width }, top - LEGEND.title * 1.8, fontSize, rtl)
    }
    out.push(pen.take())
    items = next.rest
  }
  return out
}
