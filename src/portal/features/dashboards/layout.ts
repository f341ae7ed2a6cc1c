/** Where panels stand in the grid: a moved panel pushes the others down, and panels close the gaps above. */
import type { Panel } from './dashboard-data.ts'

export const COLUMNS = 12
export type Place = Pick<Panel, 'x' | 'y' | 'w' | 'h'>

const overlaps = (a: Place, b: Place): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

/** @param firstId the panel that keeps its place where two want the same */
export function settled(panels: readonly Panel[], firstId?: string): Panel[] {
  const order = panels.toSorted((a, b) => a.y - b.y || Number(b.id === firstId) - Number(a.id === firstId) || a.x - b.x)
  const placed: Panel[] = []
  for (const panel of order) {
    let y = panel.y
    const isFree = (at: number): boolean => placed.every((other) => !overlaps({ ...panel, y: at }, other))
    while (y > 0 && isFree(y - 1)) y--
    while (!isFree(y)) y++
    placed.push({ ...panel, y })
  }
  const places = new Map(placed.map((panel) => [panel.id, panel]))
  // the order of the document stays, so that a moved panel keeps its element and the focus
  return panels.map(({ id }) => places.get(id) as Panel)
}

const between = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value))

/** Within the grid. */
export function inGrid({ x, y, w, h }: Place): Place {
  const width = between(w, 2, COLUMNS)
  return { x: between(x, 0, COLUMNS - width), y: between(y, 0, 1_000), w: width, h: between(h, 2, 24) }
}

/** The order in which panels are read, and in which a phone shows them. */
export const inReadingOrder = (panels: readonly Panel[]): Panel[] => panels.toSorted((a, b) => a.y - b.y || a.x - b.x)

/** The first free place below all panels. */
export const below = (panels: readonly Place[]): number => panels.reduce((end, { y, h }) => Math.max(end, y + h), 0)
