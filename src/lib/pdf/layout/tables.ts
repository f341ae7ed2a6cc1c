/** Tables found by the lines that are ruled between their cells. */
import type { Rule } from './page-content.ts'
import type { Box } from './page-geometry.ts'

export type Cell = Box & { row: number; column: number; rows: number; columns: number }
export type Grid = Box & { xs: number[]; ys: number[]; cells: Cell[] }

const SNAP = 2.5
const TOUCH = 3
const MAX_LINES = 400

/** Ruled lines that lie on one another, as one. */
function merged(rules: readonly Rule[], level: boolean): Rule[] {
  const sorted = rules.filter((rule) => rule.level === level).toSorted((a, b) => a.at - b.at || a.from - b.from)
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

const crosses = (level: Rule, upright: Rule): boolean =>
  upright.at >= level.from - TOUCH &&
  upright.at <= level.to + TOUCH &&
  level.at >= upright.from - TOUCH &&
  level.at <= upright.to + TOUCH

function positions(values: readonly number[]): number[] {
  const out: number[] = []
  for (const value of values.toSorted((a, b) => a - b))
    if (out.length === 0 || value - (out.at(-1) as number) > SNAP) out.push(value)
  return out
}

export function findTables(rules: readonly Rule[]): Grid[] {
  const [levels, uprights] = [merged(rules, true), merged(rules, false)]
  if (levels.length + uprights.length > MAX_LINES || uprights.length === 0) return []
  const lines = [...levels, ...uprights]
  const group = lines.map((_, i) => i)
  const root = (i: number): number => (group[i] === i ? i : root(group[i] as number))
  for (const [i, level] of levels.entries())
    for (const [j, upright] of uprights.entries()) if (crosses(level, upright)) group[root(levels.length + j)] = root(i)
  const groups = new Map<number, Rule[]>()
  for (const [i, line] of lines.entries()) groups.set(root(i), [...(groups.get(root(i)) ?? []), line])
  return [...groups.values()].flatMap((members) => {
    const grid = gridOf(members)
    return grid === undefined ? [] : [grid]
  })
}

function gridOf(lines: readonly Rule[]): Grid | undefined {
  const levels = lines.filter(({ level }) => level)
  const uprights = lines.filter(({ level }) => !level)
  const [xs, ys] = [positions(uprights.map(({ at }) => at)), positions(levels.map(({ at }) => at))]
  const [columns, rows] = [xs.length - 1, ys.length - 1]
  // a single box is a frame
  if (columns < 1 || rows < 1 || columns * rows < 2) return undefined
  const at = (values: readonly number[], i: number): number => values[i] as number
  const middle = (values: readonly number[], i: number): number => (at(values, i) + at(values, i + 1)) / 2
  const isRuled = (within: readonly Rule[], position: number, across: number): boolean =>
    within.some(
      (line) => Math.abs(line.at - position) <= SNAP && line.from - TOUCH <= across && line.to + TOUCH >= across,
    )
  const taken = new Set<number>()
  const cells: Cell[] = []
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      if (taken.has(row * columns + column)) continue
      let width = 1
      while (
        column + width < columns &&
        !taken.has(row * columns + column + width) &&
        !isRuled(uprights, at(xs, column + width), middle(ys, row))
      )
        width++
      let height = 1
      const isOpenBelow = (): boolean =>
        Array.from({ length: width }, (_, i) => !isRuled(levels, at(ys, row + height), middle(xs, column + i))).every(
          (open) => open,
        )
      while (row + height < rows && isOpenBelow()) height++
      for (let r = row; r < row + height; r++) for (let c = column; c < column + width; c++) taken.add(r * columns + c)
      cells.push({
        ...{ row, column, rows: height, columns: width },
        ...{ left: at(xs, column), right: at(xs, column + width), top: at(ys, row), bottom: at(ys, row + height) },
      })
    }
  if (cells.length < 2) return undefined
  return { xs, ys, cells, left: at(xs, 0), right: at(xs, columns), top: at(ys, 0), bottom: at(ys, rows) }
}
