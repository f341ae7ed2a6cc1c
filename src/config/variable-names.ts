/** Names of variables, and suggestions for misspelt names. */
import { SECRET_VARIABLES, VARIABLES } from './variables.ts'

const KNOWN = [...Object.keys(VARIABLES), ...SECRET_VARIABLES.map((name) => `${name}_FILE`)]
const known = new Set(KNOWN)

/** Up to this length, names that differ by one letter count as misspelt; longer names may differ by two. */
const SHORT = 5
const LONG = 9

export const isVariable = (name: string): boolean => known.has(name)

/** @returns the variable that was probably meant, if the name is not one itself */
export function similarVariable(name: string): string | undefined {
  if (isVariable(name)) return undefined
  const upper = name.toUpperCase()
  return KNOWN.map((variable) => ({ variable, distance: distanceOf(upper, variable) }))
    .filter(({ variable, distance }) => distance <= toleranceOf(Math.min(variable.length, name.length)))
    .sort((a, b) => a.distance - b.distance)[0]?.variable
}

const toleranceOf = (length: number): number => (length >= LONG ? 2 : length >= SHORT ? 1 : 0)

/** Levenshtein's distance. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, replaced))
    }
    row = next
  }
  return row[b.length] as number
}
