/** The widths of a table's columns. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { type Column, NARROW } from './table-view.ts'

/** The width inside an element, in pixels; 0 before it is known. */
export function useWidth(element: RefObject<HTMLElement>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const measured = element.current
    if (measured === null) return
    const watcher = new ResizeObserver(() => setWidth(measured.clientWidth))
    watcher.observe(measured)
    return () => watcher.disconnect()
  }, [])
  return width
}

/**
 * Columns that do not fit begin beyond the edge: a number that the edge cuts would be read as another one.
 * @param before width before the columns
 * @param room width of the table
 * @returns the tracks of the grid, their least width, and whether the table scrolls
 */
export function columnWidths<Row>(
  columns: readonly Column<Row>[],
  before: number,
  room: number,
): { template: string; least: number; isWider: boolean } {
  const leastOf = ({ width, narrowWidth = width }: Column<Row>): number => (NARROW.matches ? narrowWidth : width)
  const sumOf = (some: readonly Column<Row>[]): number => some.reduce((sum, one) => sum + leastOf(one), before)
  const least = sumOf(columns)
  const lead = before > 0 ? [`${before}px`] : []
  const isWider = room > 0 && least > room
  const fitting = isWider ? columns.filter((_, i) => sumOf(columns.slice(0, i + 1)) <= room) : []
  if (fitting.length === 0) {
    const tracks = columns.map((one) =>
      one.grow === undefined ? `${leastOf(one)}px` : `minmax(${leastOf(one)}px, ${one.grow}fr)`,
    )
    return { template: [...lead, ...tracks].join(' '), least, isWider }
  }
  const spare = room - sumOf(fitting)
  const shares = fitting.reduce((sum, { grow = 0 }) => sum + grow, 0)
  const tracks = columns.map((one, i) => {
    const share = shares === 0 ? Number(i === fitting.length - 1) : (one.grow ?? 0) / shares
    return `${leastOf(one) + (i < fitting.length ? spare * share : 0)}px`
  })
  return { template: [...lead, ...tracks].join(' '), least: least + spare, isWider }
}
