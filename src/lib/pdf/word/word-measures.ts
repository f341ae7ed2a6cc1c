/** Heights and positions of blocks as word processors measure them. */

import { largest } from '../../../lists.ts'
import type { Block } from '../layout/blocks.ts'
import type { Line } from '../layout/lines.ts'
import type { ColumnExtent, TextBlock } from '../layout/paragraphs.ts'

export type Inset = { near: number; far: number }

/** Converts points to twips, twentieths of a point. */
export const twips = (points: number): number => Math.round(20 * points)

/** Distance between baselines in the output: at least the height of the letters. */
export const lineHeight = ({ leading, size }: TextBlock): number => Math.max(leading, 1.05 * size)

/** The top of a block in the document: word processors put the spacing between lines above each line. */
export const topOf = (block: Block): number =>
  block.shape === 'text' ? block.top - Math.max(0, lineHeight(block) - block.size) : block.top

/** Distance of a column from its position in the word processor, at its start and end. */
export function insetOf(column: ColumnExtent, extent: ColumnExtent, rtl: boolean): Inset {
  const [left, right] = [Math.max(0, column.left - extent.left), Math.max(0, extent.right - column.right)]
  return rtl ? { near: right, far: left } : { near: left, far: right }
}

/** Free height at the end of a column, as a share of its height, for lines that break differently in another font. */
const RESERVE = 0.06
const MAX_SQUEEZE = 0.6

/** Factor for the gaps between blocks that leaves a reserve before `end`. */
export function squeezeOf(blocks: readonly Block[], top: number, end: number): number {
  const gaps = blocks.slice(1).map((block, i) => Math.max(0, topOf(block) - (blocks[i] as Block).bottom))
  const total = gaps.reduce((sum, gap) => sum + gap, 0)
  const bottom = Math.max(top, largest(blocks.map((block) => block.bottom)))
  const missing = RESERVE * (bottom - top) - (end - bottom)
  return missing <= 0 || total === 0 ? 1 : Math.max(1 - MAX_SQUEEZE, 1 - missing / total)
}

/** Parts of a line with wide gaps between them. */
export function piecesOf(line: Line): Line[] {
  const pieces: Line[] = []
  for (const run of line.runs) {
    const last = pieces.at(-1)
    if (last === undefined || run.left - last.right > 1.5 * line.size)
      pieces.push({ ...line, left: run.left, right: run.right, runs: [run] })
    else Object.assign(last, { right: Math.max(last.right, run.right), runs: [...last.runs, run] })
  }
  return line.rtl ? [line] : pieces
}
