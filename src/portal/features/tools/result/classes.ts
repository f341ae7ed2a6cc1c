/**
 * Classes of values with about as many features each (quantiles), so that a few extreme values do not leave most of the
 * map in one colour. Equal values are in one class.
 */
/** A class of values: from the first to the last that occurs in it, with the number of its features. */
export type ValueClass = { from: number; to: number; count: number }

/** @returns the classes from the lowest; and for each value the number of its class from 1, 0 for NaN */
export function classify(values: Float64Array, wanted: number): { classes: ValueClass[]; classOf: Uint8Array } {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort()
  const classes: ValueClass[] = []
  for (let at = 0, left = wanted; at < sorted.length; left--) {
    const start = at
    at = Math.min(sorted.length, start + Math.max(1, Math.round((sorted.length - start) / Math.max(1, left))))
    while (at < sorted.length && sorted[at] === sorted[at - 1]) at++
    classes.push({ from: sorted[start] as number, to: sorted[at - 1] as number, count: at - start })
  }
  const classOf = Uint8Array.from(values, (value) => 1 + classes.findIndex(({ to }) => value <= to))
  return { classes, classOf }
}
