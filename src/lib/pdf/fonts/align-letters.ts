/** Aligns the glyphs of a line, some with known letters, with the recognised text of the line. */

/** Costs of assigning 0, 1, 2 or 3 letters to an unknown glyph; a ligature stands for several. */
const UNKNOWN_COSTS = [1, 0.4, 0.7, 0.9]
const WRONG = 1
/** Maximum mean cost per glyph of a trusted alignment. */
const MAX_COST = 0.25

/**
 * @param glyphs the known letters of the glyphs, undefined for unknown ones
 * @returns the letters of the unknown glyphs, by index
 */
export function alignedLetters(glyphs: readonly (string | undefined)[], text: string): Map<number, string> {
  const letters = [...text.replace(/ /g, '')]
  const columns = letters.length + 1
  const costs = new Float64Array((glyphs.length + 1) * columns).fill(Number.POSITIVE_INFINITY)
  const taken = new Int8Array(costs.length)
  costs[0] = 0
  // letters without a glyph
  for (let j = 1; j < columns; j++) {
    costs[j] = j * WRONG
    taken[j] = -1
  }
  for (const [i, glyph] of glyphs.entries())
    for (let j = 0; j < columns; j++) {
      const at = (i + 1) * columns + j
      const consider = (cost: number, count: number): void => {
        if (cost >= (costs[at] as number)) return
        costs[at] = cost
        taken[at] = count
      }
      for (let count = 0; count <= Math.min(3, j); count++) {
        const before = costs[i * columns + j - count] as number
        if (glyph === undefined) consider(before + (UNKNOWN_COSTS[count] as number), count)
        else {
          const isEqual = letters.slice(j - count, j).join('') === glyph.replace(/ /g, '')
          if (isEqual || count <= 1) consider(before + (isEqual ? 0 : WRONG), count)
        }
      }
      if (j > 0) consider((costs[at - 1] as number) + WRONG, -1)
    }
  const found = new Map<number, string>()
  if ((costs.at(-1) as number) > MAX_COST * glyphs.length) return found
  for (let [i, j] = [glyphs.length, letters.length]; i > 0; ) {
    const count = taken[i * columns + j] as number
    if (count < 0) {
      j--
      continue
    }
    if (glyphs[i - 1] === undefined && count > 0) found.set(i - 1, letters.slice(j - count, j).join(''))
    i--
    j -= count
  }
  return found
}
