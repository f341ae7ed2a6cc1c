/**
 * Lists of any length. `Math.max(...list)` and `list.push(...more)` make each entry an argument of a call, and fail above
 * some 125,000 of them.
 */

/** @returns minus infinity for no values */
export function largest(values: Iterable<number>): number {
  let found = Number.NEGATIVE_INFINITY
  for (const value of values) found = Math.max(found, value)
  return found
}

/** @returns infinity for no values */
export function smallest(values: Iterable<number>): number {
  let found = Number.POSITIVE_INFINITY
  for (const value of values) found = Math.min(found, value)
  return found
}

export function append<T>(list: T[], more: Iterable<T>): void {
  for (const item of more) list.push(item)
}
