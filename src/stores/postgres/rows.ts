/** The rows that `execute` returned; drizzle does not know their types. */
export const rowsOf = <T>(result: unknown): T[] => result as T[]
