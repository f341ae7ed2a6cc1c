/** What holds for the rows of every CSV, by the rules of the server's reader. */

export const isEmptyRow = (row: readonly string[]): boolean => row.every((value) => value.trim() === '')

/** The cells of a row that has more than the header, whose cells may belong to other columns. */
export function extraCells(row: readonly string[], width: number): string | undefined {
  const extra = row.slice(width)
  return isEmptyRow(extra) ? undefined : extra.join(' ').trim()
}
