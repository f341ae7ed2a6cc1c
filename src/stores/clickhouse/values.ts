/** Values in ClickHouse's SQL. */

export const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\\0' }

/** The text of a parameter's value; ClickHouse parses it by the parameter's type. */
export function parameterText(value: unknown): string {
  // a string that is not in an array is parsed like a field of tab-separated values
  if (typeof value === 'string') return value.replace(/[\\\t\n\r\0]/g, (character) => ESCAPES[character] as string)
  return literal(value)
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(',')}]`
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return String(value)
  throw new TypeError(`${JSON.stringify(value)} cannot be the value of a parameter`)
}
