/** What `execute` answers, which the two drivers wrap differently. */
export function rowsOf<T>(answer: unknown): T[] {
  return (Array.isArray(answer) ? answer : (answer as { rows: T[] }).rows) as T[]
}
