/** Rules for the rows of every CSV, the same as the server's reader has. */

export const isEmptyRow = (row: readonly string[]): boolean => row.every((value) => value.trim() === '')

/** The cells of a row that is longer than the header, so that they may belong to other columns. */
export function extraCells(row: readonly string[], width: number): string | undefined {
  const extra = row.slice(width)
  return isEmptyRow(extra) ? undefined : extra.join(' ').trim()
}
