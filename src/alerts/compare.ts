import type { Operator } from './rule.ts'

export function compare(a: number, op: Operator, b: number): boolean {
  switch (op) {
    case '>':
      return a > b
    case '>=':
      return a >= b
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '=':
      return a === b
    case '!=':
      return a !== b
  }
}
