/** Draws the frame of a sheet. */
import type { Rect } from './furniture.ts'
import type { Pen } from './pen.ts'

const MARGIN = 24
const PADDING = 12
/** Distance between elements of the sheet. */
export const GAP = 12

/** @returns the area inside the frame */
export function frameSheet(pen: Pen, [width, height]: [number, number]): Rect {
  const sheet = { x: MARGIN, y: MARGIN, width: width - 2 * MARGIN, height: height - 2 * MARGIN }
  pen.rect(sheet.x, sheet.y, sheet.width, sheet.height, { stroke: '#222222', line: 1.2 })
  return {
    x: sheet.x + PADDING,
    y: sheet.y + PADDING,
    width: sheet.width - 2 * PADDING,
    height: sheet.height - 2 * PADDING,
  }
}
