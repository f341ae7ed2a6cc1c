/** Whether conditions that must hold together can be met by one value. */

import { compare } from './compare.ts'
import type { Operator } from './rule.ts'

/** What a channel measures: any number, whole numbers, or yes and no, which are 1 and 0. */
export type Domain = 'number' | 'whole' | 'boolean'

type Comparison = { op: Operator; value: number }

/** Between two neighbouring values of the comparisons they hold alike, so one value of each stretch is tried. */
export function isSatisfiable(comparisons: readonly Comparison[], domain: Domain): boolean {
  const values = [...new Set(comparisons.map(({ value }) => value))].sort((a, b) => a - b)
  const tried = domain === 'boolean' ? [0, 1] : [...stretches(values), ...(domain === 'whole' ? near(values) : [])]
  return tried.some(
    (one) =>
      (domain !== 'whole' || Number.isSafeInteger(one)) &&
      comparisons.every(({ op, value }) => compare(one, op, value)),
  )
}

/** The values themselves, one between each two neighbours, and the ends of all numbers. */
function stretches(values: readonly number[]): number[] {
  const between = values.slice(1).map((value, i) => (values[i] as number) / 2 + value / 2)
  return [...values, ...between, -Number.MAX_VALUE, Number.MAX_VALUE]
}

/** Whole numbers beside each value: as many as other conditions may exclude. */
const near = (values: readonly number[]): number[] =>
  values.flatMap((value) =>
    Array.from({ length: 2 * values.length + 3 }, (_, i) => Math.floor(value) + i - values.length - 1),
  )
