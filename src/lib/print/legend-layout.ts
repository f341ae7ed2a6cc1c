/** Where a legend finds room on a sheet: beside the maps, below them, and on pages of its own. */
import { drawLegend, measureLegend, type PlacedItem, type Rect } from './furniture.ts'
import { LABELS, type MapSpec } from './map-spec.ts'
import type { Pen } from './pen.ts'
import { frameSheet, GAP } from './sheet-frame.ts'

const LEGEND = { sizes: [8.5, 7.5, 6.5], title: 10.5, portraitShare: 0.3 }

/** Beside the maps on a wide sheet, below them on a high one. @returns what is left for them, and items that found no room */
export function placeLegend(pen: Pen, spec: MapSpec, area: Rect, rtl: boolean): { mapArea: Rect; rest: PlacedItem[] } {
  const { legend, lang } = spec
  if (legend.length === 0) return { mapArea: area, rest: [] }
  const title = spec.legendTitle ?? LABELS[lang].legend
  const isWide = spec.orientation === 'landscape'
  const columns = isWide ? 1 : 3
  const width = isWide ? Math.min(200, Math.max(120, area.width * 0.22)) : (area.width - 2 * GAP) / columns
  const most = (isWide ? area.height : area.height * LEGEND.portraitShare) - LEGEND.title * 1.8
  let chosen: { size: number; parts: PlacedItem[][]; rest: PlacedItem[] } | undefined
  for (const size of LEGEND.sizes) {
    const items = measureLegend(pen, legend, width, size)
    const total = items.reduce((sum, { height }) => sum + height, 0)
    // as even as they can be
    const target = isWide
      ? most
      : Math.min(most, Math.max(total / columns + size, ...items.map(({ height }) => height)))
    const { parts, rest } = inColumns(items, columns, target, most)
    chosen = { size, parts, rest }
    if (rest.length === 0) break
  }
  const { size, parts, rest } = chosen as NonNullable<typeof chosen>
  const used =
    Math.max(...parts.map((part) => part.reduce((sum, { height }) => sum + height, 0)), 0) + LEGEND.title * 1.8
  const x = isWide ? (rtl ? area.x : area.x + area.width - width) : area.x
  const top = isWide ? area.y + area.height : area.y + used
  pen.lines(
    pen.broken(title, LEGEND.title, isWide ? width : area.width, 'semibold'),
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

function inColumns(
  items: readonly PlacedItem[],
  columns: number,
  target: number,
  most: number,
): { parts: PlacedItem[][]; rest: PlacedItem[] } {
  const parts: PlacedItem[][] = [[]]
  let height = 0
  for (const [i, item] of items.entries()) {
    const limit = parts.length === columns ? most : target
    if (height + item.height > limit && parts.at(-1)?.length !== 0) {
      if (parts.length === columns) return { parts, rest: items.slice(i) }
      parts.push([])
      height = 0
    }
    if (item.height > most) return { parts, rest: items.slice(i) }
    parts.at(-1)?.push(item)
    height += item.height
  }
  return { parts, rest: [] }
}

/** Pages of what the legend has more than the sheet has room for. */
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
  const letters = LEGEND.sizes.at(-1) as number
  let items = measureLegend(
    pen,
    rest.map(({ item }) => item),
    width,
    letters,
  )
  while (items.length > 0) {
    frameSheet(pen, size)
    const top = inner.y + inner.height
    pen.text(LABELS[lang].continued, rtl ? inner.x + inner.width : inner.x, top - LEGEND.title, LEGEND.title, {
      weight: 'semibold',
      align: rtl ? 'right' : 'left',
    })
    const most = inner.height - LEGEND.title * 1.8
    const next = inColumns(items, columns, most, most)
    for (const [i, part] of next.parts.entries()) {
      const position = rtl ? columns - 1 - i : i
      drawLegend(pen, part, { x: inner.x + position * (width + GAP), width }, top - LEGEND.title * 1.8, letters, rtl)
    }
    out.push(pen.take())
    items = next.rest
  }
  return out
}
