/**
 * Finds tables by their ruled lines. Lines that cross form a grid; cells whose separating line is missing are merged
 * into one.
 */
import type { PageContent, Rule } from './page-content.ts'
import { type Box, isWithin } from './page-geometry.ts'

export type Cell = Box & { row: number; column: number; rows: number; columns: number }
export type Grid = Box & { xs: number[]; ys: number[]; cells: Cell[] }

const SNAP = 2.5
const TOUCH = 3
const MAX_LINES = 400
/**
 * Minimum share of cells with text; grids below it are chart backgrounds. Grids with free shapes need a larger share.
 */
const MIN_TEXT_CELLS = 0.2
const MIN_TEXT_CELLS_OF_CHART = 0.6
const MIN_FREE_SIDE = 6

/** The grids on a page that hold text. */
export function tablesOf({ rules, runs, shapes }: PageContent): Grid[] {
  return findTables(rules).filter((grid) => {
    const inside = runs.filter((run) => isWithin(run, grid))
    const filled = grid.cells.filter((cell) => inside.some((run) => isWithin(run, cell))).length / grid.cells.length
    const isChart = shapes.some(
      (shape) =>
        shape.isFree &&
        shape.right - shape.left > MIN_FREE_SIDE &&
        shape.bottom - shape.top > MIN_FREE_SIDE &&
        isWithin(shape, grid),
    )
    return inside.length > 0 && filled >= (isChart ? MIN_TEXT_CELLS_OF_CHART : MIN_TEXT_CELLS)
  })
}

/** Merges ruled lines that overlap. */
function merged(rules: readonly Rule[], horizontal: boolean): Rule[] {
  const sorted = rules
    .filter((rule) => rule.horizontal === horizontal)
    .toSorted((a, b) => a.at - b.at || a.from - b.from)
  const out: Rule[] = []
  for (const rule of sorted) {
    const same = out.findLast(
      (other) => Math.abs(other.at - rule.at) <= SNAP && rule.from <= other.to + TOUCH && rule.to >= other.from - TOUCH,
    )
    if (same === undefined) out.push({ ...rule })
    else {
      same.from = Math.min(same.from, rule.from)
      same.to = Math.max(same.to, rule.to)
    }
  }
  return out
}

const crosses = (horizontal: Rule, vertical: Rule): boolean =>
  vertical.at >= horizontal.from - TOUCH &&
  vertical.at <= horizontal.to + TOUCH &&
  horizontal.at >= vertical.from - TOUCH &&
  horizontal.at <= vertical.to + TOUCH

function distinctPositions(values: readonly number[]): number[] {
  const out: number[] = []
  for (const value of values.toSorted((a, b) => a - b))
    if (out.length === 0 || value - (out.at(-1) as number) > SNAP) out.push(value)
  return out
}

function findTables(rules: readonly Rule[]): Grid[] {
  const [horizontals, verticals] = [merged(rules, true), merged(rules, false)]
  if (horizontals.length + verticals.length > MAX_LINES || verticals.length === 0) return []
  const lines = [...horizontals, ...verticals]
  const group = lines.map((_, i) => i)
  const root = (i: number): number => (group[i] === i ? i : root(group[i] as number))
  for (const [i, horizontal] of horizontals.entries())
    for (const [j, vertical] of verticals.entries())
      if (crosses(horizontal, vertical)) group[root(horizontals.length + j)] = root(i)
  const groups = new Map<number, Rule[]>()
  for (const [i, line] of lines.entries()) groups.set(root(i), [...(groups.get(root(i)) ?? []), line])
  return [...groups.values()].flatMap((members) => {
    const grid = gridOf(members)
    return grid === undefined ? [] : [grid]
  })
}

function gridOf(lines: readonly Rule[]): Grid | undefined {
  const horizontals = lines.filter(({ horizontal }) => horizontal)
  const verticals = lines.filter(({ horizontal }) => !horizontal)
  const [xs, ys] = [
    distinctPositions(verticals.map(({ at }) => at)),
    distinctPositions(horizontals.map(({ at }) => at)),
  ]
  const [columns, rows] = [xs.length - 1, ys.length - 1]
  // a single cell is a frame, not a table
  if (columns < 1 || rows < 1 || columns * rows < 2) return undefined
  const at = (values: readonly number[], i: number): number => values[i] as number
  const middle = (values: readonly number[], i: number): number => (at(values, i) + at(values, i + 1)) / 2
  const isRuled = (within: readonly Rule[], position: number, across: number): boolean =>
    within.some(
      (line) => Math.abs(line.at - position) <= SNAP && line.from - TOUCH <= across && line.to + TOUCH >= across,
    )
  const covered = new Set<number>()
  const cells: Cell[] = []
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      if (covered.has(row * columns + column)) continue
      let width = 1
      while (
        column + width < columns &&
        !covered.has(row * columns + column + width) &&
        !isRuled(verticals, at(xs, column + width), middle(ys, row))
      )
        width++
      let height = 1
      const isOpenBelow = (): boolean =>
        Array.from(
          { length: width },
          (_, i) => !isRuled(horizontals, at(ys, row + height), middle(xs, column + i)),
        ).every((open) => open)
      while (row + height < rows && isOpenBelow()) height++
      for (let r = row; r < row + height; r++)
        for (let c = column; c < column + width; c++) covered.add(r * columns + c)
      cells.push({
        row,
        column,
        rows: height,
        columns: width,
        left: at(xs, column),
        right: at(xs, column + width),
        top: at(ys, row),
        bottom: at(ys, row + height),
      })
    }
  if (cells.length < 2) return undefined
  return { xs, ys, cells, left: at(xs, 0), right: at(xs, columns), top: at(ys, 0), bottom: at(ys, rows) }
}
